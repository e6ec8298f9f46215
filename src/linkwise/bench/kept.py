"""Figures of a long run, kept as they come: a run that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from linkwise.bench.environment import commit
from linkwise.bench.json_lines import Line, append_line, mend_end, read_lines

#: What a figure is about, such as ("coil20", 3, "RCA").
Key = tuple[str | int, ...]


class Kept:
    """Figures by what they are about, a line of JSON each.

    Parameters
    ----------
    path : Path or None, default=None
        The file. None keeps nothing: every figure is computed when it is asked for.

    Examples
    --------
    >>> Kept().figure(("iris", 0), lambda: [0.75])
    [0.75]
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._found: dict[str, Line] = {}
        if path is not None:
            mend_end(path)
            self._found = {_name(line["of"]): line for line in read_lines(path)}

    def figure(self, key: Key, compute: Callable[[], Any]) -> Any:
        """Return what is kept under ``key``; compute and keep it if that was never done.

        What is computed has to be JSON: numbers, texts, lists and dictionaries of them.
        """
        line = self._found.get(_name(key))
        if line is None:
            line = {"commit": self._commit, "of": list(key), "figure": compute()}
            self._found[_name(key)] = line
            if self._path is not None:
                append_line(self._path, line)
        return line["figure"]

    @cached_property
    def _commit(self) -> str:
        """The commit at the first figure: this code is what runs, whatever is edited meanwhile."""
        return commit()

    @property
    def commits(self) -> list[str]:
        """The commits that computed what is here, the first one first."""
        return list(dict.fromkeys(line["commit"] for line in self._found.values()))


def _name(key: Key | list[str | int]) -> str:
    return json.dumps(list(key))
