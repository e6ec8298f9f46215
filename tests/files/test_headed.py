"""What linkwise writes for itself says what it is, and is refused if it is something else."""

import json
import os

import numpy as np
import pytest

from linkwise.errors import InvalidFile, InvalidInput, MissingData
from linkwise.files.headed import Format, read_array, write_arrays

FORMAT = Format("linkwise thing", 2)


def test_what_is_written_comes_back(tmp_path):
    FORMAT.write(tmp_path / "thing.json", {"n": 3})
    assert (tmp_path / "thing.json").read_text() == (
        '{\n "format": "linkwise thing",\n "version": 2,\n "n": 3\n}\n'
    )
    assert FORMAT.read(tmp_path / "thing.json")["n"] == 3
    assert [path.name for path in tmp_path.iterdir()] == ["thing.json"]


def test_older_versions_are_read(tmp_path):
    (tmp_path / "thing.json").write_text('{"format": "linkwise thing", "version": 1}')
    assert FORMAT.read(tmp_path / "thing.json")["version"] == 1


def test_a_file_that_is_not_there_is_told_with_its_folder(tmp_path):
    with pytest.raises(MissingData) as caught:
        FORMAT.read(tmp_path / "thing.json")
    assert str(caught.value) == f"there is no thing in {tmp_path}: thing.json is missing."


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"{\n", " line 2: not valid JSON (Expecting property name enclosed in double quotes)."),
        (b"\xff", " is not text in UTF-8."),
        (b"[]", ': expected a JSON object with "format": "linkwise thing".'),
        (b'{"format": "x"}', ': expected a JSON object with "format": "linkwise thing".'),
        (
            json.dumps({"format": "linkwise thing", "version": 3}).encode(),
            ": version 3 is unknown; this linkwise reads versions 1 to 2. "
            "A newer linkwise may open it.",
        ),
        (
            json.dumps({"format": "linkwise thing", "version": "x"}).encode(),
            ": version 'x' is unknown; this linkwise reads versions 1 to 2.",
        ),
    ],
)
def test_another_file_is_refused(tmp_path, content, found):
    (tmp_path / "thing.json").write_bytes(content)
    with pytest.raises(InvalidFile) as caught:
        FORMAT.read(tmp_path / "thing.json")
    assert str(caught.value) == f"{tmp_path / 'thing.json'}{found}"


def test_arrays_come_back_and_missing_or_broken_ones_are_named(tmp_path):
    write_arrays(tmp_path, {"a": np.arange(3)})
    assert read_array(tmp_path, "a", "thing").tolist() == [0, 1, 2]
    with pytest.raises(MissingData) as caught:
        read_array(tmp_path, "b", "thing")
    assert str(caught.value) == f"the thing in {tmp_path} is not complete: b.npy is missing."
    path = tmp_path / "a.npy"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InvalidInput) as caught:
        read_array(tmp_path, "a", "thing")
    assert str(caught.value).startswith(f"{path} cannot be read as an array (")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes in folders")
def test_nobody_waits_for_a_pipe(tmp_path):
    for name in ("thing.json", "a.npy"):
        os.mkfifo(tmp_path / name)
    for read, name in (
        (lambda: FORMAT.read(tmp_path / "thing.json"), "thing.json"),
        (lambda: read_array(tmp_path, "a", "thing"), "a.npy"),
    ):
        with pytest.raises(InvalidFile) as caught:
            read()
        assert str(caught.value) == f"{tmp_path / name} is not a file."
