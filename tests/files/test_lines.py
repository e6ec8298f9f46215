"""Files of texts, one a line."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwise.errors import InvalidFile
from linkwise.files.arrow import read_arrow


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_every_line_is_a_row(tmp_path, end, encoding):
    text = end.join(["Größe", "", " zwei, drei ", "", ""])
    (tmp_path / "t.txt").write_bytes(text.encode(encoding))
    assert read_arrow(tmp_path / "t.txt").to_pydict() == {"line": ["Größe", None, "zwei, drei"]}


def test_packed_lines_are_read_in_the_encoding_that_was_told(tmp_path):
    (tmp_path / "t.txt.gz").write_bytes(gzip.compress("Ёлка\n".encode("cp1251")))
    assert read_arrow(tmp_path / "t.txt.gz", encoding="cp1251")["line"].to_pylist() == ["Ёлка"]


def test_a_file_without_a_line_is_refused(tmp_path):
    (tmp_path / "t.txt").write_text("\n \n")
    with pytest.raises(InvalidFile) as caught:
        read_arrow(tmp_path / "t.txt")
    assert str(caught.value) == "t.txt has no line of text."


def test_packed_json_lines_are_read(tmp_path):
    (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress(b'{"a": 1}\n{"a": 2}\n'))
    assert read_arrow(tmp_path / "t.jsonl.gz").to_pydict() == {"a": [1, 2]}


words = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\x1a")).map(str.strip)


@settings(deadline=None, max_examples=50)
@given(st.lists(words, min_size=1).filter(lambda lines: lines[-1] != ""))
def test_lines_come_back_as_they_were(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("lines") / "t.txt"
    path.write_bytes("\n".join(lines).encode("utf-8-sig"))
    assert read_arrow(path)["line"].to_pylist() == [line or None for line in lines]
