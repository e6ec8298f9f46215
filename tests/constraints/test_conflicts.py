"""Contradictions and the chains that prove them."""

import numpy as np
import pytest
from drawn_links import links
from hypothesis import given, settings

from linkwise.constraints import Conflict, Links
from linkwise.constraints.chains import MustGraph

quick = settings(deadline=None, max_examples=80)


def steps_apart(links, i, j):
    """Count the must-links between two rows by powers of the graph; None if there is no chain."""
    near = np.eye(len(links), dtype=bool)
    step = near.copy()
    for a, b in links.must.tolist():
        step[a, b] = step[b, a] = True
    for n_steps in range(len(links)):
        if near[i, j]:
            return n_steps
        near = near @ step
    return None


@quick
@given(links(max_samples=7, max_links=24))
def test_every_contradicted_cannot_link_is_reported_with_a_shortest_chain(links):
    found = {conflict.cannot: conflict for conflict in links.conflicts()}
    must = {tuple(pair) for pair in links.must.tolist()}
    for position, (i, j) in enumerate(links.cannot.tolist()):
        steps = steps_apart(links, i, j)
        assert ((i, j) in found) == (steps is not None)
        if steps is None:
            continue
        conflict = found[i, j]
        assert conflict.position == position
        assert len(conflict.chain) == steps
        assert all((min(pair), max(pair)) in must for pair in conflict.chain)
        walk = [i] + [pair[1] for pair in conflict.chain]
        assert [pair[0] for pair in conflict.chain] == walk[:-1]
        assert walk[-1] == j


def test_conflicts_come_in_the_order_of_the_cannot_links():
    links = Links(6, must=[(0, 1), (1, 2), (4, 5)], cannot=[(4, 5), (0, 3), (0, 2)])
    assert [conflict.cannot for conflict in links.conflicts()] == [(0, 2), (4, 5)]
    assert [conflict.position for conflict in links.conflicts()] == [0, 2]


def test_a_chain_through_a_row_of_many_links_is_found_without_following_them_all():
    class Closed(list):
        """Links that nobody needs to follow."""

        def __iter__(self):
            raise AssertionError("followed")

    leaves = np.arange(1, 1000)
    graph = MustGraph(np.column_stack((0 * leaves, leaves)))
    graph._neighbours[0] = Closed(graph._neighbours[0])
    assert graph.shortest_chain(3, 7) == ((3, 0), (0, 7))


@pytest.mark.parametrize(
    ("chain", "position", "words"),
    [
        (
            ((0, 1),),
            3,
            "rows 0 and 1 are must-linked through 0-1 and cannot-linked by cannot[3]. "
            "Drop one of the two.",
        ),
        (
            ((0, 4), (4, 1)),
            None,
            "rows 0 and 1 are must-linked through 0-4, 4-1 and cannot-linked. "
            "Drop one of the three.",
        ),
    ],
)
def test_a_conflict_prints_as_a_sentence(chain, position, words):
    assert str(Conflict((0, 1), chain, position)) == words


def test_the_middle_of_a_long_chain_is_left_out_when_printed():
    n = 40
    chain = Links(n, must=[(i, i + 1) for i in range(n - 1)], cannot=[(0, n - 1)])
    (conflict,) = chain.conflicts()
    assert len(conflict.chain) == 39
    assert str(conflict) == (
        "rows 0 and 39 are must-linked through 0-1, 1-2, 2-3, 3-4, 4-5, 5-6, 6-7, 7-8, 8-9, 9-10, "
        "..., 38-39 (39 links) and cannot-linked by cannot[0]. Drop one of the 40 links."
    )


def test_a_thousand_contradictions_in_one_component_are_all_explained():
    rng = np.random.default_rng(0)
    must = [(int(rng.integers(0, i)), i) for i in range(1, 2000)]
    cannot = [(i, i + 1000) for i in range(1000)]
    found = Links(2000, must=must, cannot=cannot).conflicts()
    assert [conflict.cannot for conflict in found] == cannot
    assert all(conflict.chain[0][0] == conflict.cannot[0] for conflict in found)
    assert all(conflict.chain[-1][1] == conflict.cannot[1] for conflict in found)
