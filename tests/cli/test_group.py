"""The group: quick help, one line per refusal, exit codes."""

import errno
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import linkwise
from linkwise.cli import main
from linkwise.cli.group import COMMANDS
from linkwise.errors import InvalidInput

GUIDE = Path(__file__).parents[2] / "docs" / "command-line.md"
CLI = Path(linkwise.__file__).parent / "cli"


def command_raising(monkeypatch, error):
    """Replace `linkwise bench` by a command that raises ``error``."""

    def fail():
        raise error

    monkeypatch.setattr("linkwise.cli.bench.command", click.Command("bench", callback=fail))


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from linkwise.cli import main; main(['--help'], standalone_mode=False);"
        "heavy = {'numpy', 'scipy', 'sklearn', 'numba', 'rich', 'matplotlib', 'pyarrow'};"
        "sys.exit(' '.join(sorted(heavy & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr == "\n"
    assert done.stdout.startswith("Usage: ")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_loads_neither_numba_nor_scikit_learn(name):
    code = (
        f"import sys; from linkwise.cli import main; main(['{name}', '-h'], standalone_mode=False);"
        "sys.exit(' '.join(sorted({'sklearn', 'numba', 'matplotlib'} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr == "\n"


def test_the_installed_command_starts():
    program = Path(sys.executable).with_name("linkwise")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60)
    assert done.stdout == f"linkwise, version {linkwise.__version__}\n"


def test_help_lists_every_command(run):
    shown = run("--help").stdout
    assert all(f"  {name}  " in shown and summary in shown for name, summary in COMMANDS.items())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(run, name):
    shown = run(name, "--help").stdout
    assert "Examples:" in shown
    assert f"    linkwise {name}" in shown
    assert COMMANDS[name] in shown


def parts():
    """Return all commands and what they consist of, by the words one types."""
    found = {(name,): main.get_command(None, name) for name in COMMANDS}
    for (name,), command in list(found.items()):
        if isinstance(command, click.Group):
            found |= {(name, part): command.commands[part] for part in command.commands}
    return found


@pytest.mark.parametrize("words", parts(), ids=" ".join)
def test_every_command_and_every_option_of_it_has_help(words):
    command = parts()[words]
    assert command.help
    silent = [p.name for p in command.params if isinstance(p, click.Option) and not p.help]
    assert silent == []


@pytest.mark.parametrize("words", parts(), ids=" ".join)
def test_every_command_is_in_the_guide(words):
    name, *part = words
    _, found, rest = GUIDE.read_text(encoding="utf-8").partition(f"\n## linkwise {name}\n")
    assert found
    section = rest.split("\n## ")[0]
    assert all(re.search(rf"`{p}`|linkwise {name} {p}\b", section) for p in part)


def test_every_module_with_a_command_is_listed():
    with_command = {
        path.stem
        for path in CLI.glob("*.py")
        if "@click.command(" in path.read_text("utf-8") and path.stem != "group"
    }
    assert with_command == set(COMMANDS)


def test_an_unknown_command_is_a_wrong_call(run):
    assert "No such command 'clutser'" in run("clutser", code=2).stderr


def test_a_refusal_is_one_line_and_code_1(refused, monkeypatch):
    command_raising(monkeypatch, InvalidInput("the third pair is odd."))
    assert refused("bench") == "the third pair is odd."


def test_an_unreadable_file_is_one_line_and_code_1(refused, monkeypatch):
    denied = PermissionError(errno.EACCES, "Permission denied", "secret.csv")
    command_raising(monkeypatch, denied)
    assert refused("bench") == "secret.csv: permission denied."


def test_ctrl_c_is_a_short_line_and_code_130(run, monkeypatch):
    command_raising(monkeypatch, KeyboardInterrupt())
    result = run("bench", code=130)
    assert (result.stdout, result.stderr) == ("", "Stopped.\n")


def test_a_bug_is_not_hidden(monkeypatch):
    command_raising(monkeypatch, ZeroDivisionError("ours"))
    with pytest.raises(ZeroDivisionError):
        CliRunner().invoke(main, ["bench"], catch_exceptions=False)
