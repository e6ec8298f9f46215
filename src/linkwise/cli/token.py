"""``linkwise token``: who else may come to a service, and what they may do there."""

from __future__ import annotations

import json
from pathlib import Path

import click

from linkwise.cli.options import json_option
from linkwise.cli.serve import root_option
from linkwise.cli.suggesting import SuggestingGroup


@click.command("token", cls=SuggestingGroup)
def command() -> None:
    """Give tokens of a service to others, and take them back.

    A token may look (read everything), answer (tell events too) or manage (all the rest), in all
    sessions of a service or in one. A running service knows of changes at once.

    \b
    Examples:
      linkwise token add Ada --role answer
      linkwise token add Bob --role look --session flowers-1a2b3c4d
      linkwise token list
      linkwise token revoke Ada
    """


@command.command("add")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(["look", "answer", "manage"]),
    required=True,
    help="What the token may do.",
)
@click.option("--session", metavar="ID", help="The only session it opens; all by default.")
@root_option
def add(name: str, role: str, session: str | None, root: Path) -> None:
    """Give a token to NAME and print it; it is printed this once and kept nowhere."""
    from linkwise.server.keys import TokenFile

    click.echo(TokenFile(root).add(name, role, session))


@command.command("list")
@root_option
@json_option
def list_tokens(root: Path, as_json: bool) -> None:
    """List who has a token."""
    from linkwise.server.keys import TokenFile, described

    given = [described(one) for one in TokenFile(root).read()]
    if as_json:
        click.echo(json.dumps(given, indent=2))
        return
    if not given:
        click.echo(f"Nobody has been given a token of {root}: linkwise token add --help", err=True)
    for one in given:
        place = one["session"] or "all sessions"
        click.echo(f"{one['name']}: may {one['role']} in {place}, since {one['created']}")


@command.command("revoke")
@click.argument("name")
@root_option
def revoke(name: str, root: Path) -> None:
    """Take the token of NAME back; it is void at once."""
    from linkwise.server.keys import TokenFile

    TokenFile(root).revoke(name)
    click.echo(f"The token of {name} is void.")
