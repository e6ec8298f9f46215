"""Votes are a ridge regression on blocks: the formula by loops, and what it is good for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linkwise.cluster.sequential.voters import NOISE, Voters, share_votes
from linkwise.kernels.vote.vote import scores


def shared(one, other):
    """Return the share of the partitions in which rows are in the same block."""
    return np.array([[np.mean(a == b) for b in other.T] for a in one.T])


@pytest.fixture
def drawn():
    rng = np.random.default_rng(0)
    blocks = rng.integers(0, 5, (12, 30), dtype=np.uint8)
    return Voters(blocks, 5), rng.dirichlet(np.ones(3), 30), rng


def test_tables_are_those_of_kernel_ridge_regression(drawn):
    voters, memberships, rng = drawn
    rows = rng.integers(0, 5, (12, 7), dtype=np.uint8)
    noisy = shared(voters.blocks, voters.blocks) + NOISE * np.eye(30)
    pulls = np.linalg.solve(noisy, memberships - 1 / 3)
    expected = 1 / 3 + shared(rows, voters.blocks) @ pulls
    counted = scores(rows, voters.tables(memberships)) / 12
    assert_allclose(counted, expected, atol=1e-5)
    assert_allclose(counted.sum(axis=1), 1.0, atol=1e-5)


def test_rows_that_are_seen_get_the_votes_of_the_tables(drawn):
    voters, memberships, rng = drawn
    rows = rng.integers(0, 5, (12, 7), dtype=np.uint8)
    counted = share_votes(scores(rows, voters.tables(memberships)))
    _, votes = voters.votes(memberships, voters.see(rows))
    assert_allclose(votes, counted, atol=1e-6)


def test_votes_on_landmarks_are_the_same_without_counting(drawn):
    voters, memberships, _ = drawn
    own, counted = voters.votes(memberships, voters.see(voters.blocks))
    assert_allclose(own, counted, atol=1e-5)
    assert_allclose(voters.votes_on_themselves(memberships), own)


def test_several_memberships_are_voted_on_as_each_alone(drawn):
    voters, memberships, rng = drawn
    seen = voters.see(rng.integers(0, 5, (12, 7), dtype=np.uint8))
    several = rng.dirichlet(np.ones(3), (30, 4, 2))
    several[:, 1, 0] = memberships
    for one, alone in zip(
        voters.votes(several, seen), voters.votes(memberships, seen), strict=True
    ):
        assert one.shape == (len(alone), 4, 2, 3)
        assert_allclose(one[:, 1, 0], alone, atol=1e-6)


def test_votes_below_none_are_none():
    assert_allclose(share_votes(np.array([[3.0, 1.0], [5.0, -1.0]])), [[0.75, 0.25], [1.0, 0.0]])


def test_a_crowd_does_not_outvote_the_landmark_that_a_row_is_like():
    """Nine landmarks of one class share half of the row's blocks, one of the other class all."""
    rng = np.random.default_rng(0)
    crowd = rng.integers(1, 4, (20, 1)) * np.ones((1, 9), dtype=np.int64)
    alone = np.where(np.arange(20)[:, None] % 2 == 0, crowd[:, :1], 0)
    blocks = np.hstack([crowd, alone]).astype(np.uint8)
    member = np.eye(2)[[0] * 9 + [1]]
    means = np.mean([member[block == block[-1]].mean(axis=0) for block in blocks], axis=0)
    voters = Voters(blocks, 4)
    votes = voters.votes(member, voters.see(blocks[:, -1:]))[1][0]
    assert votes[1] > means[1]
    assert votes[1] > 0.5
