"""What linkwise warns of, as notes for the person at the terminal."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import click

from linkwise.cli.voice import is_quiet
from linkwise.errors import ContradictionWarning


@contextmanager
def noted() -> Iterator[list[str]]:
    """Collect what is warned of inside, each sentence once; the list is filled at the end.

    Contradictions are not among them: commands tell these themselves.
    """
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ContradictionWarning)
        yield notes
    told = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    notes += dict.fromkeys(told)


def print_notes(notes: list[str], *, err: bool = True) -> None:
    """Tell notes, on stderr unless they are part of a summary, if anybody wants to hear them."""
    for note in () if is_quiet() else notes:
        click.echo(f"Note: {note}", err=err)
