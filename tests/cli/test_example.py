"""Example files: they are there, nothing is overwritten, and the printed commands run on them."""

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

import linkwise as lw
from linkwise.cli.example import NAMES
from linkwise.cli.session_commands import ask
from linkwise.datasets.examples import EXAMPLES, about
from linkwise.errors import InvalidInput

ROOT = Path(__file__).parents[2]


def test_all_examples_are_listed(run):
    assert tuple(EXAMPLES) == NAMES
    shown = run("example").stdout
    assert all(f"{name}  " in shown and about(name) in shown for name in NAMES)


def test_nothing_is_overwritten(run, refused, tmp_path):
    assert "Wrote flowers.csv, answers.csv, species.csv." in run("example", "flowers").stdout
    before = (tmp_path / "answers.csv").read_bytes()
    assert refused("example", "flowers") == (
        "flowers.csv, answers.csv, species.csv are here already. "
        "Choose another folder, or remove what is there."
    )
    run("example", "flowers", "--out", "more")
    assert "species.csv are in more already." in refused("example", "flowers", "--out", "more")
    assert (tmp_path / "more" / "answers.csv").read_bytes() == before
    with pytest.raises(InvalidInput, match="there is no example 'trees', only flowers, people"):
        lw.datasets.write_example("trees", tmp_path)


def test_the_answers_are_true_and_agree(run, tmp_path):
    run("example", "flowers")
    run("example", "people")
    species = pd.read_csv(tmp_path / "species.csv")["label"]
    links = lw.Links.read(tmp_path / "answers.csv", 150)
    assert links.satisfied(species).all()
    assert "1 contradiction" in run("check", "said.csv", code=1).stdout.lower().replace("one", "1")


def test_the_commands_of_the_readme_run_as_printed(run, monkeypatch, tmp_path):
    monkeypatch.setattr(ask.click, "getchar", lambda: "q")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shell = [
        shlex.split(line, comments=True)[2:]
        for line in re.findall(r"^\$ linkwise .*", text, flags=re.MULTILINE)
    ]
    assert shell[0] == ["example", "flowers"]
    assert [words[0] for words in shell] == ["example", "cluster", "check", "session", "session"]
    for words in shell:
        run(*words)
    assert len(pd.read_csv(tmp_path / "clusters.csv")) == 150


@pytest.mark.parametrize("options", [["--id", "ticket"], ["--by", "message"]])
def test_the_tickets_can_be_clustered(run, options):
    run("example", "tickets")
    assert "40 rows" in run("cluster", "tickets.csv", "-k", 2, *options, "-o", "c.csv").stdout
