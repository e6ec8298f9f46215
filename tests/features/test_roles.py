"""What columns are taken for, and why."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from linkwise.errors import InvalidInput
from linkwise.features import Role, TableFeatures, guess_roles

N = 60
rng = np.random.default_rng(0)
WORDS = ["printer", "room", "nine", "broken", "again", "please", "send", "someone", "mend", "it"]

CASES = {
    "it counts the rows": (list(range(1, N + 1)), Role("id", "it counts the rows")),
    "counts, shuffled": (rng.permutation(N) + 100, Role("id", "it counts the rows")),
    "counts, as text": ([str(k) for k in range(N)], Role("id", "it counts the rows")),
    "counts, some gone": (
        [k for k in range(100, 170) if k % 7],
        Role("id", "it counts the rows, with gaps"),
    ),
    "counts, and a total": (
        [str(k) if k else "Total" for k in range(N)],
        Role("id", "it counts the rows"),
    ),
    "differ by chance": (
        [7, 1, 15, 4, 11, 9, 2, 13, 18, 5] + [None] * (N - 10),
        Role("number", "whole numbers"),
    ),
    "order_id": (
        rng.permutation(10**6)[:N],
        Role("id", "its name says so, and no two rows share a value"),
    ),
    "visits": (rng.integers(9, size=N), Role("number", "whole numbers")),
    "weight": (rng.normal(size=N), Role("number", "numbers")),
    "paid": ([True, False] * (N // 2), Role("category", "true or false")),
    "price": (
        ["3,5", "1.204,00", "n/a"] * (N // 3),
        Role("number", 'numbers written as text with a decimal comma such as "3,5"'),
    ),
    "cost": (
        ["$3.50", "1,204.00", "7"] * (N // 3),
        Role("number", 'numbers written as text such as "$3.50"'),
    ),
    "colour": (["red", "blue", None] * (N // 3), Role("category", "2 different values")),
    "empty": ([None] * N, Role("ignored", "it is empty")),
    "blank": (["", " ", "NA"] * (N // 3), Role("ignored", "it is empty")),
    "constant": ([7] * N, Role("ignored", "every row has the same value, 7")),
    "one text": (
        ["one text that is repeated in all of the rows"] * N,
        Role("ignored", 'every row has the same value, "one text that is repeated i..."'),
    ),
    "uuid": ([f"x{k * 7919:08x}" for k in range(N)], Role("id", "no two rows share a value")),
    "message": (
        [" ".join(rng.choice(WORDS, 8)) for _ in range(N)],
        Role("text", "text of 8 words on average"),
    ),
    "person": (
        [f"{a} {b}" for a in "abcdefghij" for b in "klmnop"],
        Role("text", "text of 2 words on average"),
    ),
    "city": ([f"city{k % 40}" for k in range(N)], Role("category", "40 different values")),
    "photo": (
        [f"{k % 9}.JPG" for k in range(N)],
        Role("picture", 'names of picture files such as "0.JPG"'),
    ),
    "day": (
        [datetime.date(2020, 1, 1 + k % 28) for k in range(N)],
        Role("date", "dates"),
    ),
    "written day": (
        [f"{1 + k % 28:02d}.03.2020" for k in range(N)],
        Role("date", 'dates written as text such as "01.03.2020"'),
    ),
    "two formats": (
        ["31.12.2020", "2020-12-30"] * (N // 2),
        Role("date", 'dates written as text in 2 formats such as "31.12.2020"'),
    ),
    "day in digits": (
        [20200301 + k % 28 for k in range(N)],
        Role("date", "dates written as numbers such as 20200301"),
    ),
    "day in digits, as text": (
        [None] + [f"202003{1 + k % 28:02d}" for k in range(N - 1)],
        Role("date", "dates written as numbers such as 20200301"),
    ),
    "digits that are no day": (
        [20200301 + 3 * k for k in range(N)],
        Role("number", "whole numbers"),
    ),
    "clock": (
        [f"{k % 24}:{k % 7}5" if k % 7 < 6 else "7:30:10" for k in range(N)],
        Role("number", 'times of day such as "0:05"'),
    ),
    "for ever": (
        [datetime.date(2020, 1, 1 + k) for k in range(28)] + [datetime.date(9999, 12, 31)] * 32,
        Role("date", "dates"),
    ),
    "embedding": ([[0.5, k, 2.0] for k in range(N)], Role("vector", "lists of 3 numbers")),
    "ragged": (
        [[1.0] * (1 + k % 3) for k in range(N)],
        Role("ignored", "its lists are of different lengths, 1 to 3"),
    ),
    "tags": ([["a", "b"]] * N, Role("ignored", "its values are lists of string")),
    "record": ([{"a": 1}] * N, Role("ignored", "its type is struct<a: int64>")),
}


@pytest.mark.parametrize("name", CASES)
def test_every_column_has_a_role_and_a_reason(name):
    values, expected = CASES[name]
    assert guess_roles(pa.table({name: pa.array(values)})) == {name: expected}


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_roles_do_not_depend_on_the_library(library):
    columns = {name: list(values) for name, (values, _) in CASES.items() if name != "tags"}
    found = guess_roles(library.DataFrame(columns))
    assert found == {name: CASES[name][1] for name in columns}


def test_values_of_several_types_are_read_as_they_are_written():
    frame = pd.DataFrame({"x": [1, "two", 3.5, None] * 10})
    assert guess_roles(frame) == {"x": Role("category", "3 different values")}


def test_a_few_values_that_are_no_numbers_do_not_make_a_category():
    frame = pd.DataFrame({"x": [str(k / 2) for k in range(99)] + ["unknown"]})
    features = TableFeatures().fit(frame)
    assert features.roles_["x"].name == "number"
    assert features.notes_ == ['"x": 1 of its values, "unknown", is no number.']


def test_dates_among_which_are_other_words_are_dates_and_one_of_these_is_shown():
    frame = pd.DataFrame({"d": [f"2020-03-{1 + k % 28:02d}" for k in range(98)] + ["soon", "late"]})
    features = TableFeatures().fit(frame)
    assert features.roles_["d"].name == "date"
    assert features.notes_ == ['"d": 2 of its values, such as "soon", are no dates.']


_COUNTS = [k * 7 % 13 for k in range(N)]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(_COUNTS, dtype="float16"),
        pd.Series(_COUNTS, dtype="Sparse[int64]"),
        pd.Series(np.array(_COUNTS, dtype=np.longdouble)),
        pd.Series([k * 10**29 for k in _COUNTS], dtype=object),
        pl.Series(_COUNTS, dtype=pl.Int128),
        pa.chunked_array([pa.array(_COUNTS, pa.float64()).cast(pa.float16())]),
        pa.RunEndEncodedArray.from_arrays(pa.array([20, N], pa.int32()), pa.array([1.0, 2.0])),
    ],
    ids=["half", "sparse", "long", "huge", "wide", "arrow's half", "runs"],
)
def test_numbers_of_types_that_few_know_are_numbers(column):
    maker = {"polars": pl.DataFrame, "pyarrow": pa.table}
    frame = maker.get(type(column).__module__.partition(".")[0], pd.DataFrame)({"x": column})
    features = TableFeatures()
    X = features.fit_transform(frame)
    assert features.roles_["x"].name == "number"
    assert "text" not in features.roles_["x"].reason
    assert np.unique(X).size == len(
        set(column.to_pylist() if hasattr(column, "to_pylist") else column)
    )


def test_numbers_too_long_for_any_float_stop_nobody():
    frame = pd.DataFrame({"x": [10**400, 1, 2, 3] * 10})
    assert np.isfinite(TableFeatures().fit_transform(frame)).all()


def test_numbers_that_the_data_frame_calls_categories_are_categories():
    zones = pd.Categorical([3, 1, 2, 3] * 5)
    frame = pd.DataFrame({"zone": zones, "stars": zones.as_ordered(), "n": [4, 1, 1, 5] * 5})
    features = TableFeatures().fit(frame)
    assert features.roles_["zone"] == Role("category", "the data frame says so")
    assert [features.roles_[name].name for name in ("stars", "n")] == ["number", "number"]
    made = [str(name) for name in features.get_feature_names_out()]
    assert sorted(made[:3]) == ["zone = 1", "zone = 2", "zone = 3"]
    plain = frame.astype({"zone": int})
    np.testing.assert_array_equal(features.transform(plain), features.transform(frame))


def test_a_table_without_columns_does_not_lack_rows():
    with pytest.raises(InvalidInput, match=r"^the table has no columns\.$"):
        TableFeatures().fit(pd.DataFrame(index=range(5)))


def test_a_single_row_has_a_single_value():
    assert guess_roles(pd.DataFrame({"x": ["red"]}))["x"].reason == "1 different value"


def test_people_know_better():
    frame = pd.DataFrame({"floor": [1, 2, 3, 1] * 5, "nr": range(20)})
    features = TableFeatures(roles={"floor": "category", "nr": "number"}).fit(frame)
    assert features.roles_ == {
        "floor": Role("category", "as told"),
        "nr": Role("number", "as told"),
    }
    assert list(features.get_feature_names_out()) == ["floor = 1", "floor = 2", "floor = 3", "nr"]


@pytest.mark.parametrize(
    ("roles", "sentence"),
    [
        ({"mesage": "text"}, 'the table has no column "mesage". Did you mean "message"?'),
        ({"zzz": "text"}, 'the table has no column "zzz". It has message, price, when, n.'),
        (
            {"price": "numbre"},
            'column "price" cannot have the role \'numbre\'. Did you mean "number"?',
        ),
        (
            {"price": "thing"},
            "column \"price\" cannot have the role 'thing'. Roles are number, category, date, "
            "text, picture, vector, id, ignored.",
        ),
        (
            {"message": "number"},
            'column "message" cannot be used as number: values such as "hello you" are none.',
        ),
        (
            {"message": "date"},
            'column "message" cannot be used as date: values such as "hello you" are none.',
        ),
        (
            {"price": "vector"},
            'column "price" cannot be used as vector: values such as 0.0 are none.',
        ),
        (
            {"when": "number"},
            'column "when" cannot be used as number: values such as 2020-01-01 00:00:00 are none.',
        ),
        (
            {"message": "picture"},
            'column "message" cannot be used as picture: no value in it is the name of a picture '
            'file that is there. "hello you" is not in the working directory.',
        ),
        (
            {"n": "picture"},
            'column "n" cannot be used as picture: no value in it is the name of a picture file '
            "that is there.",
        ),
        ({"n": "number"}, 'column "n" cannot be used as number: it is empty.'),
        ({"n": "date"}, 'column "n" cannot be used as date: it is empty.'),
        ({"n": "category"}, 'column "n" cannot be used as category: it is empty.'),
        ({"n": "text"}, 'column "n" cannot be used as text: it has no words.'),
    ],
)
def test_a_role_that_cannot_be_is_refused(roles, sentence):
    frame = pd.DataFrame(
        {
            "message": ["hello you", "hello me"] * 5,
            "price": np.arange(10) / 4,
            "when": pd.date_range("2020-01-01", periods=10),
            "n": ["", None] * 5,
        }
    )
    with pytest.raises(InvalidInput) as caught:
        TableFeatures(roles=roles).fit(frame)
    assert str(caught.value) == sentence


def test_roles_that_are_no_dict_are_refused():
    with pytest.raises(InvalidInput) as refused:
        TableFeatures(roles="text").fit(pd.DataFrame({"a": [1, 2]}))
    assert str(refused.value) == (
        'roles=\'text\': roles must be a dict from columns to roles, such as {"a": "text"}.'
    )


def test_a_table_without_a_column_to_group_by_is_refused_with_all_reasons():
    frame = pd.DataFrame({"nr": range(20), "note": [None] * 20})
    with pytest.raises(InvalidInput) as caught:
        TableFeatures().fit(frame)
    assert str(caught.value) == (
        'no column of the table can be grouped by. "nr": it counts the rows. "note": it is empty.'
    )
