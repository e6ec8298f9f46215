"""The answers judge each other: against every labelling and error written out, and by draws."""

from contextlib import contextmanager
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import Links, PartialLabels
from linkwise.cluster.sequential import judge as module
from linkwise.cluster.sequential.answers import ERROR_RATE, PRIOR_ANSWERS, Answers
from linkwise.cluster.sequential.judge import _MISPLACED, _RATES, _judge, _mean, judge


def about(n, must=(), cannot=(), weight=None):
    """Return answers about rows that are all spoken about, in this order."""
    links = Links(n, must=list(must), cannot=list(cannot), weight=weight)
    assert_array_equal(links.linked_rows, np.arange(n))
    return Answers.of(links, PartialLabels(np.full(n, -1)))


def enumerate_errors(prior, answers, rate):
    """Return the exact chance that each answer is wrong, by all labellings."""
    total, wrong = 0.0, np.zeros(len(answers))
    for labelling in product(range(prior.shape[1]), repeat=len(prior)):
        case = np.prod(prior[np.arange(len(prior)), labelling])
        is_wrong = np.array(
            [(labelling[i] == labelling[j]) != must for i, j, must in answer_of(answers)]
        )
        case *= np.prod(np.where(is_wrong, rate, 1 - rate))
        total += case
        wrong += case * is_wrong
    return wrong / total


def answer_of(answers):
    return zip(answers.i, answers.j, answers.must, strict=True)


@contextmanager
def clusters_alone(misjudged=0.0):
    """Leave out what the similarity says, so that enumeration and simulation can be compared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_mean", lambda by_clusters, alike: by_clusters)  # noqa: ARG005
        patch.setattr(module, "MISJUDGED", misjudged)
        yield


def judge_alone(answers, votes):
    """Judge by clusters that are wrong about one pair in a hundred as a whole."""
    with clusters_alone(misjudged=0.01):
        return judge(answers, votes, np.zeros(len(answers)))


@settings(deadline=None, max_examples=20)
@given(st.integers(2, 7), st.integers(2, 3), st.sampled_from(_RATES), st.integers(0, 2**32 - 1))
def test_suspicion_is_exact_on_trees(n, r, rate, seed):
    """No path is longer than three answers: eight sweeps bring nearly all of what is missing."""
    rng = np.random.default_rng(seed)
    pairs = np.array([(b, rng.integers(min(b, 2))) for b in range(1, n)])
    same = rng.random(n - 1) < 0.5
    answers = about(n, pairs[same], pairs[~same])
    prior = rng.dirichlet(np.full(r, 2.0), n) * 0.98 + 0.02 / r
    expected = enumerate_errors(prior, answers, rate)
    with clusters_alone():
        found = _judge(answers, prior, rate, np.zeros(n - 1))
    assert_allclose(found.suspicion, expected, atol=0.05)


def test_the_grid_is_averaged_by_how_likely_it_makes_the_answers():
    rng = np.random.default_rng(0)
    answers = about(4, must=[(0, 1), (1, 2)], cannot=[(2, 3)])
    votes, alike = rng.dirichlet(np.ones(3), 4), rng.random(3)
    total, wrong, rate = 0.0, 0.0, 0.0
    for error in _RATES:
        for share in _MISPLACED:
            case = _judge(answers, (1 - share) * votes + share / 3, error, alike)
            weight = np.exp(case.log_likelihood)
            weight *= error ** (PRIOR_ANSWERS * ERROR_RATE)
            weight *= (1 - error) ** (PRIOR_ANSWERS * (1 - ERROR_RATE))
            total, rate = total + weight, rate + weight * error
            wrong = wrong + weight * case.suspicion
    found = judge(answers, votes, alike)
    assert_allclose(found.suspicion, wrong / total)
    assert found.error_rate == pytest.approx(rate / total)


def simulate(n_rows, n_links, r, misplaced, wrong_share, seed):
    """Draw truth, clusters that misplace some rows, and answers of which some are wrong."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, r, n_rows)
    seen = np.where(rng.random(n_rows) < misplaced, rng.integers(0, r, n_rows), truth)
    links = Links.sample(truth, n_links, noise=wrong_share, random_state=seed)
    pairs = np.concatenate([links.must, links.cannot])
    wrong = (truth[pairs[:, 0]] == truth[pairs[:, 1]]) != (np.arange(n_links) < len(links.must))
    answers = Answers.of(links, PartialLabels(np.full(n_rows, -1)))
    return answers, np.eye(r)[seen[answers.rows]], wrong, truth[answers.rows]


