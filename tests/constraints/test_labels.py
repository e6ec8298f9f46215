"""PartialLabels as a value: any names, sliced with the rows, turned into links and back."""

import copy
import pickle
import re
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from drawn_links import entailed, links
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, cross_validate

from linkwise.constraints import Links, PartialLabels
from linkwise.errors import Contradiction, InvalidInput, InvalidLinks

quick = settings(deadline=None, max_examples=80)
drawn_labels = st.lists(st.sampled_from(["a", "b", "c", None]), max_size=9)


@pytest.mark.parametrize(
    ("labels", "classes", "codes"),
    [
        (["b", None, "a", "b"], ["a", "b"], [1, -1, 0, 1]),
        (np.array(["b", "a", "b"]), ["a", "b"], [1, 0, 1]),
        (np.array(["b", "-1", "a"]), ["a", "b"], [1, -1, 0]),
        (["b", -1, "a"], ["a", "b"], [1, -1, 0]),
        (["b", "-1", None, "a"], ["a", "b"], [1, -1, -1, 0]),
        (np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64), [2**64 - 2, 2**64 - 1], [1, 0]),
        ([3, -1, 7], [3, 7], [0, -1, 1]),
        ([10**12, 5, 10**12], [5, 10**12], [1, 0, 1]),
        (np.array([3, 200], dtype=np.uint8), [3, 200], [0, 1]),
        (np.array([-100, 100, -1], dtype=np.int8), [-100, 100], [0, 1, -1]),
        ([0, None, np.nan, 1], [0, 1], [0, -1, -1, 1]),
        ([1.0, np.nan, 2.0], [1, 2], [0, -1, 1]),
        ([1.0, None, 2.0], [1, 2], [0, -1, 1]),
        ([1.5, np.nan, -1.0], [1.5], [0, -1, -1]),
        ([True, False, True], [False, True], [1, 0, 1]),
        ([True, None, False], [False, True], [1, -1, 0]),
        ([np.str_("b"), np.str_("a")], ["a", "b"], [1, 0]),
        ([2, "a", None, "b"], [2, "a", "b"], [0, 1, -1, 2]),
        (pd.Series(["b", None, "a"], index=[7, 8, 9]), ["a", "b"], [1, -1, 0]),
        (pd.Series([2, None, 1], dtype="Int64"), [1, 2], [1, -1, 0]),
        (pd.Series(["b", pd.NA, "a"], dtype="category"), ["a", "b"], [1, -1, 0]),
        (pl.Series(["b", None, "a"]), ["a", "b"], [1, -1, 0]),
        (pl.Series([2**60, None, 1]), [1, 2**60], [1, -1, 0]),
        (pl.Series(["b", "a"], dtype=pl.Categorical), ["a", "b"], [1, 0]),
        (pa.array(["b", None, "a"]), ["a", "b"], [1, -1, 0]),
        (pa.chunked_array([["b", None], ["a"]]), ["a", "b"], [1, -1, 0]),
        (pa.array([True, None, False]), [False, True], [1, -1, 0]),
        (pa.array([2.0, -1.0, None]), [2], [0, -1, -1]),
        ([], [], []),
        ([None, -1], [], [-1, -1]),
    ],
    ids=str,
)
def test_labels_of_any_kind_are_sorted_and_numbered(labels, classes, codes):
    partial = PartialLabels(labels)
    assert partial.classes.tolist() == classes
    assert [type(name) for name in partial.classes.tolist()] == [type(name) for name in classes]
    assert partial.codes.tolist() == codes
    assert partial.codes.dtype == np.int64
    assert partial.known.tolist() == [code >= 0 for code in codes]
    assert partial.n_known == sum(code >= 0 for code in codes)


@pytest.mark.parametrize("unknown", [-1, None, "?", np.nan])
def test_empty_text_is_no_class(unknown):
    for names in (["a", "", " ", "b"], np.array(["a", "", " ", "b"]), ["a", "", None, "b"]):
        labels = PartialLabels(names, unknown=unknown)
        assert labels.codes.tolist() == [0, -1, -1, 1]
    assert PartialLabels(["", 3, " ", 4], unknown=unknown).classes.tolist() == [3, 4]
    assert PartialLabels.of_rows({0: "a", 2: ""}, 4).codes.tolist() == [0, -1, -1, -1]


