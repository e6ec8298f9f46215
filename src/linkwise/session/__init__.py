"""A clustering that lives: answers are kept for good, everything can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwise.lazy import loader

if TYPE_CHECKING:
    from linkwise.query import STRATEGIES as STRATEGIES
    from linkwise.session.advice.looks import Weighed as Weighed
    from linkwise.session.advice.people import Agreement as Agreement
    from linkwise.session.advice.people import People as People
    from linkwise.session.advice.people import Person as Person
    from linkwise.session.advice.progress import Progress as Progress
    from linkwise.session.advice.questions import Question as Question
    from linkwise.session.advice.troubles import Suspicion as Suspicion
    from linkwise.session.advice.troubles import Trouble as Trouble
    from linkwise.session.backup import back_up as back_up
    from linkwise.session.data.description import is_session as is_session
    from linkwise.session.data.display import Row as Row
    from linkwise.session.data.file import Columns as Columns
    from linkwise.session.events.event import Entry as Entry
    from linkwise.session.events.event import Event as Event
    from linkwise.session.events.kinds import KINDS as KINDS
    from linkwise.session.events.kinds import in_words as in_words
    from linkwise.session.repair import Part as Part
    from linkwise.session.repair import Repair as Repair
    from linkwise.session.repair import repair_session as repair_session
    from linkwise.session.session import Session as Session
    from linkwise.session.state.view import Cluster as Cluster
    from linkwise.session.state.view import View as View
    from linkwise.session.summary import Summary as Summary
    from linkwise.session.summary import describe as describe
    from linkwise.session.verification import Verification as Verification
    from linkwise.session.verification import verify_session as verify_session

#: Where each name lives. Modules load on first use, so that a service can start at once.
HOME = {
    "KINDS": "linkwise.session.events.kinds",
    "STRATEGIES": "linkwise.query",
    "Agreement": "linkwise.session.advice.people",
    "Cluster": "linkwise.session.state.view",
    "Columns": "linkwise.session.data.file",
    "Entry": "linkwise.session.events.event",
    "Event": "linkwise.session.events.event",
    "Part": "linkwise.session.repair",
    "People": "linkwise.session.advice.people",
    "Person": "linkwise.session.advice.people",
    "Progress": "linkwise.session.advice.progress",
    "Question": "linkwise.session.advice.questions",
    "Repair": "linkwise.session.repair",
    "Row": "linkwise.session.data.display",
    "Session": "linkwise.session.session",
    "Summary": "linkwise.session.summary",
    "Suspicion": "linkwise.session.advice.troubles",
    "Trouble": "linkwise.session.advice.troubles",
    "Verification": "linkwise.session.verification",
    "View": "linkwise.session.state.view",
    "Weighed": "linkwise.session.advice.looks",
    "back_up": "linkwise.session.backup",
    "describe": "linkwise.session.summary",
    "in_words": "linkwise.session.events.kinds",
    "is_session": "linkwise.session.data.description",
    "repair_session": "linkwise.session.repair",
    "verify_session": "linkwise.session.verification",
}

__all__ = [*HOME]


if not TYPE_CHECKING:  # type checkers would believe that any name is there
    __getattr__ = loader(__name__, HOME)


def __dir__() -> list[str]:
    return sorted(__all__)
