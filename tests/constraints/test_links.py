"""Links as a value: immutable, sliced with the rows, an algebra."""

import copy
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import sklearn
from drawn_links import entailed, is_consistent, links
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.utils import _safe_indexing, indexable, resample

from linkwise.constraints import Links
from linkwise.errors import InvalidLinks

quick = settings(deadline=None, max_examples=80)


# -- a value ---------------------------------------------------------------------------------


def test_links_know_their_size():
    links = Links(4, must=[(0, 1)], cannot=[(1, 2), (2, 3)])
    assert (len(links), links.shape, links.n_samples, links.n_links) == (4, (4,), 4, 3)
    assert repr(links) == "Links(n_samples=4, must=1, cannot=2)"
    assert links.linked_rows.tolist() == [0, 1, 2, 3]
    assert Links(4).linked_rows.tolist() == []


def test_arrays_have_the_types_kernels_rely_on():
    links = Links(4, must=[(1, 0)], cannot=np.array([[3, 2]], dtype=np.uint8))
    assert links.must.dtype == links.cannot.dtype == np.int64
    assert links.weight.dtype == np.float64
    assert links.components().dtype == links.linked_rows.dtype == np.int64


def test_nothing_can_be_changed():
    links = Links(4, must=[(0, 1)], cannot=[(1, 2)])
    with pytest.raises(FrozenInstanceError):
        links.must = np.empty((0, 2))
    for array in (links.must, links.cannot, links.weight):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_changing_the_arrays_given_does_not_change_the_links():
    must, weight = np.array([[0, 1]]), np.array([2.0])
    links = Links(4, must=must, weight=weight)
    must[0], weight[0] = (2, 3), 9
    assert links == Links(4, must=[(0, 1)], weight=[2])


@quick
@given(links())
def test_copies_and_pickles_are_equal_and_immutable(links):
    for twin in (pickle.loads(pickle.dumps(links)), copy.copy(links), copy.deepcopy(links)):
        assert twin == links
        assert hash(twin) == hash(links)
        assert not twin.must.flags.writeable
        assert not twin.weight.flags.writeable


def test_links_differ_in_rows_kind_pairs_and_weight():
    different = [
        Links(4),
        Links(5),
        Links(4, must=[(0, 1)]),
        Links(4, cannot=[(0, 1)]),
        Links(4, must=[(0, 2)]),
        Links(4, must=[(0, 1)], weight=[2]),
    ]
    assert len(set(different)) == len(different)
    assert Links(4) != "Links(4)"
    assert Links(4, must=[(0, 1)], weight=[-0.0]) in {Links(4, must=[(0, 1)], weight=[0.0])}


# -- sliced with the rows --------------------------------------------------------------------


def restrict_slowly(links, rows):
    """Return links[rows] by looking at every pair of selected rows."""
    given = {("must", i, j): w for (i, j), w in zip(links.must.tolist(), links.weight)}  # noqa: B905
    apart = links.weight[len(links.must) :]
    given |= {("cannot", i, j): w for (i, j), w in zip(links.cannot.tolist(), apart, strict=True)}
    found = {"must": [], "cannot": []}
    for a, i in enumerate(rows):
        for b, j in enumerate(rows[:a]):
            for kind, pairs in found.items():
                if (kind, min(i, j), max(i, j)) in given:
                    pairs.append((b, a, given[kind, min(i, j), max(i, j)]))
    weight = [w for pairs in found.values() for *_, w in pairs]
    must, cannot = ([pair[:2] for pair in pairs] for pairs in found.values())
    return Links(len(rows), must, cannot, weight)


def drawn_rows(n, **kwargs):
    return st.lists(st.integers(0, n - 1), max_size=10, **kwargs) if n else st.just([])


@quick
@given(links(), st.data())
def test_restriction_keeps_the_links_between_selected_rows_and_their_copies(links, data):
    rows = data.draw(drawn_rows(len(links)))
    assert links[rows] == restrict_slowly(links, rows)


@quick
@given(links(), st.data())
def test_restricting_twice_is_restricting_once(links, data):
    outer = np.array(data.draw(drawn_rows(len(links))), dtype=int)
    inner = data.draw(drawn_rows(len(outer)))
    assert links[outer][inner] == links[outer[inner]]


@quick
@given(links(), st.data())
def test_restriction_to_a_permutation_is_undone_by_its_inverse(links, data):
    order = np.array(data.draw(st.permutations(range(len(links)))), dtype=int)
    assert links[order][np.argsort(order)] == links


class Remembers(ClusterMixin, BaseEstimator):
    """Keeps the constraints it was fitted with, and checks that they fit the rows."""

    __metadata_request__fit = {"constraints": True}  # noqa: RUF012

    def __init__(self, shift=0):
        self.shift = shift

    def fit(self, X, y=None, constraints=None):  # noqa: ARG002
        self.rows_, self.constraints_ = X[:, 0].astype(int), constraints
        return self

    def score(self, X, y=None):  # noqa: ARG002
        return -abs(self.shift)


def test_scikit_learn_slices_links_along_with_the_rows():
    X = np.arange(30.0).reshape(-1, 1)
    links = Links.sample(np.arange(30) % 3, 200, random_state=0)
    sliced, _ = indexable(links, X)
    assert sliced is links
    assert _safe_indexing(links, [3, 4, 5]) == links[[3, 4, 5]]
    assert _safe_indexing(links, slice(2, 9)) == links[2:9]
    drawn, rows = resample(links, X, random_state=0)
    assert drawn == links[rows[:, 0].astype(int)]
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_validate(
            Remembers(), X, cv=KFold(5), params={"constraints": links}, return_estimator=True
        )
        search = GridSearchCV(Remembers(), {"shift": [1, 0]}, cv=3).fit(X, constraints=links)
    for (train, _), estimator in zip(KFold(5).split(X), found["estimator"], strict=True):
        assert estimator.rows_.tolist() == train.tolist()
        assert estimator.constraints_ == links[train]
        assert estimator.constraints_.n_links < links.n_links
    assert search.best_params_ == {"shift": 0}
    assert search.best_estimator_.constraints_ == links


