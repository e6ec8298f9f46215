"""``linkwise``: finds the command, runs it, turns refusals into one line and an exit code.

Exit codes: 0 all is fine, 1 the input is wrong, 2 the call is wrong, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import errno
import traceback
from importlib import import_module
from typing import IO, Any, NoReturn

import click
from click.shell_completion import CompletionItem

import linkwise
from linkwise.cli.options import ADVICE
from linkwise.cli.suggesting import SuggestingGroup, meant
from linkwise.cli.voice import is_verbose, with_voice
from linkwise.errors import InvalidFile, LinkwiseError

#: Every command and what it does. Its module has the same name and loads when it is used.
COMMANDS = {
    "cluster": "Cluster the rows of a table, listening to links and labels.",
    "check": "Find contradictions in a file of links and propose a repair.",
    "session": "Keep a clustering that lives: answers, undo, history, export.",
    "studio": "See the clusters in the browser, answer, watch them move.",
    "serve": "Serve clusterings over HTTP to programs and people.",
    "token": "Give tokens of a service to others, and take them back.",
    "demo": "Watch answers improve the clustering of handwritten digits.",
    "doctor": "Say what is installed here and whether it works.",
    "bench": "Run a paper's experiments again, or all methods on all sets.",
    "example": "Write example data, to try the other commands on.",
    "completion": "Let the shell complete commands and options.",
}


class Refusal(click.ClickException):
    """A sentence for the user, and exit code 1."""

    exit_code = 1

    def show(self, file: IO[str] | None = None) -> None:
        """Print the sentence alone."""
        click.echo(self.format_message(), file=file, err=file is None)


class CommandGroup(SuggestingGroup):
    """A group that imports a command's module only when the command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Load the command called ``cmd_name``."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"linkwise.cli.{cmd_name}").command
        return with_voice(command)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin so, without loading a command."""
        found = {name: told for name, told in COMMANDS.items() if name.startswith(incomplete)}
        items = [CompletionItem(name, help=told) for name, told in found.items()]
        return items + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it refuses becomes one line on stderr."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            near = meant(error.option_name, error.possibilities or ())
            complaint = f"No such option {error.option_name!r}.{near}"
            raise click.UsageError(complaint, error.ctx) from error
        except LinkwiseError as error:
            _trace(error)
            words = error.worded(ctx.meta.get(ADVICE)) if isinstance(error, InvalidFile) else None
            raise Refusal(words or str(error)) from error
        except KeyboardInterrupt:
            click.echo("Stopped.", err=True)
            ctx.exit(130)
        except OSError as error:
            _trace(error)
            _refuse_file(error)


def _trace(error: Exception) -> None:
    """Print where an error comes from, if more is to be said."""
    if is_verbose():
        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)


def _refuse_file(error: OSError) -> NoReturn:
    """Say which file could not be read or written, and why."""
    if error.errno == errno.EPIPE or error.filename is None:
        raise error
    reason = (error.strerror or type(error).__name__).lower()
    raise Refusal(f"{error.filename}: {reason}.") from error


@click.command(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(linkwise.__version__, prog_name="linkwise")
def main() -> None:
    """Clustering for people who know something about their data.

    \b
    Examples:
      linkwise demo
      linkwise cluster flowers.csv -k 3 --links answers.csv -o clusters.csv
      linkwise check answers.csv

    Each command explains itself: linkwise cluster --help
    """
