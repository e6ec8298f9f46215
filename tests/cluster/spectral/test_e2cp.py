import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

from linkwise import E2CP, Links
from linkwise.cluster.spectral.e2cp import _adjusted, _propagated, signed_pairs
from linkwise.cluster.spectral.linked_rows import LinkedRows
from linkwise.cluster.spectral.neighbour_graph import neighbour_graph, normalised
from linkwise.scores import nmi


@pytest.fixture
def rows():
    return np.random.default_rng(0).standard_normal((40, 3))


@pytest.fixture
def links():
    return Links(40, must=[(0, 5), (5, 9), (20, 21)], cannot=[(9, 20), (30, 0)])


def test_pairs_are_signed_by_all_that_is_entailed(links):
    # rows 0, 5, 9 | 20, 21 | 30
    expected = [
        [0, 1, 1, -1, -1, -1],
        [1, 0, 1, -1, -1, -1],
        [1, 1, 0, -1, -1, -1],
        [-1, -1, -1, 0, 1, 0],
        [-1, -1, -1, 1, 0, 0],
        [-1, -1, -1, 0, 0, 0],
    ]
    assert signed_pairs(LinkedRows.of(links)).tolist() == expected


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.9])
def test_propagation_is_the_closed_form(rows, links, alpha):
    linked, graph = LinkedRows.of(links), normalised(neighbour_graph(rows, 6))
    Q = np.zeros((40, 40))
    Q[np.ix_(linked.rows, linked.rows)] = signed_pairs(linked)
    inverse = (1 - alpha) * np.linalg.inv(np.eye(40) - alpha * graph.toarray())
    expected = inverse @ Q @ inverse
    F = _propagated(graph, linked, alpha)
    assert_allclose(F, expected / np.abs(expected).max(), atol=1e-5)


def test_similarities_are_adjusted_as_the_paper_says(rows):
    W = neighbour_graph(rows, 6)
    F = np.random.default_rng(1).uniform(-1, 1, (40, 40)).astype(np.float32)
    dense = W.toarray()
    expected = np.where(F >= 0, 1 - (1 - F) * (1 - dense), (1 + F) * dense)
    assert_allclose(_adjusted(W, F.copy()), expected, atol=1e-6)


def test_links_lift_the_digits_above_the_result_without_them():
    X, y = load_digits(return_X_y=True)
    X, y = X[:900], y[:900]
    known = np.random.RandomState(0).rand(900) < 0.1
    labels, free = np.where(known, y, -1), ~known
    plain = E2CP(10, random_state=0).fit(X).labels_
    model = E2CP(10, random_state=0).fit(X, constraints=labels)
    assert nmi(y[free], model.labels_[free]) > nmi(y[free], plain[free]) + 0.02
    assert_array_equal(model.predict(X), model.labels_)


def test_a_senseless_alpha_is_refused():
    with pytest.raises(ValueError) as caught:
        E2CP(2, alpha=1).fit(np.eye(6))
    assert str(caught.value) == "E2CP(alpha=1): alpha must be a number from 0 to 0.999."
