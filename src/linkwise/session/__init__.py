"""A clustering that lives: answers are kept for good, everything can be undone."""

from linkwise.query import STRATEGIES
from linkwise.session.advice.people import Agreement, People, Person
from linkwise.session.advice.progress import Progress
from linkwise.session.advice.questions import Question
from linkwise.session.advice.troubles import Suspicion, Trouble
from linkwise.session.backup import back_up
from linkwise.session.data.description import is_session
from linkwise.session.data.display import Row
from linkwise.session.data.file import Columns
from linkwise.session.events.event import Entry, Event
from linkwise.session.events.kinds import KINDS, in_words
from linkwise.session.repair import Part, Repair, repair_session
from linkwise.session.session import Session
from linkwise.session.state.view import Cluster, View
from linkwise.session.summary import Summary, describe
from linkwise.session.verification import Verification, verify_session

__all__ = [
    "KINDS",
    "STRATEGIES",
    "Agreement",
    "Cluster",
    "Columns",
    "Entry",
    "Event",
    "Part",
    "People",
    "Person",
    "Progress",
    "Question",
    "Repair",
    "Row",
    "Session",
    "Summary",
    "Suspicion",
    "Trouble",
    "Verification",
    "View",
    "back_up",
    "describe",
    "in_words",
    "is_session",
    "repair_session",
    "verify_session",
]
