"""What was left out judges: calibration, weights and mixtures against loops and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import Links, PartialLabels
from linkwise.cluster.sequential.answers import Answers
from linkwise.cluster.sequential.committee import (
    _MISPLACED,
    View,
    _agree,
    _doubt,
    _mix,
    _names,
    _sharpened,
    _weight,
    calibrate,
    listen,
    name_clusters,
)
from linkwise.cluster.sequential.regroup import CHANGE, NEWS


def pairs(n_must, n_cannot, weight=1.0):
    """Return answers about pairs that have no row in common."""
    n = n_must + n_cannot
    rows = np.arange(2 * n).reshape(-1, 2)
    links = Links(2 * n + 1, must=rows[:n_must], cannot=rows[n_must:], weight=np.full(n, weight))
    return Answers.of(links, PartialLabels(np.full(2 * n + 1, -1)))


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 8), st.integers(0, 8), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_calibration_adds_up_all_cases(n_must, n_cannot, n_clusters, seed):
    answers = pairs(n_must, n_cannot)
    together = np.random.default_rng(seed).random(len(answers))
    total, misplaced, same = 0.0, 0.0, np.zeros(len(answers))
    for share in _MISPLACED:
        chance = (1 - share) ** 2 * together + (1 - (1 - share) ** 2) / n_clusters
        case = 1.0
        for must, p in zip(answers.must, chance, strict=True):
            said_same = 0.98 * p + 0.02 * (1 - p)
            case *= said_same if must else 1 - said_same
        total += case
        misplaced += case * share
        same += case * chance
    found = calibrate(answers, together, n_clusters)
    assert found.misplaced == pytest.approx(misplaced / total)
    assert_allclose(found.together, same / total)


def test_a_clear_majority_is_surer_than_it_is_large_and_a_tie_stays_one():
    found = _sharpened(np.array([[0.6, 0.3, 0.1], [0.4, 0.4, 0.2]]))
    assert_allclose(found.sum(axis=1), 1.0)
    assert found[0, 0] == pytest.approx(0.36 / 0.46)
    assert found[1, 0] == found[1, 1]


def test_two_views_are_mixed_by_what_they_predict():
    answers = pairs(10, 10)
    knows = View(np.full((3, 2), 0.9), np.where(answers.must, 0.95, 0.05))
    guesses = View(np.full((3, 2), 0.1), np.full(20, 0.5))
    found, weight = _mix(answers, guesses, knows, 0.0)
    back, other = _mix(answers, knows, guesses, 0.0)
    assert weight > 0.9
    assert weight + other == pytest.approx(1.0)
    for one, same in zip(found, back, strict=True):
        assert_allclose(one, same)
    assert_allclose(found.memberships, weight * 0.9 + (1 - weight) * 0.1)


def weigh(answers, right, before):
    """Return the weight when what was left out holds with chance ``right``, not ``before``."""

    def together(chance):
        return np.where(answers.must, chance, 1 - np.asarray(chance))

    return _weight(answers, together(before), together(right), _doubt(answers))


def test_nothing_said_weighs_nothing():
    assert weigh(pairs(0, 0), 0.5, 0.5) == 0.0


@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_the_weight_is_a_share(n, seed):
    rng = np.random.default_rng(seed)
    answers = pairs(n, n)
    assert 0.0 <= weigh(answers, rng.random(2 * n), rng.random(2 * n)) <= 1.0


def test_the_weight_is_that_of_a_part_of_the_answers():
    """Each answer becomes twice as likely, up to people's errors; the doubt is two nats."""
    answers = pairs(10, 10)
    said = [0.98 * p + 0.02 * (1 - p) for p in (0.8, 0.4)]
    odds = (said[0] / said[1]) ** (NEWS * 20) * np.exp(-CHANGE)
    assert weigh(answers, 0.8, 0.4) == pytest.approx(odds / (1 + odds))


def test_parts_that_found_the_same_under_other_names_agree():
    found = np.eye(4)[[0, 0, 0, 1, 1, 2, 2, 3]]
    others = [found[:, order] for order in ([2, 0, 3, 1], [1, 2, 3, 0], [3, 2, 1, 0])]
    for part in _agree(others, found, np.empty(0, dtype=np.int64)):
        assert_array_equal(part, found)


