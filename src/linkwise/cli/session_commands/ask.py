"""``linkwise session ask``: questions in the terminal, one key each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from linkwise.cli.session_commands.opening import open_session
from linkwise.cli.session_commands.say import folder_argument
from linkwise.cli.session_commands.words import about_contradictions
from linkwise.errors import InvalidInput

if TYPE_CHECKING:
    from linkwise.cli.session_commands.opening import AnySession
    from linkwise.cli.session_commands.remote import RemoteQuestion
    from linkwise.client import Row as RemoteRow
    from linkwise.session import Question, Row

#: The keys of the studio's page (web/src/ask/Question.svelte), so that one key means one thing.
_VERDICTS = {"s": "same", "d": "different", "c": "unsure"}
_UNDO = "u"
_QUESTION = "Do the two rows belong together? A * marks where they differ. Press a key:"
_KEYS = "s same   d different   c cannot tell   u undo   q quit"
_WIDTH = 36
_MAX_FIELDS = 20


@click.command("ask")
@folder_argument
@click.option("--who", default="", help="Who answers.")
@click.option("--strategy", default="auto", show_default=True, help="How to choose questions.")
@click.option("-n", "limit", type=click.IntRange(min=1), help="Stop after so many answers.")
def ask(folder: Path, who: str, strategy: str, limit: int | None) -> None:
    """Answer questions about pairs of rows, one key each.

    Keys: s same, d different, c cannot tell, u undo the last answer, q quit. What the clustering
    thinks is told after the answer.
    """
    with open_session(folder) as session:
        given: list[int] = []
        click.echo(f"{_QUESTION}\n{_KEYS}")
        while limit is None or len(given) < limit:
            questions = session.query(1, strategy, who=who or None)
            if not questions:
                click.echo("No useful question is left.")
                break
            if not _one(session, folder, questions[0], given, who):
                break
        answers = "1 answer" if len(given) == 1 else f"{len(given)} answers"
        click.echo(f"{answers} given. {session.progress().hint}")


def _one(
    session: AnySession,
    folder: Path,
    question: Question | RemoteQuestion,
    given: list[int],
    who: str,
) -> bool:
    """Ask one question until it is answered; False to stop."""
    show(*session.rows([question.i, question.j]))
    while True:
        key = _pressed()
        if key == "q":
            return False
        if key == _UNDO and given:
            session.undo(given.pop(), who=who)
            click.echo("Took the last answer back.")
            return True
        if key in _VERDICTS:
            event = session.answer(question.i, question.j, _VERDICTS[key], who=who)
            given.append(event.seq)
            guess = event.payload.get("guess") or question.guess
            said = "cannot tell" if _VERDICTS[key] == "unsure" else _VERDICTS[key]
            doubt = about_contradictions(session, folder, [event.seq])
            click.echo(f"{said}; the clustering thought {guess}.{doubt}")
            return True
        click.echo(_KEYS)


def _pressed() -> str:
    try:
        return click.getchar().lower()
    except OSError as error:
        raise InvalidInput(
            "Keys are read from a terminal, and there is none here. linkwise session answer takes "
            "answers from programs."
        ) from error


def show(left: Row | RemoteRow, right: Row | RemoteRow) -> None:
    """Print two rows side by side; fields that differ are marked."""
    click.echo("")
    click.echo(f"    {'':<12} {_short(left.id):<{_WIDTH}} {_short(right.id)}")
    for name in list(left.fields)[:_MAX_FIELDS]:
        a, b = left.fields[name], right.fields.get(name)
        mark = " " if a == b else "*"
        click.echo(f"  {mark} {_short(name, 12):<12} {_short(a):<{_WIDTH}} {_short(b)}")
    for row in (left, right):
        if row.text is not None:
            click.echo(f"    {_short(row.id)}: {_short(row.text, 300)}")


def _short(value: object, width: int = _WIDTH) -> str:
    """Return a value in one line of printable characters, cut to fit."""
    text = "".join(c if c.isprintable() else " " for c in str(value))
    return text if len(text) <= width else text[: width - 1] + "…"
