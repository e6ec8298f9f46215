import numpy as np
import pytest
from numpy.testing import assert_allclose

from linkwise import Links
from linkwise.metric import SDML


def drawn(seed=0, n_links=40):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 50)
    X = rng.normal(size=(50, 4)) * [1, 2, 1, 1]
    X[:, 0] += 3 * y
    X[:, 3] += X[:, 2]
    return X, Links.sample(y, n_links, random_state=seed)


def loss_of(X, links, ridge):
    """The matrix A of the docstring, one link at a time."""
    d = X.shape[1]
    signed, squares = np.zeros((d, d)), 0.0
    for pairs, sign in ((links.must, 1), (links.cannot, -1)):
        for i, j in pairs:
            signed += sign * np.outer(X[i] - X[j], X[i] - X[j])
            squares += np.square(X[i] - X[j]).sum()
    t = squares / links.n_links / d
    for eta in np.append(1.0, np.logspace(0, -4, 4001)):
        A = ridge * d * np.eye(d) + eta * signed / t
        if np.linalg.eigvalsh(A)[0] >= 0.1 * ridge * d * (1 - 1e-9):
            return A * d / np.trace(A)
    raise AssertionError


@pytest.mark.parametrize("ridge", [0.3, 1.0, 50.0])
def test_without_a_price_the_metric_is_the_inverse_of_the_loss(ridge):
    X, links = drawn()
    L = SDML(ridge=ridge, sparsity=0).fit(X, constraints=links).components_
    assert_allclose(np.linalg.inv(L @ L), loss_of(X, links, ridge), rtol=0.01, atol=0.01)


def test_the_conditions_of_the_graphical_lasso_hold():
    X, links = drawn()
    dense = SDML(sparsity=0).fit(X, constraints=links).components_
    sparse = SDML(sparsity=0.1, max_iter=1000).fit(X, constraints=links).components_
    A, M = np.linalg.inv(dense @ dense), sparse @ sparse
    gap = np.linalg.inv(M) - A
    assert_allclose(np.diag(gap), 0, atol=1e-3)
    off = ~np.eye(4, dtype=bool)
    zero = off & (np.abs(M) < 1e-8)
    assert zero.any()
    assert (np.abs(gap[zero]) <= 0.1 + 1e-3).all()
    active = off & ~zero
    assert_allclose(gap[active], 0.1 * np.sign(M[active]), atol=5e-3)


def test_a_high_price_leaves_no_interaction():
    X, links = drawn()
    M = SDML(sparsity=10).fit(X, constraints=links).components_
    assert_allclose(M, np.diag(np.diag(M)), atol=1e-8)
    assert M[0, 0] > M[1, 1]  # the first feature tells classes apart, the second is loud


@pytest.mark.parametrize("n_links", [1, 5, 40, 400])
def test_the_metric_exists_however_many_cannot_links_there_are(n_links):
    X, links = drawn(1, n_links)
    only_cannot = Links(50, cannot=links.cannot)
    M = SDML().fit(X, constraints=only_cannot).components_
    assert (np.linalg.eigvalsh(M) > 0).all()
