import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwise.kernels.colouring import colour_groups


def neighbours(edges, n):
    i, j = np.array(edges, dtype=int).reshape(-1, 2).T
    return sp.csr_array((np.ones(2 * len(i)), (np.r_[i, j], np.r_[j, i])), (n, n))


@settings(deadline=None, max_examples=200)
@given(st.integers(1, 6), st.integers(1, 3), st.data())
def test_a_colouring_is_found_exactly_when_one_exists(n, n_colours, data):
    edges = (
        data.draw(st.sets(st.sampled_from(list(itertools.combinations(range(n), 2)))))
        if n > 1
        else set()
    )
    graph = neighbours(sorted(edges), n)
    cost = np.random.default_rng(len(edges)).random((n, n_colours))
    labels, stuck, proven = colour_groups(cost, graph.indptr, graph.indices, 1000)
    exists = any(
        all(colours[i] != colours[j] for i, j in edges)
        for colours in itertools.product(range(n_colours), repeat=n)
    )
    assert proven
    assert (stuck < 0) == exists
    if exists:
        assert (labels >= 0).all()
        assert all(labels[i] != labels[j] for i, j in edges)


def test_without_edges_everyone_gets_the_cheapest_colour():
    cost = np.random.default_rng(0).random((20, 4))
    graph = neighbours([], 20)
    labels, _, _ = colour_groups(cost, graph.indptr, graph.indices, 10)
    assert (labels == cost.argmin(axis=1)).all()


@pytest.mark.parametrize("n_colours", [2, 3, 10])
def test_a_large_planted_colouring_is_found_without_a_long_search(n_colours):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, n_colours, 3000)
    pairs = rng.integers(0, 3000, (8000, 2))
    edges = pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]][:2000]
    graph = neighbours(edges, 3000)
    labels, stuck, _ = colour_groups(
        rng.random((3000, n_colours)), graph.indptr, graph.indices, 100
    )
    assert stuck < 0
    assert (labels[edges[:, 0]] != labels[edges[:, 1]]).all()


def test_an_odd_ring_has_no_two_colours_and_that_is_proven_at_once():
    ring = [(i, (i + 1) % 301) for i in range(301)]
    graph = neighbours(ring, 301)
    _, stuck, proven = colour_groups(np.zeros((301, 2)), graph.indptr, graph.indices, 301)
    assert stuck >= 0
    assert proven


def test_a_search_that_gives_up_says_so():
    clique = list(itertools.combinations(range(8), 2))
    graph = neighbours(clique, 8)
    _, stuck, proven = colour_groups(np.zeros((8, 7)), graph.indptr, graph.indices, 1)
    assert stuck >= 0
    assert not proven
