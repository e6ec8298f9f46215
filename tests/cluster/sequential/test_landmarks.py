"""What never changes: landmarks, the rows as mixtures of them, their votes; against slow loops."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import SequentialClustering
from linkwise.cluster.sequential.landmarks import SMOOTHING, lift, one_hot, scaled, unit_rows


def test_a_row_that_is_a_landmark_is_itself(small):
    basis, rows = small._basis, np.array([3, 77, 200])
    mixture = lift(basis, rows, small.ensemble_.labels.rows(rows)).toarray()
    assert_array_equal(mixture, np.eye(240)[rows])


def test_any_other_row_is_a_mixture_of_those_it_shares_most_blocks_with(small, blobs):
    basis = small._basis
    new = blobs[0][:5] + 0.3
    blocks = np.ascontiguousarray(small.ensemble_.assign(new).T)
    mixture = lift(basis, np.arange(240, 245), blocks).toarray()
    shared = (blocks[:, None, :] == basis.blocks.T[None]).sum(axis=2)
    assert_allclose(mixture.sum(axis=1), 1.0)
    for row in range(5):
        chosen = mixture[row] > 1e-6
        assert chosen.sum() <= 10
        assert shared[row, chosen].min() >= np.sort(shared[row])[-10]
        assert_allclose(
            mixture[row, chosen] / mixture[row].max(), shared[row, chosen] / shared[row].max()
        )


def test_directions_are_orthonormal_and_the_smoothest_come_first(small):
    basis = small._basis
    gram = basis.vectors.T @ basis.vectors
    assert_allclose(gram, np.eye(len(gram)), atol=1e-8)
    assert (np.diff(basis.smoothness) <= 1e-12).all()
    assert basis.smoothness[0] <= 1.0 + 1e-9
    assert basis.smoothness[-1] >= (1 - SMOOTHING) / (1 + SMOOTHING)


def test_clusters_are_numbered_by_size(small):
    assert (np.diff(np.bincount(small._basis.labels, minlength=4)) <= 0).all()


def test_scaled_rows_are_centred_and_as_long_on_average():
    places = scaled(np.random.default_rng(0).normal(3.0, [1.0, 9.0], (50, 2)))
    assert_allclose(places.mean(axis=0), 0.0, atol=1e-12)
    assert_allclose(np.square(places).sum(axis=1).mean(), 1.0)
    assert_array_equal(scaled(np.ones((4, 2))), 0.0)


def test_unit_rows_have_length_one_and_zeros_stay():
    A = np.array([[3.0, 4.0], [0.0, 0.0]])
    assert_allclose(unit_rows(A), [[0.6, 0.8], [0.0, 0.0]])
    assert one_hot(np.array([1, 0]), 3).tolist() == [[0, 1, 0], [1, 0, 0]]


def test_where_nothing_was_said_it_is_about_as_good_as_k_means(blobs):
    from sklearn.cluster import KMeans

    from linkwise.scores import nmi

    X, y = blobs
    plain = KMeans(4, n_init=10, random_state=0).fit(X).labels_
    found = SequentialClustering(4, n_partitions=50, random_state=0).fit(X).labels_
    assert nmi(y, found) > nmi(y, plain) - 0.05


def test_a_name_is_that_of_the_landmarks_in_its_cluster(small):
    basis = small._basis
    for c in range(4):
        inside = basis.labels == c
        assert (basis.names[inside, c] > 0.98).all()
        assert (basis.names[~inside, c] < 0.02).all()  # a little of who is near
