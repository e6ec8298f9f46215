"""The commands that tell a session something: each records one event."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linkwise.cli.options import FilePath, json_option

if TYPE_CHECKING:
    from linkwise.session import Event, Session

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
@click.argument("row")
@click.argument("other")
@click.argument("verdict", type=click.Choice(["same", "different", "unsure"]))
def answer(folder: Path, row: str, other: str, verdict: str, **told: str | bool | None) -> None:
    """Say whether two rows are the same."""
    _say(folder, told, lambda s: s.answer(s.row_of(row), s.row_of(other), verdict, **_by(told)))


@click.command("label")
@saying
@click.argument("name")
@click.argument("rows", nargs=-1, required=True)
def label(folder: Path, name: str, rows: tuple[str, ...], **told: str | bool | None) -> None:
    """Say that rows are of one class, called NAME."""
    _say(folder, told, lambda s: s.label([s.row_of(row) for row in rows], name, **_by(told)))


@click.command("together")
@saying
@click.argument("rows", nargs=-1, required=True)
def together(folder: Path, rows: tuple[str, ...], **told: str | bool | None) -> None:
    """Say that rows belong together."""
    _say(folder, told, lambda s: s.together([s.row_of(row) for row in rows], **_by(told)))


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
    _say(folder, told, lambda s: s.rename(cluster, name, **_by(told)))


@click.command("merge")
@saying
@click.argument("clusters", type=click.IntRange(min=0), nargs=-1, required=True)
def merge(folder: Path, clusters: tuple[int, ...], **told: str | bool | None) -> None:
    """Make one cluster of several; it keeps the smallest number."""
    _say(folder, told, lambda s: s.merge(clusters, **_by(told)))


@click.command("split")
@saying
@click.argument("cluster", type=click.IntRange(min=0))
@click.argument("rows", nargs=-1)
def split(folder: Path, cluster: int, rows: tuple[str, ...], **told: str | bool | None) -> None:
    """Make two clusters of one: ROWS and those like them leave, or half of it does."""

    def say(session: Session) -> Event:
        leaving = [session.row_of(row) for row in rows] or None
        return session.split(cluster, leaving, **_by(told))

    _say(folder, told, say)


@click.command("recluster")
@saying
@click.argument("n_clusters", type=click.IntRange(min=1))
def recluster(folder: Path, n_clusters: int, **told: str | bool | None) -> None:
    """Have another number of clusters; what was said is kept."""
    _say(folder, told, lambda s: s.recluster(n_clusters, **_by(told)))


@click.command("nowhere")
@saying
@click.argument("rows", nargs=-1, required=True)
def nowhere(folder: Path, rows: tuple[str, ...], **told: str | bool | None) -> None:
    """Say that rows belong to no cluster."""
    _say(folder, told, lambda s: s.nowhere([s.row_of(row) for row in rows], **_by(told)))


def _by(told: dict[str, Any]) -> dict[str, Any]:
    return {"who": told["who"], "key": told["key"]}


def _say(folder: Path, told: dict[str, Any], say: Callable[[Session], Event]) -> None:
    """Open the session, record one event, and tell what it did."""
    from linkwise.session import Session  # a second to import: --help need not wait

    with Session.open(folder) as session:
        before = session.labels()
        event = say(session)
        moved = int((session.labels() != before).sum())
    if told["as_json"]:
        click.echo(json.dumps({"event": asdict(event), "moved": moved}, indent=2))
        return
    again = "was recorded before" if event.repeated else "recorded"
    rows = "1 row moved" if moved == 1 else f"{moved} rows moved"
    click.echo(f"Event {event.seq} {again}; {rows}.")
