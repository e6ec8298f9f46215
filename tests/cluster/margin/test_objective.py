from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from linkwise import Links
from linkwise.cluster.margin.cccp import descend, lbfgs, subgradient
from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.objective import PairMargin


def make(n_clusters=3, n=24, d=4, n_links=10, alpha=0.05, delta=1.0, seed=0, **kwargs):
    """A small problem with unequal weights; more than half of the rows are in some link."""
    rng = np.random.RandomState(seed)
    y = rng.randint(n_clusters, size=n)
    X = rng.normal(size=(n, d)) + 2 * rng.normal(size=(n_clusters, d))[y]
    drawn = Links.sample(y, n_links, noise=0.1, random_state=seed)
    links = Links(n, drawn.must, drawn.cannot, weight=rng.rand(n_links) + 0.5)
    rows = CentredRows.of(X)
    W = rng.normal(size=(d, n_clusters))
    return PairMargin(rows, links, alpha, delta, **kwargs), links, W


def pair_scores(S, i, j, same):
    r = S.shape[1]
    return [S[i, a] + S[j, b] for a, b in product(range(r), repeat=2) if (a == b) == same]


def equation_6(problem, links, W, alpha, delta):
    """The objective by enumeration of all assignments."""
    S = problem.rows.scores(np.eye(len(W))) @ W
    r = S.shape[1]
    n_must = len(links.must)
    share = links.weight / links.weight.sum()
    value = alpha / 2 * np.sum(W**2)
    for (i, j), w in zip(links.must, share[:n_must], strict=True):
        good = max(pair_scores(S, i, j, True))
        value += w * max(max(1 - good + bad for bad in pair_scores(S, i, j, False)), 0)
    for (i, j), w in zip(links.cannot, share[n_must:], strict=True):
        good = max(pair_scores(S, i, j, False))
        value += w * max(max(1 - good + bad for bad in pair_scores(S, i, j, True)), 0)
    free = [
        i for i in range(len(S)) if i not in set(links.must.ravel()) | set(links.cannot.ravel())
    ]
    for i in free:
        for z in range(r):
            value += delta / (len(free) * r) * max(1 - S[i].max() + S[i, z], 0)
    return value


@pytest.mark.parametrize("n_clusters", [2, 3, 5])
@pytest.mark.parametrize("delta", [0.0, 1.0, 2.5])
def test_the_objective_is_equation_6(n_clusters, delta):
    for seed in range(5):
        problem, links, W = make(n_clusters, delta=delta, seed=seed)
        expected = equation_6(problem, links, W, 0.05, delta)
        assert_allclose(problem.objective(W), expected, rtol=1e-12)


def test_unlinked_rows_are_those_no_link_names():
    problem, links, _ = make()
    expected = sorted(set(range(24)) - set(links.must.ravel()) - set(links.cannot.ravel()))
    assert problem.unlinked.tolist() == expected
    assert len(expected) != 24 - links.n_links  # rows are counted, not links


def test_without_links_the_losses_are_those_of_the_rows():
    problem, _, W = make()
    alone = PairMargin(problem.rows, Links(24), 0.05, 1.0)
    S = problem.rows.scores(W)
    losses = np.maximum(1 - S.max(axis=1, keepdims=True) + S, 0)
    assert_allclose(alone.objective(W), 0.025 * np.sum(W**2) + losses.mean())


def test_when_every_row_is_linked_the_links_speak_alone():
    X = np.random.RandomState(0).normal(size=(4, 2))
    links = Links(4, must=[(0, 1)], cannot=[(2, 3)])
    W = np.ones((2, 2))
    values = {PairMargin(CentredRows.of(X), links, 0.1, delta).objective(W) for delta in (0.0, 9.0)}
    assert len(values) == 1


def test_balanced_links_weigh_the_same_on_both_sides():
    problem, links, _ = make(balanced=True)
    assert_allclose(problem.must_weight.sum(), 0.5)
    assert_allclose(problem.cannot_weight.sum(), 0.5)
    only = Links(links.n_samples, must=links.must)
    assert_allclose(PairMargin(problem.rows, only, 1.0, 1.0, balanced=True).must_weight.sum(), 1)


@pytest.mark.parametrize("width", [0.05, 0.3])
@pytest.mark.parametrize("n_clusters", [2, 4])
def test_the_gradient_is_that_of_finite_differences(n_clusters, width):
    problem, _, W = make(n_clusters)
    tangent = problem.tangent(np.random.RandomState(9).normal(size=W.shape))
    _, slope = problem.surrogate(W, tangent, width)
    for at in np.ndindex(W.shape):
        step = np.zeros_like(W)
        step[at] = 1e-6
        up, _ = problem.surrogate(W + step, tangent, width)
        down, _ = problem.surrogate(W - step, tangent, width)
        assert slope[at] == pytest.approx((up - down) / 2e-6, abs=1e-7)


