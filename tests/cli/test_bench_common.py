"""linkwise bench common: a plan goes in, two pages come out."""

import pytest

from linkwise.bench import common
from linkwise.bench.common import peers


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
        "-o", "page.md",
    )  # fmt: skip
    (plan,) = plans
    assert (plan.sets, plan.methods, plan.n_seeds) == (("iris", "wine"), ("k-means",), 2)
    assert plan.tasks == ("none", "500 links, 10% wrong")
    assert (plan.limit, plan.n_jobs, plan.peers) == (9.0, 3, False)
    assert result.stderr == "one cell\n"
    assert result.stdout == "The page is in page.md, with pictures in found/report.html.\n"
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert page == (tmp_path / "found" / "benchmark.md").read_text(encoding="utf-8")
    assert "Planned and not run: iris (4 cells), wine (4 cells)." in page


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
