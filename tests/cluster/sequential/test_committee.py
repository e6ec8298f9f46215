"""What was left out judges: calibration, suspicion and weight against loops and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import Links, PartialLabels
from linkwise.cluster.sequential.answers import ERROR_RATE, Answers
from linkwise.cluster.sequential.committee import (
    _MISPLACED,
    _RATES,
    PRIOR_ANSWERS,
    Calibration,
    _weight,
    calibrate,
    listen,
    name_clusters,
    suspicion,
)


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
    total, misplaced, rate, same = 0.0, 0.0, 0.0, np.zeros(len(answers))
    for share in _MISPLACED:
        chance = (1 - share) ** 2 * together + (1 - (1 - share) ** 2) / n_clusters
        for error in _RATES:
            case = error ** (PRIOR_ANSWERS * ERROR_RATE)
            case *= (1 - error) ** (PRIOR_ANSWERS * (1 - ERROR_RATE))
            for must, p in zip(answers.must, chance, strict=True):
                said_same = (1 - error) * p + error * (1 - p)
                case *= said_same if must else 1 - said_same
            total += case
            misplaced += case * share
            rate += case * error
            same += case * chance
    found = calibrate(answers, together, n_clusters)
    assert found.misplaced == pytest.approx(misplaced / total)
    assert found.error_rate == pytest.approx(rate / total)
    assert_allclose(found.together, same / total)


def test_without_answers_people_are_taken_to_be_wrong_about_as_often_as_the_prior_says():
    rate = calibrate(pairs(0, 0), np.empty(0), 5).error_rate
    assert ERROR_RATE / 2 < rate < 2.5 * ERROR_RATE


@pytest.mark.parametrize("share", [0.0, 0.1, 0.2])
def test_the_error_rate_is_found(share):
    """Two thousand answers about pairs whose truth is nearly known."""
    rng = np.random.default_rng(0)
    answers = pairs(1000, 1000)
    wrong = rng.random(2000) < share
    together = np.where(answers.must != wrong, 0.99, 0.01)
    rate = calibrate(answers, together, 10).error_rate
    assert 0.5 * share < rate < share + 0.02  # some are taken for misplaced rows


def test_suspicion_is_the_rule_of_bayes_and_facts_are_beyond_it():
    answers = pairs(1, 1)
    together, rate = np.array([0.3, 0.3]), 0.1
    found = suspicion(answers, together, rate)
    assert found[0] == pytest.approx(0.1 * 0.7 / (0.1 * 0.7 + 0.9 * 0.3))
    assert found[1] == pytest.approx(0.1 * 0.3 / (0.1 * 0.3 + 0.9 * 0.7))
    assert_array_equal(suspicion(pairs(1, 1, weight=2.0), together, rate), 0.0)


def test_suspicion_is_calibrated_when_the_chances_are():
    """Draw truth and answers from the model itself: of those suspected by p, p are wrong."""
    rng = np.random.default_rng(0)
    answers = pairs(0, 40_000)
    together = rng.beta(0.3, 0.3, 40_000)
    same = rng.random(40_000) < together
    wrong = rng.random(40_000) < 0.1
    said = Answers(**{**vars(answers), "must": same != wrong})
    found = suspicion(said, together, 0.1)
    for low, high in ((0.0, 0.1), (0.1, 0.4), (0.4, 0.7), (0.7, 1.0)):
        among = (found >= low) & (found < high)
        assert wrong[among].mean() == pytest.approx(found[among].mean(), abs=0.03)


def weigh(answers, right, before):
    """Return the weight when what was left out holds with chance ``right``, not ``before``."""

    def calibration(chance):
        chance = np.broadcast_to(chance, len(answers))
        return Calibration(0.1, 0.02, np.where(answers.must, chance, 1 - chance))

    return _weight(answers, calibration(right), calibration(before))


def test_nothing_said_weighs_nothing():
    assert weigh(pairs(0, 0), 0.5, 0.5) == 0.0


@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_the_weight_is_a_share(n, seed):
    rng = np.random.default_rng(seed)
    answers = pairs(n, n)
    assert 0.0 <= weigh(answers, rng.random(2 * n), rng.random(2 * n)) <= 1.0


def test_the_better_what_was_left_out_is_predicted_the_more_the_answers_weigh():
    answers = pairs(10, 10)
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
