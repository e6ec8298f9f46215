"""The sequential protocol on a few digits: every method in every tier, and verdicts."""

import numpy as np
import pytest

from linkwise import datasets
from linkwise.bench import Kept, Settings, run_paper
from linkwise.bench.papers.sequential import run as sequential
from linkwise.bench.papers.sequential.run import METHODS, _tiers
from linkwise.bench.report import expected
from linkwise.datasets import Dataset


@pytest.fixture
def few_digits(monkeypatch):
    digits = datasets.load("digits")
    few = Dataset("coil20", digits.X[:300], digits.y[:300])
    monkeypatch.setattr("linkwise.datasets.load", lambda name: few)  # noqa: ARG005
    return few


def test_the_page_has_every_method_and_a_verdict(few_digits):  # noqa: ARG001
    page = run_paper("sequential", Settings(draws=1, sets=("coil20",)))
    assert all(f"\n| {method} | 1 | 0." in page for method in METHODS)
    assert page.count("SCSC beats all others in ") == 1
    assert "its variance is larger" not in page  # one draw has none
    assert "\n| coil20 | 1 | 0." in page.split("## The number of partitions (figure 1)")[1]
    assert "nan" not in page


def test_draws_that_are_kept_are_not_made_again(few_digits, monkeypatch, tmp_path):  # noqa: ARG001
    few = {name: METHODS[name] for name in ("SCSC", "SCSC exact", "RCA", "SequentialClustering")}
    monkeypatch.setattr(sequential, "METHODS", few)
    monkeypatch.setattr(sequential, "STEADY", ("RCA",))
    monkeypatch.setattr(sequential, "N_PARTITIONS", (5, 10))
    kept = tmp_path / "kept.jsonl"
    said: list[str] = []
    first = run_paper("sequential", Settings(1, ("coil20",), 0, said.append, Kept(kept)))
    assert "coil20, RCA: draw 1 of 1" in said
    said.clear()
    second = run_paper("sequential", Settings(2, ("coil20",), 0, said.append, Kept(kept)))
    assert "coil20, RCA: draw 1 of 2" not in said
    assert "coil20, RCA: draw 2 of 2" in said
    assert 'coil20: "its variance is larger": standard deviation at t5 SCSC 0.' in second
    said.clear()
    third = run_paper("sequential", Settings(1, ("coil20",), 0, said.append, Kept(kept)))
    assert (third, said) == (first, [])


def test_the_paper_has_seconds_for_its_own_methods_only():
    for name, seconds in expected("sequential")["seconds"].items():
        ran = {m for m, method in METHODS.items() if name != "covtype" or method.large}
        assert set(seconds) == ran - {"SCSC exact", "SequentialClustering"}


def test_tiers_share_no_link(few_digits):
    tiers = _tiers(few_digits.y, 20, seed=0)
    pairs = [tuple(p) for tier in tiers for p in np.concatenate([tier.must, tier.cannot]).tolist()]
    assert [tier.n_links for tier in tiers] == [20] * 5
    assert len(set(pairs)) == 100
