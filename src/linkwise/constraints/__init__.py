"""What people know about their rows: pairs that belong together or apart, and some labels."""

from linkwise.constraints.argument import Knowledge, as_constraints, refuse_knowledge_as_y
from linkwise.constraints.conflicts import Conflict
from linkwise.constraints.labels import PartialLabels
from linkwise.constraints.links import Links
from linkwise.constraints.repair import Repair

__all__ = [
    "Conflict",
    "Knowledge",
    "Links",
    "PartialLabels",
    "Repair",
    "as_constraints",
    "refuse_knowledge_as_y",
]