def test_anything_may_stand_for_unknown():
    assert PartialLabels(["a", "?", "b"], unknown="?").codes.tolist() == [0, -1, 1]
    assert PartialLabels([0, 9, 1], unknown=9).codes.tolist() == [0, -1, 1]
    assert PartialLabels(["None", "a"], unknown=None).classes.tolist() == ["None", "a"]
    assert PartialLabels([True, False], unknown=0).classes.tolist() == [False, True]
    assert PartialLabels([-1, 1, -1], unknown=None).classes.tolist() == [-1, 1]
    assert PartialLabels([-1, 1, 0], unknown="?").classes.tolist() == [-1, 0, 1]
    assert PartialLabels([0.0, 9.0, 1.0], unknown=np.nan).classes.tolist() == [0, 1, 9]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("abc", "labels must be one label per row, got 'abc'."),
        (3, "labels must be one label per row, got 3."),
        (None, "labels must be one label per row, got None."),
        ({1: 2}, "labels must be one label per row, got {1: 2}."),
        (
            np.zeros((2, 2)),
            "labels must be one label per row, of shape (n_samples,), got shape (2, 2).",
        ),
        ([(0, 1), (2, 3)], "labels[0] = (0, 1) is not a single label."),
        (["a", ["b"]], "labels[1] = ['b'] is not a single label."),
    ],
)
def test_what_is_not_one_label_per_row_is_refused(labels, message):
    with pytest.raises(InvalidLinks) as error:
        PartialLabels(labels)
    assert str(error.value) == message


