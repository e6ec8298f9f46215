"""The depth of JSON lines, found out without a parser."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwise.errors import InvalidFile
from linkwise.files import nesting
from linkwise.files.nesting import check_depth


def said(path, content, encoding="utf-8"):
    """Return how lines are refused; None where they are not."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    try:
        check_depth(path, encoding)
    except InvalidFile as refused:
        return str(refused)
    return None


@pytest.fixture
def path(tmp_path):
    return tmp_path / "t.jsonl"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize(("opens", "closes"), [('{"a": ', "}"), ("[", "]"), ("[\n", "]")])
def test_a_hundred_levels_are_taken_and_one_more_is_not(path, encoding, opens, closes):
    for n, refused in [
        (99, None),
        (100, "t.jsonl has values within values deeper than 100 levels."),
    ]:
        line = '{"ä": 1}\n{"b": ' + opens * n + "1" + closes * n + "}\n"
        assert said(path, line, encoding) == refused


def test_brackets_in_texts_are_no_levels(path):
    assert said(path, '{"a": "' + "[{" * 500 + '", "b\\"' + "[" * 500 + '": "\\\\"}\n') is None


def test_many_values_beside_each_other_are_no_levels(path):
    assert (
        said(path, b'{"a": [' + b"[1, 2], " * 5000 + b"[]]}\n" + b'{"a": [[1, 2]]}\n' * 200) is None
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("}\n" * 200 + "[" * 150, "it ends more than it began"),
        ('{"a": "b\n' + "[" * 150, "a text in quotes does not end on its line"),
    ],
)
def test_nothing_deep_hides_behind_a_flaw(path, line, why):
    assert said(path, line) == f"t.jsonl is not a JSON lines file linkwise can read: {why}."


def slow(text, most):
    """Tell whether a text is refused, letter by letter."""
    depth, quoted, escaped = 0, False, False
    for letter in text:
        if escaped and letter in '\\"':
            escaped = False
            continue
        escaped = False
        if letter == "\\":
            escaped = True
        elif quoted and letter == "\n":
            return True
        elif letter == '"':
            quoted = not quoted
        elif not quoted and letter in "[]{}":
            depth += 1 if letter in "[{" else -1
            if not 0 <= depth <= most:
                return True
    return False


@settings(max_examples=300, deadline=None)
@given(st.text('[]{}"\\\n1ä', max_size=40), st.integers(1, 9))
def test_pieces_of_any_size_are_read_as_letter_by_letter(tmp_path_factory, text, piece):
    path = tmp_path_factory.getbasetemp() / "t.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nesting, "_PIECE", piece)
        patch.setattr(nesting, "MOST_DEEP", 3)
        assert (said(path, text) is not None) == slow(text, 3)


def test_the_command_line_lives_to_say_so(path):
    path.write_bytes(b'{"a": ' + b"[" * 20_000 + b"1" + b"]" * 20_000 + b"}\n")
    code = "from linkwise.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", code, "cluster", "t.jsonl", "-k", "2", "-o", "out.csv"],
        cwd=path.parent,
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "t.jsonl has values within values deeper than 100 levels.\n"
