"""The progress bar: for people who watch, and only for them."""

import io
import sys

from linkwise.cli.progress import progress_bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(monkeypatch, screen, **options):
    """Return what a bar writes to ``screen`` when that is stderr."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen)
    with progress_bar("starting", **options) as report:
        report(1, 4, "training partitions")
    return screen.getvalue()


def test_a_terminal_sees_what_is_being_done(monkeypatch):
    assert "training partitions" in shown(monkeypatch, Terminal())


def test_nothing_is_shown_when_quiet(monkeypatch):
    assert shown(monkeypatch, Terminal(), quiet=True) == ""


def test_nothing_is_shown_in_a_file(monkeypatch):
    assert shown(monkeypatch, io.StringIO()) == ""
