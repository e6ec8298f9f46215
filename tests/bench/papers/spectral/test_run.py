import numpy as np
import pytest
from sklearn.datasets import load_digits

from linkwise.bench import Settings
from linkwise.bench.papers.spectral import run as spectral
from linkwise.bench.papers.spectral.methods import METHODS
from linkwise.datasets import Dataset


@pytest.fixture
def few_digits(monkeypatch):
    """Let 300 digits stand for COIL100."""
    X, y = load_digits(return_X_y=True)
    data = Dataset("coil100", X[:300], y[:300].astype(np.int64))
    monkeypatch.setattr(spectral, "load", lambda _: data)


def test_the_page_has_every_method_a_time_and_the_claims(few_digits):  # noqa: ARG001
    said = []
    page = spectral.run(Settings(draws=1, sets=("coil100",), say=said.append))
    assert all(f"| {method} | " in page for method in METHODS)
    assert "p = 15 | p = 30 | p = 45 | p = 60" in page
    assert "## Which claims hold" in page
    assert "1 draw per figure" in page
    assert "coil100, p = 60, draw 1: SC-PC" in said
    assert "coil100, p = 60, draw 1: E2CP" not in said
    assert "## What we ask of ourselves" not in page


def test_the_digits_are_only_asked_about(monkeypatch):
    monkeypatch.setattr(spectral, "asked", lambda figures, _: f"{len(figures)} figures")
    page = spectral.run(Settings(sets=("digits",)))
    assert "## Which claims hold" not in page
    assert page.endswith("mean of ten draws.\n\n3 figures")
