import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from linkwise import MMC, Links, scores
from linkwise.cluster.margin.cccp import descend, lbfgs
from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.mmc import _RowMargin


@pytest.fixture
def blobs():
    X, y = make_blobs(90, n_features=4, centers=3, cluster_std=1.5, random_state=3)
    return X, y


def test_the_objective_is_equation_1(blobs):
    X, _ = blobs
    W = np.random.RandomState(0).normal(size=(4, 3))
    S = (X - X.mean(axis=0)) / np.sqrt(X.var(axis=0).sum()) @ W
    slack = []
    for s in S:
        best = s.argmax()
        slack.append(max(max(1 - s[best] + s[z] for z in range(3) if z != best), 0))
    expected = 0.02 / 2 * np.sum(W**2) + np.mean(slack)
    assert_allclose(_RowMargin(CentredRows.of(X), 0.02).objective(W), expected)


def test_centred_scores_are_balanced(blobs):
    X, _ = blobs
    model = MMC(3, random_state=0).fit(X)
    assert_allclose(model.decision_function(X).sum(axis=0), 0, atol=1e-9)


def test_the_gradient_is_that_of_finite_differences(blobs):
    rng = np.random.RandomState(0)
    problem = _RowMargin(CentredRows.of(blobs[0]), 0.02)
    W = rng.normal(size=(4, 3))
    tangent = problem.tangent(rng.normal(size=(4, 3)))
    _, slope = problem.surrogate(W, tangent, 0.1)
    for at in np.ndindex(W.shape):
        step = np.zeros_like(W)
        step[at] = 1e-6
        rise = problem.surrogate(W + step, tangent, 0.1)[0]
        rise -= problem.surrogate(W - step, tangent, 0.1)[0]
        assert slope[at] == pytest.approx(rise / 2e-6, abs=1e-7)


def test_the_procedure_never_raises_the_objective(blobs):
    problem = _RowMargin(CentredRows.of(blobs[0]), 0.01)
    found = descend(problem, np.random.RandomState(0).normal(size=(4, 3)), lbfgs, 50, 0.0)
    assert (np.diff(found.path) < 0).all()


def test_clear_groups_are_found_and_predicted(blobs):
    X, y = blobs
    model = MMC(3, random_state=0).fit(X[::2])
    assert scores.accuracy(y[::2], model.labels_) > 0.95
    assert scores.accuracy(y[1::2], model.predict(X[1::2])) > 0.95
    assert_array_equal(model.predict(X[::2]), model.labels_)


def test_links_are_counted_and_not_heard(blobs):
    X, y = blobs
    wrong = Links.sample(y, 50, noise=1.0, random_state=0)
    model = MMC(3, random_state=0).fit(X, constraints=wrong)
    assert_array_equal(model.labels_, MMC(3, random_state=0).fit(X).labels_)
    assert model.report_.n_links == 50


def test_sparse_rows_give_the_weights_of_dense_ones(blobs):
    X = np.where(np.abs(blobs[0]) < 2, 0.0, blobs[0])
    dense, sparse = MMC(3, random_state=0).fit(X), MMC(3, random_state=0).fit(sp.csr_array(X))
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-4, atol=1e-6)


def test_one_cluster_holds_all_rows(blobs):
    assert_array_equal(MMC(1).fit(blobs[0]).labels_, 0)
