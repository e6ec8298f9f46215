"""The command line: one command, one module."""

from linkwise.cli.group import main

__all__ = ["main"]
