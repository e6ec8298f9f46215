"""linkwise bench common: a plan goes in, two pages come out."""

import numpy as np
import pytest

from linkwise.bench import common
from linkwise.bench.common import peers
from linkwise.bench.common.running import read_lines


@pytest.fixture
def plans(monkeypatch):
    """Note the plan instead of running it."""
    seen = []
    monkeypatch.setattr(common, "run_cells", lambda plan, say: (seen.append(plan), say("one cell")))
    monkeypatch.setattr(peers, "prepare", lambda folder, say: seen.append(folder))  # noqa: ARG005
    return seen


def test_options_reach_the_plan_and_the_pages_are_written(run, plans, tmp_path):
    result = run(
        "bench", "common", "--sets", "iris,wine", "--methods", "k-means", "--seeds", 2,
        "--tasks", 'none,"500 links, 10% wrong"', "--limit", 9, "--jobs", 3, "--out", "found",
        "-o", "page.md", "--again",
    )  # fmt: skip
    (plan,) = plans
    assert (plan.sets, plan.methods, plan.n_seeds) == (("iris", "wine"), ("k-means",), 2)
    assert plan.tasks == ("none", "500 links, 10% wrong")
    assert (plan.limit, plan.n_jobs, plan.peers, plan.again) == (9.0, 3, False, True)
    assert result.stderr == "one cell\n"
    assert result.stdout == "The page is in page.md, with pictures in found/report.html.\n"
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert page == (tmp_path / "found" / "benchmark.md").read_text(encoding="utf-8")
    for seed in (0, 1):
        assert f"Not run with seed {seed}: 4 of 4 cells, which is all on iris, wine." in page


def test_peers_are_set_up_only_when_asked_for(run, plans):
    run("bench", "common", "--sets", "iris", "--peers", "--quiet")
    folder, plan = plans
    assert folder.parts == ("linkwise-benchmark", "peers")
    assert plan.peers


def test_a_report_measures_nothing(run, plans, tmp_path):
    run("bench", "common", "--sets", "iris", "--report")
    assert plans == []
    assert (tmp_path / "linkwise-benchmark" / "report.html").is_file()


def test_an_unknown_set_is_refused(refused):
    assert refused("bench", "common", "--sets", "irises").startswith(
        "'irises' is not a set on this machine. Known: "
    )


def test_a_set_added_to_a_folder_joins_by_itself(run, tmp_path, monkeypatch):
    """One command measures a set of one's own, with nothing else said about it."""
    monkeypatch.setenv("LINKWISE_DATA", "")  # and put back what it was
    folder = tmp_path / "mine"
    folder.mkdir()
    X = np.vstack([np.zeros((20, 2)), np.full((20, 2), 9.0)]) + np.arange(80).reshape(40, 2) / 99
    np.savez(folder / "my-set.npz", X=X, y=np.repeat(["left", "right"], 20))
    run(
        "bench", "common", "--data", folder, "--sets", "my-set", "--methods", "k-means,PCKMeans",
        "--tasks", "none,3 labels", "--seeds", 1, "--out", "found",
    )  # fmt: skip
    lines = read_lines(tmp_path / "found" / "cells.jsonl")
    assert {(line["set"], line["method"]) for line in lines} == {
        ("my-set", "k-means"), ("my-set", "PCKMeans"),
    }  # fmt: skip
    assert [line["status"] for line in lines] == ["done"] * 4
    assert all(line["nmi"] == 1.0 and line["memory_mb"] >= 0 for line in lines)
    page = (tmp_path / "found" / "benchmark.md").read_text(encoding="utf-8")
    assert "from 4 cells of 4 that could be run: 1 set, 2 methods" in page


def test_a_file_in_the_folder_that_is_no_set_is_named(refused, tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWISE_DATA", "")  # and put back what it was
    np.savez(tmp_path / "other.npz", Z=np.eye(3))
    said = refused("bench", "common", "--data", tmp_path)
    assert said.endswith("other.npz holds no X and y, but Z.")
    (tmp_path / "other.npz").write_text("nothing", encoding="utf-8")
    assert refused("bench", "common", "--data", tmp_path).endswith(
        "other.npz is no .npz file: numpy.savez writes one."
    )
