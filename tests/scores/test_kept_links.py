from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwise as lw
from linkwise import Links, PartialLabels
from linkwise.scores import links_kept
from linkwise.scores.kept_links import shares_kept


class Told:
    """Predicts what it was told."""

    def __init__(self, labels):
        self.labels = labels

    def predict(self, X):
        assert len(X) == len(self.labels)
        return self.labels


@given(st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 3)), min_size=1, max_size=10))
def test_labels_are_judged_by_all_their_pairs(rows):
    codes, clusters = np.array(rows).T
    pairs = [(i, j) for i, j in combinations(range(len(rows)), 2) if min(codes[i], codes[j]) >= 0]
    must = [(i, j) for i, j in pairs if codes[i] == codes[j]]
    cannot = [(i, j) for i, j in pairs if codes[i] != codes[j]]
    expected = shares_kept(Links(len(rows), must=must, cannot=cannot), clusters)
    assert shares_kept(PartialLabels(codes), clusters) == pytest.approx(expected)


def test_both_kinds_count_the_same_however_many_there_are():
    links = Links(6, must=[(0, 1)], cannot=[(0, 2), (0, 3), (0, 4), (0, 5)])
    assert links_kept(Told(np.arange(6)), np.eye(6), constraints=links) == 0.5
    assert links_kept(Told(np.zeros(6)), np.eye(6), constraints=links) == 0.5
    assert links_kept(Told([0, 0, 1, 1, 1, 1]), np.eye(6), constraints=links) == 1.0


def test_links_count_by_weight():
    links = Links(3, must=[(0, 1), (1, 2)], weight=[3, 1])
    assert links_kept(Told([0, 0, 1]), np.eye(3), constraints=links) == 0.75


def test_where_nothing_is_known_there_is_no_score():
    for nothing in (Links(2), [None, None], Links(2, must=[(0, 1)], weight=[0])):
        assert np.isnan(links_kept(Told([0, 1]), np.eye(2), constraints=nothing))


def test_no_constraints_are_refused():
    with pytest.raises(ValueError) as caught:
        links_kept(Told([0]), np.eye(1))
    assert str(caught.value) == (
        "links_kept got no constraints to judge by. In GridSearchCV call fit(X, "
        "constraints=links) after sklearn.set_config(enable_metadata_routing=True)."
    )


def test_an_estimator_scores_itself_so():
    X = np.array([[0.0], [1.0], [8.0], [9.0]])
    model = lw.PCKMeans(2, random_state=0).fit(X)
    links = Links(4, must=[(0, 1), (1, 2)], cannot=[(0, 3)])
    assert model.score(X, constraints=links) == links_kept(model, X, constraints=links) == 0.75
    assert np.isnan(model.score(X, [0, 0, 1, 1]))
