from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.datasets import make_blobs

from linkwise import Links, SizedKMeans
from linkwise.cluster.kmeans.groups_within import place_groups
from linkwise.constraints.groups import Groups
from linkwise.errors import Contradiction, Infeasible


@pytest.fixture
def blobs():
    """Three groups of very different sizes."""
    return make_blobs([60, 25, 5], n_features=3, cluster_std=2.0, random_state=1)


def sizes(model):
    return np.bincount(model.labels_, minlength=model.n_clusters_)


def test_without_limits_and_links_it_is_k_means(blobs):
    X, _ = blobs
    start, _ = kmeans_plusplus(X, 3, random_state=np.random.RandomState(5))
    expected = KMeans(3, init=start, n_init=1, tol=0).fit(X)
    model = SizedKMeans(3, random_state=5).fit(X)
    assert_array_equal(model.labels_, expected.labels_)
    assert model.inertia_ == pytest.approx(expected.inertia_)


@pytest.mark.parametrize(("low", "high"), [(30, 30), (25, None), (None, 33), (20, 50), (0, 90)])
def test_limits_hold(blobs, low, high):
    X, _ = blobs
    model = SizedKMeans(3, min_size=low, max_size=high, random_state=0).fit(X)
    assert sizes(model).min() >= (low or 0)
    assert sizes(model).max() <= (high or 90)
    means = [X[model.labels_ == k].mean(axis=0) for k in range(3)]
    assert_allclose(model.cluster_centers_, means)


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 4), st.integers(0, 25), st.integers(0, 10**6))
def test_limits_and_links_hold_at_once(k, n_links, seed):
    rng = np.random.RandomState(seed)
    y = rng.permutation(np.arange(24) % k)
    X = rng.normal(size=(24, 2))
    links = Links.sample(y, n_links, random_state=seed)  # the classes are one way to keep all
    limits = {"min_size": 24 // k, "max_size": 24 // k}
    model = SizedKMeans(k, **limits, random_state=seed).fit(X, constraints=links)
    assert links.satisfied(model.labels_).all()
    assert (sizes(model) == 24 // k).all()


def test_tiny_data_come_close_to_the_best_of_all_labellings():
    links = Links(8, must=[(0, 1), (1, 2)], cannot=[(3, 4)])
    for seed in range(5):
        X = np.random.default_rng(seed).normal(size=(8, 2))
        lowest = min(
            sum(np.square(X[z == k] - X[z == k].mean(axis=0)).sum() for k in range(2))
            for z in map(np.array, product(range(2), repeat=8))
            if 3 <= z.sum() <= 5 and links.satisfied(z).all()
        )
        model = SizedKMeans(2, min_size=3, max_size=5, n_init=10, random_state=0)
        model.fit(X, constraints=links)
        assert model.inertia_ == pytest.approx(lowest)


def test_groups_are_placed_as_cheaply_as_trying_all_says():
    links = Links(9, must=[(0, 1), (2, 3), (4, 5)], cannot=[(0, 6), (2, 7)])
    groups, low, high = Groups.of(links), np.array([3, 3]), np.array([5, 5])
    for seed in range(10):
        cost = np.random.default_rng(seed).random((groups.n_groups, 2))
        cost[:, 0] -= 0.7  # all would like the first, which is too small
        found, _ = place_groups(groups, cost, low, high, n_free=1)
        assert found is not None
        tried = [
            cost[np.arange(5), z].sum()
            for z in map(np.array, product(range(2), repeat=5))
            if links[groups.rows].satisfied(z[groups.group]).all()
            and np.bincount(z[groups.group], minlength=2).max() <= 5
            and np.maximum(3 - np.bincount(z[groups.group], minlength=2), 0).sum() <= 1
        ]
        assert cost[np.arange(5), found].sum() == pytest.approx(min(tried), abs=2e-3)


def test_the_sum_never_rises(blobs):
    X, y = blobs
    links = Links.sample(y, 20, random_state=0)
    limits = {"min_size": 20, "max_size": 65}
    sums = [
        SizedKMeans(3, **limits, max_iter=m, random_state=0).fit(X, constraints=links).inertia_
        for m in (1, 2, 3, 5, 50)
    ]
    assert (np.diff(sums) <= 1e-9).all()


def test_of_several_starts_the_lowest_sum_is_kept(blobs):
    X, _ = blobs
    rng = np.random.RandomState(0)
    single = [SizedKMeans(6, max_size=20, random_state=rng).fit(X).inertia_ for _ in range(5)]
    best = SizedKMeans(6, max_size=20, n_init=5, random_state=0).fit(X)
    assert best.inertia_ == min(single) < max(single)


def test_sparse_rows_give_the_same_result(blobs):
    X, y = blobs
    links = Links.sample(y, 20, random_state=0)
    dense = SizedKMeans(3, max_size=70, random_state=0).fit(X, constraints=links)
    sparse = SizedKMeans(3, max_size=70, random_state=0).fit(sp.csr_array(X), constraints=links)
    assert_array_equal(sparse.labels_, dense.labels_)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (
            {"min_size": -1},
            "SizedKMeans(min_size=-1): min_size must be a whole number >= 0 or None.",
        ),
        (
            {"max_size": 0},
            "SizedKMeans(max_size=0): max_size must be a whole number >= 1 or None.",
        ),
        (
            {"min_size": 31},
            "SizedKMeans(min_size=31): 3 clusters of 31 need 93 rows, X has 90. "
            "Ask for at most 30.",
        ),
        (
            {"max_size": 29},
            "SizedKMeans(max_size=29): 3 clusters of 29 hold 87 rows, X has 90. Allow at least 30.",
        ),
    ],
)
def test_limits_that_cannot_be_kept_are_refused(blobs, params, words):
    with pytest.raises(ValueError) as caught:
        SizedKMeans(3, **params).fit(blobs[0])
    assert str(caught.value) == words


def test_a_group_larger_than_a_cluster_is_named():
    links = Links(6, must=[(1, 2), (2, 3), (3, 4)])
    with pytest.raises(Infeasible) as caught:
        SizedKMeans(2, max_size=3).fit(np.eye(6), constraints=links)
    assert str(caught.value) == (
        "SizedKMeans: row 1 is must-linked to 3 others, and a cluster has at most 3 rows. "
        "Allow at least 4."
    )


def test_links_that_do_not_fit_the_limits_are_refused():
    links = Links(6, must=[(0, 1), (2, 3), (4, 5)])  # three pairs into two threes
    with pytest.raises(Infeasible) as caught:
        SizedKMeans(2, min_size=3, max_size=3).fit(np.eye(6), constraints=links)
    assert str(caught.value) == (
        "SizedKMeans: No labelling with 2 clusters of 3 to 3 rows keeps all links. "
        "Widen the limits, ask for more clusters, or drop links."
    )


def test_contradictory_links_are_refused_with_their_chain():
    links = Links(4, must=[(0, 1), (1, 2)], cannot=[(0, 2)])
    with pytest.raises(Contradiction, match="rows 0 and 2 are must-linked through 0-1, 1-2"):
        SizedKMeans(2).fit(np.eye(4), constraints=links)