def test_a_class_keeps_its_cluster_when_parts_agree_on_names():
    """Its cluster holds other landmarks than before, and stays who it is nevertheless."""
    before = np.eye(3)[[0, 0, 0, 1, 1, 2]]
    found = np.eye(3)[[1, 1, 1, 0, 0, 2]]
    (part,) = _agree([found], before, np.array([0]))
    assert_array_equal(part[:, 0], found[:, 0])
    (part,) = _agree([found], before, np.empty(0, dtype=np.int64))
    assert_array_equal(part, before)


def test_the_better_what_was_left_out_is_predicted_the_more_the_answers_weigh():
    answers = pairs(25, 25)
    found = [weigh(answers, right, 0.6) for right in (0.3, 0.5, 0.6, 0.7, 0.8, 0.9)]
    assert found == sorted(found)
    assert found[0] < 0.01
    assert found[2] < 0.5 < found[-1]


def test_more_evidence_of_the_same_kind_weighs_more():
    found = [weigh(pairs(n, n), 0.8, 0.6) for n in (1, 3, 10, 30, 100)]
    assert found == sorted(found)
    assert found[-1] > 0.99


def test_facts_weigh_more_than_answers_that_may_be_wrong():
    assert weigh(pairs(5, 5, weight=2.0), 0.8, 0.6) > weigh(pairs(5, 5), 0.8, 0.6)


def test_every_named_class_gets_a_cluster_of_its_own(gather):
    answers = gather(labels=["a", "b", "a", "b", None])
    votes = np.array([[0.1, 0.8, 0.1], [0.1, 0.7, 0.2], [0.0, 0.9, 0.1], [0.2, 0.6, 0.2]])
    assert name_clusters(answers, votes, 3).tolist() == [1, 2]
    assert name_clusters(gather(Links(4)), votes[:0], 3).tolist() == []


@pytest.fixture
def hear(small, gather, place):
    def heard(links=None, labels=None):
        answers = gather(links, labels, n=240)
        return listen(small._basis, place(small, answers), answers)

    return heard


def test_memberships_are_shares_and_suspicion_is_a_probability(hear, blobs):
    labels = np.where(np.arange(240) % 12 == 0, blobs[1], -1)
    heard = hear(Links.sample(blobs[1], 100, noise=0.1, random_state=0), labels)
    for shares in (heard.memberships, heard.spoken):
        assert (shares >= 0).all()
        assert_allclose(shares.sum(axis=1), 1.0)
    assert heard.suspicion.shape == (100,)
    assert ((heard.suspicion >= 0) & (heard.suspicion <= 1)).all()
    assert 0 <= heard.weight <= 1
    assert 0 < heard.error_rate < 0.5
    assert len(set(heard.cluster_of)) == 4


def test_the_order_in_which_answers_are_listed_is_irrelevant(hear, blobs):
    links = Links.sample(blobs[1], 60, noise=0.1, random_state=1)
    order = np.random.default_rng(0)
    shuffled = Links(
        240,
        must=order.permutation(links.must)[:, ::-1],
        cannot=order.permutation(links.cannot)[:, ::-1],
    )
    one, other = hear(links), hear(shuffled)
    assert_array_equal(one.memberships, other.memberships)
    assert_array_equal(one.spoken, other.spoken)
    assert_array_equal(one.suspicion, other.suspicion)
    assert one.weight == other.weight


def test_names_of_the_classes_matter_only_as_names(hear, blobs):
    known = np.where(np.arange(240) % 8 == 0, blobs[1], -1)
    renamed = np.array(["w", "x", "y", "z", None], dtype=object)[known]
    assert_array_equal(hear(labels=known).memberships, hear(labels=renamed).memberships)


def test_few_expected_answers_hardly_move_the_landmarks(hear, small):
    """One answer that the clusters agree with: what was learned counts for little."""
    labels = small._basis.labels
    first, second = np.flatnonzero(labels == 0)[:2]
    heard = hear(Links(240, must=[(first, second)]))
    assert heard.weight < 0.5
    assert (heard.memberships.argmax(axis=1) == labels).mean() > 0.98


def test_a_named_class_keeps_its_cluster_whatever_else_holds_its_name(small, gather, place):
    """All landmarks are in the first cluster but the named ones, which are in the third."""
    basis = small._basis
    rows = np.flatnonzero(basis.labels == 1)[-5:]
    answers = gather(labels=np.where(np.isin(np.arange(240), rows), 0, -1))
    member = np.tile([1.0, 0.0, 0.0, 0.0], (240, 1))
    places = place(small, answers)
    member[basis.labels == 1] = [0.0, 0.0, 1.0, 0.0]
    names = _names(basis, places, answers, member, np.array([3]))
    assert names[3] == 2
    assert sorted(names) == [0, 1, 2, 3]
