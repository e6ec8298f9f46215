"""LCVQE's inner loop against its definition, written with dictionaries and lists."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linkwise.kernels.settle import pulls_of_broken, settle_links


def twin(distance, must, cannot, weight, labels):
    """Settle link by link, each time choosing the cheapest of the cases written out."""
    labels = labels.tolist()
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
    for (a, b), w in zip(cannot, weight[len(must) :], strict=True):
        k = labels[a]
        if labels[b] != k:
            continue
        far = max((a, b), key=lambda i, k=k: distance[i, k])
        other = next_centre(distance[far], k)
        keep = distance[far, k] / 2 + w * distance[far, other] / 2
        if keep > distance[far, other] / 2:
            labels[far] = other
    return np.array(labels)


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


def test_links_are_settled_as_defined(case):
    distance, must, cannot, weight, nearest, _ = case
    labels = nearest.astype(np.int32)
    expected = twin(distance, must, cannot, weight, labels)
    settle_links(*case, labels)
    assert_array_equal(labels, expected)


def test_broken_links_pull_as_defined(case):
    distance, must, cannot, weight, _, _ = case
    labels = np.random.default_rng(9).integers(0, 2, 12).astype(np.int32)
    expected = np.zeros_like(distance)
    for (a, b), w in zip(must, weight[:15], strict=True):
        if labels[a] != labels[b]:
            expected[a, labels[b]] += w / 2
            expected[b, labels[a]] += w / 2
    for (a, b), w in zip(cannot, weight[15:], strict=True):
        if labels[a] == labels[b]:
            far = max((a, b), key=lambda i, k=labels[a]: distance[i, k])
            expected[far, next_centre(distance[far], labels[a])] += w
    assert expected.any()
    assert_allclose(pulls_of_broken(*case, labels), expected)


def test_with_one_cluster_nothing_moves_and_nothing_pulls():
    distance = np.array([[1.0], [2.0]])
    nowhere = np.zeros(2, dtype=np.int64)
    case = (distance, np.empty((0, 2), dtype=np.int64), np.array([[0, 1]]), np.ones(1))
    labels = np.zeros(2, dtype=np.int32)
    settle_links(*case, nowhere, nowhere, labels)
    assert labels.tolist() == [0, 0]
    assert not pulls_of_broken(*case, nowhere, nowhere, labels).any()
