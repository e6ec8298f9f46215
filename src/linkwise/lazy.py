"""Names and modules that load on first use, so that importing what mentions them costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loader(package: str, home: Mapping[str, str]) -> Callable[[str], object]:
    """Return a ``__getattr__`` for a package; ``home`` tells the module of each name."""

    def load(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load


class LazyModule:
    """A module that is imported when something of it is needed, for packages that may be absent.

    Examples
    --------
    >>> decimal = LazyModule("decimal")
    >>> decimal.Decimal("0.5")
    Decimal('0.5')
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # whoever looks at objects in general
            raise AttributeError(attribute)
        value = getattr(import_module(self._name), attribute)
        setattr(self, attribute, value)
        return value
