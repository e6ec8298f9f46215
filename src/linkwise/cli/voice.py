"""How much is said: ``--quiet`` and ``--verbose``, which every command understands."""

from __future__ import annotations

import click

_QUIET, _VERBOSE = "linkwise.quiet", "linkwise.verbose"


def _remember(name: str, other: str, words: str) -> click.Option:
    def callback(ctx: click.Context, _: click.Parameter, value: bool) -> bool:
        ctx.meta[name] = value
        if value and ctx.meta.get(other):
            raise click.UsageError("--quiet and --verbose exclude each other: give one of them.")
        return value

    flag = name.removeprefix("linkwise.")
    return click.Option(
        [f"--{flag}", f"-{flag[0]}"],
        is_flag=True,
        expose_value=False,
        help=words,
        callback=callback,
    )


def with_voice(command: click.Command) -> click.Command:
    """Let a command, and the commands in it, be told how much to say; own flags stay."""
    if isinstance(command, click.Group):
        for part in command.commands.values():
            with_voice(part)
        return command
    taken = {flag for param in command.params for flag in param.opts}
    quiet = _remember(_QUIET, _VERBOSE, "Print results and complaints only, no notes.")
    verbose = _remember(
        _VERBOSE, _QUIET, "Print what is being done and how long it took, on stderr."
    )
    for option in (quiet, verbose):
        if option.opts[0] not in taken:
            option.opts = [flag for flag in option.opts if flag not in taken]
            command.params.append(option)
    return command


def is_quiet() -> bool:
    """Tell whether the command that runs was told to say little."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_QUIET) or ctx.params.get("quiet"))


def is_verbose() -> bool:
    """Tell whether the command that runs was told to say more."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_VERBOSE))