@pytest.mark.parametrize("width", [0.0, 0.05, 0.3])
def test_the_tangent_touches_and_never_lies_below(width):
    rng = np.random.RandomState(0)
    for seed in range(5):
        problem, _, W = make(4, seed=seed)
        tangent = problem.tangent(W)
        assert_allclose(problem.surrogate(W, tangent, width)[0], problem.objective(W, width))
        for _ in range(20):
            other = W + rng.normal(size=W.shape) * rng.choice([0.01, 0.3, 3])
            bound = problem.surrogate(other, tangent, width)[0]
            assert bound >= problem.objective(other, width) - 1e-12


def test_the_bound_is_convex_along_lines():
    rng = np.random.RandomState(0)
    problem, _, W = make(4)
    tangent = problem.tangent(W)
    for _ in range(20):
        a, b = rng.normal(size=(2, *W.shape)) * 2
        middle, _ = problem.surrogate((a + b) / 2, tangent)
        ends = problem.surrogate(a, tangent)[0] + problem.surrogate(b, tangent)[0]
        assert middle <= ends / 2 + 1e-12


def quadratic_program(problem, links, tangent, shape):
    """Solve (17) with explicit slacks by SLSQP: W, one slack per link, r per unlinked row."""
    d, r = shape
    rows = problem.rows.scores(np.eye(d))
    n_links, free = links.n_links, problem.unlinked
    n_slack = n_links + len(free) * r
    share = links.weight / links.weight.sum()
    price = np.concatenate([share, np.full(len(free) * r, problem.delta / (len(free) * r))])

    def score(i, c):  # row of coefficients of s_ic
        out = np.zeros((d, r))
        out[:, c] = rows[i]
        return out.ravel()

    lines = []  # each: coefficients of W, which slack; meaning coefficients.W + slack >= 1
    n_must = len(links.must)
    pairs = np.vstack([links.must, links.cannot])
    for p, (i, j) in enumerate(pairs):
        must = p < n_must
        if must:
            good = score(i, tangent.together[p]) + score(j, tangent.together[p])
        else:
            good = score(i, tangent.first[p - n_must]) + score(j, tangent.second[p - n_must])
        for a, b in product(range(r), repeat=2):
            if (a == b) != must:
                lines.append((good - score(i, a) - score(j, b), p))
    for p, i in enumerate(free):
        for z in range(r):
            lines.append((score(i, tangent.own[p]) - score(i, z), n_links + p * r + z))
    A = np.zeros((len(lines), d * r + n_slack))
    for line, (coefficients, slack) in enumerate(lines):
        A[line, : d * r] = coefficients
        A[line, d * r + slack] = 1
    start = np.concatenate([np.zeros(d * r), np.ones(n_slack)])
    found = minimize(
        lambda v: problem.alpha / 2 * v[: d * r] @ v[: d * r] + price @ v[d * r :],
        start,
        jac=lambda v: np.concatenate([problem.alpha * v[: d * r], price]),
        bounds=[(None, None)] * (d * r) + [(0, None)] * n_slack,
        constraints={"type": "ineq", "fun": lambda v: A @ v - 1, "jac": lambda _: A},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert found.success
    return found.fun


@pytest.mark.parametrize("seed", range(3))
def test_both_solvers_reach_the_minimum_of_the_quadratic_program(seed):
    problem, links, W = make(3, n=12, d=2, n_links=5, alpha=0.05, seed=seed)
    tangent = problem.tangent(W)
    minimum = quadratic_program(problem, links, tangent, W.shape)
    fine = lbfgs(problem, W, tangent, widths=(0.3, 0.05, 0.005, 0.0005), max_evaluations=2000)
    assert_allclose(problem.surrogate(fine, tangent)[0], minimum, rtol=1e-3)
    slow = subgradient(problem, W, tangent, tol=0.0, max_steps=20_000)
    assert_allclose(problem.surrogate(slow, tangent)[0], minimum, rtol=1e-3)
    # what a fit really does: two widths, sixty evaluations each
    usual = lbfgs(problem, W, tangent)
    value = problem.surrogate(usual, tangent)[0]
    assert minimum * (1 - 1e-6) <= value <= minimum * 1.05


@pytest.mark.parametrize("solver", [lbfgs, subgradient])
@pytest.mark.parametrize("seed", range(5))
def test_the_procedure_never_raises_the_objective(solver, seed):
    problem, _, W = make(4, n=40, n_links=20, alpha=0.01, seed=seed)
    found = descend(problem, W, solver, max_iter=50, tol=0.0)
    assert found.n_iter == len(found.path) - 1 <= 50
    assert found.path[0] == problem.objective(W)
    assert found.path[-1] == problem.objective(found.W)
    assert (np.diff(found.path) < 0).all()
    assert found.path[-1] < 0.8 * found.path[0]


def test_the_minimum_lies_within_the_radius_of_the_theorem():
    problem, _, W = make(3, n=12, d=2, n_links=5)
    tangent = problem.tangent(W)
    fine = lbfgs(problem, W, tangent, widths=(0.3, 0.05, 0.005), max_evaluations=2000)
    assert np.linalg.norm(fine) <= np.sqrt((1 + problem.delta) / problem.alpha)


def test_a_round_that_does_not_help_is_not_taken():
    problem, _, W = make()
    found = descend(problem, W, lambda *_: 100 * np.ones_like(W), max_iter=5, tol=0.01)
    assert found.W is W
    assert found.n_iter == 0
