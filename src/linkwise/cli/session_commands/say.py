"""The commands that tell a session something: one event each, or many from a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from linkwise.cli.link_options import skip_unknown_option
from linkwise.cli.notes import noted, print_notes
from linkwise.cli.options import FilePath, json_option
from linkwise.cli.session_commands.opening import open_session
from linkwise.cli.session_commands.words import about_contradictions, about_unusable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from linkwise.cli.session_commands.opening import AnySession
    from linkwise.client import Event as RemoteEvent
    from linkwise.session import Event

    AnyEvent: TypeAlias = Event | RemoteEvent

folder_argument = click.argument("folder", type=FilePath())
_who = click.option("--who", default="", help="Who says it.")
_key = click.option("--key", help="The same call with the same key is recorded once.")


def saying(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument and options that all these commands share."""
    for part in (json_option, _key, _who):
        function = part(function)
    return folder_argument(function)


@click.command("answer")
@saying
@click.argument("said", nargs=-1, required=True, metavar="ROW OTHER VERDICT | FILE | -")
def answer(folder: Path, said: tuple[str, ...], **told: str | bool | None) -> None:
    """Say whether two rows are the same, or give many answers at once.

    VERDICT is same, different or unsure. With a single FILE, or - for standard input, every line
    holds such an answer, separated by commas or tabs; all of them are recorded, or none.

    \b
    Examples:
      linkwise session answer people ann bob same
      linkwise session answer people answers.csv --who eve
      printf 'ann,bob,same\\nann,eve,different\\n' | linkwise session answer people -
    """
    from linkwise.cli.session_commands.many import VERDICTS, read_answers
    from linkwise.constraints.kinds import verdict_of

    if len(said) == 1:
        answers = read_answers(said[0])
        _say_many(folder, told, lambda s: s.answer_many(answers, **_by(told)))
        return
    verdict = verdict_of(said[2]) if len(said) == 3 else None
    if verdict is None:
        raise click.UsageError(
            f"Say two rows and one of {', '.join(VERDICTS)}, or name one file of such lines."
        )
    row, other, _ = said
    _say(folder, told, lambda s: s.answer(row, other, verdict, **_by(told)))


@click.command("import")
@folder_argument
@click.argument("source", type=FilePath())
@click.option("--who", default="", help="Who said it, where SOURCE does not tell.")
@skip_unknown_option
@json_option
def import_(folder: Path, source: Path, skip_unknown: bool, **told: str | bool | None) -> None:
    """Take in links, labels, or the answers of another session; again adds nothing.

    SOURCE is a file of links (i, j, kind), of labels (row or id, label), of answers that a session
    exported, or the folder of another session.
    """
    who = str(told["who"])
    with noted() as notes:
        _say_many(folder, told, lambda s: s.import_(source, who=who, skip_unknown=skip_unknown))
    print_notes(notes)


@click.command("extend")
@saying
@click.argument("data", type=FilePath())
def extend(folder: Path, data: Path, **told: str | bool | None) -> None:
    """Let the rows of another file join the session. They stay."""
    _say(folder, told, lambda s: s.extend(data, **_by(told)))


@click.command("label")
@saying
@click.argument("name")
@click.argument("rows", nargs=-1, required=True)
def label(folder: Path, name: str, rows: tuple[str, ...], **told: str | bool | None) -> None:
    """Say that rows are of one class, called NAME."""
    said = {"rows": list(rows), "name": name}
    _say(folder, told, lambda s: s.say("label", said, **_by(told)))


@click.command("together")
@saying
@click.argument("rows", nargs=-1, required=True)
def together(folder: Path, rows: tuple[str, ...], **told: str | bool | None) -> None:
    """Say that rows belong together."""
    _say(folder, told, lambda s: s.say("together", {"rows": list(rows)}, **_by(told)))


@click.command("undo")
@saying
@click.argument("event", type=click.IntRange(min=1))
def undo(folder: Path, event: int, **told: str | bool | None) -> None:
    """Take back any earlier event, an undo included."""
    _say(folder, told, lambda s: s.undo(event, **_by(told)))


@click.command("rename")
@saying
@click.argument("cluster", type=click.IntRange(min=0))
@click.argument("name")
def rename(folder: Path, cluster: int, name: str, **told: str | bool | None) -> None:
    """Give a cluster a name."""
    said = {"cluster": cluster, "name": name}
    _say(folder, told, lambda s: s.say("rename", said, **_by(told)))


