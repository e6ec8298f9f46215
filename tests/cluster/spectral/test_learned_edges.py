import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.linalg import eigh

from linkwise import Links
from linkwise.cluster.spectral import learned_edges
from linkwise.cluster.spectral.landmark_graph import LandmarkGraph
from linkwise.cluster.spectral.learned_edges import (
    component_scatter,
    expected_scatter,
    steady_directions,
    weaken_edges,
)
from linkwise.cluster.spectral.linked_rows import LinkedRows


def similarities(Z):
    scaled = Z.toarray() / np.sqrt(np.maximum(np.asarray(Z.sum(axis=0)), 1e-300))
    return scaled.T @ scaled


@pytest.fixture
def stripes():
    """Rows in a long rectangle; links say that only its short side matters."""
    rng = np.random.default_rng(0)
    X = rng.random((600, 2)) * [4.0, 1.0]
    y = (X[:, 1] > 0.5).astype(int)
    rows = rng.permutation(600)[:80]
    labels = np.full(600, -1)
    labels[rows] = y[rows]
    linked = LinkedRows.of(Links.from_labels(labels))
    landmarks = np.vstack([X[linked.rows], X[rng.permutation(600)[:120]]])
    side = np.append(y[linked.rows], (landmarks[len(linked.rows) :, 1] > 0.5).astype(int))
    return LandmarkGraph(landmarks, 1.0, 4).weights(X), linked, side


def slow_edges(S, Z, linked, n_clusters, prior):
    """The same, one landmark and one pair at a time, with full factorisations."""
    P, Z = len(S), Z.toarray()
    W = S + 0.001 * S.mean()
    root = np.sqrt(W.sum(axis=1))
    values, vectors = eigh(W / np.outer(root, root))
    q = min(2 * n_clusters + 2, P)
    values, V = values[::-1][:q], vectors[:, ::-1][:, :q]
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    mass = Z.sum(axis=0)
    middle = np.average(V, axis=0, weights=mass)
    total = np.cov(V.T, aweights=mass, bias=True)
    within, n_answers = np.zeros((q, q)), 0
    for component in range(linked.n_components):
        B = Z[linked.rows[linked.component == component]] @ V
        B /= np.linalg.norm(B, axis=1, keepdims=True)
        within += len(B) * np.cov(B.T, bias=True)
        n_answers += len(B) - 1
    guess = (1 - values) / (1 - values + 1 - values[n_clusters])
    within = (within + prior * np.diag(guess * np.diag(total))) / (n_answers + prior)
    scatter, A = eigh(within, total)
    L = (V - middle) @ A[:, :n_clusters] * np.sqrt(1 - scatter[:n_clusters])
    edges = np.zeros((P, P))
    for i in range(P):
        for j in range(P):
            cosine = L[i] @ L[j] / np.linalg.norm(L[i]) / np.linalg.norm(L[j])
            edges[i, j] = S[i, j] * max(cosine, 0)
    degree = edges.sum(axis=1)
    return edges / np.sqrt(np.outer(degree, degree))


def test_edges_agree_with_a_slow_twin(stripes):
    Z, linked, _ = stripes
    S = similarities(Z)
    expected = slow_edges(S, Z, linked, 2, learned_edges.PRIOR)
    assert_allclose(weaken_edges(S.copy(), Z, linked, 2), expected, atol=1e-5)  # float32 places


def test_edges_between_the_sides_that_links_tell_apart_lose_weight(stripes):
    Z, linked, side = stripes
    S = similarities(Z)
    across = side[:, None] != side
    before = S[across].sum() / S.sum()
    W = weaken_edges(S, Z, linked, 2)
    assert W[across].sum() / W.sum() < 0.75 * before


def test_largest_eigenvalue_of_the_edges_is_one(stripes):
    Z, linked, _ = stripes
    W = weaken_edges(similarities(Z), Z, linked, 2)
    assert_allclose(W, W.T, atol=1e-12)
    assert_allclose(eigh(W, eigvals_only=True)[-1], 1.0)


def test_a_landmark_that_no_row_is_near_to_keeps_no_edge(stripes):
    Z, linked, _ = stripes
    Z = sp.csr_array((Z.data, Z.indices, Z.indptr), shape=(Z.shape[0], Z.shape[1] + 1))
    W = weaken_edges(similarities(Z), Z, linked, 2)
    assert np.isfinite(W).all()
    assert not W[-1].any()


def test_cannot_links_alone_leave_the_guess():
    linked = LinkedRows.of(Links(600, cannot=[(0, 1), (2, 3)]))
    scatter, n_answers = component_scatter(np.random.default_rng(0).random((4, 3)), linked)
    assert n_answers == 0
    assert not scatter.any()
    share, _ = steady_directions(np.zeros((4, 3)), linked, np.eye(3), np.array([0.1, 0.5, 0.9]))
    assert_allclose(share, [0.1, 0.5, 0.9], rtol=1e-6)


def test_one_half_is_expected_at_the_last_eigenvector_that_clusters_need():
    share = expected_scatter(np.array([1.0, 0.99, 0.9, 0.5]), 2)
    assert_allclose(share, [0.0, 0.01 / 0.11, 0.5, 0.5 / 0.6], atol=1e-10)


def test_directions_are_scaled_to_variance_one_and_sorted(stripes):
    _, linked, _ = stripes
    rng = np.random.default_rng(1)
    A = rng.standard_normal((40, 3))
    total = A.T @ A / 40
    places = rng.standard_normal((len(linked.rows), 3))
    scatter, directions = steady_directions(places, linked, total, np.full(3, 0.5))
    assert_allclose(directions.T @ total @ directions, np.eye(3), atol=1e-6)
    assert (np.diff(scatter) >= 0).all()


def test_a_row_that_is_hardly_firm_hardly_counts():
    links = Links(4, must=[(0, 1), (2, 3)], weight=[1.0, 1e-9])
    places = np.array([[0.0], [2.0], [0.0], [50.0]])
    scatter, n_answers = component_scatter(places, LinkedRows.of(links))
    assert_allclose(scatter, [[2.0]], rtol=1e-5)
    assert_allclose(n_answers, 1.0, rtol=1e-5)
