"""The guide to what people can bring: its code runs, and prints what stands there."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from linkwise.cli import main
from linkwise.cli.options import ROLES
from linkwise.features.pictures.picture_files import PICTURE_ENDINGS
from linkwise.tables import ENDINGS

PAGE = (Path(__file__).parents[1] / "docs" / "files.md").read_text(encoding="utf-8")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with the tickets of the page."""
    monkeypatch.chdir(tmp_path)
    made, again = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(made, {})
    return again


@pytest.mark.usefixtures("place")
def test_the_commands_print_what_stands_on_the_page():
    (console,) = re.findall(r"```console\n(.*?)```", PAGE, flags=re.DOTALL)
    calls = re.findall(r"^\$ linkwise (.*)\n((?:[^$].*\n)+)", console, flags=re.MULTILINE)
    assert len(calls) == 3
    for call, printed in calls:
        result = CliRunner().invoke(main, [*shlex.split(call), "--method", "pck-means"])
        assert result.exit_code == 0, result.output
        assert result.stdout.startswith(printed)


def test_the_python_runs(place, capsys):
    exec(place, {})
    assert capsys.readouterr().out.startswith("grouped by message (text)")


def test_every_role_and_every_kind_of_file_is_listed():
    for role in ROLES:
        assert f"| `{role}` |" in PAGE
    for ending in {f".{ending.split('.')[1]}" for ending in ENDINGS} - {".ndjson"}:
        assert f"`{ending}" in PAGE
    for ending in PICTURE_ENDINGS:
        assert ending.removeprefix(".").replace("jpg", "jpeg").removesuffix("f") in PAGE.lower()