# -- an algebra ------------------------------------------------------------------------------


@quick
@given(links(n_samples=5), links(n_samples=5), links(n_samples=5))
def test_union_commutes_associates_and_is_idempotent(a, b, c):
    assert a | b == b | a
    assert (a | b) | c == a | (b | c)
    assert a | a == a
    assert a | Links(5) == a


@quick
@given(links(n_samples=5), links(n_samples=5), st.data())
def test_restriction_distributes_over_union(a, b, data):
    rows = data.draw(drawn_rows(5))
    assert (a | b)[rows] == a[rows] | b[rows]


@quick
@given(links(n_samples=5), links(n_samples=5))
def test_without_leaves_exactly_the_pairs_the_other_lacks(a, b):
    def pairs(links):
        return set(map(tuple, links.must.tolist())), set(map(tuple, links.cannot.tolist()))

    left = a.without(b)
    assert pairs(left) == tuple(mine - theirs for mine, theirs in zip(pairs(a), pairs(b)))  # noqa: B905
    assert left | a == a
    assert (a | b).without(b) == a.without(b)


def test_links_about_different_rows_do_not_mix():
    message = "these links describe 3 rows, the others 4: they are about different data."
    for mix in (lambda: Links(3) | Links(4), lambda: Links(3).without(Links(4))):
        with pytest.raises(InvalidLinks) as error:
            mix()
        assert str(error.value) == message
    with pytest.raises(TypeError):
        Links(3) | [(0, 1)]


# -- links and labels ------------------------------------------------------------------------


@quick
@given(links(), st.data())
def test_satisfied_tells_link_by_link_what_a_clustering_keeps(links, data):
    n = len(links)
    labels = data.draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=n, max_size=n))
    expected = [labels[i] == labels[j] for i, j in links.must.tolist()]
    expected += [labels[i] != labels[j] for i, j in links.cannot.tolist()]
    assert links.satisfied(labels).tolist() == expected
    assert links.satisfied(labels).dtype == bool


def test_satisfied_wants_a_label_for_every_row():
    with pytest.raises(InvalidLinks) as error:
        Links(4, must=[(0, 1)]).satisfied([0, 0])
    assert str(error.value) == "labels must be one per row, of shape (4,), got shape (2,)."


@quick
@given(links())
def test_the_signed_graph_holds_every_link_both_ways(links):
    expected = np.zeros((len(links), len(links)))
    sign = np.repeat([1.0, -1.0], [len(links.must), len(links.cannot)])
    pairs = np.concatenate((links.must, links.cannot)).tolist()
    for (i, j), weight in zip(pairs, sign * links.weight, strict=True):
        expected[i, j] += weight
        expected[j, i] += weight
    graph = links.signed_graph()
    assert graph.format == "csr"
    assert (graph.toarray() == expected).all()


@quick
@given(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=8))
def test_links_from_labels_entail_exactly_all_pairs_of_labelled_rows(y):
    links = Links.from_labels(y)
    together, apart = entailed(links)
    pairs = [(i, j) for j in range(len(y)) for i in range(j) if None not in (y[i], y[j])]
    assert together == {frozenset(pair) for pair in pairs if y[pair[0]] == y[pair[1]]}
    assert apart == {frozenset(pair) for pair in pairs if y[pair[0]] != y[pair[1]]}
    n_classes = len(set(y) - {None})
    assert len(links.must) == len(y) - y.count(None) - n_classes
    assert len(links.cannot) == n_classes * (n_classes - 1) // 2


def test_labels_that_are_all_different_are_refused_before_memory_is_full():
    with pytest.raises(InvalidLinks) as error:
        Links.from_labels(np.arange(1_000_000))
    assert str(error.value) == (
        "labels name 1000000 classes: keeping them apart takes 499999500000 cannot-links, "
        "and 10000000 is the most. Group them into fewer classes."
    )


@quick
@given(links(max_samples=5, max_links=10))
def test_conflicts_are_empty_exactly_when_some_labelling_keeps_all_links(links):
    assert (not links.conflicts()) == is_consistent(links)


@given(links())
def test_iterating_gives_every_link_once_must_first(drawn):
    listed = list(drawn)
    assert [(i, j) for i, j, kind, _ in listed if kind == "must"] == list(
        map(tuple, drawn.must.tolist())
    )
    assert [link.weight for link in listed] == drawn.weight.tolist()
    again = Links(
        len(drawn),
        [link[:2] for link in listed if link.kind == "must"],
        [link[:2] for link in listed if link.kind == "cannot"],
        [link.weight for link in listed],
    )
    assert again == drawn


@given(links(), st.data())
def test_plus_is_union(drawn, data):
    part = Links(len(drawn), drawn.must[: data.draw(st.integers(0, len(drawn.must)))])
    assert drawn + part == drawn | part
    assert sum([part, drawn]) == part | drawn
    with pytest.raises(TypeError, match=r"for \+: 'Links' and 'int'"):
        drawn + 1
    with pytest.raises(TypeError, match=r"for \+: 'int' and 'Links'"):
        1 + drawn