def test_labels_are_a_value():
    labels = PartialLabels(["cat", None, "dog"])
    assert (len(labels), labels.shape) == (3, (3,))
    assert repr(labels) == "PartialLabels(n_samples=3, known=2, classes=2)"
    assert labels == PartialLabels(["cat", -1, "dog"])
    assert labels != PartialLabels(["cat", None, "cow"])
    assert labels != PartialLabels(["cat", "cat", "dog"])
    assert labels != ["cat", None, "dog"]
    assert len({labels, PartialLabels(["cat", -1, "dog"])}) == 1
    with pytest.raises(FrozenInstanceError):
        labels.codes = np.zeros(3)
    for array in (labels.codes, labels.classes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_changing_the_array_given_does_not_change_the_labels():
    given_labels = np.array([0, 1, -1])
    labels = PartialLabels(given_labels)
    given_labels[:] = 1
    assert labels == PartialLabels([0, 1, -1])


@quick
@given(drawn_labels)
def test_copies_and_pickles_of_labels_are_equal_and_immutable(y):
    labels = PartialLabels(y)
    for twin in (pickle.loads(pickle.dumps(labels)), copy.copy(labels), copy.deepcopy(labels)):
        assert twin == labels
        assert not twin.codes.flags.writeable
        assert not twin.classes.flags.writeable


@quick
@given(drawn_labels)
def test_the_labels_come_back_as_they_were_given(y):
    assert PartialLabels(y).labels.tolist() == y


@quick
@given(drawn_labels, st.data())
def test_slicing_labels_is_slicing_what_they_were_made_of(y, data):
    rows = data.draw(st.lists(st.integers(0, len(y) - 1))) if y else []
    assert PartialLabels(y)[rows] == PartialLabels([y[row] for row in rows])


class Remembers(BaseEstimator):
    """Keeps the constraints it was fitted with."""

    __metadata_request__fit = {"constraints": True}  # noqa: RUF012

    def fit(self, X, y=None, constraints=None):  # noqa: ARG002
        self.constraints_ = constraints
        return self

    def score(self, X, y=None):  # noqa: ARG002
        return 0.0


def test_scikit_learn_slices_labels_along_with_the_rows():
    X, labels = np.arange(9.0).reshape(-1, 1), PartialLabels(list("abcabcabc"))
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_validate(
            Remembers(), X, cv=KFold(3), params={"constraints": labels}, return_estimator=True
        )
    for (train, _), estimator in zip(KFold(3).split(X), found["estimator"], strict=True):
        assert estimator.constraints_ == labels[train]


# -- labels and links ------------------------------------------------------------------------


@quick
@given(drawn_labels)
def test_labels_turn_into_links_and_back_up_to_names(y):
    labels = PartialLabels(y)
    known = labels.known.copy()
    if labels.n_known == 1:  # a single labelled row is in no link
        known[:] = False
    back = PartialLabels.from_links(labels.to_links())
    first = list(dict.fromkeys(labels.codes[known].tolist()))
    assert back.codes[known].tolist() == [first.index(code) for code in labels.codes[known]]
    assert (back.codes[~known] == -1).all()


@quick
@given(links(weighted=False))
def test_links_are_read_as_labels_exactly_if_they_decide_every_pair_of_linked_rows(links):
    assume(not links.conflicts())
    together, apart = entailed(links)
    rows = links.linked_rows.tolist()
    undecided = [
        (i, j) for i in rows for j in rows if i < j and frozenset((i, j)) not in together | apart
    ]
    if not undecided:
        assert PartialLabels.from_links(links).to_links().closure() == links.closure()
        return
    with pytest.raises(InvalidLinks) as error:
        PartialLabels.from_links(links)
    named = re.search(r"rows (\d+) and (\d+) belong", str(error.value))
    assert (int(named[1]), int(named[2])) in undecided


def test_links_that_say_too_little_are_refused_with_two_rows_as_example():
    links = Links(9, must=[(2, 5)], cannot=[(2, 7), (4, 7)])
    with pytest.raises(InvalidLinks) as error:
        PartialLabels.from_links(links)
    assert str(error.value) == (
        "Labels cannot be recovered from links alone. "
        "Nothing says whether rows 2 and 4 belong together: link them, or give labels."
    )
    with pytest.raises(InvalidLinks) as error:
        PartialLabels.from_links(links, reader="PartitionKMeans")
    assert str(error.value) == (
        "PartitionKMeans reads PartialLabels, got Links. "
        "Labels cannot be recovered from links alone. "
        "Nothing says whether rows 2 and 4 belong together: link them, or give labels."
    )


def test_contradictory_links_are_not_read_as_labels():
    with pytest.raises(Contradiction) as error:
        PartialLabels.from_links(Links(9, must=[(3, 5), (5, 8)], cannot=[(3, 8)]))
    assert str(error.value) == (
        "rows 3 and 8 are must-linked through 3-5, 5-8 and cannot-linked by cannot[0]. "
        "Drop one of the three."
    )


# -- a few rows of many ----------------------------------------------------------------------


@given(st.dictionaries(st.integers(0, 9), st.sampled_from(["a", "b", "c"])))
def test_labels_of_some_rows_are_labels_with_gaps(names):
    labels = PartialLabels([names.get(row) for row in range(10)], unknown=None)
    assert PartialLabels.of_rows(names, 10) == labels


@given(
    st.dictionaries(st.integers(0, 9), st.sampled_from(["a", "b"])),
    st.dictionaries(st.integers(0, 9), st.sampled_from(["b", "c"])),
)
def test_both_together_know_what_either_knows(some, more):
    one, other = (PartialLabels.of_rows(names, 10) for names in (some, more))
    clashes = [row for row in sorted(some.keys() & more.keys()) if some[row] != more[row]]
    if clashes:
        with pytest.raises(InvalidLinks, match=f"row {clashes[0]} is labelled"):
            one | other
    else:
        assert one | other == PartialLabels.of_rows(some | more, 10)


def test_labels_of_rows_that_are_not_there_are_refused():
    with pytest.raises(InvalidInput, match=re.escape("rows[1] = 5 points outside the 5 rows")):
        PartialLabels.of_rows({0: "a", 5: "b"}, 5)


@quick
@given(drawn_labels, st.data())
def test_labels_given_in_parts_are_the_labels(labels, data):
    whole = PartialLabels(labels)
    part = np.array(data.draw(st.lists(st.booleans(), min_size=len(labels), max_size=len(labels))))
    one = PartialLabels([a if p else None for a, p in zip(labels, part, strict=True)])
    rest = PartialLabels([None if p else a for a, p in zip(labels, part, strict=True)])
    assert one | rest == rest | one == whole | rest == whole
    assert whole.without(one) == rest
    assert rest.extended(len(labels) + 3)[: len(labels)] == rest


@pytest.mark.parametrize(
    ("was", "now", "shown"),
    [("cat", "dog", "'cat' already and now 'dog'"), (1, 2, "1 already and now 2")],
)
def test_a_row_with_two_labels_is_refused(was, now, shown):
    with pytest.raises(InvalidLinks) as caught:
        PartialLabels([None, was]) | PartialLabels(["any", now])
    assert str(caught.value) == (
        f"row 1 is labelled {shown}. Take the first label back before giving another."
    )


def test_labels_of_different_kinds_can_be_given_one_after_the_other():
    both = PartialLabels(["cat", None]) | PartialLabels([None, 3])
    assert both.labels.tolist() == ["cat", 3]


def test_labels_about_another_number_of_rows_are_refused():
    for join in (PartialLabels.__or__, PartialLabels.without):
        with pytest.raises(InvalidLinks) as caught:
            join(PartialLabels(["a"]), PartialLabels(["a", "b"]))
        assert str(caught.value) == "one set of labels describes 1 rows, the other 2."
