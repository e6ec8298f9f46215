"""A clustering that lives: answers are kept for good, everything can be undone."""

from linkwise.query import STRATEGIES
from linkwise.session.data_file import Columns
from linkwise.session.description import is_session
from linkwise.session.display import Row
from linkwise.session.events import Entry, Event
from linkwise.session.progress import Progress
from linkwise.session.questions import Question
from linkwise.session.session import Session
from linkwise.session.summary import Summary, describe
from linkwise.session.troubles import Suspicion, Trouble
from linkwise.session.view import Cluster, View

__all__ = [
    "STRATEGIES",
    "Cluster",
    "Columns",
    "Entry",
    "Event",
    "Progress",
    "Question",
    "Row",
    "Session",
    "Summary",
    "Suspicion",
    "Trouble",
    "View",
    "describe",
    "is_session",
]
