import numpy as np
import pytest


@pytest.fixture
def stretched():
    """Two groups apart along the second feature, both long along the first."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1], 40)
    X = np.column_stack([rng.normal(0, 10, 80), rng.normal(0, 1, 80) + 6 * y])
    return X, y
