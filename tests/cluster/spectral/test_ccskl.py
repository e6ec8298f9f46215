import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from linkwise import CCSKL, Links
from linkwise.cluster.spectral.ccskl import spectral_weights
from linkwise.scores import nmi


def cost(weights, V, links):
    """The paper's sum, kernel and all."""
    K = V @ np.diag(weights) @ V.T
    n_must = len(links.must)
    total = np.square(np.diag(K)[links.linked_rows] - 1).sum()
    for (i, j), w in zip(links.must, links.weight[:n_must], strict=True):
        total += w * (K[i, j] - 1) ** 2
    for (i, j), w in zip(links.cannot, links.weight[n_must:], strict=True):
        total += w * K[i, j] ** 2
    return total


@pytest.mark.parametrize("seed", range(5))
def test_the_weights_are_the_minimum_that_another_solver_finds(seed):
    rng = np.random.default_rng(seed)
    V = np.linalg.qr(rng.normal(size=(12, 4)))[0]
    drawn = Links.sample(rng.integers(0, 2, 12), 15, random_state=seed)
    links = Links(12, drawn.must, drawn.cannot, rng.choice([0.5, 1.0, 4.0], 15))
    weights = spectral_weights(V, links)
    assert (np.diff(weights) <= 1e-12).all()
    assert weights[-1] >= 0
    falling = [{"type": "ineq", "fun": lambda b: np.append(b[:-1] - b[1:], b[-1])}]
    other = minimize(
        cost, np.ones(4), (V, links), method="SLSQP", constraints=falling, options={"ftol": 1e-12}
    )
    assert cost(weights, V, links) <= other.fun + 1e-8
    assert_allclose(weights, other.x, atol=1e-3)


def slow_twin(X, links, n_neighbors, n_vectors):
    """Graph, eigenvectors, weights and the best of all ways to part rows in two, the slow way."""
    n = len(X)
    squared = np.square(X[:, None] - X[None]).sum(axis=2)
    order = np.argsort(squared, axis=1, kind="stable")
    reach = np.sqrt(np.take_along_axis(squared, order, axis=1)[:, n_neighbors])
    W = np.zeros((n, n))
    for i in range(n):
        for j in order[i, 1 : n_neighbors + 1]:
            W[i, j] = W[j, i] = np.exp(-squared[i, j] / (reach[i] * reach[j]))
    root = np.sqrt(W.sum(axis=1))
    V = np.linalg.eigh(W / root[:, None] / root)[1][:, ::-1][:, :n_vectors]
    falling = [{"type": "ineq", "fun": lambda b: np.append(b[:-1] - b[1:], b[-1])}]
    weights = minimize(
        cost, np.ones(n_vectors), (V, links), method="SLSQP", constraints=falling,
        options={"ftol": 1e-13, "maxiter": 500},
    ).x  # fmt: skip
    K = V @ np.diag(weights) @ V.T
    best, found = np.inf, None
    for number in range(1, 2 ** (n - 1)):
        labels = np.array([number >> i & 1 for i in range(n)])
        parts = [np.flatnonzero(labels == k) for k in (0, 1)]
        spread = sum(np.trace(K[np.ix_(p, p)]) - K[np.ix_(p, p)].sum() / len(p) for p in parts)
        if spread < best:
            best, found = spread, labels
    return weights, found


@pytest.mark.parametrize("seed", range(3))
def test_a_small_example_is_what_the_slow_twin_finds(seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [6, 5])
    X = rng.normal(size=(11, 2)) + 1.2 * y[:, None]
    links = Links.sample(y, 12, random_state=seed)
    model = CCSKL(2, n_neighbors=4, n_vectors=4, n_init=50, random_state=0)
    model.fit(X, constraints=links)
    weights, labels = slow_twin(X, links, 4, 4)
    assert_allclose(model.weights_, weights, atol=2e-3 * weights[0])
    assert adjusted_rand_score(model.labels_, labels) == 1.0


