"""Scores against definitions recomputed by brute force."""

from itertools import permutations
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwise import Links
from linkwise.errors import InvalidInput
from linkwise.scores import accuracy, ari, gain, nmi, purity, satisfied

labellings = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
    )
)


def accuracy_by_trying_all_matchings(truth, labels):
    return max(
        sum(names[label] == t for t, label in zip(truth, labels, strict=True)) / len(truth)
        for names in permutations(range(4))
    )


def purity_by_counting(truth, labels):
    clusters = {
        c: [t for t, label in zip(truth, labels, strict=True) if label == c] for c in labels
    }
    return sum(max(map(members.count, members)) for members in clusters.values()) / len(truth)


def nmi_by_definition(truth, labels):
    n = len(truth)

    def entropy(names):
        return -sum(names.count(k) / n * log(names.count(k) / n) for k in set(names))

    pairs = list(zip(truth, labels, strict=True))
    mean = (entropy(truth) + entropy(labels)) / 2
    return (entropy(truth) + entropy(labels) - entropy(pairs)) / mean if mean > 0 else 1.0


def ari_by_counting_pairs(truth, labels):
    n = len(truth)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    together = [(truth[i] == truth[j], labels[i] == labels[j]) for i, j in pairs]
    both, a, b = (sum(map(f, together)) for f in (all, lambda t: t[0], lambda t: t[1]))
    if a == b == both and both in (0, len(pairs)):
        return 1.0
    expected = a * b / len(pairs)
    return (both - expected) / ((a + b) / 2 - expected)


@given(labellings)
def test_accuracy_is_the_best_of_all_matchings(case):
    truth, labels = case
    assert accuracy(truth, labels) == pytest.approx(accuracy_by_trying_all_matchings(truth, labels))


@given(labellings)
def test_purity_counts_the_majority_of_every_cluster(case):
    truth, labels = case
    assert purity(truth, labels) == pytest.approx(purity_by_counting(truth, labels))


@given(labellings)
def test_nmi_is_information_over_the_mean_entropy(case):
    truth, labels = case
    assert nmi(truth, labels) == pytest.approx(nmi_by_definition(truth, labels), abs=1e-9)


@given(labellings)
def test_ari_is_the_share_of_pairs_beyond_chance(case):
    truth, labels = case
    assert ari(truth, labels) == pytest.approx(ari_by_counting_pairs(truth, labels), abs=1e-9)


@given(labellings, st.permutations(range(4)))
def test_renaming_clusters_changes_no_score(case, names):
    truth, labels = case
    renamed = [names[label] for label in labels]
    for score in (accuracy, ari, nmi, purity):
        assert score(truth, renamed) == pytest.approx(score(truth, labels), abs=1e-9)


def test_more_clusters_than_classes_are_matched_one_to_one():
    assert accuracy([0, 0, 0, 0], [0, 0, 1, 2]) == 0.5
    assert accuracy([0, 0, 1, 2], [7, 7, 7, 7]) == 0.5


def test_satisfied_is_by_weight():
    links = Links(4, must=[(0, 1), (2, 3)], cannot=[(0, 2)], weight=[1, 2, 5])
    assert satisfied(links, [0, 0, 1, 2]) == 6 / 8
    assert satisfied(links, [0, 0, 0, 0]) == 3 / 8


def test_nothing_said_is_all_satisfied():
    assert satisfied(Links(3), [0, 1, 2]) == 1.0
    assert satisfied(Links(2, must=[(0, 1)], weight=[0.0]), [0, 1]) == 1.0


def test_gain_is_a_difference_of_nmi():
    truth, with_links, without = [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 0], [0, 1, 1, 1, 2, 0]
    assert gain(truth, with_links, without) == nmi(truth, with_links) - nmi(truth, without)


@pytest.mark.parametrize("rows", [[2, 3, 4, 5], np.array([False, False, True, True, True, True])])
def test_gain_can_leave_out_the_rows_that_score_themselves(rows):
    truth, with_links, without = [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 0], [1, 2, 1, 1, 2, 0]
    assert gain(truth, with_links, without) > 0
    assert gain(truth, with_links, without, rows=rows) == 0


@pytest.mark.parametrize("score", [accuracy, ari, nmi, purity])
def test_labellings_of_different_rows_are_refused(score):
    with pytest.raises(InvalidInput) as caught:
        score([0, 1, 1], [0, 1])
    assert str(caught.value) == (
        "two labellings of the same rows are needed, got shapes (3,) and (2,)."
    )


def test_a_table_is_no_labelling():
    with pytest.raises(InvalidInput) as caught:
        nmi([[0, 1]], [[0, 1]])
    assert str(caught.value) == (
        "two labellings of the same rows are needed, got shapes (1, 2) and (1, 2)."
    )


def test_empty_labellings_are_refused():
    with pytest.raises(InvalidInput) as caught:
        accuracy([], [])
    assert str(caught.value) == "the labellings are empty: there is nothing to compare."
