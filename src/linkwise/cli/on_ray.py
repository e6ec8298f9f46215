"""The cluster that a command may be told to use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from linkwise.engines import Ray

#: Where the machines of a cluster keep labels, beside the sessions.
STORAGE = ".labels"

ray_option = click.option(
    "--ray",
    metavar="ADDRESS",
    help="Ray cluster on which sessions of folders of Parquet files live: auto, HOST:PORT, or "
    "local for one of its own. Its machines keep labels in .labels beside the sessions.",
)


def cluster(address: str, folder: Path) -> Ray:
    """Return the cluster at an address, for the sessions in a folder."""
    from linkwise.engines import Ray  # a second to import

    return Ray(address, storage=folder.resolve() / STORAGE)
