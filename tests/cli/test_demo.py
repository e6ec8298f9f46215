"""linkwise demo: a simulated user and what the answers buy."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwise as lw
from linkwise.cli.demo_run import ask_and_tell
from linkwise.datasets import Dataset, load


def nobody(done, total, what):
    """Take no notice of progress."""


@pytest.fixture(scope="module")
def few_digits():
    """Three digits, sixty pictures of each: quick, and laid out like the whole set."""
    digits = load("digits")
    rows = np.concatenate([np.flatnonzero(digits.y == k)[:60] for k in (1, 7, 8)])
    return Dataset("digits", digits.X[rows], np.unique(digits.y[rows], return_inverse=True)[1])


def test_answers_are_counted_and_compared_with_the_truth(few_digits):
    steps, links = ask_and_tell(few_digits, 30, wrong=0.0, seed=0, report=nobody)
    y = few_digits.y
    assert [step.n_answers for step in steps] == list(range(0, 31, 3))
    assert steps[-1].n_same == len(links.must)
    assert (y[links.must[:, 0]] == y[links.must[:, 1]]).all()
    assert (y[links.cannot[:, 0]] != y[links.cannot[:, 1]]).all()
    for step in steps:
        assert step.nmi_all == lw.scores.nmi(y, step.labels)
        assert step.n_moved == (step.labels != steps[0].labels).sum()
    free = np.setdiff1d(np.arange(180), links.linked_rows)
    assert steps[-1].nmi_not_asked == lw.scores.nmi(y[free], steps[-1].labels[free])
    assert steps[-1].n_kept == links.satisfied(steps[-1].labels).sum()


def test_some_answers_are_wrong_when_asked_for(few_digits):
    _, links = ask_and_tell(few_digits, 40, wrong=0.5, seed=0, report=nobody)
    right = links.satisfied(few_digits.y).sum()
    assert 8 <= right <= 32


def test_asking_stops_when_nothing_is_left_to_ask():
    tiny = Dataset("tiny", np.array([[0.0], [0.1], [9.0], [9.1]]), np.array([0, 0, 1, 1]))
    steps, links = ask_and_tell(tiny, 500, wrong=0.0, seed=0, report=nobody)
    assert steps[-1].n_answers == links.n_links <= 6
    assert steps[-1].nmi_not_asked is None


def test_the_same_seed_tells_the_same_story(few_digits):
    first, second = (ask_and_tell(few_digits, 10, wrong=0.2, seed=3, report=nobody)[0]
                     for _ in range(2))  # fmt: skip
    assert [step.as_dict() for step in first] == [step.as_dict() for step in second]


def test_the_demo_prints_a_table_and_leaves_files_to_go_on_with(run, few_digits, monkeypatch):
    monkeypatch.setattr("linkwise.datasets.load", lambda name: few_digits)  # noqa: ARG005
    shown = run("demo", "--answers", 20).stdout
    assert "180 handwritten digits, 3 clusters." in shown
    assert "NMI, not asked" in shown
    with open("out/digits.png", "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    suggested = [line.split()[1:] for line in shown.splitlines() if line.startswith("  linkwise ")]
    assert [words[0] for words in suggested] == ["check", "cluster", "demo", "studio"]
    run(*suggested[0])
    run(*suggested[1])
    with open("out/clusters.csv", encoding="utf-8") as file:
        assert len(file.readlines()) == 181


def test_json_holds_every_step(run, few_digits, monkeypatch):
    monkeypatch.setattr("linkwise.datasets.load", lambda name: few_digits)  # noqa: ARG005
    args = ("demo", "--answers", 20, "--wrong", 0.1, "--out", "here/and/there", "--json")
    result = json.loads(run(*args).stdout)
    assert result["picture"] == "here/and/there/digits.png"
    assert [step["n_answers"] for step in result["steps"]] == list(range(0, 21, 2))
    assert set(result["steps"][0]) == {
        "n_answers", "n_same", "n_kept", "n_moved", "nmi_all", "nmi_not_asked"
    }  # fmt: skip


def test_without_matplotlib_the_demo_runs_and_says_what_the_picture_needs(
    run, few_digits, monkeypatch
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("linkwise.datasets.load", lambda name: few_digits)  # noqa: ARG005
    shown = run("demo", "--answers", 4).stdout
    assert 'The picture needs matplotlib: pip install "linkwise[plot]"\nTry:\n' in shown
    assert not Path("out/digits.png").exists()
    assert json.loads(run("demo", "--answers", 4, "--json").stdout)["picture"] is None


def test_a_folder_that_is_a_file_is_a_wrong_call(misused, write):
    write("out", "something else")
    assert misused("demo") == "Error: Invalid value for '--out': Directory 'out' is a file."


def test_more_than_half_wrong_is_a_wrong_call(misused):
    assert misused("demo", "--wrong", 0.6) == (
        "Error: Invalid value for '--wrong': 0.6 is not in the range 0<=x<=0.5."
    )
