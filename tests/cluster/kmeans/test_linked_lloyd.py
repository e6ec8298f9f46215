import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from linkwise.cluster.kmeans.linked_lloyd import lloyd_with_links


class Nobody:
    """No row is linked."""

    def assign(self, X, centers, labels, previous):
        pass


class First:
    """The first row is wherever it is told to be; what it is shown is written down."""

    def __init__(self, cluster):
        self.cluster, self.previous = cluster, []

    def assign(self, X, centers, labels, previous):  # noqa: ARG002
        self.previous.append(previous[0])
        labels[0] = self.cluster


def test_without_linked_rows_it_is_plain_k_means():
    X, _ = make_blobs(200, centers=4, cluster_std=3.0, random_state=0)
    end = lloyd_with_links(X, Nobody(), X[:4].copy(), 300)
    plain = KMeans(4, init=X[:4], n_init=1, tol=0, algorithm="lloyd").fit(X)
    assert_array_equal(end.labels, plain.labels_)
    assert_allclose(end.centers, plain.cluster_centers_)


def test_the_rule_for_linked_rows_has_the_last_word():
    X = np.array([[0.0], [1.0], [8.0], [9.0]])
    linked = First(1)
    end = lloyd_with_links(X, linked, np.array([[0.0], [9.0]]), 300)
    assert end.labels.tolist() == [1, 0, 1, 1]
    assert_allclose(end.centers, [[1.0], [17 / 3]])
    assert linked.previous == [-1, 1]
    assert end.n_iter == 2


def test_an_empty_cluster_begins_again_at_the_farthest_row():
    X = np.array([[0.0], [1.0], [9.0]])
    end = lloyd_with_links(X, Nobody(), np.array([[0.5], [100.0]]), 300)
    assert end.labels.tolist() == [0, 0, 1]


def test_no_more_rounds_are_done_than_allowed():
    X, _ = make_blobs(200, centers=4, cluster_std=3.0, random_state=0)
    assert lloyd_with_links(X, Nobody(), X[:4].copy(), 1).n_iter == 1
