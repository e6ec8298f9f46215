"""Engines by name."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from linkwise.engines.base import Engine
from linkwise.errors import InvalidInput, missing_extra

#: The engines that have a name: the class, the package it needs, and the extra that brings that.
_NAMED = {
    "cpu": ("Cpu", "", ""),
    "cuda": ("Cuda", "CuPy", "gpu"),
    "ray": ("Ray", "Ray", "cluster"),
}


def find_engine(engine: str | Engine) -> Engine:
    """Return the engine of this name, made once in a process, or the one that is given.

    Examples
    --------
    >>> find_engine("cpu") is find_engine("cpu")
    True
    >>> find_engine("abacus")
    Traceback (most recent call last):
    linkwise.errors.InvalidInput: engine='abacus': engines are called "cpu", "cuda" and "ray".
    """
    if isinstance(engine, str):
        return _named(engine)
    if isinstance(engine, Engine) and not isinstance(engine, type):
        return engine
    raise InvalidInput(f"engine={engine!r}: expected the name of an engine, or an engine.")


@cache
def _named(name: str) -> Engine:
    if name not in _NAMED:
        *others, last = (f'"{known}"' for known in _NAMED)
        raise InvalidInput(f"engine={name!r}: engines are called {', '.join(others)} and {last}.")
    class_name, package, extra = _NAMED[name]
    try:
        made: Engine = getattr(import_module(f"linkwise.engines.{name}"), class_name)()
    except ModuleNotFoundError as error:
        if error.name != package.lower():
            raise
        raise missing_extra(f'engine="{name}"', package, extra) from None
    return made
