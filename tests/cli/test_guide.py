"""The guide: its commands run, and the Python beside them does the same."""

import csv
import re
import shlex
import shutil
from pathlib import Path

import pandas as pd
import pytest
from sklearn.base import clone

import linkwise.bench
from linkwise.datasets import Dataset, load, write_example
from linkwise.scores import nmi

GUIDE = Path(__file__).parents[2] / "docs" / "command-line.md"


def blocks(command):
    """Return the shell lines and the Python of one section."""
    text = GUIDE.read_text(encoding="utf-8").split(f"\n## linkwise {command}\n")[1]
    section = text.split("\n## ")[0]
    (shell,) = re.findall(r"```console\n\$ linkwise (.*?)\n```", section)
    (python,) = re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL)
    return shlex.split(shell), python


@pytest.fixture
def files(tmp_path):
    """The files that the page says `linkwise example people` writes."""
    write_example("people", tmp_path)


@pytest.mark.filterwarnings("ignore::linkwise.errors.ContradictionWarning")
def test_cluster_and_its_python_write_the_same_file(run, files, tmp_path):  # noqa: ARG001
    shell, python = blocks("cluster")
    run(*shell)
    by_command = pd.read_csv(tmp_path / "clusters.csv")
    (tmp_path / "clusters.csv").unlink()
    exec(python, {})
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "clusters.csv"), by_command)


def test_check_and_its_python_write_the_same_file(run, files, tmp_path, capsys):  # noqa: ARG001
    shell, python = blocks("check")
    run(*shell, code=1)
    by_command = (tmp_path / "mended.csv").read_text(encoding="utf-8")
    (tmp_path / "mended.csv").unlink()
    exec(python, {})
    assert (tmp_path / "mended.csv").read_text(encoding="utf-8") == by_command
    assert capsys.readouterr().out.startswith("rows 0 and 2 are must-linked through 0-1, 1-2")
    with (tmp_path / "mended.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 5


def test_session_and_its_python_make_the_same_clustering(run, files, tmp_path):  # noqa: ARG001
    shell, python = blocks("session")
    run(*shell, "--partitions", 20)
    run("session", "export", "people", "-o", "by_command.csv")
    shutil.rmtree(tmp_path / "people")
    exec(python.replace("n_clusters=2", "n_clusters=2, n_partitions=20"), {})
    by_python = (tmp_path / "clusters.csv").read_text(encoding="utf-8")
    assert by_python == (tmp_path / "by_command.csv").read_text(encoding="utf-8")


def test_demo_and_its_python_run(run, monkeypatch, capsys):
    digits = load("digits")
    few = Dataset("digits", digits.X[:300], digits.y[:300])
    monkeypatch.setattr("linkwise.datasets.load", lambda name: few)  # noqa: ARG005
    shell, python = blocks("demo")
    assert "300 handwritten digits" in run(*shell).stdout
    scope = {}
    exec(python, scope)
    told = [line.split() for line in capsys.readouterr().out.splitlines()[-5:]]
    assert [answers for answers, _ in told] == ["20", "40", "60", "80", "100"]
    model = scope["model"]
    assert float(told[-1][1]) == nmi(few.y, model.labels_)
    assert model.links_.satisfied(few.y).all()
    told_nothing = clone(model).fit(few.X).labels_
    held, held_before = (model.links_.satisfied(c).sum() for c in (model.labels_, told_nothing))
    assert held > held_before


def test_bench_and_its_python_write_the_same_page(run, monkeypatch, tmp_path):
    def page(key, settings):
        return f"{key} {settings.draws} {settings.sets} {settings.seed}"

    monkeypatch.setattr("linkwise.cli.bench_commands.papers.run_paper", page)
    monkeypatch.setattr(linkwise.bench, "run_paper", page)
    shell, python = blocks("bench")
    run(*shell)
    by_command = (tmp_path / "page.md").read_text(encoding="utf-8")
    exec(python, {})
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == by_command
