"""A command line to call, and small files to call it on."""

import csv

import numpy as np
import pytest
from click.testing import CliRunner
from threadpoolctl import threadpool_limits

from linkwise.cli import main


@pytest.fixture(autouse=True, scope="session")
def one_thread_each():
    """Keep matrix products on one thread: tests run side by side, the matrices are tiny."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder; returns click's result."""
    monkeypatch.chdir(tmp_path)

    def invoke(*args, code=0):
        result = CliRunner().invoke(main, [str(arg) for arg in args])
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return invoke


@pytest.fixture
def refused(run):
    """Run a command that must be refused (exit code 1); returns the line on stderr."""

    def invoke(*args):
        result = run(*args, code=1)
        assert result.stdout == ""
        return result.stderr.rstrip("\n")

    return invoke


@pytest.fixture
def misused(run):
    """Run a command that is called wrongly (exit code 2); returns the last line on stderr."""

    def invoke(*args):
        result = run(*args, code=2)
        assert result.stdout == ""
        return result.stderr.rstrip("\n").splitlines()[-1]

    return invoke


@pytest.fixture
def write(tmp_path):
    """Write a file into the folder that commands run in."""

    def write_text(name, *lines):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return name

    return write_text


@pytest.fixture
def people(tmp_path):
    """Twelve people in two groups by height; weight is noise on a hundred times larger scale."""
    heights = np.array([1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5])
    weights = 100.0 * np.array([5, 9, 4, 8, 6, 7, 5, 9, 4, 8, 6, 7])
    with (tmp_path / "people.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "height", "weight", "town"])
        for name, height, weight in zip("abcdefghijkl", heights, weights, strict=True):
            writer.writerow([name, height, weight, "Oslo"])
    return "people.csv"
