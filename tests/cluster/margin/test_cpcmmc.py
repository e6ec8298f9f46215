import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from linkwise import CPCMMC, Links, scores
from linkwise.cluster.margin.cccp import descend, lbfgs
from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.cpcmmc import _Comparison


@pytest.fixture
def blobs():
    X, y = make_blobs(90, n_features=4, centers=3, cluster_std=2.0, random_state=3)
    return X, y


@pytest.fixture
def links(blobs):
    drawn = Links.sample(blobs[1], 30, noise=0.1, random_state=0)
    weight = np.random.RandomState(0).rand(30) + 0.5
    return Links(90, drawn.must, drawn.cannot, weight)


def equation_2(X, W, links, alpha, must_weight, cannot_weight):
    """The objective, term by term."""
    S = (X - X.mean(axis=0)) / np.sqrt(X.var(axis=0).sum()) @ W
    n, r = S.shape
    value = alpha / 2 * np.sum(W**2)
    value += sum(max(1 - s.max() + s[z], 0) for s in S for z in range(r)) / (n * r)
    n_must = len(links.must)
    m, c = links.weight[:n_must], links.weight[n_must:]
    for (i, j), w in zip(links.must, m / m.sum(), strict=True):
        value += must_weight * w / r * sum(abs(S[i, z] - S[j, z]) for z in range(r))
    for (i, j), w in zip(links.cannot, c / c.sum(), strict=True):
        both = S[i] + S[j]
        value += cannot_weight * w * (both.max() - both.mean())
    return value


def test_the_objective_is_equation_2(blobs, links):
    X, _ = blobs
    for seed in range(5):
        W = np.random.RandomState(seed).normal(size=(4, 3))
        problem = _Comparison(CentredRows.of(X), links, 0.02, 0.7, 1.3)
        assert_allclose(problem.objective(W), equation_2(X, W, links, 0.02, 0.7, 1.3))


@pytest.mark.parametrize("width", [0.05, 0.3])
def test_the_gradient_is_that_of_finite_differences(blobs, links, width):
    rng = np.random.RandomState(0)
    problem = _Comparison(CentredRows.of(blobs[0]), links, 0.02, 0.7, 1.3)
    W = rng.normal(size=(4, 3))
    tangent = problem.tangent(rng.normal(size=(4, 3)))
    _, slope = problem.surrogate(W, tangent, width)
    for at in np.ndindex(W.shape):
        step = np.zeros_like(W)
        step[at] = 1e-6
        rise = problem.surrogate(W + step, tangent, width)[0]
        rise -= problem.surrogate(W - step, tangent, width)[0]
        assert slope[at] == pytest.approx(rise / 2e-6, abs=1e-7)


@pytest.mark.parametrize("width", [0.0, 0.1])
def test_the_tangent_touches_and_never_lies_below(blobs, links, width):
    rng = np.random.RandomState(0)
    problem = _Comparison(CentredRows.of(blobs[0]), links, 0.02, 1.0, 1.0)
    W = rng.normal(size=(4, 3))
    tangent = problem.tangent(W)
    assert_allclose(problem.surrogate(W, tangent, width)[0], problem.objective(W, width))
    for _ in range(20):
        other = W + rng.normal(size=W.shape)
        assert (
            problem.surrogate(other, tangent, width)[0] >= problem.objective(other, width) - 1e-12
        )


def test_the_procedure_never_raises_the_objective(blobs, links):
    problem = _Comparison(CentredRows.of(blobs[0]), links, 0.01, 1.0, 1.0)
    found = descend(problem, np.random.RandomState(0).normal(size=(4, 3)), lbfgs, 50, 0.0)
    assert (np.diff(found.path) < 0).all()


def test_links_move_the_result_towards_the_truth():
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1], 40)
    X = np.column_stack([rng.normal(0, 8, 80), rng.normal(0, 1, 80) + 6 * y])
    links = Links.sample(y, 40, random_state=0)
    with_links = CPCMMC(2, random_state=0).fit(X, constraints=links)
    without = CPCMMC(2, random_state=0).fit(X)
    assert scores.accuracy(y, with_links.labels_) > 0.95
    assert scores.accuracy(y, without.labels_) < 0.9


def test_the_start_that_ends_lower_is_kept(blobs, links):
    X, _ = blobs
    ends = {
        name: CPCMMC(3, starts=name, random_state=0).fit(X, constraints=links).objective_
        for name in ("links", "kmeans")
    }
    model = CPCMMC(3, random_state=0).fit(X, constraints=links)
    assert model.start_ == min(ends, key=ends.get)
    assert model.objective_ == min(ends.values())


def test_must_links_alone_and_cannot_links_alone_are_borne(blobs, links):
    X, _ = blobs
    for some in (Links(90, must=links.must), Links(90, cannot=links.cannot), Links(90)):
        model = CPCMMC(3, random_state=0).fit(X, constraints=some)
        assert np.isfinite(model.objective_)
        assert_array_equal(model.predict(X), model.labels_)


def test_one_cluster_holds_all_rows(blobs, links):
    assert_array_equal(CPCMMC(1).fit(blobs[0], constraints=links).labels_, 0)


def test_an_unknown_start_is_refused(blobs):
    with pytest.raises(ValueError) as caught:
        CPCMMC(3, starts="mpck").fit(blobs[0])
    assert str(caught.value) == (
        "CPCMMC(starts='mpck'): starts must be one of 'auto', 'links', 'kmeans'."
    )
