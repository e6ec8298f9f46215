"""``linkwise serve``: sessions over HTTP, for programs and for people."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import click

from linkwise.cli.announcement import announced
from linkwise.cli.on_ray import cluster, ray_option
from linkwise.cli.options import FilePath
from linkwise.errors import missing_extra

PORT = 8321


def _own_folder() -> Path:
    """Return where sessions are kept when nobody says where."""
    try:
        root = Path.home() / ".linkwise"
    except RuntimeError:  # containers run as users that have no home
        root = Path("~", ".linkwise")
    place = root if root.exists() else root.parent
    if not (place.is_dir() and os.access(place, os.W_OK)):
        raise click.UsageError(f"{root} cannot be written: name a folder for sessions with --root.")
    return root


root_option = click.option(
    "--root",
    type=FilePath(),
    default=_own_folder,
    show_default="~/.linkwise",
    help="Folder of the sessions; made if it does not exist.",
)
port_option = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Port to listen on; 0 takes any free one.",
)
token_option = click.option(
    "--token-file",
    type=FilePath(),
    help="File that keeps the token from one start to the next; written if it does not exist.",
)


@click.command("serve")
@root_option
@click.option("--data", type=FilePath(), help="Folder whose data files may be clustered.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address of the interface to listen on."
)
@port_option
@token_option
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="A name this machine is reached by from elsewhere; may be given several times.",
)
@click.option(
    "--database",
    "databases",
    multiple=True,
    metavar="URL",
    envvar="LINKWISE_DATABASES",
    help="A database in which sessions may keep their journals; others are not connected to.",
)
@ray_option
@click.option("--cert", type=FilePath(), help="Certificate for HTTPS, a PEM file.")
@click.option("--cert-key", type=FilePath(), help="Private key of the certificate, a PEM file.")
@click.option(
    "--plain-http",
    is_flag=True,
    help="Listen beyond this machine without HTTPS: whoever is in between reads and changes all.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=NUMBER",
    help="How much anybody may ask for, such as upload=500M or columns=1000; see docs/service.md.",
)
@click.option("--quiet", "-q", is_flag=True, help="Log troubles only, not requests.")
def command(
    root: Path,
    data: Path | None,
    host: str,
    port: int,
    token_file: Path | None,
    allow_host: tuple[str, ...],
    databases: tuple[str, ...],
    ray: str | None,
    cert: Path | None,
    cert_key: Path | None,
    plain_http: bool,
    limits: tuple[str, ...],
    quiet: bool,
) -> None:
    """Serve clusterings over HTTP to programs and people.

    Prints the address with its token once; whoever has it may do everything. Others get tokens of
    their own from "linkwise token add". To be reached from elsewhere, put it behind a server that
    speaks HTTPS and name that with --allow-host, or give it a certificate. The log goes to stderr,
    a JSON object per line, without data.

    \b
    Examples:
      linkwise serve --root sessions
      linkwise serve --root sessions --data tables --port 9000
      linkwise serve --root sessions --token-file token.txt --quiet
      linkwise serve --root sessions --data tables --ray auto
    """
    check_installed("linkwise serve")
    from linkwise.server import running  # a second to import: --help need not wait
    from linkwise.server.app import create_app
    from linkwise.server.limits import Limits
    from linkwise.server.logs import log_to, log_warnings

    https = None if cert is None else running.Certificate(cert, cert_key)
    running.check_public(host, https, plain_http)
    os.umask(0o077)  # what is written from here on is for the owner alone
    token = running.read_token(token_file)
    engine = None if ray is None else cluster(ray, root)
    app = create_app(
        root,
        token=token,
        data_folder=data,
        limits=Limits.of(limits),
        hosts=(*allow_host, host),
        databases=databases,
        engine=engine,
    )
    log_to(level=logging.WARNING if quiet else logging.INFO)
    log_warnings()
    with running.bind(host, port) as listener:
        if engine is not None:
            click.echo(f"connecting to Ray, {ray}", err=True)
            engine.connect()  # here, for Ray hears of the end in the main thread only
        address = f"{running.address(listener, https)}/?token={token}"
        say = f"linkwise is serving {root} at\n\n    {address}\n"
        with announced(root, running.address(listener, https), token_file, cert) as take_back:
            running.run(app, listener, lambda: click.echo(say), https, take_back)


def check_installed(what: str) -> None:
    """Refuse to start without the packages that only the service needs."""
    from importlib.util import find_spec

    for package in ("fastapi", "uvicorn"):
        if find_spec(package) is None:
            raise missing_extra(what, package, "studio")
