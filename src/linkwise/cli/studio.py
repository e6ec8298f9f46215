"""``linkwise studio``: the service, a session of your data, and the page in your browser."""

from __future__ import annotations

import logging
import os
import webbrowser
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linkwise.cli.announcement import announced
from linkwise.cli.options import (
    Count,
    FilePath,
    by_option,
    encoding_option,
    quiet_option,
    roles_option,
)
from linkwise.cli.progress import progress_bar
from linkwise.cli.serve import check_installed, port_option, root_option, token_option
from linkwise.cli.session_commands.words import about_columns

if TYPE_CHECKING:
    from linkwise.session import Columns

BUNDLED = "digits"
N_DIGITS = 10


@dataclass(frozen=True)
class Wish:
    """What was said about the columns."""

    by: tuple[str, ...]
    roles: dict[str, str]
    encoding: str | None

    @property
    def key(self) -> str:
        """What tells it from other wishes; nothing if nothing was said."""
        said = self.by or self.roles or self.encoding
        return repr((self.by, sorted(self.roles.items()), self.encoding)) if said else ""

    def applied(self, guess: Columns) -> Columns:
        """Return what the columns are, as guessed where nothing was said."""
        return replace(guess, features=self.by, roles=self.roles, encoding=self.encoding)


@click.command("studio")
@click.argument("data", type=FilePath(), required=False)
@click.option(
    "-k",
    "n_clusters",
    type=Count(),
    help='Number of clusters of a new session; "auto", the default, finds one. Of digits, 10.',
)
@by_option
@roles_option
@encoding_option
@root_option
@port_option
@token_option
@click.option("--no-browser", is_flag=True, help="Print the address and open no browser.")
@quiet_option
def command(
    data: Path | None,
    n_clusters: int | str | None,
    by: tuple[str, ...],
    roles: dict[str, str],
    encoding: str | None,
    root: Path,
    port: int,
    token_file: Path | None,
    no_browser: bool,
    quiet: bool,
) -> None:
    """See the clusters in the browser, answer, watch them move.

    DATA is a CSV, Excel (.xlsx), Parquet, Feather, JSON lines, .npy or .npz file, a .txt file with
    a text on each line, or a folder of pictures; without it, 1797 handwritten digits are shown. The
    first call makes a session of it, later ones with the same DATA, --by and --root go on with it.
    What the columns are is guessed and told; --by and --as decide otherwise.

    \b
    Examples:
      linkwise studio
      linkwise studio flowers.csv
      linkwise studio flowers.csv -k 3
      linkwise studio tickets.xlsx -k 8 --by message
      linkwise studio photos/ -k 10
      linkwise studio pixels.npz -k 10 --root sessions --no-browser
    """
    check_installed("linkwise studio")
    from linkwise.server import running  # a second to import: --help need not wait
    from linkwise.server.app import create_app
    from linkwise.server.logs import log_to

    log_to(level=logging.WARNING)
    os.umask(0o077)  # what is written from here on is for the owner alone
    root.mkdir(parents=True, exist_ok=True)
    token = running.read_token(token_file or root / ".token")
    with running.bind("127.0.0.1", port) as listener:
        wanted = Wish(by, roles, encoding)
        session = _session(root, data, n_clusters, wanted, quiet=quiet)
        address = f"{running.address(listener)}/?token={token}#/s/{session}"

        way_in = running.WayIn(root)

        def show() -> None:
            click.echo(f"The studio is at\n\n    {address}\n\nCtrl-C ends it; nothing is lost.")
            if not no_browser:
                webbrowser.open(way_in.to(address))

        announcement = announced(root, running.address(listener), token_file or root / ".token")
        with announcement as take_back, way_in:

            def tidy() -> None:
                take_back()
                way_in.close()

            running.run(create_app(root, token=token), listener, show, when_over=tidy)


def _session(
    root: Path, data: Path | None, n_clusters: int | str | None, wish: Wish, *, quiet: bool
) -> str:
    """Return the name of the session of these data, made if there is none."""
    from linkwise.server.creation import create_session, guessed_columns
    from linkwise.server.files.inspection import inspect_file
    from linkwise.server.live.shelf import existing_session, folder_name
    from linkwise.session import Session

    source: Path | str = BUNDLED if data is None else data.resolve(strict=True)
    found = existing_session(root, source, n_clusters, wish.key)
    if found is not None:
        return found
    if n_clusters is None:
        n_clusters = N_DIGITS if data is None else "auto"
    name = folder_name(source, n_clusters, wish.key)
    title = "digits" if data is None else data.stem
    options: dict[str, Any] = {"name": title[:200]}
    if isinstance(source, Path):
        guess = guessed_columns(inspect_file(source, encoding=wish.encoding))
        options["columns"] = None if guess is None else wish.applied(guess)
    with progress_bar("clustering", quiet=quiet) as report:
        create_session(root / name, source, n_clusters, **options, progress=report)
    if data is not None:
        with Session.open(root / name) as session:
            click.echo(about_columns(session), err=True)
    return name
