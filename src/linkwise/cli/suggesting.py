"""What a mistyped command, option or name was meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

import click

#: What is so much less alike than the nearest is not what was meant.
LESS_ALIKE = 0.1


def meant(word: str, known: Iterable[str]) -> str:
    """Return a question that names what is near, to be put after a complaint; or nothing.

    Examples
    --------
    >>> meant("--link", ["--id", "--links", "--labels"])
    " Did you mean '--links'?"
    >>> meant("frobnicate", ["cluster", "check"])
    ''
    """
    near = get_close_matches(word.lower(), known)
    alike = [SequenceMatcher(None, other, word.lower()).ratio() for other in near]
    shown = [other for other, how in zip(near, alike, strict=True) if how > alike[0] - LESS_ALIKE]
    return f" Did you mean {' or '.join(map(repr, shown))}?" if shown else ""


class SuggestingGroup(click.Group):
    """A group whose complaint about an unknown command names those that are near."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names."""
        name = args[0]
        wrong = not name.startswith("-") and self.get_command(ctx, name) is None
        if wrong and not ctx.resilient_parsing:
            near = meant(name, self.list_commands(ctx))
            raise click.UsageError(f"No such command {name!r}.{near}", ctx)
        return super().resolve_command(ctx, args)
