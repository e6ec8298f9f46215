"""All names of rows that are not there are told at once, with their lines and what was meant."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwise.constraints import Links, PartialLabels
from linkwise.constraints.near_names import MOST_COMPARED, NearNames
from linkwise.errors import ConstraintWarning, Remedy, UnknownRows

FLOWERS = [f"flower-{k:03}" for k in range(1, 31)]


def refused(call, *args, **kwargs):
    with pytest.raises(UnknownRows) as caught:
        call(*args, **kwargs)
    return caught.value


def test_all_unknown_ids_are_told_with_lines_and_near_matches(tmp_path):
    path = tmp_path / "said.csv"
    path.write_text(
        "i,j,kind\nflower-001,flower-2,same\nrose,flower-001,same\n\nFlower_003,rose,different\n"
    )
    error = refused(Links.read, path, 30, FLOWERS)
    assert str(error) == (
        "said.csv: 3 names are not among the 30 ids: 'flower-2' (line 2; like 'flower-002'), "
        "'rose' (line 3, line 5), 'Flower_003' (line 5; like 'flower-003'). "
        "Leave such entries out with skip_unknown=True."
    )
    words = {Remedy.SKIP_UNKNOWN: "use --skip-unknown"}
    assert error.worded(words, "yours.csv").endswith("'flower-003'). Use --skip-unknown.")
    assert error.worded(words, "yours.csv").startswith("yours.csv: 3 names")


def test_one_unknown_id_is_told_with_its_line(tmp_path):
    path = tmp_path / "said.csv"
    path.write_text("i,j,kind\nflower-001,flwer-002,same\nflwer-002,flower-001,same\n")
    assert str(refused(Links.read, path, 30, FLOWERS)) == (
        "said.csv line 2: 'flwer-002' is not among the 30 ids. Did you mean 'flower-002'? "
        "It stands in 1 more place. Leave such entries out with skip_unknown=True."
    )


def test_all_row_numbers_outside_are_told(tmp_path):
    path = tmp_path / "said.csv"
    path.write_text("i,j,kind\n0,7,same\n1,9,same\nx,2,cannot\n")
    assert str(refused(Links.read, path, 3)) == (
        "said.csv: 3 names are not among the row numbers of the 3 rows (0 to 2): '7' (line 2), "
        "'9' (line 3), 'x' (line 4). Give ids= if rows go by id, or leave such entries out with "
        "skip_unknown=True."
    )


def test_of_very_many_unknown_ids_the_first_are_told():
    said = pd.DataFrame({"i": [f"x{k}" for k in range(40)], "j": "flower-001", "kind": "same"})
    assert "'x9' (row 9) and 30 more. Leave" in str(refused(Links.from_frame, said, FLOWERS))


def test_unknown_rows_are_skipped_where_that_is_wanted(tmp_path):
    path = tmp_path / "said.csv"
    path.write_text("i,j,kind\nann,bob,same\nann,zoe,same\nbob,eve,different\n")
    with pytest.warns(ConstraintWarning) as caught:
        links = Links.read(path, 3, ["ann", "bob", "eve"], skip_unknown=True)
    assert links == Links(3, [(0, 1)], [(1, 2)])
    assert str(caught[0].message) == (
        "said.csv: 1 of 3 entries was skipped because it names rows that are not there: 'zoe'."
    )
    path.write_text("id,label\nann,x\nzoe,y\n")
    assert "line 3: 'zoe' is not among the 3 ids." in str(
        refused(PartialLabels.read, path, 3, ["ann", "bob", "eve"])
    )
    with pytest.warns(ConstraintWarning, match="1 of 2 entries was skipped"):
        labels = PartialLabels.read(path, 3, ["ann", "bob", "eve"], skip_unknown=True)
    assert labels == PartialLabels(["x", None, None])


def test_what_follows_skipped_entries_keeps_its_line(tmp_path):
    path = tmp_path / "said.csv"
    path.write_text("i,j,kind\nann,zoe,same\nann,bob,unsure\nbob,bob,same\n")
    with pytest.warns(ConstraintWarning), pytest.raises(ValueError, match="line 4: 'bob'"):
        Links.read(path, 2, ["ann", "bob"], skip_unknown=True)


def test_pairs_in_memory_may_go_by_id():
    people = ["ann", "bob", "eve"]
    links = Links(3, must=[("eve", "ann")], cannot=[("bob", "eve")], weight=[2, 3], ids=people)
    assert links == Links(3, [(0, 2)], [(1, 2)], [2, 3])
    assert Links(3, must=pd.DataFrame([(7, 9)]).to_numpy(), ids=[7, 8, 9]).must.tolist() == [[0, 2]]
    error = refused(Links, 3, [("ann", "bib")], [("eve", "zoe")], ids=people)
    assert str(error) == ("2 names are not among the 3 ids: 'bib' (must[0]), 'zoe' (cannot[0]).")
    assert str(refused(Links, 3, [("ann", "Bob")], ids=people)) == (
        "must[0]: 'Bob' is not among the 3 ids. Did you mean 'bob'?"
    )
    with pytest.raises(ValueError, match=r"must\[0\] = 'ann' is not a pair of ids."):
        Links(3, must=["ann"], ids=people)
    with pytest.raises(ValueError, match=r"must must be pairs of ids such as .* got 'ann'."):
        Links(3, must="ann", ids=people)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=8, unique=True), st.data())
def test_a_near_name_is_always_one_that_is_known(known, data):
    near = NearNames(known)
    found = near.near(data.draw(st.text(max_size=8)))
    assert found is None or found in known


def test_two_letters_that_changed_places_are_found_in_short_names_too():
    near = NearNames(["ann", "bob", "kim", "?"])
    assert [near.near(name) for name in ("bbo", "kmi", "nan", "!?", "")] == [
        "bob",
        "kim",
        "ann",
        None,
        None,
    ]


def test_among_very_many_names_only_spelling_is_compared():
    near = NearNames(f"row {k}" for k in range(MOST_COMPARED + 1))
    assert near.near("Row-0017") == "row 17"
    assert near.near("rwo 17") == "row 17"
    assert near.near("rw 17") is None


def test_names_in_a_data_frame_that_comes_without_ids_are_told_apart_from_numbers():
    said = pd.DataFrame({"i": ["ann", "bob"], "j": ["bob", "eve"], "kind": ["same", "same"]})
    with pytest.raises(UnknownRows) as caught:
        Links.from_frame(said)
    assert str(caught.value) == (
        "the data frame: 3 names are not numbers: 'ann' (row 0), 'bob' (row 0, row 1), 'eve' "
        "(row 1). Give ids= if rows go by id, or leave such entries out with skip_unknown=True."
    )
