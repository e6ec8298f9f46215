"""The sequential protocol on a few digits: every method in every tier, and verdicts."""

import numpy as np
import pytest

from linkwise import datasets
from linkwise.bench import Settings, run_paper
from linkwise.bench.papers.sequential.run import METHODS, _tiers
from linkwise.datasets import Dataset


@pytest.fixture
def few_digits(monkeypatch):
    digits = datasets.load("digits")
    few = Dataset("coil20", digits.X[:300], digits.y[:300])
    monkeypatch.setattr("linkwise.datasets.load", lambda name: few)  # noqa: ARG005
    return few


def test_the_page_has_every_method_and_a_verdict(few_digits):  # noqa: ARG001
    page = run_paper("sequential", Settings(draws=1, sets=("coil20",)))
    assert all(f"\n| {method} | 0." in page for method in METHODS)
    assert page.count("SCSC beats ridge-regularised RCA and DCA") == 1
    assert "nan" not in page


def test_tiers_share_no_link(few_digits):
    tiers = _tiers(few_digits.y, 20, seed=0)
    pairs = [tuple(p) for tier in tiers for p in np.concatenate([tier.must, tier.cannot]).tolist()]
    assert [tier.n_links for tier in tiers] == [20] * 5
    assert len(set(pairs)) == 100
