"""A table with a column of every role, and one with gaps in all of them."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n = 120
    words = ["red", "green", "blue", "fast", "slow", "broken", "lost", "found", "new", "old"]
    return pd.DataFrame(
        {
            "nr": np.arange(n),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(40, 10, n)),
            "price": [f"{x:.2f}".replace(".", ",") for x in rng.gamma(2, 10, n)],
            "paid": rng.random(n) < 0.5,
            "colour": rng.choice(["red", "green", "blue", None], n),
            "city": [f"city {k}" for k in rng.integers(50, size=n)],
            "when": pd.date_range("2020-01-01", periods=n, freq="31h"),
            "message": [" ".join(rng.choice(words, 6)) for _ in range(n)],
            "vector": list(rng.normal(size=(n, 3))),
            "note": [None] * n,
        }
    )