def test_no_other_falling_weights_do_better():
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.normal(size=(10, 3)))[0]
    links = Links(10, must=[(0, 1), (2, 3)], cannot=[(0, 2), (4, 5)])
    best = cost(spectral_weights(V, links), V, links)
    for _ in range(300):
        assert cost(np.sort(rng.exponential(5, 3))[::-1], V, links) >= best


def test_links_that_name_a_vector_raise_its_weight():
    """Two vectors of +1 and -1; links say that only the first tells rows apart."""
    a, b = np.repeat([1, -1], 4), np.tile([1, -1], 4)
    V = np.column_stack([np.ones(8), a, b]) / np.sqrt(8)
    links = Links(8, must=[(0, 1), (4, 5), (2, 3)], cannot=[(0, 4), (1, 5)])
    weights = spectral_weights(V, links)
    assert weights[1] > 5 * weights[2]


def test_right_links_help_where_there_are_many():
    X, y = load_iris(return_X_y=True)
    plain = CCSKL(3, random_state=0).fit(X)
    assert_array_equal(plain.weights_[:4], [1, 1, 1, 0])
    for seed in range(3):
        links = Links.sample(y, 600, random_state=seed)
        told = CCSKL(3, random_state=0).fit(X, constraints=links)
        assert nmi(y, told.labels_) > nmi(y, plain.labels_) + 0.02
        assert (np.diff(told.weights_) <= 1e-9).all()


@pytest.mark.parametrize("n_links", [5, 30])
def test_right_links_do_no_harm_where_they_are_few(n_links):
    """Rows that nobody spoke of must not outvote them."""
    X, y = load_digits(return_X_y=True)
    plain = nmi(y, CCSKL(10, random_state=0).fit(X).labels_)
    for seed in range(2):
        links = Links.sample(y, n_links, random_state=seed)
        told = CCSKL(10, random_state=0).fit(X, constraints=links)
        assert nmi(y, told.labels_) > plain - 0.1


def test_links_of_weight_zero_say_nothing():
    X, y = make_blobs(80, centers=3, random_state=0)
    some, others = (Links.sample(y, 20, random_state=seed) for seed in (0, 1))
    silent = Links(80, others.must, others.cannot, np.zeros(20))
    plain = CCSKL(3, random_state=0).fit(X)
    assert_array_equal(CCSKL(3, random_state=0).fit(X, constraints=silent).weights_, plain.weights_)
    must, cannot = (np.concatenate(pair) for pair in zip(pairs(some), pairs(others), strict=True))
    sizes = zip(map(len, pairs(some)), map(len, pairs(others)), strict=True)
    weight = np.concatenate([np.repeat([1.0, 0.0], both) for both in sizes])
    told = CCSKL(3, random_state=0).fit(X, constraints=some)
    both = CCSKL(3, random_state=0).fit(X, constraints=Links(80, must, cannot, weight))
    assert_allclose(both.weights_, told.weights_)


def pairs(links):
    return links.must, links.cannot


def test_links_about_a_shuffled_truth_do_harm():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    right, wrong = [], []
    for seed in range(4):
        shuffled = np.random.RandomState(seed).permutation(y)
        for truth, scores in ((y, right), (shuffled, wrong)):
            links = Links.sample(truth, 600, random_state=seed)
            model = CCSKL(3, random_state=0).fit(X, constraints=links)
            scores.append(nmi(y, model.labels_))
    assert np.mean(wrong) < np.mean(right) - 0.1


def test_more_clusters_than_vectors_take_as_many_vectors():
    X, y = make_blobs(80, centers=6, random_state=0)
    model = CCSKL(6, n_vectors=2, random_state=0)
    model.fit(X, constraints=Links.sample(y, 40, random_state=0))
    assert len(model.weights_) == 6


@pytest.mark.parametrize("name", ["n_neighbors", "n_vectors", "n_init"])
def test_senseless_numbers_are_refused(name):
    with pytest.raises(ValueError) as caught:
        CCSKL(2, **{name: 0}).fit(np.eye(6))
    assert str(caught.value) == f"CCSKL({name}=0): {name} must be a whole number >= 1."
