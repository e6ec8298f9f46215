from itertools import permutations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import normalized_mutual_info_score

from linkwise.ensemble import build_paper_ensemble, consensus
from linkwise.ensemble.kernel_kmeans import default_features, kernel_kmeans
from linkwise.ensemble.kmeans import sampled_kmeans
from linkwise.errors import InvalidInput


def rows(n_rows=300, n_features=5, seed=0):
    rng = np.random.default_rng(seed)
    centers = 3 * rng.normal(size=(4, n_features))
    X = centers[rng.integers(4, size=n_rows)] + rng.normal(size=(n_rows, n_features))
    return X.astype(np.float32)


def gaussian(X, Y, variance):
    squared = np.square(X[:, None].astype(float) - Y).sum(axis=2)
    return np.exp(-squared / (2 * variance))


def test_the_variance_is_half_the_mean_squared_distance():
    X = rows(60)
    partition = kernel_kmeans(X, np.arange(5), 4, 10, 5, np.random.default_rng(0))
    squared = np.square(X[:, None].astype(float) - X).sum(axis=2)
    assert 1 / partition.inverse_variances == pytest.approx(squared.mean() / 2, rel=1e-5)


def test_centres_are_means_in_the_space_spanned_by_the_landmarks():
    """Chitta et al.: weights are member averages of K(X, landmarks) K(landmarks)^-1."""
    X = rows()
    partition = kernel_kmeans(X, np.arange(5), 4, 20, 100, np.random.default_rng(0))
    variance = 1 / float(partition.inverse_variances)
    cross = gaussian(X, partition.landmarks, variance)
    inner = gaussian(partition.landmarks, partition.landmarks, variance)
    scores = cross @ partition.weights.T.astype(float) - partition.offsets
    labels = scores.argmax(axis=1)
    members = np.eye(4)[labels] / np.bincount(labels, minlength=4)
    weights = members.T @ cross @ np.linalg.inv(inner)
    np.testing.assert_allclose(cross @ partition.weights.T, cross @ weights.T, atol=2e-3)
    half_norms = 0.5 * np.einsum("kl,lm,km->k", weights, inner, weights)
    np.testing.assert_allclose(partition.offsets, half_norms, atol=2e-3)


def test_with_every_row_a_landmark_it_is_kernel_k_means():
    X = rows(80)
    partition = kernel_kmeans(X, np.arange(5), 4, 80, 100, np.random.default_rng(3))
    variance = 1 / float(partition.inverse_variances)
    kernel = gaussian(X, X, variance)
    scores = gaussian(X, partition.landmarks, variance) @ partition.weights.T - partition.offsets
    labels = scores.argmax(axis=1)
    for _ in range(3):  # the labels are a fixed point of exact kernel k-means
        members = np.eye(4)[labels] / np.bincount(labels, minlength=4)
        norms = np.einsum("ik,ij,jk->k", members, kernel, members)
        again = (kernel @ members - norms / 2).argmax(axis=1)
        assert (again == labels).all()


def test_the_streamed_labels_are_those_of_the_formula():
    X = rows()
    ensemble = build_paper_ensemble(X, 4, n_partitions=5, n_landmarks=20, seed=0)
    models = ensemble.models
    prepared = ensemble.preparation.rows(X)
    for p in range(5):
        variance = 1 / float(models.inverse_variances[p])
        kernel = gaussian(prepared[:, models.features[p]], models.landmarks[p], variance)
        scores = kernel @ models.weights[p].T.astype(float) - models.offsets[p]
        chosen = scores[np.arange(300), ensemble.labels.array[p]]
        np.testing.assert_allclose(chosen, scores.max(axis=1), atol=1e-4)


