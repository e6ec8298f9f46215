from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.datasets import make_blobs

from linkwise import CVQE, Links


@pytest.fixture
def blobs():
    return make_blobs(60, n_features=3, centers=3, cluster_std=3.0, random_state=1)


def objective(X, labels, centers, links):
    """Davidson and Ravi's sum, written out link by link."""
    total = np.square(X - centers[labels]).sum() / 2
    between = np.square(centers[:, None] - centers).sum(axis=2)
    others = between + np.diag(np.full(len(centers), np.inf))
    n_must = len(links.must)
    for (i, j), w in zip(links.must, links.weight[:n_must], strict=True):
        total += w * between[labels[i], labels[j]] / 2
    for (i, j), w in zip(links.cannot, links.weight[n_must:], strict=True):
        if labels[i] == labels[j]:
            total += w * others[labels[i]].min() / 2
    return total


def test_without_links_it_is_k_means(blobs):
    X, _ = blobs
    start, _ = kmeans_plusplus(X, 3, random_state=np.random.RandomState(0))
    expected = KMeans(3, init=start, n_init=1, tol=0).fit(X)
    model = CVQE(3, random_state=0).fit(X)
    assert_array_equal(model.labels_, expected.labels_)
    assert model.objective_ == pytest.approx(expected.inertia_ / 2)


@pytest.mark.parametrize("seed", range(6))
def test_of_few_links_the_objective_is_the_sum_of_the_paper(blobs, seed):
    X, _ = blobs
    pairs = np.random.RandomState(seed).permutation(60)[:24].reshape(-1, 2)  # no row twice
    links = Links(60, must=pairs[:6], cannot=pairs[6:], weight=np.resize([0.2, 1.0, 2.0], 12))
    model = CVQE(3, random_state=seed).fit(X, constraints=links)
    assert model.objective_ == pytest.approx(
        objective(X, model.labels_, model.cluster_centers_, links)
    )


def test_the_centres_are_the_minimum_for_the_labels(blobs):
    X, _ = blobs
    pairs = np.random.RandomState(0).permutation(60).reshape(-1, 2)
    links = Links(60, must=pairs[:20], weight=np.full(20, 0.05))
    model = CVQE(3, random_state=0).fit(X, constraints=links)
    assert 0 < model.report_.must_kept < 20
    rng = np.random.default_rng(0)
    for _ in range(20):
        moved = model.cluster_centers_ + 1e-3 * rng.normal(size=(3, 3))
        assert objective(X, model.labels_, moved, links) > model.objective_


def test_tiny_data_come_close_to_the_best_of_all_labellings():
    """Over all labellings, with centres at the minimum for each, of which h is iterated."""
    rng = np.random.default_rng(0)
    for _ in range(5):
        X = rng.normal(size=(7, 2))
        links = Links(7, must=[(0, 1)], cannot=[(2, 3)])
        lowest = min(
            _best_centres(X, np.array(z), links)
            for z in product(range(2), repeat=7)
            if len(set(z)) == 2
        )
        model = CVQE(2, n_init=10, random_state=0).fit(X, constraints=links)
        assert lowest - 1e-9 <= model.objective_ <= lowest * 1.1


def _best_centres(X, labels, links):
    """Return the sum for two clusters: h of one is the other, so the minimum is a linear system."""
    counts = np.bincount(labels, minlength=2)
    a = sum(labels[i] != labels[j] for i, j in links.must)
    a += sum(labels[i] == labels[j] for i, j in links.cannot)
    system = np.diag(counts + a) - a * (1 - np.eye(2))
    sums = np.array([X[labels == k].sum(axis=0) for k in range(2)])
    return objective(X, labels, np.linalg.solve(system, sums), links)


def test_a_broken_must_link_draws_both_centres_together():
    X = np.array([[0.0], [1.0], [2.0], [9.0], [10.0], [11.0]])
    model = CVQE(2, random_state=0).fit(X, constraints=Links(6, must=[(0, 5)], weight=[0.3]))
    low, high = model.labels_[0], model.labels_[5]
    assert_array_equal(model.labels_, [low] * 3 + [high] * 3)
    # 3.3 a - 0.3 b = 3 and 3.3 b - 0.3 a = 30
    assert_allclose(model.cluster_centers_[[low, high], 0], np.linalg.solve(
        [[3.3, -0.3], [-0.3, 3.3]], [3, 30]
    ))  # fmt: skip


def test_a_cannot_link_parts_two_rows():
    X = np.array([[0.0], [1.0], [2.0], [9.0], [10.0]])
    model = CVQE(2, random_state=0).fit(X, constraints=Links(5, cannot=[(3, 4)]))
    assert model.labels_[3] != model.labels_[4]


def test_one_cluster_is_possible(blobs):
    X, y = blobs
    model = CVQE(1, random_state=0).fit(X, constraints=Links.sample(y, 20, random_state=0))
    assert_array_equal(model.labels_, 0)


def test_sparse_rows_give_the_same_result(blobs):
    X, y = blobs
    links = Links.sample(y, 20, noise=0.2, random_state=0)
    dense = CVQE(3, random_state=0).fit(X, constraints=links)
    sparse = CVQE(3, random_state=0).fit(sp.csr_array(X), constraints=links)
    assert_array_equal(sparse.labels_, dense.labels_)
    assert sparse.objective_ == pytest.approx(dense.objective_)


@pytest.mark.parametrize("name", ["n_init", "max_iter"])
def test_senseless_numbers_are_refused(blobs, name):
    with pytest.raises(ValueError) as caught:
        CVQE(3, **{name: 0}).fit(blobs[0])
    assert str(caught.value) == f"CVQE({name}=0): {name} must be a whole number >= 1."
