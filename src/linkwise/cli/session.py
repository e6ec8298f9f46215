"""``linkwise session``: a clustering that lives in a folder, from the command line."""

from __future__ import annotations

import click

from linkwise.cli.session_commands.ask import ask
from linkwise.cli.session_commands.care import backup, repair, verify
from linkwise.cli.session_commands.create import create
from linkwise.cli.session_commands.look import (
    conflicts,
    export,
    history,
    labels,
    number,
    outliers,
    people,
    query,
    show,
    suspects,
)
from linkwise.cli.session_commands.say import (
    answer,
    extend,
    import_,
    label,
    merge,
    nowhere,
    recluster,
    rename,
    split,
    together,
    undo,
)
from linkwise.cli.suggesting import SuggestingGroup


@click.command("session", cls=SuggestingGroup)
def command() -> None:
    """Keep a clustering that lives: answers, undo, history, export.

    A session is a folder. Every answer is recorded there for good, and any of them can be undone.
    Rows go by their number, counted from 0, or by the ids of the data; events by their number in
    the history. Where a running service holds the session, the commands talk to it.

    \b
    Examples:
      linkwise session create people people.csv -k 5 --id name
      linkwise session ask people
      linkwise session answer people ann bob same
      linkwise session undo people 1
      linkwise session export people -o clusters.csv
      linkwise session backup people people-monday
    """


for part in (
    create,
    ask,
    answer,
    import_,
    extend,
    label,
    together,
    undo,
    rename,
    merge,
    split,
    recluster,
    nowhere,
    show,
    people,
    labels,
    query,
    history,
    conflicts,
    suspects,
    number,
    outliers,
    export,
    backup,
    verify,
    repair,
):
    command.add_command(part)
