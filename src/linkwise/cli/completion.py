"""``linkwise completion``: let a shell complete commands and options."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS), required=False)
def command(shell: str | None) -> None:
    """Let the shell complete commands and options.

    Prints a script for SHELL, by default for the one in use ($SHELL). Load it where the shell
    starts, and press Tab.

    \b
    Examples:
      linkwise completion bash >> ~/.bashrc
      linkwise completion zsh >> ~/.zshrc
      linkwise completion fish > ~/.config/fish/completions/linkwise.fish
    """
    from linkwise.cli.group import main  # which lists this command

    used = shell or Path(os.environ.get("SHELL", "")).name
    complete = get_completion_class(used) if used in SHELLS else None
    if complete is None:
        raise click.UsageError(f"Say which shell: {', '.join(SHELLS)}.")
    click.echo(complete(main, {}, "linkwise", "_LINKWISE_COMPLETE").source())
