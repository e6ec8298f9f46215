import pytest

from linkwise.session.errors import InvalidEvent
from linkwise.session.events.event import Entry, Event, encode
from linkwise.session.events.fields import Cluster, Row
from linkwise.session.events.kinds import (
    KINDS,
    Effect,
    Kind,
    check_entry,
    complete_entry,
    in_words,
    request,
)
from linkwise.session.journal.log import _CODES

N = 10


def refusal(kind, payload, **more):
    with pytest.raises(InvalidEvent) as caught:
        check_entry(Entry(kind, payload, **more), N)
    return str(caught.value)


@pytest.mark.parametrize(
    ("kind", "payload", "sentence"),
    [
        (
            "guess",
            {},
            "kind is 'guess', expected one of answer, label, together, undo, rename, merge, split, "
            "recluster, nowhere, extend.",
        ),
        ("answer", [1, 2], "the payload of answer is [1, 2], not an object."),
        (
            "answer",
            {"i": 0, "j": 10, "verdict": "same"},
            "answer: j is 10, outside the 10 rows (0 to 9).",
        ),
        (
            "answer",
            {"i": 3, "j": 3, "verdict": "same"},
            "answer: i and j are both 3. An answer is about two different rows.",
        ),
        (
            "answer",
            {"i": -1, "j": 3, "verdict": "same"},
            "answer: i is -1, expected a whole number >= 0.",
        ),
        (
            "answer",
            {"i": True, "j": 3, "verdict": "same"},
            "answer: i is True, expected a whole number >= 0.",
        ),
        (
            "answer",
            {"i": 1, "j": 3, "verdict": "yes"},
            "answer: verdict is 'yes', expected same, different or unsure.",
        ),
        (
            "answer",
            {"i": 1, "j": 3, "verdict": ["same"]},
            "answer: verdict is ['same'], expected same, different or unsure.",
        ),
        (
            "answer",
            {"i": 1, "j": 3, "verdict": "same", "weight": 2},
            "answer has no field 'weight', it has i, j, verdict, guess, drawn.",
        ),
        (
            "label",
            {"rows": [], "name": "a"},
            "label: rows is [], expected a list of at least 1 whole number.",
        ),
        (
            "label",
            {"rows": [2, "3"], "name": "a"},
            "label: rows holds '3', expected whole numbers >= 0.",
        ),
        (
            "label",
            {"rows": [2, 30], "name": "a"},
            "label: rows holds 30, outside the 10 rows (0 to 9).",
        ),
        ("label", {"rows": [2], "name": "  "}, "label: name is '  ', expected some text."),
        ("label", {"rows": [2]}, "label: name is None, expected some text."),
        (
            "label",
            {"rows": [2], "name": "x" * 201},
            "name has 201 characters, at most 200 are kept.",
        ),
        (
            "label",
            {"rows": [2], "name": "a\x00b"},
            "name holds characters that are not text (NUL or half of a pair).",
        ),
        (
            "together",
            {"rows": [4, 4]},
            "together: rows names row 4 only, expected two rows or more.",
        ),
        ("undo", {"event": 0}, "undo: event is 0, expected a whole number >= 1."),
        (
            "merge",
            {"clusters": [1, 1]},
            "merge: clusters names cluster 1 only, expected two clusters or more.",
        ),
        (
            "merge",
            {"clusters": [1]},
            "merge: clusters is [1], expected a list of at least 2 whole numbers.",
        ),
        ("split", {"cluster": None}, "split: cluster is None, expected a whole number >= 0."),
    ],
)
def test_a_wrong_entry_is_refused_with_a_sentence(kind, payload, sentence):
    assert refusal(kind, payload) == sentence


def test_who_and_key_must_be_text():
    payload = {"i": 1, "j": 2, "verdict": "same"}
    assert refusal("answer", payload, who=None) == "who is None, expected text."
    assert refusal("answer", payload, key="") == "key is '', expected text."
    assert (
        refusal("answer", payload, who="\ud800")
        == "who holds characters that are not text (NUL or half of a pair)."
    )


def test_rows_are_kept_once_and_in_order():
    assert check_entry(Entry("together", {"rows": [5, 1, 5]}), N).payload == {"rows": [1, 5]}