@pytest.mark.parametrize(("n_threads", "chunk_rows"), [(1, 1), (2, 256), (3, 10**6)])
def test_labels_do_not_depend_on_threads_or_blocks(n_threads, chunk_rows):
    X = rows(1000)
    expected = build_paper_ensemble(X, 4, n_partitions=5, seed=0, n_threads=1)
    found = build_paper_ensemble(
        X, 4, n_partitions=5, seed=0, n_threads=n_threads, chunk_rows=chunk_rows
    )
    np.testing.assert_array_equal(found.labels.array, expected.labels.array)


def test_labels_mean_the_same_in_all_partitions():
    X = rows()
    labels = build_paper_ensemble(X, 4, n_partitions=30, n_features=5, seed=0).labels.array
    vote = consensus(labels, 4)
    for partition in labels:
        best = max((np.array(names)[partition] == vote).sum() for names in permutations(range(4)))
        assert (partition == vote).sum() == best


def test_the_vote_on_digits_lies_in_the_reference_band():
    X, y = load_digits(return_X_y=True)
    ensemble = build_paper_ensemble(X, 10, n_partitions=300, n_features=4, seed=0)
    vote = consensus(ensemble.labels.array, 10)
    assert 0.61 <= normalized_mutual_info_score(y, vote) <= 0.71


@pytest.mark.parametrize(
    ("n_features", "expected"), [(1, 1), (2, 1), (16, 8), (54, 27), (60, 30), (61, 4), (256, 13)]
)
def test_features_per_partition(n_features, expected):
    assert default_features(n_features) == expected


@pytest.mark.parametrize("X", [[[1.0]], [[1.0], [1.0], [1.0]], [[0.0, 1.0], [5.0, 1.0]]])
def test_tiny_and_constant_tables_are_labelled(X):
    ensemble = build_paper_ensemble(X, 1, n_partitions=3, seed=0)
    assert ensemble.labels.array.tolist() == [[0] * len(X)] * 3


def test_equal_rows_leave_clusters_empty_but_do_no_harm():
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    labels = build_paper_ensemble(X, 4, n_partitions=3, seed=0).labels.array
    assert labels.max() < 4
    for row in labels:
        assert len(set(row[:20])) == len(set(row[20:])) == 1
        assert row[0] != row[-1]


@pytest.mark.parametrize(
    ("n_clusters", "options", "sentence"),
    [
        (
            31,
            {},
            "build_paper_ensemble(n_clusters=31): 30 rows cannot be split into 31 clusters.",
        ),
        (
            0,
            {},
            "build_paper_ensemble(n_clusters=0): n_clusters must be a whole number >= 1.",
        ),
        (
            3,
            {"n_features": 6},
            "build_paper_ensemble(n_features=6): the rows have only 5 features.",
        ),
        (
            3,
            {"n_features": "all"},
            "build_paper_ensemble(n_features='all'): n_features must be a whole number >= 1 or "
            "'auto'.",
        ),
    ],
)
def test_arguments_that_make_no_sense_are_refused(n_clusters, options, sentence):
    with pytest.raises(InvalidInput) as caught:
        build_paper_ensemble(rows(30), n_clusters, seed=0, **options)
    assert str(caught.value) == sentence


def test_more_clusters_than_a_byte_counts_are_refused():
    with pytest.raises(InvalidInput) as caught:
        build_paper_ensemble(rows(300), 257, seed=0)
    assert str(caught.value) == (
        "build_paper_ensemble(n_clusters=257): labels are stored in one byte, so there can be at "
        "most 256 clusters."
    )


def test_mapped_rows_are_clustered_by_the_same_k_means():
    """One landmark per distinct row and one cluster each: every distinct row is alone."""
    X = np.repeat(np.eye(6, dtype=np.float32), 5, axis=0)
    partition = kernel_kmeans(X, np.arange(6), 6, 30, 10, np.random.default_rng(0))
    kernel = gaussian(X, partition.landmarks, 1 / float(partition.inverse_variances))
    labels = (kernel @ partition.weights.T - partition.offsets).argmax(axis=1)
    assert len(set(labels)) == len(set(sampled_kmeans(X, 6, np.random.default_rng(0))[1])) == 6
