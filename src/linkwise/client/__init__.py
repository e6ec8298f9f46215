"""A Python client of the service: plain functions of its addresses, typed, sync and async.

It needs httpx (``pip install "linkwise[client]"``) and neither the service's nor the models' code.

>>> from linkwise.client import Client
>>> client = Client("http://127.0.0.1:8321", token="a-token-of-16-letters-or-more")
>>> client.url
'http://127.0.0.1:8321'
>>> client.close()
"""

from linkwise.client.async_client import AsyncClient
from linkwise.client.client import Client
from linkwise.client.errors import ServiceError, Unreachable
from linkwise.client.messages import (
    Agreement,
    Array,
    Change,
    Cluster,
    Column,
    Event,
    File,
    FileColumn,
    GuessedColumns,
    Health,
    History,
    Job,
    Moved,
    NewEvent,
    News,
    Number,
    People,
    Person,
    Progress,
    Question,
    Row,
    SessionDetail,
    SessionSummary,
    Suspicion,
    Trouble,
    Upload,
)

__all__ = [
    "Agreement",
    "Array",
    "AsyncClient",
    "Change",
    "Client",
    "Cluster",
    "Column",
    "Event",
    "File",
    "FileColumn",
    "GuessedColumns",
    "Health",
    "History",
    "Job",
    "Moved",
    "NewEvent",
    "News",
    "Number",
    "People",
    "Person",
    "Progress",
    "Question",
    "Row",
    "ServiceError",
    "SessionDetail",
    "SessionSummary",
    "Suspicion",
    "Trouble",
    "Unreachable",
    "Upload",
]
