"""Kinds of values that options take, and the options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

LINK_FILES = (".csv", ".json", ".parquet")

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
array_option = click.option(
    "--array", metavar="NAME", help="Array of a .npz file that holds the rows; X by default."
)


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
        if self.suffixes and path.suffix.lower() not in self.suffixes:
            listed = " or ".join(self.suffixes)
            self.fail(f"{path.name} should end in {listed}.", param, ctx)
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
