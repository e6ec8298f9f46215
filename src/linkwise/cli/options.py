"""Kinds of values that options take, and the options that several commands share."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from linkwise.errors import Remedy
from linkwise.files.endings import ending_of, listed

#: What a column can be; as in ``linkwise.features``, which takes a second to load.
ROLES = ("number", "category", "date", "text", "picture", "vector", "id", "ignored")
#: Where a context keeps the words in which its command's options are advised.
ADVICE = "linkwise.advice"


if TYPE_CHECKING:
    ParamType = click.ParamType
else:

    class ParamType(click.ParamType):
        """What an option's value is made into; click before 8.4 does not take it in brackets."""

        def __class_getitem__(cls, made: object) -> type[ParamType]:
            """Return the class itself."""
            return cls


class FilePath(ParamType[Path]):
    """A path; whether it can be read or written is found out by who does it."""

    name = "file"

    def __init__(self, suffixes: Sequence[str] = (), *, dash: bool = False) -> None:
        self.suffixes, self.dash = suffixes, dash

    def convert(
        self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """Return the path, which must end in one of the suffixes, if there are any."""
        path = Path(value)
        if self.dash and str(value) == "-":
            return path
        if self.suffixes and ending_of(path, self.suffixes) is None:
            self.fail(f"{path.name} should end in {listed(self.suffixes)}.", param, ctx)
        return path


class NameList(ParamType[tuple[str, ...]]):
    """Names separated by commas; quotes go around a name that has one."""

    name = "a,b,..."

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the names, which must not be empty."""
        if isinstance(value, tuple):
            return value
        names = tuple(name.strip() for name in next(csv.reader([value], skipinitialspace=True)))
        if "" in names:
            self.fail(f"{value!r} holds an empty name.", param, ctx)
        return names


class Count(ParamType[int | str]):
    """A number of clusters, or "auto"."""

    name = "number"

    def convert(
        self, value: str | int, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        """Return the number, or "auto"."""
        if value == "auto":
            return "auto"
        if not str(value).isdigit() or int(value) < 1:
            self.fail(f'{value!r} is neither a number of clusters nor "auto".', param, ctx)
        return int(value)


count_option = click.option(
    "-k",
    "n_clusters",
    type=Count(),
    default="auto",
    help='Number of clusters; "auto", the default, finds one.',
)


class ColumnRole(ParamType[tuple[str, str]]):
    """A column and what it is: zip=category."""

    name = "column=role"

    def convert(
        self,
        value: str | tuple[str, str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, str]:
        """Return both, if the role is one."""
        if isinstance(value, tuple):
            return value
        column, _, role = (part.strip() for part in value.rpartition("="))
        if not column:
            self.fail(f"{value!r} is not of the form COLUMN=ROLE.", param, ctx)
        if role not in ROLES:
            self.fail(f"{role!r} is not what a column can be: {listed(ROLES)}.", param, ctx)
        return column, role


def advised(
    remedy: Remedy, words: str
) -> Callable[[click.Context, click.Parameter, object], object]:
    """Let refusals advise an option, in these words, to users of a command that has it."""

    def callback(ctx: click.Context, _: click.Parameter, value: object) -> object:
        ctx.meta.setdefault(ADVICE, {})[remedy] = words
        return value

    return callback


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
quiet_option = click.option("--quiet", "-q", is_flag=True, help="Show no progress and no notes.")
seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed gives the same result."
)
id_option = click.option(
    "--id",
    "id_column",
    metavar="COLUMN",
    help="Column (of a .npz file: array) that names the rows. Without it they are numbered from 0.",
    callback=advised(Remedy.GIVE_IDS, "name the column of ids with --id"),
)


array_option = click.option(
    "--array",
    metavar="NAME",
    help="Array of a .npz file that holds the rows; X by default.",
    callback=advised(Remedy.NAME_ARRAY, "name one with --array"),
)
by_option = click.option(
    "--by",
    "--features",
    "by",
    type=NameList(),
    multiple=True,
    help="Group by these columns only: numbers, texts, pictures, dates, categories, or a .npy file "
    "beside DATA with a row for each of its rows. May be given several times.",
    callback=lambda ctx, param, value: tuple(name for names in value for name in names),  # noqa: ARG005
)
roles_option = click.option(
    "--as",
    "roles",
    type=ColumnRole(),
    multiple=True,
    help=f"What a column is, where the guess is wrong: {listed(ROLES)}. May be given several "
    "times.",
    callback=lambda ctx, param, value: dict(value),  # noqa: ARG005
)
encoding_option = click.option(
    "--encoding",
    metavar="NAME",
    help="Encoding of a CSV or text file, such as utf-8, latin-1 or cp1250. By default it is found "
    "out: UTF-8, UTF-16 with its mark, else Windows-1252.",
    callback=advised(Remedy.SAVE_AS_UTF8, "save it as UTF-8, or name its encoding with --encoding"),
)
drop_option = click.option(
    "--drop",
    type=NameList(),
    default=(),
    help="Leave these columns out.",
    callback=advised(Remedy.LEAVE_COLUMN_OUT, 'leave the column out with --drop "{name}"'),
)
raw_option = click.option(
    "--raw",
    is_flag=True,
    help="Write text to CSV as it is, for programs. By default, text that a spreadsheet would run "
    "as a formula gets an apostrophe in front.",
)
