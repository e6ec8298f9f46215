"""The inner loops of LCVQE and CVQE: settle links one by one, and note what broke."""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit


@njit()
def settle_links(distance, must, cannot, weight, nearest, second, labels):  # type: ignore[no-untyped-def]
    """Change ``labels`` in place, link by link, to the cheapest way of keeping or breaking each.

    ``distance`` is (n_rows, n_clusters), squared; ``must`` and ``cannot`` are pairs of its rows,
    ``weight`` is one per link, must first. A row that has to leave cluster ``k`` goes to
    ``nearest`` or, where that is ``k``, to ``second``; it stays where both are.

    Returns how strongly each row pulls at each centre, of the shape of ``distance``. A must-link
    broken in its turn pulls each centre towards the row of the other with half its weight; a
    cannot-link pulls the next centre towards the row that should have gone there with its whole
    weight. What later links undo is not counted, as in the original.
    """
    pulls = np.zeros(distance.shape)
    for link in range(len(must)):
        a, b = must[link, 0], must[link, 1]
        j, k = labels[a], labels[b]
        if j == k:
            continue
        half = 0.5 * weight[link]
        apart = distance[a, j] + distance[b, k] + half * (distance[a, k] + distance[b, j])
        both_in_j = distance[a, j] + distance[b, j]
        both_in_k = distance[a, k] + distance[b, k]
        if apart > min(both_in_j, both_in_k):
            joint = j if both_in_j <= both_in_k else k
            labels[a], labels[b] = joint, joint
        else:
            pulls[a, k] += half
            pulls[b, j] += half
    for link in range(len(cannot)):
        k = labels[cannot[link, 0]]
        if labels[cannot[link, 1]] != k:
            continue
        far = _farther(distance, cannot[link], k)
        other = nearest[far] if nearest[far] != k else second[far]
        if other == k:
            continue
        share = weight[len(must) + link]
        if distance[far, k] + share * distance[far, other] > distance[far, other]:
            labels[far] = other
        else:
            pulls[far, other] += share
    return pulls


@njit()
def settle_pairs(distance, between, gap, neighbour, must, cannot, weight, labels):  # type: ignore[no-untyped-def]
    """Give both rows of each broken link, in its turn, the cheapest of all pairs of clusters.

    ``distance`` is (n_rows, n_clusters), squared. A must-link between clusters costs the squared
    distance ``between`` their centres, a cannot-link inside a cluster the ``gap`` to the
    ``neighbour``, the nearest other centre. ``labels`` is changed in place; of pairs that cost the
    same the one with the lower cluster of the first row, then of the second, is taken.

    Returns the weight of the links broken in their turn between each two clusters, symmetric.
    """
    n_clusters = distance.shape[1]
    attraction = np.zeros((n_clusters, n_clusters))
    for link in range(len(must)):
        a, b, share = must[link, 0], must[link, 1], weight[link]
        if labels[a] == labels[b]:
            continue
        lowest, first, last = np.inf, 0, 0
        for j in range(n_clusters):
            for k in range(n_clusters):
                cost = distance[a, j] + distance[b, k] + share * between[j, k]
                if cost < lowest:
                    lowest, first, last = cost, j, k
        labels[a], labels[b] = first, last
        if first != last:
            attraction[first, last] += share
            attraction[last, first] += share
    for link in range(len(cannot)):
        a, b, share = cannot[link, 0], cannot[link, 1], weight[len(must) + link]
        if labels[a] != labels[b]:
            continue
        lowest, first, last = np.inf, 0, 0
        for j in range(n_clusters):
            for k in range(n_clusters):
                cost = distance[a, j] + distance[b, k]
                if j == k:
                    cost += share * gap[j]
                if cost < lowest:
                    lowest, first, last = cost, j, k
        labels[a], labels[b] = first, last
        if first == last and neighbour[first] != first:
            attraction[first, neighbour[first]] += share
            attraction[neighbour[first], first] += share
    return attraction


@njit()
def _farther(distance, pair, k):  # type: ignore[no-untyped-def]
    return pair[1] if distance[pair[1], k] > distance[pair[0], k] else pair[0]
