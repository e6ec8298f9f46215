"""The lightest answers to withdraw, against every set of answers there is."""

import copy
import pickle
import sys
from itertools import count

import numpy as np
import pytest
from drawn_links import labellings, links
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwise.constraints import Links
from linkwise.constraints import repair as repair_module

quick = settings(deadline=None, max_examples=80)
small = links(max_samples=5, max_links=16)


def lightest_by_trying_all(links):
    """Return the least weight to withdraw: the links the best of all clusterings breaks."""
    return min(
        links.weight[~links.satisfied(labels)].sum() for labels in labellings(links.n_samples)
    )


@quick
@given(small)
def test_what_is_kept_can_hold_and_nothing_is_lost(links):
    kept, withdrawn = links.repair()
    assert kept.conflicts() == []
    assert kept | withdrawn == links
    assert kept.without(withdrawn) == kept


@quick
@given(small)
def test_no_lighter_answers_could_have_been_withdrawn(links):
    repair = links.repair()
    assert repair.exact
    slack = 1e-6 * links.weight.max(initial=0.0)  # what the solver promises
    assert repair[1].weight.sum() <= lightest_by_trying_all(links) + slack


@quick
@given(links(max_samples=5, max_links=16, weighted=False), st.integers(0, 5))
def test_equal_weights_withdraw_the_fewest_answers(links, exponent):
    scaled = Links(len(links), links.must, links.cannot, links.weight * 10.0**-exponent)
    _, withdrawn = scaled.repair()
    assert withdrawn.n_links == round(lightest_by_trying_all(links))


@quick
@given(small)
def test_every_withdrawn_answer_had_to_go(links):
    kept, withdrawn = links.repair()
    n_must = len(withdrawn.must)
    for pair in withdrawn.must:
        assert (kept | Links(len(links), must=[pair])).conflicts()
    for pair in withdrawn.cannot:
        assert (kept | Links(len(links), cannot=[pair])).conflicts()
    assert n_must + len(withdrawn.cannot) == withdrawn.n_links


def test_consistent_links_are_kept_as_they_are():
    links = Links(4, must=[(0, 1)], cannot=[(1, 2)])
    kept, withdrawn = links.repair()
    assert kept == links
    assert withdrawn == Links(4)
    assert links.repair().exact


def test_the_weakest_answer_of_a_contradiction_is_withdrawn():
    must, cannot = [(0, 1), (1, 2)], [(0, 2)]
    for weakest, withdrawn in enumerate(
        (Links(3, must=[(0, 1)]), Links(3, must=[(1, 2)]), Links(3, cannot=[(0, 2)]))
    ):
        weight = np.full(3, 2.0)
        weight[weakest] = 1.0
        assert Links(3, must, cannot, weight).repair()[1] == withdrawn


def test_one_wrong_must_link_is_withdrawn_rather_than_many_cannot_links():
    y = np.repeat([0, 1], 10)
    truth = Links.from_labels(y) | Links(20, cannot=[(i, i + 10) for i in range(10)])
    _, withdrawn = (truth | Links(20, must=[(3, 14)])).repair()
    assert withdrawn == Links(20, must=[(3, 14)])


def test_of_many_answers_the_few_wrong_ones_are_withdrawn():
    y = np.arange(1000) % 3
    right = Links.sample(y, 5000, random_state=0)
    said = Links.sample(y, 5000, noise=0.004, random_state=0)  # the same pairs, 20 flipped
    wrong = said.without(right)
    repair = said.repair()
    assert wrong.n_links == 20
    assert repair.exact
    assert repair[1].n_links <= 20
    assert repair[1].without(wrong).n_links <= 2  # where a row's few answers do not tell


def test_contradictions_apart_from_each_other_are_repaired_apart():
    ring = Links(4, must=[(0, 1), (1, 2), (2, 3)], cannot=[(0, 3)], weight=[3, 1, 2, 4])
    both = Links(
        8,
        must=[*ring.must, *ring.must + 4],
        cannot=[*ring.cannot, *ring.cannot + 4, (0, 7)],
        weight=[3, 1, 2, 5, 6, 7, 4, 2, 9],
    )
    repair = both.repair()
    assert repair.exact
    assert repair[1] == Links(8, must=[(1, 2)], cannot=[(4, 7)], weight=[1, 2])


