"""Must-links contracted, against rules applied pair by pair."""

from itertools import combinations

import numpy as np
import pytest
from drawn_links import entailed, links
from hypothesis import given, settings
from numpy.testing import assert_allclose

from linkwise.constraints import Links
from linkwise.constraints.groups import Groups, count_groups, sums_by_group

quick = settings(deadline=None, max_examples=60)
EITHER = pytest.mark.parametrize("make", [Groups.of, Groups.of_all_rows])


@pytest.fixture
def groups():
    return Groups.of(Links(9, must=[(2, 7), (7, 8)], cannot=[(5, 7), (2, 5), (4, 5)]))


@quick
@given(links())
def test_linked_rows_share_a_group_exactly_when_must_links_entail_it(links):
    groups = Groups.of(links)
    together, _ = entailed(Links(links.n_samples, links.must))
    assert groups.rows.tolist() == sorted({*links.must.ravel(), *links.cannot.ravel()})
    for (a, i), (b, j) in combinations(enumerate(groups.rows), 2):
        assert (groups.group[a] == groups.group[b]) == (frozenset((i, j)) in together)


@quick
@given(links())
def test_groups_of_all_rows_are_the_components(links):
    groups = Groups.of_all_rows(links)
    assert groups.rows.tolist() == list(range(links.n_samples))
    assert groups.group.tolist() == links.components().tolist()


@EITHER
@quick
@given(links=links())
def test_group_numbers_have_no_gaps_and_sizes_count_their_rows(make, links):
    groups = make(links)
    assert sorted(set(groups.group.tolist())) == list(range(groups.n_groups))
    assert groups.sizes.tolist() == [
        len(groups.members(number)) for number in range(groups.n_groups)
    ]
    assert groups.sizes.sum() == len(groups.rows)


@EITHER
@quick
@given(links=links())
def test_groups_are_apart_exactly_when_a_cannot_link_lies_between_them(make, links):
    groups = make(links)
    group_of = dict(zip(groups.rows.tolist(), groups.group.tolist(), strict=True))
    ends = {tuple(sorted((group_of[i], group_of[j]))) for i, j in links.cannot.tolist()}
    assert groups.apart.tolist() == sorted([a, b] for a, b in ends if a != b)


@EITHER
@quick
@given(links=links())
def test_separation_is_the_heaviest_cannot_link_between_two_groups(make, links):
    groups = make(links)
    weight = links.weight[len(links.must) :]
    expected = np.zeros((groups.n_groups, groups.n_groups))
    group_of = dict(zip(groups.rows.tolist(), groups.group.tolist(), strict=True))
    for (i, j), w in zip(links.cannot.tolist(), weight, strict=True):
        a, b = group_of[i], group_of[j]
        if a != b:
            expected[a, b] = expected[b, a] = max(expected[a, b], w)
    found = groups.separation(weight)
    assert found.toarray().tolist() == expected.tolist()
    assert found.nnz == np.count_nonzero(expected)


@EITHER
@quick
@given(links=links())
def test_sums_and_means_run_over_the_rows_of_each_group(make, links):
    groups = make(links)
    values = np.random.default_rng(0).normal(size=(links.n_samples, 3))
    each = [values[groups.members(number)] for number in range(groups.n_groups)]
    own = values[groups.rows]
    assert_allclose(groups.sums(own), np.reshape([v.sum(axis=0) for v in each], (-1, 3)))
    assert_allclose(groups.means(own), np.reshape([v.mean(axis=0) for v in each], (-1, 3)))


def test_a_worked_example_reads_as_expected(groups):
    assert groups.rows.tolist() == [2, 4, 5, 7, 8]
    assert groups.group.tolist() == [0, 1, 2, 0, 0]
    assert groups.members(0).tolist() == [2, 7, 8]
    assert groups.apart.tolist() == [[0, 2], [1, 2]]
    assert groups.separation().toarray().tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    assert groups.links == Links(5, must=[(0, 3), (3, 4)], cannot=[(2, 3), (0, 2), (1, 2)])


def test_nothing_linked_is_no_group():
    groups = Groups.of(Links(5))
    assert (groups.n_groups, groups.apart.shape) == (0, (0, 2))
    assert groups.separation().shape == (0, 0)
    assert groups.sums(np.empty((0, 4))).shape == groups.means(np.empty((0, 4))).shape == (0, 4)


def test_sums_of_small_numbers_are_kept_in_float64():
    values = np.array([[1e8], [1.0], [1.0]], dtype=np.float32)
    group = np.zeros(3, dtype=int)
    assert sums_by_group(values, group, count_groups(group)).tolist() == [[1e8 + 2.0]]
