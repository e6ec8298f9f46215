"""Pictures of clusterings and of what was said about them, one function each.

Every function draws into ``ax``, or into a new figure where there is none, and returns the
matplotlib Axes. matplotlib is needed once something is drawn: ``pip install "linkwise[plot]"``.

>>> import linkwise as lw
>>> ax = lw.plot.confusion(["cat", "cat", "dog"], [0, 0, 1])
>>> ax.get_xlabel(), ax.get_ylabel()
('cluster', 'class')
"""

from __future__ import annotations

from linkwise.plot.agreement import agreement
from linkwise.plot.choice_of_k import choice_of_k
from linkwise.plot.clusters import clusters
from linkwise.plot.confusion import confusion
from linkwise.plot.memberships import memberships
from linkwise.plot.suspicion import suspicion

__all__ = ["agreement", "choice_of_k", "clusters", "confusion", "memberships", "suspicion"]