def test_the_rows_nobody_linked_cost_nothing():
    n = 10**12
    kept, withdrawn = Links(n, must=[(7, n - 1)], cannot=[(7, n - 1)], weight=[1, 2]).repair()
    assert kept == Links(n, cannot=[(7, n - 1)], weight=[2])
    assert withdrawn == Links(n, must=[(7, n - 1)])


def test_when_the_integer_program_gives_up_the_greedy_choice_is_kept(monkeypatch):
    grid = np.arange(100).reshape(10, 10)
    must = [*zip(grid[:, 1:].flat, grid[:, :-1].flat), *zip(grid[1:].flat, grid[:-1].flat)]  # noqa: B905
    pairs = np.random.default_rng(0).permutation(100)[:40].reshape(-1, 2)
    links = Links(100, must=must, cannot=pairs)
    best = links.repair()
    monkeypatch.setattr(repair_module, "_lightest", lambda rings, weight: None)  # noqa: ARG005
    quick = links.repair()
    assert best.exact
    assert not quick.exact
    assert quick[0].conflicts() == []
    assert best[1].n_links < quick[1].n_links <= 20


def test_one_contradiction_in_a_very_long_chain_is_repaired_exactly():
    n = 20_001
    weight = np.full(n, 2.0)
    weight[777] = 1.0
    chain = [(i, i + 1) for i in range(n - 1)]
    repair = Links(n, must=chain, cannot=[(0, n - 1)], weight=weight).repair()
    assert repair.exact
    assert repair[1] == Links(n, must=[(777, 778)], weight=[1.0])


@pytest.fixture(scope="module")
def hopeless():
    """Twelve hundred answers of which a fifth are wrong: too many to choose among exactly."""
    return Links.sample(np.arange(150) % 3, 1200, noise=0.2, random_state=0)


def test_where_the_choice_is_greedy_the_result_says_so(hopeless):
    repair = hopeless.repair()
    kept, withdrawn = repair
    assert not repair.exact
    assert kept.conflicts() == []
    assert kept | withdrawn == hopeless


def test_a_greedy_choice_is_not_heavier_than_dropping_all_contradicted_cannot_links(hopeless):
    _, withdrawn = hopeless.repair()
    assert withdrawn.n_links <= len(hopeless.conflicts())


@quick
@given(links(max_samples=8, max_links=24), st.data())
def test_links_that_contradict_nothing_are_put_back_heaviest_first(links, data):
    n_must, pairs = len(links.must), np.concatenate((links.must, links.cannot))
    drawn = data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    kept = np.array(drawn, dtype=bool)

    def some(chosen):
        positions = np.arange(len(pairs))
        must, cannot = positions[:n_must][chosen[:n_must]], positions[n_must:][chosen[n_must:]]
        return Links(len(links), must=pairs[must], cannot=pairs[cannot])

    if not len(pairs) or some(kept).conflicts():
        return
    component = repair_module._Component(links.must, links.cannot, links.weight)
    found = component.put_back(np.flatnonzero(~kept))
    for link in sorted(np.flatnonzero(~kept), key=lambda link: (-links.weight[link], link)):
        kept[link] = True
        kept[link] = not some(kept).conflicts()
    np.testing.assert_array_equal(found, np.flatnonzero(~kept))


def test_four_times_as_many_contradictory_answers_take_about_four_times_as_many_calls():
    counts = []
    for n in (5_000, 20_000):
        links = Links.sample(np.arange(n // 10) % 3, n, noise=0.5, random_state=0)
        counter = count()
        sys.setprofile(lambda *_, counter=counter: next(counter))
        try:
            kept, _ = links.repair()
        finally:
            sys.setprofile(None)
        counts.append(next(counter))
        assert kept.conflicts() == []
    assert counts[1] < 8 * counts[0]  # sixteen times, if each were compared with every other


def test_the_result_is_a_pair_that_copies_and_pickles():
    repair = Links(3, must=[(0, 1)], cannot=[(0, 1)], weight=[1, 2]).repair()
    assert isinstance(repair, tuple)
    assert len(repair) == 2
    for twin in (pickle.loads(pickle.dumps(repair)), copy.deepcopy(repair)):
        assert twin == repair
        assert twin.exact is repair.exact
