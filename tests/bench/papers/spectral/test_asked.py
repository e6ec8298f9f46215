import numpy as np
import pytest
from sklearn.datasets import load_digits

from linkwise.bench import Settings
from linkwise.bench.papers.spectral import asked as module
from linkwise.bench.papers.spectral.asked import asked, free_nmi
from linkwise.bench.report import expected
from linkwise.datasets import Dataset


@pytest.fixture
def few_digits(monkeypatch):
    """Two draws on 300 digits, whatever the set is called."""
    X, y = load_digits(return_X_y=True)

    def load(name):
        return Dataset(name, X[:300], y[:300].astype(np.int64))

    monkeypatch.setattr(module, "load", load)
    monkeypatch.setattr(module, "DRAWS", 2)
    return load("digits")


def test_every_figure_is_set_beside_what_was_got(few_digits):
    figures = [
        {"set": "digits", "pool": "labels", "known": 60, "nmi": 0.1},
        {"set": "digits", "pool": "pairs", "known": 20, "nmi": 0.99},
    ]
    drawn = [free_nmi(few_digits, "labels", 60, seed) for seed in (4, 5)]
    error = abs(drawn[0] - drawn[1]) / 2
    labels, pairs = asked(figures, Settings(seed=4)).splitlines()[2:]
    assert labels == (
        f"| digits | labels of 60 rows | 0.100 | {np.mean(drawn):.4f} | {error:.4f} | reached |"
    )
    assert pairs.startswith("| digits | 10 must-links, 10 cannot-links | 0.990 | ")
    assert pairs.endswith(" | missed |")


def test_what_we_ask_of_ourselves_is_written_down():
    figures = {(f["set"], f["pool"], f["known"]): f["nmi"] for f in expected("spectral")["asked"]}
    assert figures == {
        ("digits", "labels", 180): 0.92,
        ("digits", "pairs", 180): 0.895,
        ("digits", "pairs", 10): 0.855,
        ("mnist", "labels", 300): 0.82,
        ("mnist", "pairs", 300): 0.77,
    }
