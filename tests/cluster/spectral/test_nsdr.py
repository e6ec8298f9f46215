import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

from linkwise import NSDR, Links
from linkwise.cluster.spectral import nsdr
from linkwise.cluster.spectral.linked_rows import LinkedRows
from linkwise.cluster.spectral.neighbour_graph import neighbour_graph
from linkwise.scores import nmi


@pytest.fixture
def rows():
    return np.random.default_rng(0).standard_normal((40, 3))


@pytest.fixture
def linked():
    return LinkedRows.of(Links(40, must=[(0, 5), (20, 21)], cannot=[(5, 20), (30, 0)]))


def slow_votes(X, linked, W, n_propagate):
    """Count votes pair by pair."""
    squared = np.square(X[:, None] - X[None]).sum(axis=2)
    near = np.argsort(squared, axis=1, kind="stable")[:, : n_propagate + 1]
    votes = np.zeros((len(X), len(X)))
    apart = linked.apart.toarray()
    for i, a in zip(linked.rows, linked.component, strict=True):
        for j, b in zip(linked.rows, linked.component, strict=True):
            votes[np.ix_(near[i], near[j])] += (a == b) - apart[a, b]
    W = np.where(votes > 0, 1.0, np.where(votes < 0, 0.0, W))
    np.fill_diagonal(W, 0.0)
    return W


@pytest.mark.parametrize("n_propagate", [0, 3])
@pytest.mark.parametrize("block", [1, 1 << 22])
def test_votes_agree_with_a_count_pair_by_pair(rows, linked, n_propagate, block, monkeypatch):
    monkeypatch.setattr(nsdr, "BLOCK", block)
    W = neighbour_graph(rows, 6)
    voted = nsdr._voted(W, nsdr._speakers(rows, linked, n_propagate), linked.apart)
    expected = slow_votes(rows, linked, W.toarray(), n_propagate)
    assert_allclose(voted.toarray(), expected, atol=1e-12)


def test_links_lift_the_digits_above_the_result_without_them():
    X, y = load_digits(return_X_y=True)
    X, y = X[:900], y[:900]
    known = np.random.RandomState(0).rand(900) < 0.1
    labels, free = np.where(known, y, -1), ~known
    plain = NSDR(10, random_state=0).fit(X).labels_
    model = NSDR(10, random_state=0).fit(X, constraints=labels)
    assert nmi(y[free], model.labels_[free]) > nmi(y[free], plain[free]) + 0.02
    assert_array_equal(model.predict(X), model.labels_)


def test_a_senseless_number_of_neighbours_is_refused():
    with pytest.raises(ValueError) as caught:
        NSDR(2, n_propagate=-1).fit(np.eye(6))
    assert str(caught.value) == "NSDR(n_propagate=-1): n_propagate must be a whole number >= 0."
