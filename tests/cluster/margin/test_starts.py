import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from linkwise import Links, scores
from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.starts import RIDGE, SHRINKAGE, STARTS, Starts, link_directions


@pytest.fixture
def blobs():
    X, y = make_blobs(90, n_features=5, centers=3, cluster_std=1.0, random_state=0)
    return X, y


def starts_of(X, links, n_clusters, seed=0):
    return Starts(CentredRows.of(X), links, n_clusters, 0.01, np.random.RandomState(seed))


def outer(Z, pairs):
    return sum(np.outer(Z[i] - Z[j], Z[i] - Z[j]) for i, j in pairs) / len(pairs)


@pytest.mark.parametrize("ridge", [False, True])
def test_directions_solve_equation_18_with_the_matrix_constraint(blobs, ridge):
    X, y = blobs
    Z = CentredRows.of(X).scores(np.eye(5))
    links = Links.sample(y, 40, random_state=0)
    S_m, S_c = outer(Z, links.must), outer(Z, links.cannot)
    m = len(links.must)
    if ridge:
        prior = RIDGE * 5
        S_m = (m * S_m + prior * np.trace(S_m) / 5 * np.eye(5)) / (m + prior)
    else:
        S_m = (1 - SHRINKAGE) * S_m + SHRINKAGE * 2 * np.cov(Z.T, bias=True)
    A = link_directions(Z, links, 3, ridge)
    assert_allclose(A.T @ S_m @ A, np.eye(3), atol=1e-6)
    largest = scipy.linalg.eigh(S_c, S_m, eigvals_only=True)[::-1][:3]
    assert_allclose(np.diag(A.T @ S_c @ A), largest, rtol=1e-6)
    assert (np.sum((Z @ A) ** 3, axis=0) >= 0).all()


def test_directions_follow_the_rows_when_these_are_turned_round(blobs):
    X, y = blobs
    Z = CentredRows.of(X).scores(np.eye(5))
    links = Links.sample(y, 40, random_state=0)
    assert_allclose(link_directions(-Z, links, 3), -link_directions(Z, links, 3), atol=1e-9)


def test_link_weights_count_like_repeated_links(blobs):
    Z = CentredRows.of(blobs[0]).scores(np.eye(5))
    links = Links(
        90, must=[(0, 1), (2, 3)], cannot=[(4, 5), (6, 7), (8, 9)], weight=[1, 3, 1, 1, 2]
    )
    S_c = outer(Z, [(4, 5), (6, 7), (8, 9), (8, 9)])
    S_m = outer(Z, [(0, 1), (2, 3), (2, 3), (2, 3)])
    S_m = (1 - SHRINKAGE) * S_m + SHRINKAGE * 2 * np.cov(Z.T, bias=True)
    A = link_directions(Z, links, 2)
    largest = scipy.linalg.eigh(S_c, S_m, eigvals_only=True)[::-1][:2]
    assert_allclose(np.diag(A.T @ S_c @ A), largest, rtol=1e-5)


def test_missing_directions_are_the_found_ones_turned_round(blobs):
    Z = CentredRows.of(blobs[0]).scores(np.eye(5))
    links = Links(90, must=[(0, 1)], cannot=[(4, 5)])  # one cannot-link: one direction
    A = link_directions(Z, links, 3)
    assert_allclose(A[:, 1], -A[:, 0])
    assert_array_equal(A[:, 2], 0)


@pytest.mark.parametrize("links", [Links(90), Links(90, must=[(0, 1)]), Links(90, cannot=[(0, 1)])])
@pytest.mark.parametrize("ridge", [False, True])
def test_directions_exist_without_must_or_cannot_links(blobs, links, ridge):
    Z = CentredRows.of(blobs[0]).scores(np.eye(5))
    A = link_directions(Z, links, 2, ridge)
    assert A.shape == (5, 2)
    assert np.isfinite(A).all()


@pytest.mark.parametrize("name", STARTS)
def test_every_start_finds_clear_groups_when_links_are_many(blobs, name):
    X, y = blobs
    starts = starts_of(X, Links.sample(y, 60, random_state=0), 3)
    W = starts.weights(name)
    assert W.shape == (5, 3)
    least = 0.6 if name == "links" else 0.95  # directions are not yet clusters
    assert scores.accuracy(y, (starts.rows.scores(W)).argmax(axis=1)) > least


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("shape", [(40, 200), (150, 120)])
def test_many_features_are_seen_through_principal_components(name, shape):
    rng = np.random.RandomState(0)
    y = np.arange(shape[0]) % 2
    X = rng.normal(size=shape)
    X[:, :20] += 3 * y[:, None]
    links = Links.sample(y, 30, random_state=0)
    for table in (X, sp.csr_array(X)):
        starts = starts_of(table, links, 2)
        assert starts._seen.shape == (shape[0], min(100, shape[0] - 1))
        labels = starts.rows.scores(starts.weights(name)).argmax(axis=1)
        least = 0.5 if name == "links" else 0.75  # thirty links cannot order a hundred features
        assert scores.accuracy(y, labels) > least


def test_what_several_starts_share_does_not_depend_on_their_order(blobs):
    X, y = blobs
    links = Links.sample(y, 20, random_state=0)
    forward, backward = starts_of(X, links, 3), starts_of(X, links, 3)
    first = {name: forward.weights(name) for name in STARTS}
    second = {name: backward.weights(name) for name in STARTS[::-1]}
    for name in STARTS:
        assert_array_equal(first[name], second[name])


@pytest.mark.parametrize("ridge", [False, True])
@pytest.mark.parametrize(
    "X", [np.ones((6, 3)), np.repeat([[0.0, 1.0, 2.0], [4.0, 3.0, 1.0]], 3, axis=0)]
)
def test_rows_without_spread_have_directions_too(X, ridge):
    Z = CentredRows.of(X).scores(np.eye(3))
    links = Links(6, must=[(0, 1)], cannot=[(2, 3)])
    assert np.isfinite(link_directions(Z, links, 2, ridge)).all()
