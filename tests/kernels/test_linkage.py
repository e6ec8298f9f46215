"""Merges of the nearest against looking at all pairs each time."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linkwise.kernels.linkage import merge_nearest


def twin(D, sizes, ward, n_left):
    """Keep distances in a dictionary of pairs; Lance and Williams' formulas."""
    D = {(i, j): D[i, j] for i in range(len(D)) for j in range(len(D)) if i != j}
    sizes = dict(enumerate(sizes))
    merges = []
    while len(sizes) > n_left:
        a, b = min(((i, j) for i, j in D if i < j), key=D.get)
        if D[a, b] == np.inf:
            break
        merges.append((a, b, D[a, b]))
        na, nb = sizes[a], sizes.pop(b)
        for c, nc in sizes.items():
            if c == a:
                continue
            if ward:
                new = (na + nc) * D[a, c] + (nb + nc) * D[b, c] - nc * D[a, b]
                new /= na + nb + nc
            else:
                new = (na * D[a, c] + nb * D[b, c]) / (na + nb)
            D[a, c] = D[c, a] = new
        sizes[a] = na + nb
        D = {pair: d for pair, d in D.items() if b not in pair}
    return merges


@pytest.mark.parametrize("ward", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_merges_are_those_of_the_definition(ward, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 3))
    D = np.square(X[:, None] - X).sum(axis=2)
    for i, j in rng.integers(0, 25, (6 * seed, 2)):
        D[i, j] = D[j, i] = np.inf
    np.fill_diagonal(D, np.inf)
    expected = twin(D, np.ones(25), ward, 2)
    pairs, heights = merge_nearest(D.copy(), np.ones(25), ward, 2)
    assert_array_equal(pairs, [merge[:2] for merge in expected])
    assert_allclose(heights, [merge[2] for merge in expected])
    assert (np.diff(heights) >= -1e-12).all()


def test_fewer_clusters_than_wanted_are_left_alone():
    pairs, heights = merge_nearest(np.full((2, 2), np.inf), np.ones(2), True, 3)
    assert len(pairs) == len(heights) == 0
