"""The names estimators go by on the command line.

An estimator is called after its file (``pck_means.py`` is ``pck-means``), so the list follows what
linkwise exports and nothing has to be loaded to print it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import linkwise

if TYPE_CHECKING:
    from linkwise.cluster.base import ConstrainedClusterer

DEFAULT = "sequential"


def method_names() -> dict[str, str]:
    """Return the class name behind each method name, the default first."""
    rooms = {name: linkwise.HOME[name].rpartition(".") for name in linkwise.HOME}
    found = {
        module.replace("_", "-"): name
        for name, (room, _, module) in rooms.items()
        if room.startswith("linkwise.cluster.") and name[0].isupper()
    }
    return dict(sorted(found.items(), key=lambda item: (item[0] != DEFAULT, item[0])))


def estimator_class(method: str) -> type[ConstrainedClusterer]:
    """Load the estimator that goes by ``method``."""
    found: type[ConstrainedClusterer] = getattr(linkwise, method_names()[method])
    return found