def test_a_request_is_compared_without_what_the_session_added():
    asked = {"i": 1, "j": 2, "verdict": "same"}
    assert request("answer", asked | {"guess": "different"}) == encode(asked)


def test_the_order_of_the_kinds_is_kept_because_checkpoints_go_by_it():
    assert list(KINDS)[:7] == ["answer", "label", "together", "undo", "rename", "merge", "split"]


class Told:
    """A clustering that thinks all rows are different, or that is not there yet."""

    def __init__(self, guessed="different", drawn=None):
        self.guessed, self.drawn = guessed, drawn

    def guess(self, i, j):  # noqa: ARG002
        return self.guessed

    def was_drawn(self, i, j):  # noqa: ARG002
        return self.drawn

    def halves(self, cluster, rows):  # noqa: ARG002
        return [[1], rows or [2]]

    def carriers(self, cluster, name):  # noqa: ARG002
        return {"rows": [3, 5], "instead": "b"}


def test_the_session_adds_what_only_it_can_tell():
    answer = Entry("answer", {"i": 1, "j": 2, "verdict": "same"})
    assert complete_entry(answer, Told()).payload["guess"] == "different"
    assert complete_entry(answer, Told(None)) == answer
    assert complete_entry(answer, Told(None, drawn=True)).payload["drawn"] is True
    split = Entry("split", {"cluster": 0, "rows": [4]})
    assert complete_entry(split, Told()).payload["halves"] == [[1], [4]]
    rename = Entry("rename", {"cluster": 0, "name": "a"})
    assert complete_entry(rename, Told()).payload["rows"] == [3, 5]
    together = Entry("together", {"rows": [0, 1]})
    assert complete_entry(together, Told()) is together


@pytest.mark.parametrize(
    ("kind", "payload", "words"),
    [
        ("answer", {"i": 1, "j": 2, "verdict": "unsure"}, "b and c: unsure"),
        ("label", {"rows": [0, 1], "name": "birds"}, "a, b: birds"),
        ("together", {"rows": [0, 1, 2, 3, 4, 5, 6]}, "a, b, c, d, e and 2 more: belong together"),
        ("undo", {"event": 7}, "undo event 7"),
        ("rename", {"cluster": 3, "name": "birds"}, "cluster 3 is called birds"),
        ("merge", {"clusters": [1, 4]}, "merge clusters 1, 4"),
        ("split", {"cluster": 1, "rows": None, "new": 5}, "split cluster 1, the new one is 5"),
    ],
)
def test_every_event_reads_in_words(kind, payload, words):
    assert in_words(Event(1, kind, payload), "abcdefghij".__getitem__) == words


def test_the_clusters_that_a_payload_names_are_found():
    assert KINDS["merge"].clusters({"clusters": [2, 5]}) == [2, 5]
    assert KINDS["split"].clusters({"cluster": 2, "rows": [1]}) == [2]
    assert KINDS["label"].clusters({"rows": [1], "name": "a"}) == []


def test_a_new_kind_is_a_new_row(session, monkeypatch):
    leave = Kind(
        "leave",
        about="A row leaves its cluster.",
        payload="Put a row into a cluster.",
        fields={"row": Row(), "cluster": Cluster()},
        sentence=lambda said, called: f"{called(said['row'])} goes to {said['cluster']}",
        effect=Effect(
            relabel=lambda labels, said, _: labels.__setitem__(said["row"], said["cluster"])
        ),
    )
    monkeypatch.setitem(KINDS, "leave", leave)
    monkeypatch.setattr("linkwise.session.journal.log._NAMES", tuple(KINDS))
    monkeypatch.setitem(_CODES, "leave", len(_CODES))
    before = session.labels().copy()
    other = (int(before[4]) + 1) % 3
    event = session.say("leave", {"row": 4, "cluster": other})
    assert session.labels()[4] == other
    assert in_words(event, str) == f"4 goes to {other}"
    with pytest.raises(InvalidEvent) as caught:
        session.say("leave", {"row": 4, "cluster": 9})
    assert str(caught.value) == "leave: there is no cluster 9; they are numbered 0 to 2."
    session.undo(event.seq)
    assert (session.labels() == before).all()
