import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist

from linkwise import Links
from linkwise.kernels.bregman import project_onto_bounds
from linkwise.metric import ITML


def problem(seed, n_links=12, d=3):
    """Differences, signs, bounds and prices of a small problem."""
    rng = np.random.default_rng(seed)
    apart = rng.normal(size=(n_links, d)) * [1.0, 2.0, 4.0][:d]
    sign = np.where(rng.random(n_links) < 0.5, 1.0, -1.0)
    bound = np.where(sign > 0, 2.0, 20.0)
    return apart, sign, bound, rng.uniform(0.3, 3.0, n_links)


def divergence(A, B):
    ratio = A @ np.linalg.inv(B)
    return np.trace(ratio) - np.linalg.slogdet(ratio)[1] - len(A)


@pytest.mark.parametrize("seed", range(5))
def test_the_conditions_of_karush_kuhn_and_tucker_hold(seed):
    apart, sign, bound, price = problem(seed)
    metric, moved = np.eye(3), bound.copy()
    dual, _ = project_onto_bounds(metric, apart, sign, moved, price, 100_000, 1e-13)
    assert (dual >= 0).all()
    stationary = np.eye(3) + (apart.T * sign * dual) @ apart
    assert_allclose(np.linalg.inv(metric), stationary, atol=1e-8)
    assert_allclose(1 / moved, 1 / bound - sign * dual / price, atol=1e-9)
    excess = sign * (np.einsum("ki,ij,kj->k", apart, metric, apart) - moved)
    assert (excess <= 1e-6 * moved).all()  # bounds hold
    assert_allclose((dual * excess)[dual > 1e-9], 0, atol=1e-6)  # and pull only where they bind
    assert (dual > 1e-6).any()


def by_the_book(X, links, n_rounds):
    """Algorithm 1 of the paper at gamma = 1, written down again: matrices, no kernel, no weights.

    Distances of the paper are squared, so its bounds are percentiles of squared distances.
    """
    ends = X[np.unique(np.vstack((links.must, links.cannot)))]
    upper, lower = np.percentile(pdist(ends, "sqeuclidean"), [5, 95])
    pairs = [(X[i] - X[j], 1.0) for i, j in links.must]
    pairs += [(X[i] - X[j], -1.0) for i, j in links.cannot]
    A, dual = np.eye(X.shape[1]), np.zeros(len(pairs))
    xi = [upper if delta > 0 else lower for _, delta in pairs]
    for _ in range(n_rounds):
        for k, (v, delta) in enumerate(pairs):
            p = v @ A @ v
            alpha = min(dual[k], delta / 2 * (1 / p - 1 / xi[k]))
            beta = delta * alpha / (1 - delta * alpha * p)
            xi[k] = xi[k] / (1 + delta * alpha * xi[k])
            dual[k] -= alpha
            A = A + beta * np.outer(A @ v, A @ v)
    return A


def test_it_is_the_algorithm_of_the_paper(stretched):
    X, y = stretched
    links = Links.sample(y, 30, random_state=0)
    model = ITML(max_iter=40, tol=0).fit(X, constraints=links)
    assert_allclose(model.components_.T @ model.components_, by_the_book(X, links, 40), rtol=1e-9)


def test_no_other_metric_costs_less():
    apart, sign, bound, price = problem(0)
    metric, moved = np.eye(3), bound.copy()
    project_onto_bounds(metric, apart, sign, moved, price, 100_000, 1e-13)

    def cost(M):
        """Each bound moves no further than the metric makes it."""
        lengths = np.einsum("ki,ij,kj->k", apart, M, apart)
        xi = np.where(sign * (lengths - bound) > 0, lengths, bound)
        return divergence(M, np.eye(3)) + price @ (xi / bound - np.log(xi / bound) - 1)

    best = cost(metric)
    rng = np.random.default_rng(1)
    for size in (1e-3, 1e-2, 0.1):
        for _ in range(100):
            step = rng.normal(size=(3, 3)) * size
            other = metric + step + step.T
            if np.linalg.eigvalsh(other)[0] > 0:
                assert cost(other) >= best - 1e-10


def test_a_single_must_link_is_shortened_to_where_both_prices_meet():
    """One bound and one direction: 1/M = 1 + dual v^2 and 1/xi = 1/b - dual at price 1."""
    X = np.array([[0.0], [4.0], [5.0], [9.0]])
    links = Links(4, must=[(0, 1)], cannot=[(2, 3)], weight=[1, 1e-9])
    near = np.percentile(pdist(X, "sqeuclidean"), 5)
    length = 2.0 / (1.0 / near + 1.0 / 16.0)  # harmonic mean of bound and plain length
    found = ITML(tol=1e-12).fit(X, constraints=links).components_[0, 0]
    assert found**2 * 16.0 == pytest.approx(length, rel=1e-6)


def test_heavier_links_are_heard_more(stretched):
    X, y = stretched
    links = Links.sample(y, 30, random_state=0)
    moved = [
        np.abs(
            ITML()
            .fit(X, constraints=Links(80, links.must, links.cannot, np.full(30, w)))
            .components_
            - np.eye(2)
        ).max()
        for w in (1e-4, 0.01, 1.0, 100.0)
    ]
    assert moved[0] < 0.01
    assert (np.diff(moved) > 0).all()


def test_it_stops_when_it_was_told_to(stretched):
    X, y = stretched
    model = ITML(max_iter=2, tol=0).fit(X, constraints=Links.sample(y, 30, random_state=0))
    assert model.n_iter_ == 2
