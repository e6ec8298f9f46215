import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from linkwise.kernels.simplex import minimise_on_simplex, project_to_simplex

vectors = arrays(np.float64, st.integers(1, 20), elements=st.floats(-100, 100))


@settings(deadline=None)
@given(vectors)
def test_the_projection_is_the_nearest_point(v):
    u = project_to_simplex(v)
    assert (u >= 0).all()
    assert_allclose(u.sum(), 1.0, atol=1e-9)
    # nearest means: no corner of the simplex lies on v's side of u
    assert ((v - u) @ (np.eye(len(v)) - u).T <= 1e-7).all()


@settings(deadline=None)
@given(vectors, st.randoms(use_true_random=False))
def test_the_projection_does_not_reorder(v, random):
    order = np.array(random.sample(range(len(v)), len(v)))
    assert_allclose(project_to_simplex(v[order]), project_to_simplex(v)[order], atol=1e-12)


def test_a_point_of_the_simplex_stays():
    u = np.array([0.2, 0.3, 0.5])
    assert_allclose(project_to_simplex(u), u)


@pytest.mark.parametrize("regularisation", [0.0, 0.5, 20.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_minimum_agrees_with_a_general_solver(seed, regularisation):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    A, start = root @ root.T, np.full(6, 1 / 6)

    def objective(x):
        return x @ A @ x + regularisation * ((x - start) ** 2).sum()

    expected = minimize(
        objective, start, bounds=[(0, 1)] * 6, method="SLSQP",
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    found = minimise_on_simplex(A, start, regularisation)
    assert objective(found) <= expected.fun + 1e-9
    assert_allclose(found, expected.x, atol=1e-4)


def test_nothing_to_minimise_keeps_the_start():
    start = np.array([0.4, 0.6])
    assert_allclose(minimise_on_simplex(np.zeros((2, 2)), start, 0.0), start)
