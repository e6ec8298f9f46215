import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linkwise.kernels.adopt import adopt_groups


def broken(member, i, j, must):
    together = (member[i] * member[j]).sum(axis=1)
    return np.where(must, 1 - together, together)


def twin(member, share, source, target, i, j, must, weight, doubt):
    """Recompute everything for every group, adopt the surest, start over."""
    member, adopted = member.copy(), np.zeros(len(source), dtype=bool)
    while True:
        gains = np.full(len(source), -np.inf)
        for g in np.flatnonzero(~adopted):
            moved = member.copy()
            moved[:, source[g]] -= share[g]
            moved[:, target[g]] += share[g]
            drop = weight * (broken(member, i, j, must) - broken(moved, i, j, must))
            gains[g] = drop.sum() - doubt * np.sqrt((drop**2).sum())
        if len(gains) == 0 or gains.max() <= 0:
            return member, adopted
        g = gains.argmax()
        adopted[g] = True
        member[:, source[g]] -= share[g]
        member[:, target[g]] += share[g]


@pytest.mark.parametrize("doubt", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("seed", range(10))
def test_kernel_agrees_with_recomputing_everything(seed, doubt):
    rng = np.random.default_rng(seed)
    n_rows, r, n_groups, p = 15, 4, 5, 30
    member = rng.dirichlet(np.ones(r), n_rows)
    source = rng.permutation(np.arange(n_groups) % r)
    target = (source + rng.integers(1, r, n_groups)) % r
    share = rng.random((n_groups, n_rows)) * (rng.random((n_groups, n_rows)) < 0.5) * 0.2
    share = np.minimum(share, member.T[source] / n_groups)
    i, j = rng.integers(0, n_rows, (2, p))
    must, weight = rng.random(p) < 0.5, rng.random(p)
    expected_member, expected = twin(member, share, source, target, i, j, must, weight, doubt)
    adopted = adopt_groups(member, share, source, target, i, j, must, weight, doubt)
    assert_array_equal(adopted, expected)
    assert_allclose(member, expected_member)


def test_a_group_that_no_link_touches_stays():
    member = np.eye(2)[[0, 0, 1]]
    share = np.array([[0.0, 0.0, 1.0]])
    ends = np.array([0]), np.array([1])
    adopted = adopt_groups(
        member, share, np.array([1]), np.array([0]), *ends, np.array([True]), np.ones(1), 0.0
    )
    assert not adopted[0]
