"""Hinge losses of scores: rows against one cluster, pairs against their best violation.

``S[i, k]`` is the score of row ``i`` for cluster ``k``. Every loss adds its subgradient to ``D``,
an array like ``S``, and returns its value. ``width`` 0 is the hard hinge and maximum; a positive
``width`` replaces max(t_1, t_2, ...) by width * log(sum(exp(t / width))), which lies above it.
"""

from __future__ import annotations

import math

import numpy as np

from linkwise.kernels.compiling import njit

#: Terms this many widths below the largest one change no digit of a double.
NEGLIGIBLE = 40.0


@njit()
def best_together(S, i, j):  # type: ignore[no-untyped-def]
    """Return for each pair the cluster of largest joint score, and that score; ties go low."""
    n_pairs = len(i)
    cluster = np.empty(n_pairs, dtype=np.int64)
    score = np.empty(n_pairs)
    for p in range(n_pairs):
        best = 0
        for k in range(1, S.shape[1]):
            if S[i[p], k] + S[j[p], k] > S[i[p], best] + S[j[p], best]:
                best = k
        cluster[p] = best
        score[p] = S[i[p], best] + S[j[p], best]
    return cluster, score


@njit()
def best_apart(S, i, j):  # type: ignore[no-untyped-def]
    """Return for each pair the two different clusters of largest joint score, and that score.

    Only the two best clusters of either row can be part of the answer. There must be two clusters.
    """
    n_pairs = len(i)
    first = np.empty(n_pairs, dtype=np.int64)
    second = np.empty(n_pairs, dtype=np.int64)
    score = np.empty(n_pairs)
    for p in range(n_pairs):
        a, a_next = _two_largest(S[i[p]])
        b, b_next = _two_largest(S[j[p]])
        if a == b:
            if S[i[p], a] + S[j[p], b_next] >= S[i[p], a_next] + S[j[p], b]:
                b = b_next
            else:
                a = a_next
        first[p], second[p] = a, b
        score[p] = S[i[p], a] + S[j[p], b]
    return first, second, score


@njit()
def _two_largest(scores):  # type: ignore[no-untyped-def]
    best, runner_up = (0, 1) if scores[0] >= scores[1] else (1, 0)
    for k in range(2, len(scores)):
        if scores[k] > scores[best]:
            best, runner_up = k, best
        elif scores[k] > scores[runner_up]:
            runner_up = k
    return best, runner_up


@njit()
def row_losses(S, rows, target, factor, width, D):  # type: ignore[no-untyped-def]
    """Add ``factor`` times the sum over rows and clusters z of [1 - S[i, target] + S[i, z]]_+.

    ``target[p]`` belongs to ``rows[p]``. The term z = target is the constant 1.
    """
    total = 0.0
    for p in range(len(rows)):
        i, y = rows[p], target[p]
        total += 1.0
        for z in range(S.shape[1]):
            if z == y:
                continue
            value, slope = _hinge(1.0 - S[i, y] + S[i, z], width)
            total += value
            D[i, z] += factor * slope
            D[i, y] -= factor * slope
    return factor * total


@njit()
def worst_losses(S, target, factor, width, D):  # type: ignore[no-untyped-def]
    """Add ``factor`` times the sum over all rows of the largest [1 - S[i, target] + S[i, z]]_+.

    Here z is any cluster but ``target[i]``.
    """
    n_clusters = S.shape[1]
    gap = np.empty(n_clusters)
    share = np.empty_like(gap)
    total = 0.0
    for i in range(len(S)):
        y = target[i]
        for z in range(n_clusters):
            gap[z] = 1.0 - S[i, y] + S[i, z]
        gap[y] = -np.inf
        total += _hinge_of_max(gap, width, share)
        for z in range(n_clusters):
            D[i, z] += factor * share[z]
        D[i, y] -= factor * share.sum()
    return factor * total


@njit()
def together_losses(S, i, j, cluster, weight, width, D):  # type: ignore[no-untyped-def]
    """Add the must-links' losses: ``cluster[p]`` for both rows must beat any two different ones."""
    n_clusters = S.shape[1]
    gap = np.empty(n_clusters * (n_clusters - 1))
    share = np.empty_like(gap)
    total = 0.0
    for p in range(len(i)):
        x, y, k = i[p], j[p], cluster[p]
        base = 1.0 - S[x, k] - S[y, k]
        c = 0
        for a in range(n_clusters):
            for b in range(n_clusters):
                if a != b:
                    gap[c] = base + S[x, a] + S[y, b]
                    c += 1
        total += weight[p] * _hinge_of_max(gap, width, share)
        c = 0
        for a in range(n_clusters):
            for b in range(n_clusters):
                if a != b:
                    D[x, a] += weight[p] * share[c]
                    D[y, b] += weight[p] * share[c]
                    c += 1
        pull = weight[p] * share.sum()
        D[x, k] -= pull
        D[y, k] -= pull
    return total


@njit()
def apart_losses(S, i, j, first, second, weight, width, D):  # type: ignore[no-untyped-def]
    """Add the cannot-links' losses: ``first`` and ``second`` must beat any common cluster."""
    n_clusters = S.shape[1]
    gap = np.empty(n_clusters)
    share = np.empty_like(gap)
    total = 0.0
    for p in range(len(i)):
        x, y = i[p], j[p]
        base = 1.0 - S[x, first[p]] - S[y, second[p]]
        for k in range(n_clusters):
            gap[k] = base + S[x, k] + S[y, k]
        total += weight[p] * _hinge_of_max(gap, width, share)
        for k in range(n_clusters):
            D[x, k] += weight[p] * share[k]
            D[y, k] += weight[p] * share[k]
        pull = weight[p] * share.sum()
        D[x, first[p]] -= pull
        D[y, second[p]] -= pull
    return total


@njit()
def _hinge(t, width):  # type: ignore[no-untyped-def]
    """Return max(0, t) and its slope."""
    if width == 0.0 or abs(t) > NEGLIGIBLE * width:
        return (t, 1.0) if t > 0.0 else (0.0, 0.0)
    small = math.exp(-abs(t) / width)
    value = max(t, 0.0) + width * math.log1p(small)
    return value, (1.0 if t > 0.0 else small) / (1.0 + small)


@njit()
def _hinge_of_max(t, width, share):  # type: ignore[no-untyped-def]
    """Return max(0, t[0], t[1], ...); ``share`` receives its slopes."""
    peak, at = 0.0, -1
    for c in range(len(t)):
        if t[c] > peak:
            peak, at = t[c], c
    share[:] = 0.0
    if width == 0.0:
        if at >= 0:
            share[at] = 1.0
        return peak
    mass = math.exp(-peak / width)
    for c in range(len(t)):
        if peak - t[c] < NEGLIGIBLE * width:
            share[c] = math.exp((t[c] - peak) / width)
            mass += share[c]
    share /= mass
    return peak + width * math.log(mass)
