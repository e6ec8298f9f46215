import pytest

from linkwise.session.errors import InvalidEvent
from linkwise.session.events.event import Entry, encode, request
from linkwise.session.events.kinds import check_entry

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
            "kind is 'guess', expected one of answer, label, together, undo, rename, merge, split.",
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
            "answer has no field 'weight', it has i, j, verdict, guess.",
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
    assert request(asked | {"guess": "different"}) == encode(asked)
