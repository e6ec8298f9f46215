import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import check_grad

from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.problem import MarginProblem


class Squares(MarginProblem):
    """Loses half the square of all scores, less the best score of each row."""

    def _losses(self, S, tangent, width, D):  # noqa: ARG002
        D += S
        yield 0.5 * np.square(S).sum()
        rows = np.arange(len(S))
        D[rows, tangent[0]] -= 1
        yield -S[rows, tangent[0]].sum()


@pytest.fixture
def problem():
    return Squares(CentredRows.of(np.random.RandomState(0).normal(size=(12, 3))), 0.3)


def test_the_objective_is_the_norm_plus_all_losses(problem):
    W = np.random.RandomState(1).normal(size=(3, 4))
    S = problem.rows.scores(W)
    losses = 0.5 * np.square(S).sum() - S.max(axis=1).sum()
    assert_allclose(problem.objective(W), 0.15 * np.square(W).sum() + losses)


def test_the_bound_touches_where_its_tangent_was_taken_and_lies_above_elsewhere(problem):
    rng = np.random.RandomState(2)
    W = rng.normal(size=(3, 4))
    tangent = problem.tangent(W)
    assert problem.surrogate(W, tangent)[0] == problem.objective(W)
    for _ in range(20):
        other = rng.normal(size=(3, 4))
        assert problem.surrogate(other, tangent)[0] >= problem.objective(other) - 1e-12


def test_the_gradient_is_that_of_the_bound(problem):
    W = np.random.RandomState(3).normal(size=(3, 4))
    tangent = problem.tangent(W)

    def value(flat):
        return problem.surrogate(flat.reshape(3, 4), tangent)[0]

    def slope(flat):
        return problem.surrogate(flat.reshape(3, 4), tangent)[1].ravel()

    assert check_grad(value, slope, W.ravel()) < 1e-5
