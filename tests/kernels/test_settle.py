"""The inner loops of LCVQE and CVQE against their definitions, written with lists."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linkwise.kernels.settle import settle_links, settle_pairs


def twin(distance, must, cannot, weight, labels):
    """Settle link by link, each time choosing the cheapest of the cases written out."""
    labels, pulls = labels.tolist(), np.zeros_like(distance)
    for (a, b), w in zip(must, weight[: len(must)], strict=True):
        j, k = labels[a], labels[b]
        if j == k:
            continue
        cases = {
            (j, k): (distance[a, j] + distance[b, k]) / 2
            + w * (distance[a, k] + distance[b, j]) / 4,
            (j, j): (distance[a, j] + distance[b, j]) / 2,
            (k, k): (distance[a, k] + distance[b, k]) / 2,
        }
        labels[a], labels[b] = min(cases, key=cases.get)
        if labels[a] != labels[b]:
            pulls[a, k] += w / 2
            pulls[b, j] += w / 2
    for (a, b), w in zip(cannot, weight[len(must) :], strict=True):
        k = labels[a]
        if labels[b] != k:
            continue
        far = max((a, b), key=lambda i, k=k: distance[i, k])
        other = next_centre(distance[far], k)
        keep = distance[far, k] / 2 + w * distance[far, other] / 2
        if keep > distance[far, other] / 2:
            labels[far] = other
        else:
            pulls[far, other] += w
    return np.array(labels), pulls


def twin_of_pairs(distance, between, must, cannot, weight, labels):
    """Settle link by link, each time trying all pairs of clusters."""
    labels, attraction = labels.tolist(), np.zeros_like(between)
    others = between + np.diag(np.full(len(between), np.inf))
    for number, (a, b) in enumerate([*must, *cannot]):
        is_must, w = number < len(must), weight[number]
        if (labels[a] == labels[b]) == is_must:
            continue

        def cost(pair, a=a, b=b, is_must=is_must, w=w):
            j, k = pair
            fine = 0.0
            if is_must and j != k:
                fine = between[j, k]
            if not is_must and j == k:
                fine = others[j].min()
            return distance[a, j] + distance[b, k] + w * fine

        j, k = min(product(range(len(between)), repeat=2), key=cost)
        labels[a], labels[b] = j, k
        if (j == k) != is_must:
            other = k if is_must else others[j].argmin()
            attraction[j, other] += w
            attraction[other, j] += w
    return np.array(labels), attraction


def next_centre(row, k):
    return min((c for c in range(len(row)) if c != k), key=lambda c: row[c])


@pytest.fixture(params=range(5))
def case(request):
    rng = np.random.default_rng(request.param)
    distance = rng.random((12, 4))
    pairs = np.array([(i, j) for i in range(12) for j in range(i)])
    rng.shuffle(pairs)
    must, cannot = pairs[:15], pairs[15:35]
    weight = rng.choice([0.1, 1.0, 3.0], size=35)
    nearest, second = np.argsort(distance, axis=1)[:, :2].T.copy()
    return distance, must, cannot, weight, nearest, second


def test_links_are_settled_as_defined_and_pull_where_they_broke(case):
    distance, must, cannot, weight, nearest, _ = case
    labels = nearest.astype(np.int32)
    expected, expected_pulls = twin(distance, must, cannot, weight, labels)
    pulls = settle_links(*case, labels)
    assert_array_equal(labels, expected)
    assert expected_pulls.any()
    assert_allclose(pulls, expected_pulls)


def test_no_link_of_full_weight_is_broken_in_its_turn(case):
    distance, must, cannot, _, nearest, second = case
    labels = nearest.astype(np.int32)
    assert not settle_links(distance, must, cannot, np.ones(35), nearest, second, labels).any()


def test_a_link_between_two_centres_stays_broken_because_keeping_it_is_no_cheaper():
    distance = np.array([[0.0, 4.0], [4.0, 0.0]])
    pair, none = np.array([[0, 1]]), np.empty((0, 2), dtype=np.int64)
    near, second, labels = np.array([0, 1]), np.array([1, 0]), np.array([0, 1], dtype=np.int32)
    pulls = settle_links(distance, pair, none, np.ones(1), near, second, labels)
    assert labels.tolist() == [0, 1]
    assert pulls.tolist() == [[0.0, 0.5], [0.5, 0.0]]


def test_pairs_are_settled_as_defined_and_attract_where_they_broke(case):
    distance, must, cannot, weight, nearest, _ = case
    centers = np.random.default_rng(1).random((4, 2)) / 2
    between = np.square(centers[:, None] - centers).sum(axis=2)
    others = between + np.diag(np.full(4, np.inf))
    labels = nearest.astype(np.int32)
    expected, expected_attraction = twin_of_pairs(distance, between, must, cannot, weight, labels)
    attraction = settle_pairs(
        distance, between, others.min(axis=1), others.argmin(axis=1), must, cannot, weight, labels
    )
    assert_array_equal(labels, expected)
    assert expected_attraction.any()
    assert_allclose(attraction, expected_attraction)


def test_with_one_cluster_nothing_moves_and_nothing_pulls():
    distance = np.array([[1.0], [2.0]])
    nowhere = np.zeros(2, dtype=np.int64)
    links = (np.empty((0, 2), dtype=np.int64), np.array([[0, 1]]), np.ones(1))
    labels = np.zeros(2, dtype=np.int32)
    assert not settle_links(distance, *links, nowhere, nowhere, labels).any()
    alone = np.zeros((1, 1)), np.zeros(1), np.zeros(1, dtype=np.int64)
    assert not settle_pairs(distance, *alone, *links, labels).any()
    assert labels.tolist() == [0, 0]
