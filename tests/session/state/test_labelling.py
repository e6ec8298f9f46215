"""State after k events is a pure function of the first k events: drawn histories."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwise import load
from linkwise.session.journal.journal import Record
from linkwise.session.journal.log import Log
from linkwise.session.state.labelling import Labeller, State
from linkwise.session.state.structure import halve

N_ROWS, N_CLUSTERS = 60, 3


def records_of(events):
    return [
        Record(seq, kind, json.dumps(payload), "", "", None)
        for seq, (kind, payload) in enumerate(events, 1)
    ]


@pytest.fixture(scope="module")
def model(template):
    return load(template / "model", mmap=True)


def labelled(model, events, at=None):
    log = Log()
    log.extend(records_of(events))
    n = log.n if at is None else at
    labelling = Labeller(model).label(State.of(log, n, N_ROWS, N_CLUSTERS))
    return labelling.labels.tobytes(), labelling.margins.tobytes(), labelling.names


rows = st.integers(0, N_ROWS - 1)
pairs = st.lists(rows, min_size=2, max_size=2, unique=True)
clusters = st.integers(0, N_CLUSTERS - 1)
answers = st.builds(
    lambda pair, verdict: ("answer", {"i": pair[0], "j": pair[1], "verdict": verdict}),
    pairs,
    st.sampled_from(["same", "different", "unsure"]),
)
labels = st.builds(
    lambda chosen, name: ("label", {"rows": sorted(chosen), "name": name}),
    st.sets(rows, min_size=1, max_size=5),
    st.sampled_from(["a", "b"]),
)
renames = st.builds(
    lambda cluster, name: ("rename", {"cluster": cluster, "name": name}),
    clusters,
    st.text("xy", min_size=1),
)
merges = st.builds(
    lambda chosen: ("merge", {"clusters": sorted(chosen)}), st.sets(clusters, min_size=2)
)
splits = st.builds(
    lambda cluster, some: ("split", {"cluster": cluster, "rows": sorted(some)}),
    clusters,
    st.sets(rows, min_size=1, max_size=5),
)
words = st.lists(st.one_of(answers, answers, labels, renames, merges, splits), max_size=12)


def numbered(events):
    """Give every split its number and halves, as the session does when it is recorded."""
    done, n = [], 0
    for kind, payload in events:
        if kind == "split":
            rest = [row for row in range(N_ROWS) if row not in payload["rows"]]
            halves = [rest[:50], payload["rows"]]
            payload = payload | {"new": N_CLUSTERS + n, "halves": halves}
            n += 1
        done.append((kind, payload))
    return done


@settings(max_examples=40, deadline=None)
@given(data=st.data(), events=words)
def test_undone_events_leave_no_trace(model, data, events):
    events = numbered(events)
    undone = data.draw(st.sets(st.integers(1, len(events)))) if events else set()
    history = events + [("undo", {"event": seq}) for seq in sorted(undone)]
    kept = [event for seq, event in enumerate(events, 1) if seq not in undone]
    assert labelled(model, history) == labelled(model, kept)


@settings(max_examples=20, deadline=None)
@given(events=words)
def test_undoing_everything_gives_the_first_labels_back(model, events):
    events = numbered(events)
    history = events + [("undo", {"event": seq}) for seq in range(1, len(events) + 1)]
    assert labelled(model, history) == labelled(model, [])


@settings(max_examples=20, deadline=None)
@given(data=st.data(), events=words)
def test_an_earlier_state_does_not_know_what_came_later(model, data, events):
    events = numbered(events)
    at = data.draw(st.integers(0, len(events)))
    later = events + [("undo", {"event": seq}) for seq in range(1, at + 1)]
    assert labelled(model, later, at) == labelled(model, events[:at])


@settings(max_examples=20, deadline=None)
@given(events=words)
def test_a_labeller_that_has_seen_every_state_agrees_with_a_new_one(model, events):
    events = numbered(events)
    log, used = Log(), Labeller(model)
    for record in records_of(events):
        log.extend([record])
        live = used.label(State.of(log, log.n, N_ROWS, N_CLUSTERS))
    if events:
        assert (live.labels.tobytes(), live.margins.tobytes(), live.names) == labelled(
            model, events
        )


@settings(max_examples=40, deadline=None)
@given(events=words)
def test_named_rows_are_in_the_cluster_of_their_name(model, events):
    log = Log()
    log.extend(records_of(numbered(events)))
    state = State.of(log, log.n, N_ROWS, N_CLUSTERS)
    final = Labeller(model).label(state).labels
    homes = [set(final[rows].tolist()) for rows in state.statements.names.values()]
    assert all(len(home) == 1 for home in homes)
    assert len(set.union(set(), *homes)) == len(homes)


def test_labels_take_two_bytes_beyond_256_clusters(model):
    halves = halve(list(range(N_ROWS)), [1, 2], model.ensemble_.labels)
    events = [
        ("split", {"cluster": 0, "rows": [1, 2], "new": N_CLUSTERS + k, "halves": halves})
        for k in range(254)
    ]
    log = Log()
    log.extend(records_of(events))
    labeller = Labeller(model)
    assert labeller.label(State.of(log, 253, N_ROWS, N_CLUSTERS)).labels.dtype == "uint8"
    assert labeller.label(State.of(log, 254, N_ROWS, N_CLUSTERS)).labels.dtype == "uint16"
