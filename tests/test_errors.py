"""Errors about files are data that callers put into their own words."""

import pickle

from linkwise.errors import Advice, InvalidFile, Remedy

GAP = InvalidFile(
    "t.csv",
    " line 3: a gap.",
    Advice(Remedy.FILL_IN),
    Advice(Remedy.REMOVE_ROW),
    Advice(Remedy.LEAVE_COLUMN_OUT, "b{x}"),
)


def test_an_error_about_a_file_is_a_sentence_that_fits_everywhere():
    assert str(GAP) == ("t.csv line 3: a gap. Fill it in, remove the row, or leave the column out.")
    assert str(InvalidFile("t.csv", " is empty.")) == "t.csv is empty."


def test_a_caller_has_words_and_names_of_its_own():
    words = {Remedy.LEAVE_COLUMN_OUT: "use --drop {name}"}
    assert GAP.worded(words, "people.csv") == (
        "people.csv line 3: a gap. Fill it in, remove the row, or use --drop b{x}."
    )


def test_an_error_about_a_file_survives_a_trip_between_processes():
    twin = pickle.loads(pickle.dumps(GAP))
    assert (str(twin), twin.advice) == (str(GAP), GAP.advice)
