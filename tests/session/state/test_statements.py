import json
from dataclasses import replace
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linkwise import Links, PartialLabels
from linkwise.cluster.sequential.answers import CONFIRMED
from linkwise.session.journal.journal import Record
from linkwise.session.journal.log import Log
from linkwise.session.state.statements import (
    RowSet,
    Statements,
    events_of_pair,
    read_statements,
    unsure_pairs,
)

N = 8
N_MANY = 3_000


def records_of(events):
    return [
        Record(seq, kind, json.dumps(payload), "", "", None)
        for seq, (kind, payload) in enumerate(events, 1)
    ]


def statements(events):
    log = Log()
    log.extend(records_of(events))
    return read_statements(log, log.n, log.standing(log.n), N)


def links(events):
    return statements(events).links()


rows = st.integers(0, N - 1)
answers = st.builds(
    lambda pair, verdict: ("answer", {"i": pair[0], "j": pair[1], "verdict": verdict}),
    st.lists(rows, min_size=2, max_size=2, unique=True),
    st.sampled_from(["same", "different", "unsure"]),
)
labels = st.builds(
    lambda chosen, name: ("label", {"rows": sorted(chosen), "name": name}),
    st.sets(rows, min_size=1, max_size=4),
    st.sampled_from(["a", "b", "c"]),
)
sets = st.builds(
    lambda chosen: ("together", {"rows": sorted(chosen)}), st.sets(rows, min_size=2, max_size=4)
)


@given(st.lists(st.one_of(answers, labels, sets), max_size=12), st.randoms())
def test_the_order_of_statements_does_not_matter(events, random):
    shuffled = list(events)
    random.shuffle(shuffled)
    assert links(events) == links(shuffled)


@given(st.lists(labels, max_size=6))
def test_labels_entail_what_links_from_labels_entail(events):
    y = np.full(N, None, dtype=object)
    for _, payload in events:
        for row in payload["rows"]:
            if y[row] not in (None, payload["name"]):
                return  # one row, two names: a contradiction, told elsewhere
            y[row] = payload["name"]
    ours, theirs = links(events).closure(), Links.from_labels(y).closure()
    assert np.array_equal(ours.must, theirs.must)
    assert len(ours.cannot) == 0  # nothing joins two names, so nothing need keep them apart
    assert np.array_equal(statements(events).all_links().closure().cannot, theirs.cannot)


def contradictory(held):
    """Return the groups of rows within which something is kept apart."""
    component = held.components()
    apart = component[held.cannot]
    return set(apart[apart[:, 0] == apart[:, 1]][:, 0].tolist())


@given(st.lists(st.one_of(answers, labels, sets), max_size=14))
def test_names_contradict_where_links_between_all_pairs_of_them_would(events):
    said = statements(events)
    first = [rows[0] for rows in said.names.values()]
    everything = said.together() | Links(N, cannot=list(combinations(first, 2)))
    assert contradictory(said.links()) == contradictory(everything)
    assert contradictory(said.all_links()) == contradictory(everything)


def test_many_names_are_few_links():
    said = Statements(
        N_MANY,
        *(np.empty(0, dtype=np.int64) for _ in range(3)),
        np.empty(0, dtype=bool),
        tuple(RowSet(k + 1, f"name {k}", np.array([k])) for k in range(N_MANY)),
    )
    assert said.links().n_links == 0
    assert said.clashes() == []
    twice = replace(said, sets=(*said.sets, RowSet(N_MANY + 1, "other", np.arange(N_MANY))))
    assert len(twice.clashes()) == N_MANY


@given(st.lists(labels, min_size=1, max_size=6))
def test_a_row_of_two_names_has_neither(events):
    names = {}
    for _, payload in events:
        for row in payload["rows"]:
            names.setdefault(row, set()).add(payload["name"])
    twice = {row for row, held in names.items() if len(held) > 1}
    said = statements(events)
    assert twice == {row for _, _, rows in said.clashes() for row in rows.tolist()}
    clear = {row: held.pop() for row, held in names.items() if row not in twice}
    assert said.told(3).labels == PartialLabels.of_rows(clear, N)
    assert not said.links().conflicts()


@given(st.lists(st.one_of(answers, labels, sets), max_size=12), st.randoms())
def test_the_order_of_statements_does_not_matter_to_the_model(events, random):
    shuffled = list(events)
    random.shuffle(shuffled)
    assert statements(events).told(2) == statements(shuffled).told(2)


def test_the_weight_is_how_often_it_was_said():
    same = {"i": 1, "j": 2, "verdict": "same"}
    said = links([("answer", same), ("answer", same | {"i": 2, "j": 1}), ("answer", same)])
    assert said.must.tolist() == [[1, 2]]
    assert said.weight.tolist() == [3.0]


def test_rows_put_together_are_confirmed():
    told = statements([("together", {"rows": [1, 4, 6]})]).told(3)
    assert told.links.must.tolist() == [[1, 4], [4, 6]]
    assert (told.links.weight >= CONFIRMED).all()
    assert told.labels.n_known == 0


def test_names_are_told_as_labels_and_not_as_links():
    events = [("label", {"rows": [1, 4], "name": "a"}), ("label", {"rows": [6], "name": "b"})]
    told = statements([*events, ("answer", {"i": 1, "j": 2, "verdict": "same"})]).told(3)
    assert told.links == Links(N, must=[(1, 2)])
    assert told.labels == PartialLabels.of_rows({1: "a", 4: "a", 6: "b"}, N)


def test_of_more_names_than_clusters_those_with_fewest_rows_become_links():
    events = [
        ("label", {"rows": [0, 1], "name": "few"}),
        ("label", {"rows": [2, 3, 4], "name": "more"}),
        ("label", {"rows": [5, 6, 7], "name": "many"}),
    ]
    told = statements(events).told(2)
    assert told.labels.classes.tolist() == ["many", "more"]
    assert told.links == Links(N, must=[(0, 1)], weight=[CONFIRMED])
    assert statements(events).told(3).links == Links(N)


def test_unsure_says_nothing_but_is_remembered():
    log = Log()
    log.extend(records_of([("answer", {"i": 5, "j": 2, "verdict": "unsure"})]))
    assert links([("answer", {"i": 5, "j": 2, "verdict": "unsure"})]).n_links == 0
    assert unsure_pairs(log, 1, log.standing(1)).tolist() == [[2, 5]]


def test_the_events_of_a_pair_are_found_through_answers_and_sets():
    said = statements(
        [
            ("answer", {"i": 1, "j": 2, "verdict": "same"}),
            ("together", {"rows": [1, 2, 3]}),
            ("answer", {"i": 2, "j": 1, "verdict": "different"}),
            ("label", {"rows": [5], "name": "a"}),
            ("label", {"rows": [6], "name": "b"}),
        ]
    )
    assert events_of_pair(said, 2, 1, same=True) == [1, 2]
    assert events_of_pair(said, 1, 2, same=False) == [3]
    assert events_of_pair(said, 5, 6, same=False) == [4, 5]


def test_statements_about_some_rows_leave_the_others_out():
    said = statements(
        [
            ("answer", {"i": 1, "j": 2, "verdict": "same"}),
            ("answer", {"i": 1, "j": 7, "verdict": "same"}),
            ("together", {"rows": [2, 6]}),
            ("together", {"rows": [5, 6]}),
        ]
    )
    some = said.about(np.array([1, 2]))
    assert some.seq.tolist() == [1]
    assert [one.seq for one in some.sets] == [3]
