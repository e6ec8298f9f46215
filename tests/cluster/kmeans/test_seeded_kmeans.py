import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from linkwise import Links, SeededKMeans
from linkwise.errors import InvalidInput


@pytest.fixture
def blobs():
    return make_blobs(80, n_features=3, centers=3, cluster_std=2.5, random_state=0)


def test_it_is_k_means_from_the_class_means(blobs):
    X, y = blobs
    known = np.where(np.arange(80) < 20, y, -1)
    start = np.stack([X[known == c].mean(axis=0) for c in range(3)])
    expected = KMeans(3, init=start, n_init=1).fit(X)
    model = SeededKMeans(3).fit(X, constraints=known)
    assert_array_equal(model.labels_, expected.labels_)
    assert_allclose(model.cluster_centers_, expected.cluster_centers_)


def test_missing_classes_are_drawn_and_the_seeded_ones_keep_their_number(blobs):
    X, y = blobs
    known = np.where((np.arange(80) < 40) & (y == 1), "one", None)
    model = SeededKMeans(3, random_state=0).fit(X, constraints=known)
    assert len(np.unique(model.labels_)) == 3
    members = X[(np.arange(80) < 40) & (y == 1)]
    assert np.bincount(model.predict(members)).argmax() == 0


def test_more_classes_than_clusters_are_refused(blobs):
    X, y = blobs
    with pytest.raises(InvalidInput) as caught:
        SeededKMeans(2).fit(X, constraints=y)
    assert str(caught.value) == (
        "SeededKMeans(n_clusters=2): the labels name 3 classes. "
        "Ask for at least that many clusters."
    )


def test_links_that_do_not_name_classes_are_refused(blobs):
    X, _ = blobs
    with pytest.raises(InvalidInput, match="SeededKMeans reads PartialLabels, got Links"):
        SeededKMeans(3).fit(X, constraints=Links(80, must=[(0, 1), (2, 3)]))
