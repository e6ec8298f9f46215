import numpy as np
import pytest
from sklearn.datasets import load_digits

from linkwise.bench import Kept, Settings
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
    assert "coil100, p = 60, seed 0: SC-PC" in said
    assert "coil100, p = 60, seed 0: E2CP" not in said
    assert "## What we ask of ourselves" not in page


def test_a_run_that_was_stopped_goes_on_with_the_next_draw(few_digits, tmp_path):  # noqa: ARG001
    few = ("LSC-R", "SC-PC", "NCut")
    said: list[str] = []
    for draws in (1, 2, 2):
        said.append(f"{draws} draws")
        settings = Settings(draws, ("coil100",), 0, said.append, Kept(tmp_path / "kept.jsonl"))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(spectral, "METHODS", {name: METHODS[name] for name in few})
            page = spectral.run(settings)
    of_last_p = [line for line in said if "p = 60" in line or "draws" in line]
    assert of_last_p == [
        "1 draws",
        *(f"coil100, p = 60, seed 0: {name}" for name in few),
        "2 draws",
        *(f"coil100, p = 60, seed 1: {name}" for name in few[:2]),  # all pairs: first draw only
        "2 draws",
    ]
    assert "2 draws per figure" in page
    assert "| LSC-R | 1.0 | 1.0 | 1.0 | 1.0 |" in page


def test_times_are_counted_in_that_of_the_same_draw():
    key = ("pie", 577, "labels", "NCut")
    drawn = [spectral.Score(0.5, 0.5, 0.5, 0.5, 2.0, 8.0), spectral.Score(0.7, 0, 0, 0, 4.0, 2.0)]
    (mean,) = spectral.means({key: drawn}).values()
    assert (mean.nmi_free, mean.seconds, mean.relative) == (0.6, 3.0, 5.0)


def test_the_digits_are_only_asked_about(monkeypatch):
    monkeypatch.setattr(spectral, "asked", lambda figures, _: f"{len(figures)} figures")
    page = spectral.run(Settings(sets=("digits",)))
    assert "## Which claims hold" not in page
    assert page.endswith("mean of ten draws.\n\n3 figures")