@pytest.mark.parametrize("share", [0.0, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("r", [2, 6])
def test_errors_of_people_are_told_from_rows_in_the_wrong_place(share, r):
    """One row in ten is misplaced and disagrees with all its answers; a wrong answer is alone."""
    answers, votes, wrong, _ = simulate(400, 1000, r, 0.1, share, seed=r)
    found = judge_alone(answers, votes)
    assert found.error_rate == pytest.approx(share, abs=0.03)
    if share:
        assert found.suspicion[wrong].mean() > 0.5
    assert found.suspicion[~wrong].mean() < 0.06


def test_suspicion_is_calibrated():
    """Of the answers that are suspected by p, p are wrong; so many that the prior is forgotten."""
    parts = [simulate(2600, 4000, 4, 0.1, 0.1, seed) for seed in range(2)]
    found = np.concatenate(
        [judge_alone(answers, votes).suspicion for answers, votes, _, _ in parts]
    )
    wrong = np.concatenate([part[2] for part in parts])
    for low, high in ((0.0, 0.1), (0.1, 0.4), (0.4, 0.7), (0.7, 1.0)):
        among = (found >= low) & (found < high)
        assert among.sum() > 20
        assert wrong[among].mean() == pytest.approx(found[among].mean(), abs=0.08)


def test_rows_in_the_wrong_place_are_put_right_by_their_answers():
    answers, votes, _, truth = simulate(300, 1500, 5, 0.15, 0.05, seed=3)
    assert (judge_alone(answers, votes).rows.argmax(axis=1) == truth).mean() >= 0.98
    assert (votes.argmax(axis=1) == truth).mean() < 0.9


def test_however_sure_the_clusters_are_people_who_are_never_wrong_are_believed():
    """A thousand answers agree with the clusters, one does not; nothing like it was ever asked."""
    answers = about(2002, [(2 * k, 2 * k + 1) for k in range(1000)], [(2000, 2001)])
    alike = np.append(np.ones(1000), 0.5)
    found = judge(answers, np.eye(2)[np.zeros(2002, dtype=int)], alike)
    assert found.error_rate < 0.02
    assert found.suspicion[-1] < 0.5


def test_facts_are_beyond_suspicion_and_make_others_suspicious():
    cannot, looks = [(0, 1), (0, 2)], np.full((3, 2), 0.5)
    doubted = judge_alone(about(3, [(1, 2)], cannot), looks)
    surely = judge_alone(about(3, [(1, 2)], cannot, weight=[1.0, 2.0, 2.0]), looks)
    assert_array_equal(surely.suspicion[1:], 0.0)
    assert (doubted.suspicion > 0).all()


def test_without_answers_people_are_taken_to_be_wrong_about_as_often_as_the_prior_says():
    nothing = Answers.of(Links(3), PartialLabels([-1, -1, -1]))
    found = judge(nothing, np.empty((0, 4)), np.empty(0))
    assert ERROR_RATE / 2 < found.error_rate < 2.5 * ERROR_RATE
    assert len(found.suspicion) == 0


def test_nobody_is_accused_whom_the_other_answers_believe():
    """The clusters are sure that the rows differ; answers about rows like them say the same."""
    links, looks = about(2, must=[(0, 1)], cannot=[]), np.eye(2)
    found = [judge(links, looks, np.array([alike])).suspicion[0] for alike in (0.95, 0.5, 0.0)]
    assert found[0] < 0.05 < found[1] < 0.2 < found[2]


def test_the_mean_of_two_witnesses_is_that_of_their_log_odds():
    """One bet of four to one, and one of one to four, are even; agreement changes nothing."""
    assert_allclose(_mean(np.array([0.8, 0.3]), np.array([0.2, 0.3])), [0.5, 0.3])
    assert_allclose(_mean(np.zeros(1), np.ones(1)), 0.5)
