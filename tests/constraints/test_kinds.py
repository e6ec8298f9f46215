"""The words people have for links are understood wherever links are read."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from linkwise.cli.session_commands.many import read_answers
from linkwise.constraints import Links
from linkwise.constraints.kinds import WORDS, verdict_of
from linkwise.errors import ConstraintWarning, InvalidLinks

SAYS = {
    "Same": "same",
    " must-link ": "same",
    "MUST_LINK": "same",
    "must link": "same",
    "1": "same",
    "1.0": "same",
    "TRUE": "same",
    "Yes": "same",
    "Different": "different",
    "cannot_link": "different",
    "-1": "different",
    "0": "different",
    "False": "different",
    "no": "different",
    "Unsure": "unsure",
    "?": "unsure",
}


@pytest.mark.parametrize("word", [*SAYS, *WORDS])
def test_a_word_means_the_same_in_frames_files_and_answers(tmp_path, word):
    verdict = SAYS.get(word) or WORDS[word]
    pairs = pd.DataFrame({"i": [0, 0], "j": [1, 2], "kind": ["must", word]})
    must = [(0, 1), (0, 2)] if verdict == "same" else [(0, 1)]
    expected = Links(3, must, [(0, 2)] if verdict == "different" else [])
    path = tmp_path / "said.csv"
    pairs.to_csv(path, index=False)
    parquet.write_table(pa.table(pairs), tmp_path / "said.parquet")
    reads = [
        lambda: Links.from_frame(pairs, n_samples=3),
        lambda: Links.read(path, 3),
        lambda: Links.read(tmp_path / "said.parquet", 3),
    ]
    for read in reads:
        if verdict == "unsure":
            with pytest.warns(ConstraintWarning, match="1 of 2 entries is unsure and was skip"):
                assert read() == expected
        else:
            assert read() == expected
    assert read_answers(str(path)) == [("0", "1", "same"), ("0", "2", verdict)]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("kinds", [[True, False], [1, 0], [1, -1], [1.0, 0.0], [np.True_, False]])
def test_truth_values_and_numbers_are_kinds(frame, kinds):
    said = frame({"i": [0, 1], "j": [1, 2], "kind": [k.item() if hasattr(k, "item") else k
                                                     for k in kinds]})  # fmt: skip
    assert Links.from_frame(said) == Links(3, [(0, 1)], [(1, 2)])


def test_zero_beside_minus_one_is_refused_because_it_may_mean_unsure():
    said = pd.DataFrame({"i": [0, 1, 2], "j": [1, 2, 3], "kind": [1, -1, 0]})
    with pytest.raises(InvalidLinks) as caught:
        Links.from_frame(said)
    assert str(caught.value) == (
        "the data frame's row 2: kind 0 may mean different or unsure, because -1 is a kind here "
        "too. Write 'must', 'cannot' and 'unsure'."
    )


def test_the_guide_lists_every_word():
    guide = Path(__file__).parents[2] / "docs" / "command-line.md"
    rows = re.findall(
        r"^\| (same|different|nobody)[^|]*\| (.*) \|$", guide.read_text("utf-8"), re.M
    )
    told = {w: means for means, words in rows for w in re.findall("`(.*?)`", words)}
    assert told == {w: "nobody" if v == "unsure" else v for w, v in WORDS.items()}


@pytest.mark.parametrize("word", ["maybe", "", "2", "nan", None, 0.5])
def test_other_words_are_refused(word):
    assert verdict_of(word) is None


def test_json_files_have_no_columns_to_choose(tmp_path):
    path = tmp_path / "said.json"
    path.write_text(json.dumps({"format": "linkwise links", "version": 1, "must": [[0, 1]]}))
    with pytest.raises(InvalidLinks, match=r"a .json file of links has no columns to choose from"):
        Links.read(path, 2, left="a")


def test_the_columns_of_a_file_may_have_any_names(tmp_path):
    path = tmp_path / "said.csv"
    path.write_text("who,left id,right id,verdict,sure\nann,0,1,same,2\nbob,1,2,no,3\n")
    columns = {"left": "left id", "right": "right id", "kind": "verdict", "weight": "sure"}
    assert Links.read(path, 3, **columns) == Links(3, [(0, 1)], [(1, 2)], [2, 3])
    with pytest.raises(InvalidLinks) as caught:
        Links.read(path, 3, left="left")
    assert str(caught.value) == (
        "said.csv line 1: the columns must be left, j, kind, got 'who', 'left id', 'right id', "
        "'verdict', 'sure'."
    )
