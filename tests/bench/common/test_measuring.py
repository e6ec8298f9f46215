import numpy as np
import pytest

from linkwise.bench.common import measuring
from linkwise.bench.common.measuring import Cell, measure
from linkwise.bench.common.methods import Method
from linkwise.bench.common.peers import PeerFailed, PeerMissing
from linkwise.bench.common.tasks import TASKS
from linkwise.datasets import load


@pytest.fixture
def method(monkeypatch):
    """Put one method in the place of all."""

    def put(run):
        listed = {"mine": Method("mine", frozenset(("links",)), run)}
        monkeypatch.setattr(measuring, "methods", lambda: listed)

    return put


def test_a_cell_becomes_scores_on_all_rows_and_on_those_nobody_named(method):
    y = load("wine").y
    links = next(task for task in TASKS if task.name == "30 links").draw(y, 1)
    guess = np.where(np.isin(np.arange(len(y)), links.linked_rows), y, 0)
    method(lambda problem: guess)  # noqa: ARG005
    line = measure(Cell("wine", "mine", "30 links", 1))
    assert line["status"] == "done"
    assert (line["n"], line["d"], line["k"]) == (178, 13, 3)
    assert line["n_free"] == 178 - len(links.linked_rows)
    assert line["nmi_free"] == 0.0
    assert 0 < line["nmi"] < 1
    assert line["ari_free"] == 0.0
    assert line["accuracy"] > line["accuracy_free"]
    assert line["seconds"] >= 0
    assert line["memory_mb"] >= 0
    assert Cell.of(line) == Cell("wine", "mine", "30 links", 1)


def test_memory_that_was_held_for_a_moment_is_counted(method):
    def waste(problem):
        return (np.ones(20_000_000)[: len(problem.X)]).astype(int)

    method(waste)
    line = measure(Cell("iris", "mine", "30 links", 0))
    assert line["memory_mb"] > 100 or np.isnan(line["memory_mb"])


def test_a_refusal_and_a_failure_are_lines_too(method):
    def break_down(_):
        raise RuntimeError("out of luck\nand more")

    method(break_down)
    line = measure(Cell("iris", "mine", "30 links", 0))
    assert (line["status"], line["said"]) == ("failed", "RuntimeError: out of luck")
    assert "nmi" not in line


def test_what_linkwise_refuses_is_told_in_its_words():
    line = measure(Cell("iris", "NCA + k-means", "30 links", 0))
    assert line["status"] == "refused"
    assert line["said"].startswith("NCA reads PartialLabels, got Links.")


def test_a_set_that_cannot_be_read_is_told_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWISE_DATA", str(tmp_path))
    np.savez(tmp_path / "short.npz", X=np.eye(5), y=[0, 1, 0])
    line = measure(Cell("short", "k-means", "none", 0))
    assert line["status"] == "failed"
    assert line["said"].endswith(
        "holds X 5×5 and 3 labels, expected 3×5. There must be one label a row."
    )


def test_a_peer_that_is_not_there_is_told_apart_from_one_that_breaks(method):
    def not_there(_):
        raise PeerMissing("no network")

    def breaks(_):
        raise PeerFailed("overflow")

    for run, status in ((not_there, "not installed"), (breaks, "failed")):
        method(run)
        assert measure(Cell("iris", "mine", "30 links", 0))["status"] == status
