"""How a reproduction is asked for and how its pages are written."""

from __future__ import annotations

import os
import platform
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.resources import files
from typing import Any

from linkwise.bench.environment import commit
from linkwise.bench.kept import Kept
from linkwise.errors import InvalidInput

#: Command-line key of each reproduction, and the paper it is about.
PAPERS = {
    "margin": "Zeng and Cheung, maximum margin clustering with pairwise constraints, TKDE 2012",
    "partition": "Liu and Fu, clustering with partition level side information, ICDM 2015",
    "sequential": "Yi et al., semi-supervised clustering with sequential constraints, KDD 2015",
    "spectral": "landmark spectral clustering with pairwise constraints, ESWA 2015",
}

#: Those that take so long that they keep their figures as they come.
KEEPING = ("margin", "sequential", "spectral")


@dataclass(frozen=True)
class Settings:
    """What a run of a reproduction is allowed to cost.

    Attributes
    ----------
    draws : int or None
        Repetitions per cell; None is the paper's own number (or what the page states).
    sets : tuple of str or None
        Only these data sets; None is all.
    seed : int
        Seed of the first draw; draw ``i`` uses ``seed + i``.
    say : callable
        Receives one line of progress at a time.
    kept : Kept
        Figures that need not be computed again; see :data:`KEEPING`.
    """

    draws: int | None = None
    sets: tuple[str, ...] | None = None
    seed: int = 0
    say: Callable[[str], None] = lambda line: None  # noqa: ARG005
    kept: Kept = field(default_factory=Kept)

    def chosen(self, names: Iterable[str]) -> list[str]:
        """Return those of ``names`` that were asked for."""
        known = list(names)
        if self.sets is None:
            return known
        for name in self.sets:
            if name not in known:
                raise InvalidInput(
                    f"{name!r} is not part of this reproduction: {', '.join(known)}."
                )
        return [name for name in known if name in self.sets]


def run_paper(key: str, settings: Settings) -> str:
    """Run the reproduction called ``key`` and return its page as Markdown."""
    if key not in PAPERS:
        raise InvalidInput(f"{key!r} is not a paper we reproduce. Known: {', '.join(PAPERS)}.")
    module = import_module(f"linkwise.bench.papers.{key}.run")
    page: str = module.run(settings)
    commits = ", ".join(settings.kept.commits or [commit()])
    return f"# {PAPERS[key]}\n\n{machine()} Commit {commits}.\n\n{page}\n"


def expected(key: str) -> dict[str, Any]:
    """Return the paper's numbers, from its ``expected.toml``."""
    text = files(f"linkwise.bench.papers.{key}").joinpath("expected.toml").read_text("utf-8")
    return tomllib.loads(text)


def machine() -> str:
    """Say on what the figures were made."""
    return f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores."


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; floats are shown with three digits."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
