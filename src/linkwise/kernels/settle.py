"""LCVQE's inner loop: settle links one by one, and count who pulls at which centre."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def settle_links(distance, must, cannot, weight, nearest, second, labels):  # type: ignore[no-untyped-def]
    """Change ``labels`` in place, link by link, to the cheapest way of keeping or breaking each.

    ``distance`` is (n_rows, n_clusters), squared; ``must`` and ``cannot`` are pairs of its rows,
    ``weight`` is one per link, must first. A row that has to leave cluster ``k`` goes to
    ``nearest`` or, where that is ``k``, to ``second``; it stays where both are.
    """
    for link in range(len(must)):
        a, b = must[link, 0], must[link, 1]
        j, k = labels[a], labels[b]
        if j == k:
            continue
        pull = 0.5 * weight[link] * (distance[a, k] + distance[b, j])
        apart = distance[a, j] + distance[b, k] + pull
        both_in_j = distance[a, j] + distance[b, j]
        both_in_k = distance[a, k] + distance[b, k]
        if apart > min(both_in_j, both_in_k):
            joint = j if both_in_j <= both_in_k else k
            labels[a], labels[b] = joint, joint
    for link in range(len(cannot)):
        k = labels[cannot[link, 0]]
        if labels[cannot[link, 1]] != k:
            continue
        far = _farther(distance, cannot[link], k)
        other = nearest[far] if nearest[far] != k else second[far]
        pull = weight[len(must) + link] * distance[far, other]
        if other != k and distance[far, k] + pull > distance[far, other]:
            labels[far] = other


@njit(cache=True, nogil=True)
def pulls_of_broken(distance, must, cannot, weight, nearest, second, labels):  # type: ignore[no-untyped-def]
    """Return how strongly each row pulls at each centre because of links it breaks.

    A broken must-link pulls each centre towards the row of the other with half its weight; a
    broken cannot-link pulls the next centre towards the row that should have gone there with its
    whole weight. Shapes as in ``settle_links``.
    """
    pulls = np.zeros(distance.shape)
    for link in range(len(must)):
        a, b = must[link, 0], must[link, 1]
        if labels[a] != labels[b]:
            pulls[a, labels[b]] += 0.5 * weight[link]
            pulls[b, labels[a]] += 0.5 * weight[link]
    for link in range(len(cannot)):
        k = labels[cannot[link, 0]]
        if labels[cannot[link, 1]] == k:
            far = _farther(distance, cannot[link], k)
            other = nearest[far] if nearest[far] != k else second[far]
            if other != k:
                pulls[far, other] += weight[len(must) + link]
    return pulls


@njit(cache=True, nogil=True)
def _farther(distance, pair, k):  # type: ignore[no-untyped-def]
    return pair[1] if distance[pair[1], k] > distance[pair[0], k] else pair[0]
