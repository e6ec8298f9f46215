"""What never changes: landmarks, the rows as mixtures of them, their votes; against slow loops."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import SequentialClustering
from linkwise.cluster.sequential.landmarks import (
    SMOOTHING,
    lift,
    one_hot,
    scaled,
    side_by_side,
    unit_rows,
)


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


def test_a_block_votes_for_clusters_that_have_more_of_it_than_of_the_rest(small):
    basis = small._basis
    memberships = np.random.default_rng(0).dirichlet([4.0, 2.0, 1.0, 1.0], 240)
    votes = basis.votes(memberships, basis.blocks[:, :6])
    for row in range(6):
        said = []
        for blocks in basis.blocks:
            inside, everywhere = memberships[blocks == blocks[row]], memberships.mean(axis=0)
            over = inside.mean(axis=0) / (everywhere / 2 + 1 / 8)
            said.append(over / over.sum())
        assert_allclose(votes[row], np.mean(said, axis=0))


def test_votes_of_clusters_of_one_size_are_means_over_the_landmarks_of_each_block(small):
    basis = small._basis
    memberships = one_hot(np.arange(240) % 4, 4)
    votes = basis.votes(memberships, basis.blocks[:, :6])
    for row in range(6):
        expected = np.mean(
            [memberships[blocks == blocks[row]].mean(axis=0) for blocks in basis.blocks], axis=0
        )
        assert_allclose(votes[row], expected)


def test_a_cluster_that_hardly_exists_does_not_win_where_others_are_in_doubt(small):
    basis = small._basis
    faint = np.full((240, 4), 1e-4)
    faint[:, 0] = faint[:, 1] = 0.4999
    assert basis.votes(faint, basis.blocks)[:, 2:].max() < 0.01


def test_noise_beyond_the_leading_components_does_not_count_where_landmarks_are_clustered():
    rng = np.random.default_rng(0)
    graph = rng.normal(size=(300, 3))
    clear = rng.normal(size=(300, 3)) * [9.0, 7.0, 5.0]
    turn = np.linalg.qr(rng.normal(size=(43, 43)))[0]
    noisy = np.hstack([clear, rng.normal(size=(300, 40)) / 10]) @ turn
    plain, told = side_by_side(graph, clear), side_by_side(graph, noisy)
    assert told.shape == plain.shape
    assert_allclose(told @ told.T, plain @ plain.T, atol=0.1)


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
