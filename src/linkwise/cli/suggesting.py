"""A group of commands that knows what a mistyped one was meant to be."""

from __future__ import annotations

from difflib import get_close_matches

import click


class SuggestingGroup(click.Group):
    """A group whose complaint about an unknown command names those that are near."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names."""
        name = args[0]
        wrong = not name.startswith("-") and self.get_command(ctx, name) is None
        if wrong and not ctx.resilient_parsing:
            near = get_close_matches(name.lower(), self.list_commands(ctx))
            meant = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise click.UsageError(f"No such command {name!r}.{meant}", ctx)
        return super().resolve_command(ctx, args)
