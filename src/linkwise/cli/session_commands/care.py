"""The commands that look after a session: backup, verify, repair."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from linkwise.cli.options import FilePath, json_option
from linkwise.cli.session_commands.say import folder_argument
from linkwise.markup import count

if TYPE_CHECKING:
    from linkwise.session import Part, Repair


@click.command("backup")
@folder_argument
@click.argument("target", type=FilePath())
def backup(folder: Path, target: Path) -> None:
    """Copy a session to the folder TARGET, also while it is in use.

    The copy holds all that was acknowledged when the command began, is checked on the way, and is a
    session of its own: to restore it, open it, or put it where the session was.
    """
    from linkwise.session import back_up

    n_events = back_up(folder, target)
    click.echo(f"Wrote {target}: {count(n_events, 'event')}, all as they were recorded.")


@click.command("verify")
@folder_argument
@json_option
@click.pass_context
def verify(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """Check that a session holds all that was acknowledged, as it was said.

    Changes nothing, and may be used while the session is in use. The exit code is 0 if all is well,
    1 if not.
    """
    from linkwise.session import verify_session

    found = verify_session(folder)
    if as_json:
        click.echo(json.dumps(asdict(found), indent=2))
    else:
        for trouble in found.troubles:
            click.echo(trouble)
        click.echo(
            f"Whole: {count(found.n_whole, 'event')}."
            if found.troubles
            else f"{count(found.n_whole, 'event')}, all as they were recorded."
        )
    ctx.exit(1 if found.troubles else 0)


@click.command("repair")
@folder_argument
@click.option(
    "--from",
    "copies",
    type=FilePath(),
    multiple=True,
    metavar="COPY",
    help="A backup to take events from; may be given several times.",
)
@click.option(
    "--accept-loss",
    is_flag=True,
    help="Go on without the events that are whole nowhere, and without those after them.",
)
@click.pass_context
def repair(ctx: click.Context, folder: Path, copies: tuple[Path, ...], accept_loss: bool) -> None:
    """Put the journal of a session together again.

    Says which events are whole and from which copy, and which are missing. If none is missing, the
    journal is written anew; the damaged files are kept in a folder beside it. The exit code is 0
    then, 1 if events are missing.
    """
    from linkwise.session import repair_session

    found = repair_session(folder, copies, accept_loss=accept_loss)
    for part in found.parts:
        click.echo(f"{_numbers(part)}: whole, from {part.source}.")
    for part in found.missing:
        click.echo(f"{_numbers(part)}: missing.")
    for part in found.later:
        click.echo(f"{_numbers(part)}: whole, from {part.source}, but after a missing one.")
    click.echo(_outcome(found))
    ctx.exit(1 if found.missing and not accept_loss else 0)


def _numbers(part: Part) -> str:
    if part.first == part.last:
        return f"event {part.first}"
    return f"events {part.first} to {part.last}"


def _outcome(found: Repair) -> str:
    if found.kept is None:
        return (
            "Nothing was changed. Give a copy that holds what is missing with --from, or go on "
            "without it with --accept-loss."
        )
    later = " The events after the missing ones are in later.jsonl there." if found.later else ""
    return (
        f"The journal now holds {count(found.n_whole, 'event')}. The files as they were are in "
        f"{found.kept}.{later}"
    )
