"""Links in data frames of every kind."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from drawn_links import links
from hypothesis import given, settings
from pyarrow import parquet

import linkwise as lw
from linkwise.constraints import Links
from linkwise.ensemble import as_source
from linkwise.errors import ConstraintWarning, InvalidInput

quick = settings(deadline=None, max_examples=30)
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("backend", FRAMES)
@quick
@given(links())
def test_links_come_back_from_a_data_frame_of_every_kind(backend, drawn):
    frame = drawn.to_frame(backend=backend)
    assert isinstance(frame, pa.Table if backend == "pyarrow" else FRAMES[backend])
    assert Links.from_frame(frame, n_samples=len(drawn)) == drawn
    ids = [f"x{k}" for k in range(len(drawn))]
    assert Links.from_frame(drawn.to_frame(ids, backend=backend), ids) == drawn


@pytest.mark.parametrize("backend", FRAMES)
def test_the_columns_of_a_data_frame_may_have_any_names(backend):
    frame = FRAMES[backend]({"a": [0, 1], "b": [1, 3], "said": ["same", "different"], "w": [2, 3]})
    read = Links.from_frame(frame, left="a", right="b", kind="said", weight="w")
    assert read == Links(4, [(0, 1)], [(1, 3)], [2, 3])


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (
            [(0, 1)],
            "expected a data frame, such as one of pandas, polars or pyarrow, got list.",
        ),
        (
            pl.LazyFrame({"i": [0]}),
            "expected a data frame that is all there, got LazyFrame. Call collect() first.",
        ),
        (
            {"i": [0], "j": [1]},
            "the data frame has no column 'kind', it has 'i', 'j'. "
            "Name them with left=, right= and kind=.",
        ),
        (
            {"i": [0, 1], "j": [1, 1], "kind": ["must", "must"]},
            "the data frame's row 1: 1 is linked to itself.",
        ),
        (
            {"i": ["x"], "j": [1], "kind": ["must"]},
            "the data frame's row 0: 'x' is not a row number. "
            "Give ids= if rows go by id, or leave such entries out with skip_unknown=True.",
        ),
    ],
    ids=str,
)
def test_mistakes_in_a_data_frame_are_named_by_its_row(frame, complaint):
    given_frame = pd.DataFrame(frame) if isinstance(frame, dict) else frame
    with pytest.raises(InvalidInput) as caught:
        Links.from_frame(given_frame)
    assert str(caught.value) == complaint


def test_an_unknown_kind_of_data_frame_is_refused():
    with pytest.raises(InvalidInput) as caught:
        Links(2).to_frame(backend="excel")
    assert str(caught.value) == ("backend is 'excel', expected 'pandas', 'polars' or 'pyarrow'.")


@pytest.mark.parametrize(
    "column", [pd.Series, pl.Series, pa.array, lambda v: pa.chunked_array([v])]
)
def test_ids_may_be_a_column_of_any_kind(column):
    said = pd.DataFrame({"i": ["x"], "j": ["z"], "kind": ["must"]})
    assert Links.from_frame(said, column(["x", "y", "z"])) == Links(3, must=[(0, 2)])
    said = pd.DataFrame({"i": [20], "j": [30], "kind": ["must"]})
    assert Links.from_frame(said, column([10, 20, 30])) == Links(3, must=[(1, 2)])


@pytest.mark.parametrize("backend", FRAMES)
def test_whole_numbers_that_became_floats_are_rows_and_ids(backend, tmp_path):
    said = FRAMES[backend]({"i": [0.0, 1.0], "j": [1.0, 3.0], "kind": ["same", "no"]})
    assert Links.from_frame(said) == Links(4, [(0, 1)], [(1, 3)])
    assert Links.from_frame(said, [3, 0, 1]) == Links(3, [(1, 2)], [(2, 0)])
    assert Links.from_frame(said, np.array([3.0, 0.0, 1.0])) == Links(3, [(1, 2)], [(2, 0)])
    table = {"i": [0.0, None, 1.0], "j": [1.0, 1.0, 3.0], "kind": ["same", "unsure", "no"]}
    parquet.write_table(pa.table(table), tmp_path / "said.parquet")
    with pytest.warns(ConstraintWarning, match="1 of 3 entries is unsure"):
        assert Links.read(tmp_path / "said.parquet", 4) == Links(4, [(0, 1)], [(1, 3)])
    half = FRAMES[backend]({"i": [0.5], "j": [1.0], "kind": ["same"]})
    with pytest.raises(InvalidInput, match=r"row 0: 0.5 is not a row number."):
        Links.from_frame(half)


@pytest.mark.parametrize("kind", FRAMES)
def test_rows_and_labels_of_any_data_frame_give_the_same_clusters(kind):
    columns = {"a": [0.0, 1.0, 8.0, 9.0, 4.0], "b": [0.0, 0.5, 0.0, 0.5, 9.0]}
    labels = FRAMES[kind]({"label": ["x", None, "y", None, "x"]})["label"]
    model = lw.SeededKMeans(2, random_state=0)
    expected = model.fit(
        np.column_stack(list(columns.values())), constraints=["x", None, "y", None, "x"]
    )
    found = lw.SeededKMeans(2, random_state=0).fit(FRAMES[kind](columns), constraints=labels)
    assert np.array_equal(found.labels_, expected.labels_)
    source = as_source(FRAMES[kind](columns))
    assert source.read(1, 3).tolist() == [[1.0, 0.5], [8.0, 0.0]]


@pytest.mark.parametrize(
    ("ids", "complaint"),
    [
        (4, "ids must be the id of each row, got 4. n_samples says how many rows there are."),
        ("name", "ids must be the id of each row, got 'name'."),
    ],
)
def test_a_number_of_rows_or_a_column_in_place_of_ids_is_told(ids, complaint):
    frame = pl.DataFrame({"i": [0], "j": [1], "kind": ["same"]})
    with pytest.raises(InvalidInput) as refused:
        Links.from_frame(frame, ids)
    assert str(refused.value) == complaint


def test_a_misspelt_column_is_asked_about(tmp_path):
    frame = pl.DataFrame({"person": [0], "other": [1], "verdict": ["same"]})
    names = {"left": "persn", "right": "other", "kind": "verdict"}
    with pytest.raises(InvalidInput) as refused:
        Links.from_frame(frame, **names)
    assert str(refused.value) == (
        "the data frame has no column 'persn', it has 'person', 'other', 'verdict'. "
        "Did you mean 'person'?"
    )
    (tmp_path / "said.csv").write_text("person,other,verdict\n0,1,same\n")
    with pytest.raises(InvalidInput) as refused:
        Links.read(tmp_path / "said.csv", 2, **names)
    assert str(refused.value) == (
        "said.csv line 1: the columns must be persn, other, verdict, got 'person', 'other', "
        "'verdict'. Did you mean 'person'?"
    )
