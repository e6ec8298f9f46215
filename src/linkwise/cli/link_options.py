"""Options about files of links and labels."""

from __future__ import annotations

from typing import TypedDict

import click

from linkwise.cli.options import NameList, advised
from linkwise.errors import Remedy


class LinkColumns(TypedDict, total=False):
    """The columns of a file of links, as ``Links.read`` takes them."""

    left: str
    right: str
    kind: str
    weight: str


def _columns(ctx: click.Context, param: click.Parameter, names: tuple[str, ...]) -> LinkColumns:
    advised(Remedy.NAME_COLUMNS, "name them with --link-columns LEFT,RIGHT,KIND")(ctx, param, names)
    if names and len(names) not in (3, 4):
        raise click.BadParameter(
            f"{','.join(names)!r} is not three columns, or four with the weight.", ctx, param
        )
    columns: LinkColumns = {}
    if names:
        columns = {"left": names[0], "right": names[1], "kind": names[2]}
    if len(names) == 4:
        columns["weight"] = names[3]
    return columns


link_columns_option = click.option(
    "--link-columns",
    type=NameList(),
    default=(),
    metavar="LEFT,RIGHT,KIND[,WEIGHT]",
    help="Columns of the file of links, where they are not called i, j, kind and weight.",
    callback=_columns,
)
skip_unknown_option = click.option(
    "--skip-unknown",
    is_flag=True,
    help="Skip links and labels of rows that are not there instead of refusing the file.",
    callback=advised(Remedy.SKIP_UNKNOWN, "leave such entries out with --skip-unknown"),
)
