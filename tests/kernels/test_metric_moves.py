import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linkwise import Links
from linkwise.kernels.metric_moves import move_groups_by_metric


def price(cost, links, distance_of, farthest, labels):
    """The whole sum that single moves try to lower, links seen once each."""
    total = sum(cost[i, k] for i, k in enumerate(labels) if k >= 0)
    for (i, j), w in zip(links.must, links.weight, strict=False):
        a, b = labels[i], labels[j]
        if a >= 0 and b >= 0 and a != b:
            total += w * 0.5 * (distance_of[i, j][a] + distance_of[i, j][b])
    for (i, j), w in zip(links.cannot, links.weight[len(links.must) :], strict=True):
        a, b = labels[i], labels[j]
        if a >= 0 and a == b:
            total += w * max(farthest[a] - distance_of[i, j][a], 0.0)
    return total


def slow_moves(cost, groups, links, distance_of, farthest, labels):
    """Try every cluster for every group and keep the cheapest, if it is cheaper than now."""
    labels = labels.copy()
    moved = 0
    for group in groups:
        tries = []
        for k in range(cost.shape[1]):
            attempt = labels.copy()
            attempt[group] = k
            tries.append(price(cost, links, distance_of, farthest, attempt))
        now = price(cost, links, distance_of, farthest, labels)
        if (labels[group] < 0).any() or min(tries) < now - 1e-12:
            labels[group] = int(np.argmin(tries))
            moved += 1
    return labels, moved


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("size", [1, 2])
def test_moves_are_those_of_the_slow_twin(seed, labelled, size):
    rng = np.random.RandomState(seed)
    n, r = 10, rng.randint(2, 5)
    y = rng.randint(r, size=n)
    drawn = Links.sample(y, 14, noise=0.2, random_state=seed)
    links = Links(n, drawn.must, drawn.cannot, weight=rng.rand(14) + 0.1)
    graph = links.signed_graph()
    tall = rng.rand(n, n, r)
    tall = tall + tall.transpose(1, 0, 2)
    farthest = rng.rand(r) + 1.2
    ends = np.repeat(np.arange(n), np.diff(graph.indptr))
    distance = tall[ends, graph.indices]
    cost = rng.rand(n, r)
    labels = rng.randint(r, size=n).astype(np.int32) if labelled else np.full(n, -1, np.int32)
    order = rng.permutation(n)
    groups = order.reshape(-1, size)
    expected, n_moved = slow_moves(cost, groups, links, tall, farthest, labels)
    found = labels.copy()
    moved = move_groups_by_metric(
        cost, np.arange(0, n + 1, size), order, graph.indptr, graph.indices, graph.data, distance,
        farthest, found,
    )  # fmt: skip
    assert_array_equal(found, expected)
    assert moved == n_moved


def test_a_divided_group_is_joined_when_that_is_cheaper():
    links = Links(4, must=[(0, 1), (1, 2)], cannot=[(0, 3)])
    graph = links.signed_graph()
    cost = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 5.0]])
    distance = np.full((graph.nnz, 2), 9.0)
    labels = np.array([0, 1, 0, 1], dtype=np.int32)
    first, members = np.array([0, 3, 4]), np.array([0, 1, 2, 3])
    moved = move_groups_by_metric(
        cost, first, members, graph.indptr, graph.indices, graph.data, distance,
        np.array([9.5, 9.5]), labels,
    )  # fmt: skip
    # the three go to 0 together (1 against 18); row 3 then leaves 1 for 0 at a price of 0.5
    assert labels.tolist() == [0, 0, 0, 0]
    assert moved == 2
