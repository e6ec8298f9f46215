"""Components and entailment, against rules applied pair by pair."""

from itertools import combinations

import numpy as np
import pytest
from drawn_links import entailed, links
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linkwise.constraints import Links
from linkwise.errors import Contradiction

quick = settings(deadline=None, max_examples=60)


def closed_or_skip(links):
    assume(not links.conflicts())
    return links.closure()


@quick
@given(links())
def test_components_join_exactly_the_rows_entailed_together(links):
    together, _ = entailed(Links(links.n_samples, links.must))
    component = links.components()
    for i, j in combinations(range(links.n_samples), 2):
        assert (component[i] == component[j]) == (frozenset((i, j)) in together)


@quick
@given(links())
def test_components_are_numbered_by_first_appearance(links):
    component = links.components().tolist()
    assert list(dict.fromkeys(component)) == list(range(len(set(component))))


@quick
@given(links())
def test_closure_entails_exactly_what_the_links_entail(links):
    assert entailed(closed_or_skip(links)) == entailed(links)


@quick
@given(links())
def test_closing_twice_is_closing_once(links):
    closed = closed_or_skip(links)
    assert closed.closure() == closed


@quick
@given(links(weighted=False), st.data())
def test_links_that_entail_the_same_have_the_same_closure(links, data):
    closed = closed_or_skip(links)
    together, apart = entailed(links)
    more = data.draw(st.lists(st.sampled_from(sorted(map(sorted, together))))) if together else []
    less = data.draw(st.lists(st.sampled_from(sorted(map(sorted, apart))))) if apart else []
    assert (links | Links(links.n_samples, more, less)).closure() == closed


@quick
@given(links(), st.randoms(use_true_random=False))
def test_closure_does_not_depend_on_the_order_of_the_links(links, random):
    assume(not links.conflicts())
    n_must = len(links.must)
    pairs = [(j, i, w) for (i, j), w in zip(links.must.tolist(), links.weight, strict=False)]
    apart = links.weight[n_must:]
    others = [(j, i, w) for (i, j), w in zip(links.cannot.tolist(), apart, strict=True)]
    random.shuffle(pairs)
    random.shuffle(others)
    shuffled = Links(
        links.n_samples,
        [pair[:2] for pair in pairs],
        [pair[:2] for pair in others],
        [pair[2] for pair in pairs + others],
    )
    assert shuffled.closure() == links.closure()


@quick
@given(links())
def test_closure_is_never_longer_than_the_links(links):
    closed = closed_or_skip(links)
    assert len(closed.must) <= len(links.must)
    assert len(closed.cannot) <= len(links.cannot)


def strongest_chain(links, i, j):
    """Return the largest weight such that must-links of at least that weight join two rows."""
    if i == j:
        return np.inf
    weights = links.weight[: len(links.must)]
    for weight in sorted(set(weights.tolist()), reverse=True):
        component = Links(links.n_samples, links.must[weights >= weight]).components()
        if component[i] == component[j]:
            return weight
    return -np.inf


@quick
@given(links(max_links=16))
def test_an_entailed_link_weighs_as_much_as_its_strongest_proof(links):
    closed = closed_or_skip(links)
    n_must = len(closed.must)
    for (i, j), weight in zip(closed.must.tolist(), closed.weight[:n_must], strict=True):
        assert weight == strongest_chain(links, i, j)
    apart = list(zip(links.cannot.tolist(), links.weight[len(links.must) :].tolist(), strict=True))
    for (i, j), weight in zip(closed.cannot.tolist(), closed.weight[n_must:], strict=True):
        proofs = [
            min(strongest_chain(links, i, a), direct, strongest_chain(links, b, j))
            for (p, q), direct in apart
            for a, b in ((p, q), (q, p))
        ]
        assert weight == max(proofs)


def test_a_contradiction_is_refused_with_the_chain_that_proves_it():
    with pytest.raises(Contradiction) as error:
        Links(9, must=[(3, 5), (5, 8)], cannot=[(0, 3), (3, 8)]).closure()
    assert str(error.value) == (
        "rows 3 and 8 are must-linked through 3-5, 5-8 and cannot-linked by cannot[1]. "
        "Drop one of the three."
    )


def test_further_contradictions_are_counted():
    with pytest.raises(Contradiction) as error:
        Links(4, must=[(0, 1), (2, 3)], cannot=[(0, 1), (2, 3)]).closure()
    assert str(error.value) == (
        "rows 0 and 1 are must-linked through 0-1 and cannot-linked by cannot[0]. "
        "Drop one of the two. 1 more: see conflicts()."
    )


def test_a_chain_of_a_million_must_links_closes_into_a_star():
    n = 1_000_001
    chain = np.column_stack((np.arange(n - 1), np.arange(1, n)))
    closed = Links(n, must=chain[np.random.default_rng(0).permutation(n - 1)]).closure()
    assert (closed.must[:, 0] == 0).all()
    assert (closed.must[:, 1] == np.arange(1, n)).all()
