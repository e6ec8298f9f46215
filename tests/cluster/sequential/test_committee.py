"""What was left out judges: calibration, weights and mixtures against loops and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import Links, PartialLabels
from linkwise.cluster.sequential.answers import CHANGE, NEWS, Answers
from linkwise.cluster.sequential.committee import (
    _MISPLACED,
    View,
    calibrate,
    listen,
    mix,
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
    total, same = 0.0, np.zeros(len(answers))
    for share in _MISPLACED:
        chance = (1 - share) ** 2 * together + (1 - (1 - share) ** 2) / n_clusters
        case = 1.0
        for must, p in zip(answers.must, chance, strict=True):
            said_same = 0.98 * p + 0.02 * (1 - p)
            case *= said_same if must else 1 - said_same
        total += case
        same += case * chance
    assert_allclose(calibrate(answers, together, n_clusters), same / total)


def test_views_are_averaged_by_what_they_predict():
    """The last one knows the answers, so it counts for nearly all, by the odds worked out here."""
    answers = pairs(10, 10, weight=2.0)
    silent, guesses = (View(np.full((3, 2), v), np.full(20, 0.5)) for v in (0.1, 0.2))
    knows = View(np.full((3, 2), 0.9), np.where(answers.must, 0.75, 0.25))
    found, weight = mix(answers, [silent, guesses, knows])
    likely = np.array([1.0, np.exp(CHANGE), np.exp(CHANGE) * 1.5 ** (20 * NEWS)])
    share = likely / likely.sum()
    assert_allclose(found.memberships, share @ [0.1, 0.2, 0.9], rtol=1e-4)
    assert_allclose(
        found.together, share @ [silent.together, guesses.together, knows.together], rtol=1e-4
    )
    assert weight == pytest.approx(share[1:].sum(), rel=1e-4)


def weigh(answers, right, before):
    """Return the weight when what was left out holds with chance ``right``, not ``before``."""

    def together(chance):
        return np.where(answers.must, chance, 1 - np.asarray(chance))

    views = [View(np.zeros((1, 2)), together(chance)) for chance in (before, right)]
    return mix(answers, views)[1]


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
