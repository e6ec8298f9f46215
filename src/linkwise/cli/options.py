"""Kinds of values that options take, and the options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from linkwise.errors import Remedy
from linkwise.files.endings import ending_of, listed

#: Where a context keeps the words in which its command's options are advised.
ADVICE = "linkwise.advice"


class FilePath(click.ParamType[Path]):
    """A path; whether it can be read or written is found out by who does it."""

    name = "file"

    def __init__(self, suffixes: Sequence[str] = ()) -> None:
        self.suffixes = suffixes

    def convert(
        self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """Return the path, which must end in one of the suffixes, if there are any."""
        path = Path(value)
        if self.suffixes and ending_of(path, self.suffixes) is None:
            self.fail(f"{path.name} should end in {listed(self.suffixes)}.", param, ctx)
        return path


class NameList(click.ParamType[tuple[str, ...]]):
    """Names separated by commas."""

    name = "a,b,..."

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the names, which must not be empty."""
        if isinstance(value, tuple):
            return value
        names = tuple(name.strip() for name in value.split(","))
        if "" in names:
            self.fail(f"{value!r} holds an empty name.", param, ctx)
        return names


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
quiet_option = click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed gives the same result."
)
id_option = click.option(
    "--id",
    "id_column",
    metavar="COLUMN",
    help="Column (of a .npz file: array) that names the rows. Without it they are numbered from 0.",
)


def _advised(
    remedy: Remedy, words: str
) -> Callable[[click.Context, click.Parameter, object], object]:
    """Let refusals advise an option, in these words, to users of a command that has it."""

    def callback(ctx: click.Context, _: click.Parameter, value: object) -> object:
        ctx.meta.setdefault(ADVICE, {})[remedy] = words
        return value

    return callback


array_option = click.option(
    "--array",
    metavar="NAME",
    help="Array of a .npz file that holds the rows; X by default.",
    callback=_advised(Remedy.NAME_ARRAY, "name one with --array"),
)
drop_option = click.option(
    "--drop",
    type=NameList(),
    default=(),
    help="Leave these columns out.",
    callback=_advised(Remedy.LEAVE_COLUMN_OUT, 'leave the column out with --drop "{name}"'),
)
raw_option = click.option(
    "--raw",
    is_flag=True,
    help="Write text to CSV as it is, for programs. By default, text that a spreadsheet would run "
    "as a formula gets an apostrophe in front.",
)
