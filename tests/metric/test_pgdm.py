import numpy as np
import pytest
from numpy.testing import assert_allclose

from linkwise import Links
from linkwise.kernels.simplex import project_to_simplex
from linkwise.metric import PGDM, RCA


def drawn(seed, d=2, n=40):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.arange(1, d + 1)
    y = rng.integers(0, 3, n)
    X += 2.0 * np.eye(3, d)[y]
    return X, Links.sample(y, 60, random_state=seed)


def lengths(X, links, M):
    """Sum of cannot-linked distances, mean of squared must-linked ones, of the paper's problem."""
    a, b = (X[p[:, 0]] - X[p[:, 1]] for p in (links.cannot, links.must))
    return np.sqrt(np.einsum("ki,ij,kj->k", a, M, a)).sum(), np.einsum(
        "ki,ij,kj->k", b, M, b
    ).mean()


def ratio(X, links, M):
    """What the paper maximises, whatever the scale of the metric."""
    long, short = lengths(X, links, M)
    return long / np.sqrt(short)


def slow_projected_gradient(X, links, d):
    """Gradient steps, each followed by a projection onto the matrices of trace 1."""
    a, b = (X[p[:, 0]] - X[p[:, 1]] for p in (links.cannot, links.must))
    values, vectors = np.linalg.eigh(b.T @ b / len(b))
    whiten = (vectors / np.sqrt(values)) @ vectors.T
    u = a @ whiten
    N, step = np.eye(d) / d, 1e-3
    for _ in range(4000):
        size = np.sqrt(np.maximum(np.einsum("ki,ij,kj->k", u, N, u), 1e-12))
        values, vectors = np.linalg.eigh(N + step * (u.T / size) @ u / len(u))
        N = (vectors * project_to_simplex(values)) @ vectors.T
    return whiten @ N @ whiten


@pytest.mark.parametrize("seed", range(3))
def test_no_metric_on_a_grid_is_better(seed):
    X, links = drawn(seed)
    L = PGDM(ridge=0, tol=1e-14, max_iter=5000).fit(X, constraints=links).components_
    best = ratio(X, links, L.T @ L)
    for angle in np.linspace(0, np.pi, 60):
        axis = np.array([np.cos(angle), np.sin(angle)])
        for share in np.linspace(0, 1, 41):
            M = share * np.outer(axis, axis) + (1 - share) * (np.eye(2) - np.outer(axis, axis))
            assert ratio(X, links, M) <= best * (1 + 1e-9)


@pytest.mark.parametrize("d", [2, 4])
def test_it_agrees_with_slow_projected_gradient(d):
    X, links = drawn(5, d)
    L = PGDM(ridge=0, tol=1e-14, max_iter=20_000).fit(X, constraints=links).components_
    mine, slow = L.T @ L, slow_projected_gradient(X, links, d)
    assert ratio(X, links, mine) >= ratio(X, links, slow) * (1 - 1e-6)
    assert_allclose(mine / np.trace(mine), slow / np.trace(slow), atol=0.02)


def test_more_steps_never_make_it_worse():
    X, links = drawn(3, 4)
    reached = []
    for n_steps in range(2, 40, 3):
        model = PGDM(ridge=0, tol=0, max_iter=n_steps).fit(X, constraints=links)
        reached.append(ratio(X, links, model.components_.T @ model.components_))
    assert (np.diff(reached) >= -1e-9).all()
    assert reached[-1] > reached[0]


def test_without_cannot_links_it_is_relevant_component_analysis_of_single_pairs():
    X, _ = drawn(0)
    links = Links(40, must=[(0, 1), (2, 3), (4, 5)])
    assert_allclose(
        PGDM().fit(X, constraints=links).components_,
        RCA().fit(X, constraints=links).components_,
        atol=1e-9,
    )


def test_the_ridge_keeps_directions_that_no_link_shows():
    X, _ = drawn(0, 3)
    links = Links(40, must=[(0, 1)], cannot=[(2, 3)])
    for ridge, rank in ((0, 1), (1.0, 3)):
        components = PGDM(ridge=ridge).fit(X, constraints=links).components_
        assert np.linalg.matrix_rank(components, tol=1e-6) == rank
