"""Rows that have a name are in its cluster, and clusters are called as their rows are."""

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linkwise import Links
from linkwise.session.journal.journal import Record
from linkwise.session.journal.log import Log
from linkwise.session.state.labelling import State
from linkwise.session.state.names import cluster_names, keep_names

N = 12


def kept(labels, names, links=None, n_clusters=3):
    labels = np.array(labels)
    rows = {name: np.array(given) for name, given in names.items()}
    keep_names(labels, rows, Links(len(labels)) if links is None else links, n_clusters)
    return labels.tolist()


def called(events, labels):
    log = Log()
    log.extend(
        [
            Record(seq, kind, json.dumps(payload), "", "", None)
            for seq, (kind, payload) in enumerate(events, 1)
        ]
    )
    state = State.of(log, log.n, N, 3)
    return cluster_names(state.statements, state.changes, np.array(labels))


def test_names_that_hold_change_nothing():
    assert kept([0, 0, 1, 2], {"a": [0, 1], "b": [3]}) == [0, 0, 1, 2]
    assert kept([0, 0, 1, 2], {}) == [0, 0, 1, 2]


def test_a_name_is_where_most_of_its_rows_are():
    assert kept([0, 0, 1, 2], {"a": [0, 1, 3]}) == [0, 0, 1, 0]


def test_two_names_part_even_where_a_cluster_has_to_be_found():
    assert kept([0, 0, 0, 2], {"a": [0, 1], "b": [2], "c": [3]}) == [0, 0, 1, 2]


def test_rows_that_belong_to_a_row_that_moves_follow_it():
    links = Links(5, must=[(2, 4), (2, 3)])
    assert kept([0, 0, 0, 0, 0], {"a": [0, 1], "b": [2]}, links)[2:] == [1, 1, 1]
    assert kept([0, 0, 0, 0, 0], {"a": [0, 1, 3], "b": [2]}, links)[2:] == [1, 0, 1]


@given(
    st.lists(st.integers(0, 3), min_size=N, max_size=N),
    st.dictionaries(st.integers(0, N - 1), st.sampled_from("abcd"), min_size=1),
)
def test_every_name_has_a_cluster_of_its_own(labels, name_of):
    names = {
        name: sorted(row for row in name_of if name_of[row] == name)
        for name in sorted(set(name_of.values()))
    }
    after = np.array(kept(labels, names, n_clusters=4))
    homes = [set(after[rows].tolist()) for rows in names.values()]
    assert all(len(home) == 1 for home in homes)
    assert len(set.union(*homes)) == len(homes)
    unnamed = [row for row in range(N) if row not in name_of]
    assert (after[unnamed] == np.array(labels)[unnamed]).all()


def test_the_last_word_about_a_cluster_is_its_name():
    label, rename = ("label", {"rows": [3], "name": "a"}), ("rename", {"cluster": 1, "name": "x"})
    labels = [0, 0, 0, 1, *[2] * 8]
    assert called([label], labels) == {1: "a"}
    assert called([label, rename], labels) == {1: "x"}
    assert called([rename, label], labels) == {1: "a"}
    assert called([label, rename, ("undo", {"event": 2})], labels) == {1: "a"}


def test_a_name_moves_with_its_rows():
    events = [("label", {"rows": [3, 4], "name": "a"})]
    assert called(events, [0] * 3 + [1] * 9) == {1: "a"}
    assert called(events, [0] * 3 + [2] * 9) == {2: "a"}


def renamed(cluster, name, rows, instead=None):
    return "rename", {"cluster": cluster, "name": name, "rows": rows, "instead": instead}


def test_the_name_of_a_cluster_stays_with_the_rows_that_carried_it():
    events = [renamed(1, "eights", [3, 4, 5])]
    assert called(events, [0] * 3 + [1] * 9) == {1: "eights"}
    assert called(events, [1] * 3 + [0] * 9) == {0: "eights"}
    assert called(events, [1] * 3 + [2, 2, 0] + [1] * 6) == {2: "eights"}


def test_of_two_names_in_one_cluster_the_one_that_more_rows_carry_is_told():
    one, other = renamed(0, "ones", [0, 1, 2]), renamed(1, "eights", [3, 4])
    assert called([one, other], [0] * 3 + [1] * 9) == {0: "ones", 1: "eights"}
    assert called([one, other], [0] * 12) == {0: "ones"}
    assert called([other, one], [0] * 12) == {0: "ones"}


def test_a_cluster_renamed_again_has_its_latest_name_whoever_carries_it():
    first, again = renamed(0, "ones", [0, 1, 2]), renamed(0, "elevens", [1], instead="ones")
    assert called([first, again], [0] * 12) == {0: "elevens"}
    assert called([first, again, ("undo", {"event": 2})], [0] * 12) == {0: "ones"}


def test_no_two_clusters_have_the_name_of_rows_that_cannot_be_in_the_one_renamed():
    """Cluster 0 was renamed, and is by now that of rows with another name."""
    events = [renamed(0, "x", [0, 1, 2]), ("label", {"rows": [0, 1, 2], "name": "y"})]
    events += [("label", {"rows": [9], "name": "x"})]
    assert called(events, [0] * 6 + [1] * 6) == {0: "y", 1: "x"}
    assert called([*events, renamed(0, "x", [3, 4, 5])], [0] * 6 + [1] * 6) == {0: "y", 1: "x"}


def test_names_from_before_rows_carried_them_stay_with_their_numbers():
    events = [("rename", {"cluster": k, "name": "x"}) for k in (0, 2)]
    assert called(events, [0] * 6 + [2] * 6) == {0: "x", 2: "x"}