@click.command("merge")
@saying
@click.argument("clusters", type=click.IntRange(min=0), nargs=-1, required=True)
def merge(folder: Path, clusters: tuple[int, ...], **told: str | bool | None) -> None:
    """Make one cluster of several; it keeps the smallest number."""
    _say(folder, told, lambda s: s.say("merge", {"clusters": list(clusters)}, **_by(told)))


@click.command("split")
@saying
@click.argument("cluster", type=click.IntRange(min=0))
@click.argument("rows", nargs=-1)
def split(folder: Path, cluster: int, rows: tuple[str, ...], **told: str | bool | None) -> None:
    """Make two clusters of one: ROWS and those like them leave, or half of it does."""
    said = {"cluster": cluster, "rows": list(rows) or None}
    _say(folder, told, lambda s: s.say("split", said, **_by(told)))


@click.command("recluster")
@saying
@click.argument("n_clusters", type=click.IntRange(min=1))
def recluster(folder: Path, n_clusters: int, **told: str | bool | None) -> None:
    """Have another number of clusters; what was said is kept."""
    _say(folder, told, lambda s: s.say("recluster", {"n_clusters": n_clusters}, **_by(told)))


@click.command("nowhere")
@saying
@click.argument("rows", nargs=-1, required=True)
def nowhere(folder: Path, rows: tuple[str, ...], **told: str | bool | None) -> None:
    """Say that rows belong to no cluster."""
    _say(folder, told, lambda s: s.say("nowhere", {"rows": list(rows)}, **_by(told)))


def _by(told: dict[str, Any]) -> dict[str, Any]:
    return {"who": told["who"], "key": told["key"]}


def _say(folder: Path, told: dict[str, Any], say: Callable[[AnySession], AnyEvent]) -> None:
    """Open the session, record one event, and tell what it did."""
    with open_session(folder) as session:
        before = session.labels()
        event = say(session)
        number = _followed(session)
        moved = _n_changed(before, session.labels())
        unusable = about_unusable(_unusable(session, event, len(before)))
        doubt = about_contradictions(session, folder, [event.seq])
    if told["as_json"]:
        click.echo(json.dumps({"event": asdict(event), "moved": moved}, indent=2))
        return
    again = "was recorded before" if event.repeated else "recorded"
    done = _joined(moved) if event.kind == "extend" and not event.repeated else _moved(moved)
    click.echo(f"Event {event.seq} {again}; {done}.{unusable}{number}{doubt}")


def _say_many(
    folder: Path, told: dict[str, Any], say: Callable[[AnySession], Sequence[AnyEvent]]
) -> None:
    """Open the session once, record many events, and tell what they did."""
    with open_session(folder) as session:
        before = session.labels()
        events = say(session)
        number = _followed(session)
        moved = _n_changed(before, session.labels())
        doubt = about_contradictions(session, folder, [event.seq for event in events])
    if told["as_json"]:
        click.echo(json.dumps({"events": [asdict(e) for e in events], "moved": moved}, indent=2))
        return
    n_new = sum(not event.repeated for event in events)
    new = "1 event" if n_new == 1 else f"{n_new} events"
    known = f", {len(events) - n_new} recorded before" if n_new < len(events) else ""
    click.echo(f"{new} recorded{known}; {_moved(moved)}.{number}{doubt}")


def _followed(session: AnySession) -> str:
    """Let the number of clusters follow the answers where it does; returns that in words."""
    event = session.follow()
    if event is None:
        return ""
    return f" There are {event.payload['n_clusters']} clusters now (event {event.seq})."


def _unusable(session: AnySession, event: AnyEvent, n_before: int) -> list[object]:
    """Return the names of the rows that joined just now and have nothing to group by."""
    if event.kind != "extend" or event.repeated:
        return []
    return [session.ids[n_before + row] for row in event.payload.get("unusable") or ()]


def _n_changed(before: NDArray[Any], now: NDArray[Any]) -> int:
    """Count the rows that moved, and those that joined."""
    return int((now[: len(before)] != before).sum()) + len(now) - len(before)


def _joined(rows: int) -> str:
    return "1 row joined" if rows == 1 else f"{rows} rows joined"


def _moved(rows: int) -> str:
    return "1 row moved" if rows == 1 else f"{rows} rows moved"
