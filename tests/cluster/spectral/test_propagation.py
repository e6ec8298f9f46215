import numpy as np
import pytest
from numpy.testing import assert_allclose

from linkwise import Links
from linkwise.cluster.spectral.linked_rows import LinkedRows
from linkwise.cluster.spectral.propagation import component_signs, propagate


def slow_propagation(S, links, alpha):
    """Everything with one entry per pair of landmarks; linked rows are the first landmarks."""
    component = links.components()
    n, P = len(links.linked_rows), len(S)
    Q = np.zeros((P, P))
    Q[:n, :n] = component[:n, None] == component[:n]
    apart = np.zeros((P, P), dtype=bool)
    for i, j in links.cannot:
        for a in np.flatnonzero(component == component[i]):
            for b in np.flatnonzero(component == component[j]):
                apart[a, b] = apart[b, a] = True
    Q[apart] = -min(1.0, Q.sum() / max(apart.sum(), 1))
    inverse = np.linalg.inv(np.eye(P) - alpha * S)
    F = inverse @ Q @ inverse
    F /= np.abs(F).max()
    W = S / np.sqrt(np.outer(np.diag(S), np.diag(S)))
    W = np.where(F >= 0, 1 - (1 - F) * (1 - W), (1 + F) * W)
    W[Q > 0] = 1.0
    W[apart] = 0.0
    return W


@pytest.fixture
def S():
    A = np.random.default_rng(0).random((30, 10))
    A /= A.sum(axis=1, keepdims=True)
    A /= np.sqrt(A.sum(axis=0))
    return A.T @ A


CASES = {
    "both kinds": Links(10, must=[(0, 1), (1, 2), (3, 4)], cannot=[(0, 3), (5, 2)]),
    "only must-links": Links(10, must=[(0, 1), (2, 3)]),
    "only cannot-links": Links(10, cannot=[(0, 1), (2, 3), (1, 3)]),
    "many cannot-links": Links(10, cannot=[(i, j) for j in range(6) for i in range(j)]),
}


@pytest.mark.parametrize("links", CASES.values(), ids=CASES)
def test_propagation_agrees_with_a_matrix_of_all_pairs(S, links):
    expected = slow_propagation(S, links, 0.7)
    assert_allclose(propagate(S.copy(), LinkedRows.of(links), 0.7), expected, atol=1e-12)


def test_similarities_stay_symmetric_and_between_zero_and_one(S):
    W = propagate(S, LinkedRows.of(CASES["both kinds"]), 0.7)
    assert_allclose(W, W.T, atol=1e-14)
    assert W.min() >= 0.0
    assert W.max() <= 1.0


def test_cannot_links_never_outweigh_must_links():
    linked = LinkedRows.of(CASES["many cannot-links"])
    signs = component_signs(linked)
    assert_allclose(-signs[signs < 0].sum(), np.trace(signs))


def test_a_link_of_no_weight_against_the_others_moves_its_pair_little(S):
    light = Links(10, must=[(0, 1), (2, 3)], weight=[1.0, 1e-9])
    alone = propagate(S.copy(), LinkedRows.of(Links(10, must=[(0, 1)])), 0.7)
    W = propagate(S.copy(), LinkedRows.of(light), 0.7)
    assert W[2, 3] < 1.0
    assert W[0, 1] == alone[0, 1] == 1.0


def test_an_isolated_landmark_is_survived(S):
    S = np.pad(S, (0, 1))
    W = propagate(S, LinkedRows.of(CASES["both kinds"]), 0.7)
    assert np.isfinite(W).all()
    assert not W[-1].any()
