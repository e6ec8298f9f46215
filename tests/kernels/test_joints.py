"""Edges that alone join two hubs, against taking every edge away in turn."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from linkwise.kernels.joints import lone_joints


def found(n, pairs, hubs):
    """Call the kernel on a list of distinct pairs."""
    pairs = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    number = np.arange(len(pairs)) + 1
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    graph = sp.csr_array((np.concatenate([number, number]), tuple(ends.T)), (n, n))
    return lone_joints(graph.indptr, graph.indices, graph.data - 1, hubs, len(pairs))


def by_taking_away(n, pairs, hubs):
    pairs = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    answer = []
    for edge, (a, b) in enumerate(pairs):
        rest = np.delete(pairs, edge, axis=0)
        part = connected_components(
            sp.csr_array((np.ones(len(rest)), tuple(rest.T)), (n, n)), directed=False
        )[1]
        parted = part[a] != part[b]
        answer.append(parted and hubs[part == part[a]].any() and hubs[part == part[b]].any())
    return answer


@settings(deadline=None)
@given(st.data())
def test_an_edge_is_a_lone_joint_if_its_loss_parts_two_hubs(data):
    n = data.draw(st.integers(2, 12))
    rows = st.integers(0, n - 1)
    pairs = data.draw(st.sets(st.tuples(rows, rows).filter(lambda p: p[0] < p[1]), max_size=16))
    hubs = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    assert found(n, pairs, hubs).tolist() == by_taking_away(n, pairs, hubs)


def test_a_very_long_chain_does_not_recurse():
    n = 200_000
    hubs = np.zeros(n, dtype=bool)
    hubs[[0, n - 1]] = True
    assert found(n, [(k, k + 1) for k in range(n - 1)], hubs).all()
