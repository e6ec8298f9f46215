"""Belief propagation against all labellings, counted one by one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import softmax

from linkwise.kernels.belief import propagate, softmax_rows

#: Every sweep halves what is missing, and what a row says needs one more to reach the next.
N_SWEEPS = 60


def enumerate_labellings(prior, i, j, if_same, if_different):
    """Return what each row is, by adding up the probability of every labelling."""
    n, r = prior.shape
    found = np.zeros((n, r))
    for labels in product(range(r), repeat=n):
        chance = np.prod(prior[np.arange(n), labels])
        for a, b, same, different in zip(i, j, if_same, if_different, strict=True):
            chance *= same if labels[a] == labels[b] else different
        found[np.arange(n), labels] += chance
    return found / found.sum(axis=1, keepdims=True)


def believe(prior, i, j, if_same, if_different, n_sweeps=N_SWEEPS):
    messages = np.zeros((len(i), 2, prior.shape[1]))
    told = propagate(prior, messages, i, j, if_same, if_different, n_sweeps)
    return softmax(np.log(prior) + told, axis=1)


def chances(must, error):
    return np.where(must, 1 - error, error), np.where(must, error, 1 - error)


@st.composite
def situations(draw, *, circles):
    """Up to eight rows, what each thinks, and links that are a forest or have circles."""
    n_rows, n_clusters = draw(st.integers(2, 5 if circles else 8)), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if circles:
        pairs = np.array([(a, b) for a in range(n_rows) for b in range(a)])
        pairs = pairs[rng.random(len(pairs)) < 0.7]
        prior, error = rng.uniform(0.2, 1.0, (n_rows, n_clusters)), rng.uniform(0.3, 0.5, 10)
    else:
        pairs = np.array([(b, rng.integers(b)) for b in range(1, n_rows)])
        pairs = pairs[rng.random(len(pairs)) < 0.8]
        prior, error = rng.uniform(0.001, 1.0, (n_rows, n_clusters)), 10.0 ** rng.uniform(-6, 0, 10)
    i, j = pairs.reshape(-1, 2).T.astype(np.int64)
    must = rng.random(len(i)) < 0.5
    prior /= prior.sum(axis=1, keepdims=True)
    return prior, i.copy(), j.copy(), *chances(must, error[: len(i)])


@settings(deadline=None, max_examples=60)
@given(situations(circles=False))
def test_without_circles_it_is_exact(situation):
    assert_allclose(believe(*situation), enumerate_labellings(*situation), atol=1e-6)


@settings(deadline=None, max_examples=60)
@given(situations(circles=True))
def test_with_circles_of_doubtful_answers_it_is_close(situation):
    """People are wrong three times in ten or more, so that what goes in circles fades."""
    assert_allclose(believe(*situation), enumerate_labellings(*situation), atol=0.05)


def test_a_chain_of_two_by_hand():
    """Row 0 is surely of class 0, a must-link that is wrong once in ten times reaches row 1."""
    prior = np.array([[1.0 - 1e-9, 1e-9], [0.5, 0.5]])
    found = believe(prior, np.array([0]), np.array([1]), *chances(np.array([True]), 0.1))
    assert_allclose(found[1], [0.9, 0.1], atol=1e-6)


def test_without_links_nothing_is_told():
    nobody = np.empty(0, dtype=np.int64)
    told = propagate(
        np.full((3, 2), 0.5), np.empty((0, 2, 2)), nobody, nobody, *np.empty((2, 0)), 5
    )
    assert_allclose(told, 0.0)


def test_sweeping_twice_is_going_on_from_the_messages():
    rng = np.random.default_rng(0)
    prior = rng.dirichlet(np.ones(3), 6)
    i, j = np.array([0, 1, 2, 0, 4]), np.array([1, 2, 3, 3, 5])
    answers = chances(np.array([True, False, True, True, False]), 0.05)
    messages = np.zeros((5, 2, 3))
    propagate(prior, messages, i, j, *answers, 3)
    told = propagate(prior, messages, i, j, *answers, 4)
    assert_allclose(told, propagate(prior, np.zeros((5, 2, 3)), i, j, *answers, 7))


@pytest.mark.parametrize("must", [True, False])
def test_thousands_of_sure_answers_do_not_underflow(must):
    """A row of class 0 for sure, another of class 1 for sure, and 5000 answers about the two."""
    prior = np.array([[1.0, 0.0], [0.0, 1.0]])
    i, j = np.zeros(5000, dtype=np.int64), np.ones(5000, dtype=np.int64)
    messages = np.zeros((5000, 2, 2))
    told = propagate(prior, messages, i, j, *chances(np.full(5000, must), 1e-6), 10)
    assert np.isfinite(told).all()
    assert np.isfinite(softmax_rows(told)).all()


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 1e6))
def test_softmax_is_that_of_scipy(seed, scale):
    scores = scale * np.random.default_rng(seed).normal(size=(7, 4))
    shares = softmax_rows(scores)
    assert_allclose(shares, softmax(scores, axis=1), atol=1e-12)
    assert_allclose(shares.sum(axis=1), 1.0)
