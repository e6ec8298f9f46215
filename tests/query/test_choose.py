import copy

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from linkwise import COBRAS, Links, SequentialClustering
from linkwise.errors import InvalidInput
from linkwise.query import NAMES, STRATEGIES, Situation, choose_pairs

N = 90
TRUTH = np.repeat([0, 1, 2], N // 3)


@pytest.fixture(autouse=True, scope="module")
def one_thread_each():
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def fresh():
    rng = np.random.default_rng(0)
    centres = np.repeat(rng.normal(size=(3, 6)) * 2, N // 3, axis=0)
    X = centres + rng.normal(size=(N, 6))
    return SequentialClustering(3, n_partitions=20, random_state=0).fit(X)


@pytest.fixture(scope="module")
def linked(fresh):
    return copy.copy(fresh).update(Links.sample(TRUTH, 40, random_state=0))


def entailed(links):
    """Return the pairs whose answer follows from the links, by brute force."""
    group = links.components()
    apart = {frozenset(pair) for pair in group[links.cannot].tolist()}
    return {
        (i, j)
        for i in range(len(links))
        for j in range(i + 1, len(links))
        if group[i] == group[j] or frozenset((group[i], group[j])) in apart
    }


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_questions_are_new_distinct_and_in_order(fresh, linked, strategy):
    for model in (fresh, linked):
        pairs = [tuple(pair) for pair in choose_pairs(model, 6, strategy).tolist()]
        assert 1 <= len(pairs) <= 6
        assert len(set(pairs)) == len(pairs)
        assert all(0 <= i < j < N for i, j in pairs)
        assert not set(pairs) & entailed(model.links_)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_situation_gives_the_same_questions(linked, strategy):
    twin = copy.copy(linked)
    assert np.array_equal(choose_pairs(linked, 5, strategy), choose_pairs(twin, 5, strategy))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_skipped_pairs_are_not_asked(linked, strategy):
    first = choose_pairs(linked, 3, strategy).tolist()
    skip = [(j, i) for i, j in first]
    again = choose_pairs(linked, 3, strategy, skip).tolist()
    assert len(first) == len(again) == 3
    assert not {tuple(p) for p in first} & {tuple(p) for p in again}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_answering_every_question_ends_or_goes_on_without_repeats(fresh, strategy):
    model, asked = copy.copy(fresh), set()
    for _ in range(25):
        pairs = choose_pairs(model, 3, strategy).tolist()
        if not pairs:
            break
        fresh_pairs = {tuple(pair) for pair in pairs}
        assert not fresh_pairs & (asked | entailed(model.links_))
        asked |= fresh_pairs
        must = [p for p in pairs if TRUTH[p[0]] == TRUTH[p[1]]]
        cannot = [p for p in pairs if TRUTH[p[0]] != TRUTH[p[1]]]
        model = copy.copy(model).update(Links(N, must, cannot))
    assert len(asked) >= 20


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_pair_said_to_differ_is_not_asked_again(fresh, strategy):
    pairs = choose_pairs(fresh, 6, strategy)
    model = copy.copy(fresh).update(Links(N, cannot=pairs))
    again = {tuple(pair) for pair in choose_pairs(model, 6, strategy).tolist()}
    assert len(again) == 6
    assert not again & entailed(model.links_)


@pytest.mark.parametrize("strategy", ["explore-consolidate", "min-max"])
def test_exploring_finds_an_example_of_every_cluster_first(fresh, strategy):
    model = copy.copy(fresh)
    for _ in range(12):
        i, j = choose_pairs(model, 1, strategy)[0].tolist()
        kind = "must" if TRUTH[i] == TRUTH[j] else "cannot"
        model = copy.copy(model).update(Links(N, **{kind: [(i, j)]}))
    ends = np.unique(model.links_.cannot)
    assert set(TRUTH[ends].tolist()) == {0, 1, 2}


def test_margin_asks_about_the_least_sure_landmark(fresh):
    situation = Situation.of(fresh)
    least = int(situation.rows[np.argmin(situation.margin)])
    assert least in choose_pairs(fresh, 1, "margin")[0]


def test_disagreement_shows_a_row_beside_the_cluster_with_half_of_its_votes(fresh):
    situation = Situation.of(fresh)
    pair = choose_pairs(fresh, 1, "disagreement")[0].tolist()
    first = next(a for a in situation.order.tolist() if int(situation.rows[a]) in pair)
    (other,) = set(pair) - {int(situation.rows[first])}
    nearest = int(np.abs(situation.votes[first] - 0.5).argmin())
    assert situation.labels[np.searchsorted(situation.rows, other)] == nearest


def test_how_often_landmarks_share_a_block_is_counted_right(fresh):
    situation = Situation.of(fresh)
    share = situation.together(np.array([3, 8]), np.array([1, 8, 40]))
    blocks = fresh.ensemble_.labels.array[:, situation.rows]
    for a, row in zip([3, 8], share, strict=True):
        for b, value in zip([1, 8, 40], row, strict=True):
            assert value == np.mean(blocks[:, a] == blocks[:, b])


def test_one_cluster_and_one_row_leave_nothing_to_ask():
    model = SequentialClustering(1, n_partitions=5, random_state=0).fit([[0.0, 1.0]])
    for strategy in STRATEGIES:
        assert choose_pairs(model, 2, strategy).shape == (0, 2)


def test_wrong_calls_are_refused(fresh):
    with pytest.raises(InvalidInput) as caught:
        choose_pairs(fresh, 0)
    assert str(caught.value) == "choose_pairs(n=0): n must be a whole number >= 1."
    with pytest.raises(InvalidInput) as caught:
        choose_pairs(fresh, 1, "best")
    assert str(caught.value).startswith("strategy is 'best', expected one of auto, ")


def test_the_names_that_are_known_before_the_code_are_those_of_the_strategies():
    assert tuple(STRATEGIES) == NAMES


def answered(model, pairs):
    same = TRUTH[pairs[:, 0]] == TRUTH[pairs[:, 1]]
    return copy.copy(model).update(Links(N, pairs[same], pairs[~same]))


def test_cobras_asks_what_the_estimator_asks_by_itself(fresh):
    """One question at a time, answered, is the list of pairs that COBRAS asks in one go."""
    situation = Situation.of(fresh)
    everyone = np.arange(situation.n_landmarks)
    expected = []

    def answer(i, j):
        expected.append(tuple(sorted(situation.rows[[i, j]].tolist())))
        return bool(TRUTH[situation.rows[i]] == TRUTH[situation.rows[j]])

    COBRAS(n_questions=12, random_state=0).fit(situation.places(everyone), ask=answer)
    model, asked = fresh, []
    while len(asked) < 8:
        pair = choose_pairs(model, 1, "cobras")
        asked.append(tuple(pair[0].tolist()))
        model = answered(model, pair)
    entailed_before = [
        pair for at, pair in enumerate(expected) if pair in entailed(links_of(expected[:at]))
    ]
    assert asked == [pair for pair in expected if pair not in entailed_before][: len(asked)]


def links_of(pairs):
    pairs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    same = TRUTH[pairs[:, 0]] == TRUTH[pairs[:, 1]]
    return Links(N, pairs[same], pairs[~same])


def test_places_are_as_far_apart_as_landmarks_are_parted(fresh):
    situation = Situation.of(fresh)
    some = situation.order[:12]
    places = situation.places(some)
    apart = np.square(places[:, None] - places[None]).sum(axis=2)
    np.testing.assert_allclose(apart, 2 * (1 - situation.together(some, some)), atol=1e-8)
