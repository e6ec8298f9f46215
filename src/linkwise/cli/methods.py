"""The names estimators go by on the command line.

An estimator is called after its file (``pck_means.py`` is ``pck-means``), so the list follows what
linkwise exports and nothing has to be loaded to print it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import linkwise
from linkwise.cli.suggesting import meant

if TYPE_CHECKING:
    from linkwise.cluster.base import ConstrainedClusterer

    Choice = click.Choice[str]
else:
    Choice = click.Choice

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


class MethodName(Choice):
    """A method, by its name here or by that of its class, however it is spelled."""

    def __init__(self) -> None:
        super().__init__(list(method_names()))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of the method."""
        listed = method_names()
        known = {_bare(word): name for name, cls in listed.items() for word in (cls, name)}
        if _bare(value) not in known:
            near = meant(value, listed)
            self.fail(f"{value!r} is not one of {', '.join(listed)}.{near}", param, ctx)
        return known[_bare(value)]


def _bare(word: str) -> str:
    return "".join(c for c in word.lower() if c.isalnum())


def estimator_class(method: str) -> type[ConstrainedClusterer]:
    """Load the estimator that goes by ``method``."""
    found: type[ConstrainedClusterer] = getattr(linkwise, method_names()[method])
    return found
