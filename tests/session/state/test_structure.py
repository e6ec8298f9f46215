import numpy as np
import pytest

from linkwise import Links, load
from linkwise.session.events.kinds import KINDS
from linkwise.session.state.structure import (
    Change,
    apply_changes,
    halve,
    names_joined,
    split_margins,
)

N_ROWS = 60


@pytest.fixture(scope="module")
def matrix(template):
    return load(template / "model", mmap=True).ensemble_.labels


def split(cluster=0, rows=None, new=3, halves=((), ())):
    payload = {"cluster": cluster, "rows": rows, "new": new, "halves": [list(h) for h in halves]}
    return Change(1, KINDS["split"].effect, payload)


def test_the_margin_of_a_split_is_the_difference_of_the_shared_partitions(matrix):
    first, second = [0, 3, 7], [21, 40]
    margins = split_margins(split(halves=(first, second)), matrix)
    blocks = matrix.array
    for row in range(N_ROWS):
        shared = [
            np.mean([[block[row] == block[other] for block in blocks] for other in half])
            for half in (first, second)
        ]
        assert np.isclose(margins[row], shared[1] - shared[0], atol=0.01)


def test_named_rows_leave_whatever_they_share(matrix):
    margins = split_margins(split(rows=[5], halves=([0, 1, 2], [5])), matrix)
    assert margins[5] > 1


def test_linked_rows_take_one_side_together():
    labels, links = np.zeros(4, dtype=np.int64), Links(4, must=[(0, 1)])
    margins = np.array([0.5, -0.4, -0.1, 0.2], dtype=np.float32)

    def after(links):
        changed = apply_changes(labels, (split(),), {}, links, lambda _, rows: margins[rows])
        return changed.tolist()

    assert after(links) == [3, 3, 0, 3]
    assert after(Links(4)) == [3, 0, 0, 3]


def test_a_change_to_a_cluster_that_is_gone_has_no_effect():
    labels = np.array([0, 1, 2])
    changes = (split(cluster=7, new=8), Change(2, KINDS["merge"].effect, {"clusters": [1, 7]}))
    changed = apply_changes(
        labels, changes, {}, Links(3), lambda _, rows: np.ones(3, np.float32)[rows]
    )
    assert changed.tolist() == [0, 1, 2]


def test_a_merge_keeps_the_smallest_number():
    merge = Change(1, KINDS["merge"].effect, {"clusters": [1, 2]})
    merged = apply_changes(np.array([0, 1, 2, 1]), (merge,), {}, Links(4), None)
    assert merged.tolist() == [0, 1, 1, 1]


def test_a_merge_of_different_names_has_no_effect():
    merge = Change(1, KINDS["merge"].effect, {"clusters": [1, 2]})
    labels = np.array([0, 1, 2, 1])

    def merged(**rows):
        names = {name: np.array(given) for name, given in rows.items()}
        return apply_changes(labels, (merge,), names, Links(4), None).tolist()

    assert merged(a=[1], b=[2]) == [0, 1, 2, 1]
    assert merged(a=[1, 3], b=[0]) == [0, 1, 1, 1]
    assert names_joined(labels, merge, {"b": np.array([2]), "a": np.array([1])}) == ["a", "b"]
    assert names_joined(labels, split(cluster=1), {"a": np.array([1])}) == []


def test_two_means_part_two_groups(matrix):
    first, second = halve(np.arange(40), None, matrix)  # the first two groups of twenty
    sides = [{row // 20 for row in half} for half in (first, second)]
    assert sorted(map(sorted, sides)) == [[0], [1]]


def test_rows_that_never_differ_are_halved_all_the_same(matrix):
    same = np.array([0, 1])
    first, second = halve(same, None, matrix)
    assert sorted([*first, *second]) == [0, 1]
    assert len(first) == len(second) == 1


def test_given_rows_stand_against_the_rest(matrix):
    first, second = halve(np.arange(20), [3, 4], matrix)
    assert second == [3, 4]
    assert first == [row for row in range(20) if row not in (3, 4)]


def test_the_margins_of_some_rows_are_those_of_all(matrix):
    change = split(rows=[5, 9], halves=([0, 1, 2], [5, 9]))
    rows = np.array([1, 5, 8, 30, 49])
    assert np.array_equal(split_margins(change, matrix, rows), split_margins(change, matrix)[rows])
