"""Atoms: how they attract each other, which clusters they make, and what these are called."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import Links
from linkwise.cluster.sequential.answers import ERROR_RATE, PRIOR_ANSWERS
from linkwise.cluster.sequential.landmarks import one_hot
from linkwise.cluster.sequential.regroup import CHANGE, MISPLACED, NEWS, Atoms, claims, regroup
from linkwise.scores import accuracy

#: Twelve atoms of four things; before answers the first two things were apart, the others one.
THING = np.repeat(np.arange(4), 3)
START = np.array([0, 1, 2, 2])[THING]
TRUTH = np.array([0, 0, 1, 2])[THING]


@pytest.fixture
def atoms():
    """Atoms that are ten rows each, and a little attraction as in the clusters at first."""
    member = one_hot(START, 3)
    couplings = np.where(START[:, None] == START, 0.5, -0.5)
    shares = np.repeat(np.eye(12), 10, axis=0)
    return Atoms(couplings, START, member / member.sum(axis=0), shares)


def between(one, other, n, seed=0):
    """Return pairs of rows of two things, each of another pair of atoms."""
    rng = np.random.default_rng(seed)
    rows = np.arange(120).reshape(12, 10)
    return [
        (int(rng.choice(rows[THING == one].ravel())), int(rng.choice(rows[THING == other].ravel())))
        for _ in range(n)
    ]


def heard(atoms, links, gather):
    answers = gather(links)
    return regroup(replace(atoms, shares=atoms.shares[answers.rows]), answers)


def test_without_answers_clusters_stay_as_they_were(atoms, gather):
    assert_allclose(heard(atoms, Links(120), gather), one_hot(START, 3), atol=0.15)


def test_one_cluster_is_cut_and_two_are_joined_where_answers_say_so(atoms, gather):
    links = Links(120, must=between(0, 1, 40), cannot=between(2, 3, 40))
    assert accuracy(TRUTH, heard(atoms, links, gather).argmax(axis=1)) == 1.0


def test_a_few_answers_move_little(atoms, gather):
    links = Links(120, must=between(0, 1, 3), cannot=between(2, 3, 3))
    assert_array_equal(heard(atoms, links, gather).argmax(axis=1), START)


def test_answers_that_agree_with_the_clusters_change_nothing(atoms, gather):
    links = Links(120, must=between(2, 3, 60), cannot=between(0, 1, 60))
    assert_allclose(heard(atoms, links, gather), one_hot(START, 3), atol=0.15)


def test_clusters_on_the_way_count_by_what_they_are_worth(gather):
    """The third atom is attracted by the first, in the other cluster: three to one that it goes."""
    couplings = np.zeros((3, 3))
    couplings[0, 2] = couplings[2, 0] = np.log(3.0) / NEWS
    anchors = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    atoms = Atoms(couplings, np.array([0, 1, 1]), anchors, np.empty((0, 3)))
    found = regroup(atoms, gather(Links(2)))
    assert_allclose(found, [[1.0, 0.0], [0.0, 1.0], [0.75, 0.25]], atol=np.exp(-CHANGE) / 4)


def test_memberships_are_shares(atoms, gather):
    found = heard(atoms, Links(120, must=between(0, 2, 30), cannot=between(2, 3, 30)), gather)
    assert_allclose(found.sum(axis=1), 1.0)
    assert (found >= 0).all()


def odds(same, error):
    """What "same" and "different" say for two rows being of one class, of four."""
    kept = (1 - MISPLACED) ** 2
    if_one, if_not = kept + (1 - kept) / 4, (1 - kept) / 4
    if_one, if_not = ((1 - error) * p + error * (1 - p) for p in (if_one, if_not))
    return np.log(if_one / if_not) if same else np.log((1 - if_one) / (1 - if_not))


def test_what_was_known_before_is_a_mean_over_all_pairs(small):
    basis = small._basis
    looks = np.random.default_rng(0).dirichlet(np.ones(4), 240)
    votes = np.random.default_rng(1).dirichlet(np.ones(basis.n_atoms), 3)
    found = Atoms.of(basis, looks, votes)
    assert_allclose(found.shares, votes**8 / (votes**8).sum(axis=1, keepdims=True))
    a, b = (np.flatnonzero(basis.atoms == k) for k in (0, 5))
    look = looks[a].mean(axis=0) @ looks[b].mean(axis=0)
    one, other = (basis.likeness[part].sum(axis=0) for part in (a, b))
    alike = max(0.0, one @ other / np.linalg.norm(one) / np.linalg.norm(other))
    chance = (look + alike) / 2
    expected = chance * odds(True, 0.0) + (1 - chance) * odds(False, 0.0)
    assert found.couplings[0, 5] == pytest.approx(
        PRIOR_ANSWERS * len(a) * len(b) / 240**2 * expected
    )
    for atom in range(basis.n_atoms):
        assert set(basis.labels[basis.atoms == atom]) == {found.start[atom]}
        assert_allclose(found.anchors[atom], basis.anchors[basis.atoms == atom].sum(axis=0))


def test_answers_attract_the_atoms_of_their_rows_by_a_slow_sum(gather):
    rng = np.random.default_rng(0)
    answers = gather(Links(6, must=[(0, 1), (2, 3)], cannot=[(0, 4)], weight=[1.0, 0.5, 2.0]))
    atoms = Atoms(np.zeros((3, 3)), np.arange(3), np.eye(3, 4), rng.dirichlet(np.ones(3), 5))
    expected = np.zeros((3, 3))
    n = 1.5  # answers that may be wrong, by their weight
    errors = [ERROR_RATE, 1 / (1 + np.sqrt((1 - ERROR_RATE) / ERROR_RATE)), 1e-6]
    reaches = [n / (n + PRIOR_ANSWERS), 0.5 * n / (n + PRIOR_ANSWERS), 1.0]
    for i, j, must, error, reach in zip(
        answers.i, answers.j, answers.must, errors, reaches, strict=True
    ):
        for a in range(3):
            for b in range(3):
                said = reach * odds(must, error) * atoms.shares[i, a] * atoms.shares[j, b]
                expected[a, b] += said
                expected[b, a] += said
    assert_allclose(atoms.told(answers), expected)


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_every_name_is_claimed_by_a_cluster_of_its_own(seed, n):
    held = np.random.default_rng(seed).dirichlet(np.ones(n), n)
    assert sorted(claims(held)) == list(range(n))


def test_who_holds_most_of_a_name_gets_it_and_the_first_of_two_names_stays():
    held = np.array([[0.1, 0.7, 0.2], [0.0, 0.9, 0.1], [0.3, 0.1, 0.6]])
    assert claims(held).tolist() == [1, 0, 2]
    held[0, 1], held[1, 1] = 0.6, 0.95  # still more than a half of both
    assert claims(held).tolist() == [1, 0, 2]
