import sys
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_blobs

sys.path.insert(0, str(Path(__file__).parent))

from estimators import KEEPS_LABELS, exported, exported_maps


def pytest_generate_tests(metafunc):
    if "estimator_class" in metafunc.fixturenames:
        classes = exported()
        metafunc.parametrize("estimator_class", classes, ids=[c.__name__ for c in classes])
    if "keeping_class" in metafunc.fixturenames:
        classes = [c for c in exported() if c.__name__ in KEEPS_LABELS]
        metafunc.parametrize("keeping_class", classes, ids=[c.__name__ for c in classes])
    if "fitting_class" in metafunc.fixturenames:
        classes = exported() + exported_maps()
        metafunc.parametrize("fitting_class", classes, ids=[c.__name__ for c in classes])


@pytest.fixture
def blobs():
    """Sixty rows in three groups that overlap a little: knowledge has something to say."""
    X, y = make_blobs(60, n_features=4, centers=3, cluster_std=3.0, random_state=3)
    return X.astype(np.float64), y


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield
