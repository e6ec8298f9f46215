import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from linkwise import Links, PartialLabels
from linkwise.metric import NCA


@pytest.fixture
def labelled(stretched):
    X, y = stretched
    return X, PartialLabels(np.where(np.arange(80) % 4 == 0, y, -1))


def test_without_ridge_it_is_that_of_scikit_learn_up_to_scale(labelled):
    X, labels = labelled
    rows, codes = X[labels.known_rows], labels.codes[labels.known_rows]
    same = (codes[:, None] == codes[None]) & ~np.eye(len(codes), dtype=bool)
    squared = np.square(rows[:, None] - rows[None]).sum(axis=2)
    unit = np.sqrt(np.where(same, squared, np.inf).min(axis=1).mean())
    twin = NeighborhoodComponentsAnalysis(init="identity").fit(rows / unit, codes).components_
    metric = twin.T @ twin
    found = NCA(ridge=0).fit(X, constraints=labels).components_
    assert_allclose(found @ found, metric * 2 / np.trace(metric), atol=1e-8)


def test_the_ridge_mixes_in_the_plain_metric(labelled):
    X, labels = labelled
    original = NCA(ridge=0).fit(X, constraints=labels).components_
    m, d = labels.n_known - 2, 2
    for ridge in (0.5, 3.0):
        mixed = NCA(ridge=ridge).fit(X, constraints=labels).components_
        expected = (m * original @ original + ridge * d * np.eye(d)) / (m + ridge * d)
        assert_allclose(mixed @ mixed, expected, atol=1e-8)


def test_links_that_name_classes_are_read(labelled):
    X, labels = labelled
    assert_array_equal(
        NCA().fit(X, constraints=labels.to_links()).components_,
        NCA().fit(X, constraints=labels).components_,
    )


def test_links_that_leave_classes_open_are_refused(labelled):
    links = Links(80, must=[(0, 1), (2, 3)], cannot=[(0, 50)])
    with pytest.raises(ValueError) as caught:
        NCA().fit(labelled[0], constraints=links)
    assert str(caught.value) == (
        "NCA reads PartialLabels, got Links. Labels cannot be recovered from links alone. "
        "Nothing says whether rows 0 and 2 belong together: link them, or give labels."
    )


def test_one_class_alone_teaches_nothing(labelled):
    X, _ = labelled
    assert_array_equal(NCA().fit(X, constraints=Links(80, must=[(0, 1)])).components_, np.eye(2))
