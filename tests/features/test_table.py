"""From tables to rows: every block against a plain computation, balance, storage, bad input."""

import datetime
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

import linkwise as lw
from linkwise.errors import InvalidInput, MissingExtra
from linkwise.features import TableFeatures
from linkwise.features.blocks.terms import Terms
from linkwise.scores import nmi


def share(features, X, column):
    """Return the total variance of a column's features."""
    names = features.get_feature_names_out()
    return X[:, [str(name).startswith(column) for name in names]].var(axis=0).sum()


def test_rows_are_finite_float32_with_names(frame):
    features = TableFeatures()
    X = features.fit_transform(frame)
    assert X.dtype == np.float32
    assert np.isfinite(X).all()
    assert X.shape == (len(frame), len(features.get_feature_names_out()))
    assert len(set(features.get_feature_names_out())) == X.shape[1]
    assert features.n_features_in_ == 10
    assert list(features.feature_names_in_) == list(frame.columns)


@pytest.mark.parametrize("to", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "pyarrow"])
def test_rows_do_not_depend_on_the_library(to, frame):
    expected = TableFeatures().fit(frame)
    assert_array_equal(TableFeatures().fit_transform(to(frame)), expected.transform(frame))
    assert_array_equal(expected.transform(to(frame)), expected.transform(frame))


def test_it_is_a_transformer_like_any_other(frame):
    roles = {"price": "ignored"}
    pipeline = make_pipeline(TableFeatures(roles), KMeans(3, n_init=1, random_state=0))
    assert pipeline.fit_predict(frame).shape == (len(frame),)
    assert clone(pipeline[0]).get_params() == {"roles": roles, "folder": None}
    with pytest.raises(NotFittedError):
        TableFeatures().transform(frame)
    named = TableFeatures().set_output(transform="pandas").fit_transform(frame)
    assert list(named.columns) == list(TableFeatures().fit(frame).get_feature_names_out())


def test_one_line_says_what_is_grouped_by_and_what_is_not(frame):
    few = frame[["nr", "age", "colour", "note"]]
    assert TableFeatures().fit(few).summary() == (
        "grouped by age (number) and colour (category); "
        "left out: nr (it counts the rows), note (it is empty)."
    )


def test_numbers_are_scaled_by_the_middle_half_and_bent_as_skrub_does():
    scaler = pytest.importorskip("skrub").SquashingScaler()
    values = np.random.default_rng(0).normal(3, 5, 200)
    values[:3] = 1e6, -1e9, np.inf
    frame = pd.DataFrame({"x": values})
    expected = scaler.fit_transform(frame)[:, 0]
    found = TableFeatures().fit_transform(frame)[:, 0]
    assert_allclose(found, expected / expected.std(), rtol=1e-5)


def test_a_missing_number_is_the_median_and_flagged():
    features = TableFeatures()
    X = features.fit_transform(pd.DataFrame({"x": [1.0, 2.0, np.nan, 4.0, 3.0]}))
    assert list(features.get_feature_names_out()) == ["x", "x is missing"]
    assert X[2, 0] == 0.0
    assert_array_equal(X[:, 1] > 0, [False, False, True, False, False])
    new = features.transform(pd.DataFrame({"x": ["2,5", "n/a"]}))
    assert_array_equal(new[:, 1] > 0, [True, True])
    assert_allclose(features.transform(pd.DataFrame({"x": ["2.5"]}))[0, 0], 0.0, atol=1e-7)


def test_categories_are_columns_of_ones_and_new_values_none_of_them():
    features = TableFeatures().fit(pd.DataFrame({"c": ["b", "b", "a", None, "a", "b"]}))
    assert list(features.get_feature_names_out()) == ["c = b", "c = a", "c is missing"]
    X = features.transform(pd.DataFrame({"c": ["a", "new", None]})) > 0
    assert_array_equal(X, [[False, True, False], [False, False, False], [False, False, True]])


def test_two_values_are_one_column_and_anything_else_lies_between_them():
    frame = pd.DataFrame({"c": ["no", "yes", "no"], "b": [True, False, True]})
    features = TableFeatures(roles={"c": "category", "b": "category"}).fit(frame)
    assert list(features.get_feature_names_out()) == ["c = no", "b = true"]
    assert_array_equal(features.transform(frame), [[1, 1], [0, 0], [1, 1]])
    other = pd.DataFrame({"c": ["maybe", None, "yes"], "b": [None, True, False]})
    assert_array_equal(features.transform(other), [[0.5, 0.5], [0.5, 1], [0, 0]])


def test_features_of_two_values_that_were_stored_before_are_still_read():
    """Until version 2 of the format, two values were two columns."""
    frame = pd.DataFrame({"c": ["no", "yes", "no"]})
    header, arrays = TableFeatures(roles={"c": "category"}).fit(frame).to_arrays()
    old = {"part": "OneHotBlock", "values": ["no", "yes"], "flagged": False}
    stored = {**header, "version": 1, "blocks": {"c": old}, "loudness": {"c": 0.5**0.5}}
    found = TableFeatures.from_arrays(stored, arrays).transform(frame)
    assert_allclose(found**2, [[0.5, 0], [0, 0.5], [0.5, 0]], rtol=1e-6)


def test_many_categories_are_seen_by_their_letters_as_skrub_does():
    encoder = pytest.importorskip("skrub").StringEncoder(n_components=30, random_state=0)
    values = pd.Series([f"town of {k:03d} {'north' if k % 2 else 'south'}" for k in range(90)])
    column = pd.concat([values, values], ignore_index=True).rename("c")
    expected = encoder.fit_transform(column).to_numpy()
    found = TableFeatures(roles={"c": "category"}).fit_transform(column.to_frame())
    assert found.shape == (180, 30)
    expected = expected * np.sqrt(0.5 / expected.var(axis=0).sum())
    assert_allclose(found, expected, atol=1e-5)


def test_texts_are_what_scikit_learn_would_make_of_them(frame):
    texts = list(frame["message"])
    tfidf = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True).fit_transform(texts)
    _, _, directions = np.linalg.svd(tfidf.toarray(), full_matrices=False)
    expected = normalize(tfidf @ directions[:100].T)
    found = TableFeatures().fit_transform(frame[["message"]])
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    assert_allclose(found @ found.T, expected @ expected.T, atol=1e-4)


def test_directions_of_many_texts_are_the_leading_ones():
    rng = np.random.default_rng(1)
    texts = [" ".join(f"w{k}" for k in rng.integers(400, size=15)) for _ in range(500)]
    tfidf = TfidfVectorizer(
        ngram_range=(1, 2), min_df=2, sublinear_tf=True, dtype=np.float32
    ).fit_transform(texts)
    directions = Terms.fit(texts, 100).directions
    assert directions.dtype == np.float32
    assert_allclose(directions.T @ directions, np.eye(100), atol=1e-5)
    exact = np.linalg.svd(tfidf.toarray(), compute_uv=False)[:100]
    found = np.linalg.norm(tfidf @ directions, axis=0)
    assert_allclose(found[:3], exact[:3], rtol=1e-3)
    assert (np.diff(found) < 1e-5).all()
    library = TruncatedSVD(100, random_state=0).fit(tfidf).singular_values_
    assert np.square(found).sum() > 0.999 * np.square(library).sum()


@pytest.mark.parametrize("n_hashes", [1, 7, 2**20])
def test_terms_are_the_same_however_many_share_a_hash(n_hashes, monkeypatch):
    rng = np.random.default_rng(0)
    texts = [" ".join(f"word{k}" for k in rng.zipf(1.3, 12) % 500) for _ in range(80)]
    expected = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True).fit(texts)
    monkeypatch.setattr("linkwise.features.blocks.terms._N_HASHES", n_hashes)
    terms = Terms.fit(texts, 5)
    assert terms.terms == sorted(expected.vocabulary_)
    assert_allclose(terms.rarity, expected.idf_, rtol=1e-6)


def test_dates_come_round_every_year_week_and_day():
    features = TableFeatures().fit(
        pd.DataFrame({"d": pd.date_range("2019-03-01", periods=900, freq="31h")})
    )
    assert [str(name) for name in features.get_feature_names_out()] == [
        "d",
        "d year sine",
        "d year cosine",
        "d week sine",
        "d week cosine",
        "d day sine",
        "d day cosine",
    ]
    # four times 365.2425 days are all but a day's part four years of the calendar
    days = ["2016-03-03 12:00", "2020-03-03 12:00", "2016-09-01 12:00", "2016-03-10 12:00"]
    X = features.transform(pd.DataFrame({"d": pd.to_datetime(days)}))
    assert_allclose(X[0, 1:3], X[1, 1:3], atol=0.02)
    assert_allclose(X[0, 1:3], -X[2, 1:3], atol=0.05)
    assert_allclose(X[0, 3:7], X[3, 3:7], atol=1e-5)
    assert X[0, 0] < X[3, 0] < X[1, 0]


def test_dates_are_read_in_whatever_way_they_are_written():
    spelled = ["2021-03-04", "05.03.2021", "2021-03-06", "07.03.2021"] * 3
    features = TableFeatures().fit(pd.DataFrame({"d": spelled}))
    assert features.notes_ == [
        '"d": dates are written in two ways, such as "2021-03-04" and "05.03.2021".'
    ]
    known = TableFeatures().fit_transform(
        pd.DataFrame(
            {"d": pd.to_datetime(["2021-03-04", "2021-03-05", "2021-03-06", "2021-03-07"] * 3)}
        )
    )
    assert_allclose(features.transform(pd.DataFrame({"d": spelled})), known, rtol=1e-5)


@pytest.mark.parametrize(
    "written",
    [
        "%m/%d/%y %H:%M:%S",
        "%d.%m.%y %H:%M:%S",
        "%d-%b-%y %H:%M:%S",
        "%m/%d/%Y %I:%M:%S %p",
        "%a, %d %b %Y %H:%M:%S GMT",
        "%A, %B %d, %Y %I:%M:%S %p",
        "%d %B %Y %H:%M:%S UTC",
    ],
)
def test_short_years_half_days_and_days_of_the_week_are_read(written):
    days = pd.date_range("2023-11-05 09:30:05", periods=30, freq="61h")
    features = TableFeatures()
    X = features.fit_transform(pd.DataFrame({"when": days.strftime(written)}))
    assert features.roles_["when"].name == "date"
    assert np.allclose(X, TableFeatures().fit_transform(pd.DataFrame({"when": days})))


@pytest.mark.parametrize("kind", ["Int64", "float64"])
def test_days_written_as_numbers_are_days(kind):
    days = pd.date_range("2023-11-05", periods=30, freq="9D")
    written = pd.Series([*days.strftime("%Y%m%d").astype(int), None], dtype=kind)
    X = TableFeatures(roles={"when": "date"}).fit_transform(pd.DataFrame({"when": written}))
    known = TableFeatures().fit_transform(pd.DataFrame({"when": [*days, None]}))
    assert np.allclose(X, known)


def test_numbers_that_are_no_dates_are_not_read_as_moments():
    with pytest.raises(InvalidInput) as refusal:
        TableFeatures(roles={"when": "date"}).fit(pd.DataFrame({"when": [1690000000, 1690000001]}))
    assert str(refusal.value) == (
        'column "when" cannot be used as date: values such as 1690000000 are none.'
    )


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_dates_and_spans_that_do_not_fit_a_float_exactly_are_read(unit):
    days = np.array(["2024-03-05", "2024-03-06", "2024-03-07", "2255-06-06"] * 3, "M8[D]")
    spans = (np.arange(12) * 100).astype("m8[D]").astype(f"m8[{unit}]")
    frame = pa.table({"until": pa.array(days.astype(f"M8[{unit}]")), "lasts": pa.array(spans)})
    features = TableFeatures()
    X = features.fit_transform(frame)
    assert [role.name for role in features.roles_.values()] == ["date", "number"]
    assert_allclose(np.diff(X[:, 7]), np.diff(X[:, 7])[::-1], rtol=1e-4)
    assert (np.diff(X[:, 7]) > 0).all()
    assert (np.diff(X[:4, 0]) > 0).all()


def test_times_of_day_are_numbers_however_they_are_kept():
    times = [datetime.time(k % 24, 7 * k % 60, k) for k in range(30)]
    kept = TableFeatures().fit_transform(pd.DataFrame({"at": times}))
    written = TableFeatures().fit_transform(pd.DataFrame({"at": [str(time) for time in times]}))
    assert_allclose(written, kept)


@pytest.mark.parametrize(
    ("between", "more"),
    [
        ("T", ".123456"),
        ("T", ".5Z"),
        (" ", "+00:00"),
        ("T", "-0330"),
        (" ", ".123+02:00"),
        (" ", ",25"),
        (" ", " +01:00"),
    ],
)
def test_fractions_of_seconds_and_time_zones_are_no_obstacle(between, more):
    days = pd.date_range("2023-11-05 09:30:05", periods=30, freq="61h")
    written = days.strftime(f"%Y-%m-%d{between}%H:%M:%S") + more
    features = TableFeatures()
    X = features.fit_transform(pd.DataFrame({"when": written}))
    assert features.roles_["when"].name == "date"
    assert np.allclose(X, TableFeatures().fit_transform(pd.DataFrame({"when": days})))


@pytest.mark.parametrize(
    "written",
    [
        ["1.234,5", "2,5"],
        ["1 234,5", "2,5"],
        ["1\u202f234,5\u00a0€", "2,5\u00a0€"],
        ["1’234.5", "2.5"],
        ["1'234.50", "2.5"],
        ["1,234.5", "2.5"],
        ["+1.234,50 €", "2,5 €"],
    ],
)
def test_digits_in_groups_are_numbers_however_people_group_them(written):
    prices = pd.DataFrame({"price": [*written * 20]})
    plain = pd.DataFrame({"price": [1234.5, 2.5] * 20})
    features = TableFeatures()
    np.testing.assert_array_equal(
        features.fit_transform(prices), TableFeatures().fit_transform(plain)
    )
    assert features.roles_["price"].name == "number"


def test_points_that_come_twice_group_digits_and_then_so_do_single_ones():
    given = {"people": ["1.037.091", "2.500", "1.204.000", "−3.500"] * 10}
    people = TableFeatures().fit_transform(pd.DataFrame(given))
    plain = pd.DataFrame({"people": [1037091, 2500, 1204000, -3500] * 10})
    np.testing.assert_array_equal(people, TableFeatures().fit_transform(plain))


def test_a_point_alone_stays_a_decimal_point():
    lengths = TableFeatures().fit_transform(pd.DataFrame({"length": ["1.234", "2.500"] * 20}))
    plain = pd.DataFrame({"length": [1.234, 2.5] * 20})
    np.testing.assert_array_equal(lengths, TableFeatures().fit_transform(plain))


def test_telephone_numbers_are_no_numbers():
    given = {"telephone": [f"044 {k:03d} 12 {k % 7}5" for k in range(40)], "age": [4, 7] * 20}
    assert TableFeatures().fit(pd.DataFrame(given)).roles_["telephone"].name != "number"


@pytest.mark.parametrize("unit", ["{} €", "€ {}", "{} %", "{}%", "{} $"])
def test_a_decimal_comma_is_seen_beside_a_unit(unit):
    values = np.arange(30) * 1.25 + 0.5
    written = [unit.format(f"{value:.2f}".replace(".", ",")) for value in values]
    features = TableFeatures()
    X = features.fit_transform(pd.DataFrame({"price": written}))
    assert "decimal comma" in features.roles_["price"].reason
    assert np.allclose(X, TableFeatures().fit_transform(pd.DataFrame({"price": values})))


def test_what_pandas_alone_has_is_read_as_it_is_written():
    ages = pd.cut([5, 15, 25, 35] * 5, [0, 10, 20, 40])
    months = pd.period_range("2024-01", periods=2, freq="M").repeat(10)
    frame = pd.DataFrame({"ages": ages, "months": months})
    frame.loc[3, "ages"] = None
    features = TableFeatures().fit(frame)
    assert {name: role.name for name, role in features.roles_.items()} == {
        "ages": "category",
        "months": "category",
    }
    names = features.get_feature_names_out().tolist()
    assert "ages is missing" in names
    assert "months = 2024-01" in names


def test_dates_that_may_begin_with_the_month_or_the_day_are_told_of():
    def notes(*days):
        return TableFeatures(roles={"d": "date"}).fit(pd.DataFrame({"d": [*days, None]})).notes_

    assert notes("05/05/2021", "03/04/2021", "12/11/2020") == [
        '"d": in dates such as "03/04/2021" the month or the day may come first; they are '
        "read with the month first."
    ]
    assert notes("03/04/2021", "03/14/2021") == []  # there is no 14th month
    assert notes("03/04/2021", "14/04/2021") == []
    assert notes("03/03/2021", "05/05/2021") == []  # the same either way


def test_vectors_are_taken_as_they_are_but_for_their_loudness(frame):
    X = TableFeatures().fit_transform(frame[["vector"]])
    given = np.stack(list(frame["vector"]))
    factor = np.sqrt(16 / given.var(axis=0).sum())
    assert_allclose(X, given * factor, rtol=1e-4)


def test_every_column_has_its_share_of_the_variance(frame):
    features = TableFeatures()
    X = features.fit_transform(frame)
    expected = {"age": 1, "price": 1, "when": 1, "city": 0.5}
    for column, variance in {**expected, "message": 16, "vector": 16}.items():
        assert_allclose(share(features, X, column), variance, rtol=1e-3)


def test_two_values_of_a_category_are_one_standard_deviation_apart(frame):
    X = TableFeatures().fit_transform(frame[["colour"]])
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    assert_allclose(np.unique(np.round(distances, 6)), [0.0, 1.0])


def blobs_beside_a_category(n_values):
    """Return three clear blobs in two numbers, and a category that means nothing."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=300)
    places = np.array([[0, 0], [8, 1], [2, 8]])[y] + rng.normal(size=(300, 2))
    frame = pd.DataFrame(places, columns=["a", "b"])
    frame["c"] = rng.choice([f"value {k}" for k in range(n_values)], 300)
    return TableFeatures().fit_transform(frame), y


@pytest.mark.parametrize("n_values", [2, 3, 8])
def test_one_meaningless_category_does_not_outvote_the_numbers(n_values):
    X, y = blobs_beside_a_category(n_values)
    assert nmi(y, KMeans(3, n_init=5, random_state=0).fit_predict(X)) > 0.98


@pytest.mark.parametrize("n_values", [2, 3, 8])
def test_nor_does_it_mislead_the_ensemble(n_values):
    X, y = blobs_beside_a_category(n_values)
    model = lw.SequentialClustering(3, n_partitions=50, random_state=0).fit(X)
    assert nmi(y, model.labels_) > 0.98


@pytest.mark.parametrize("kind", ["two words", "three words", "0 and 1", "0, 1 and gaps"])
def test_beside_two_numbers_values_that_mean_nothing_do_not_decide(kind):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y = rng.integers(3, size=300)
        places = np.array([[0, 0], [5, 0.6], [1.2, 5]])[y] + rng.normal(size=(300, 2))
        frame = pd.DataFrame(places, columns=["a", "b"])
        values = {
            "two words": ["yes", "no"],
            "three words": ["red", "green", "blue"],
            "0 and 1": [0, 1],
            "0, 1 and gaps": [0, 1, None],
        }[kind]
        frame["c"] = rng.choice(np.array(values, dtype=object), 300)
        X = TableFeatures().fit_transform(frame.infer_objects())
        model = lw.SequentialClustering(3, n_partitions=50, random_state=seed).fit(X)
        assert nmi(y, model.labels_) > 0.8


@pytest.mark.parametrize(
    ("beside", "apart"), [(["a"], 0.5), (["a", "b"], 0.5**0.5), (["a", "b", "d", "e"], 1.0)]
)
def test_a_category_has_at_most_a_sixteenth_of_what_is_beside_it(beside, apart):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.normal(size=200) for name in beside})
    frame["two"], frame["three"], frame["0 or 1"] = ["x", "y"] * 100, [*"uvw"] * 66 + ["u"] * 2, 0.0
    frame.loc[::3, "0 or 1"] = 1.0
    features = TableFeatures()
    X = features.fit_transform(frame)
    names = features.get_feature_names_out()
    for name in ("two", "three", "0 or 1"):
        part = X[:, [str(feature).startswith(name) for feature in names]].astype(np.float64)
        distances = np.linalg.norm(part[:, None] - part[None], axis=2)
        assert_allclose(np.unique(np.round(distances, 5)), [0.0, apart], atol=1e-5)


def test_one_text_outweighs_its_length():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=300)
    words = np.array([[f"{topic}{k}" for k in range(20)] for topic in ("xa", "yb", "zc")])
    texts = [" ".join(rng.choice(words[t], rng.integers(4, 30))) for t in y]
    frame = pd.DataFrame({"text": texts, "length": [len(t) for t in texts]})
    X = TableFeatures().fit_transform(frame)
    assert nmi(y, KMeans(3, n_init=5, random_state=0).fit_predict(X)) > 0.95


def test_what_is_stored_is_enough_in_another_process(frame, tmp_path):
    features = TableFeatures()
    X = features.fit_transform(frame)
    header, arrays = features.to_arrays()
    (tmp_path / "header.json").write_text(json.dumps(header))
    np.savez(tmp_path / "arrays.npz", **arrays)
    frame.to_parquet(tmp_path / "frame.parquet")
    code = (
        "import json, numpy as np, pandas as pd\n"
        "from linkwise.features import TableFeatures\n"
        "features = TableFeatures.from_arrays(\n"
        "    json.load(open('header.json')), np.load('arrays.npz', allow_pickle=False))\n"
        "np.save('X.npy', features.transform(pd.read_parquet('frame.parquet')))\n"
        "print(features.summary())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == features.summary()
    assert_array_equal(np.load(tmp_path / "X.npy"), X)


def test_what_was_read_is_what_was_written(frame):
    features = TableFeatures(roles={"age": "category"}).fit(frame)
    header, arrays = features.to_arrays()
    twin = TableFeatures.from_arrays(json.loads(json.dumps(header)), arrays)
    assert twin.get_params() == features.get_params()
    assert twin.roles_ == features.roles_
    assert list(twin.get_feature_names_out()) == list(features.get_feature_names_out())
    assert_array_equal(twin.unusable_rows_, features.unusable_rows_)
    assert all(not array.dtype.hasobject for array in arrays.values())
    with pytest.raises(InvalidInput, match='these features: expected a JSON object with "format"'):
        TableFeatures.from_arrays({**header, "format": "x"}, arrays)


def test_rows_without_anything_are_named_and_not_fatal():
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0, np.nan], "b": ["x", None, "y", "y"], "n": 1})
    features = TableFeatures()
    X = features.fit_transform(frame)
    assert features.unusable_rows_.tolist() == [1]
    assert np.isfinite(X).all()


def test_a_column_that_is_gone_is_named(frame):
    features = TableFeatures().fit(frame)
    with pytest.raises(InvalidInput, match='has no column "age", which the features were fitted'):
        features.transform(frame.drop(columns="age"))


def test_a_table_without_rows_and_things_that_are_no_table_are_refused():
    with pytest.raises(InvalidInput, match=r"^the table has no rows\.$"):
        TableFeatures().fit(pd.DataFrame({"a": []}))
    with pytest.raises(InvalidInput, match=r"^expected a data frame, .*, got ndarray\.$"):
        TableFeatures().fit(np.zeros((3, 2)))


def test_a_column_that_is_mostly_numbers_is_told_of():
    prices = [*(f"{k * 1.5}" for k in range(24)), *["on request"] * 6]
    features = TableFeatures().fit(pd.DataFrame({"price": prices}))
    assert features.roles_["price"].name == "category"
    assert features.notes_ == [
        '"price" holds numbers, but also values such as "on request", so it was taken for a '
        "category. With the role number, such values count as missing."
    ]
    told = TableFeatures(roles={"price": "category"}).fit(pd.DataFrame({"price": prices}))
    assert told.notes_ == []


def test_a_column_that_is_mostly_dates_is_told_of():
    opened = [*(f"{1 + k % 28:02d}.{1 + k % 12:02d}.2024" for k in range(90)), *["unknown"] * 10]
    features = TableFeatures().fit(pd.DataFrame({"opened": opened}))
    assert features.roles_["opened"].name == "category"
    assert features.notes_ == [
        '"opened" holds dates, but also values such as "unknown", so it was taken for a '
        "category. With the role date, such values count as missing."
    ]
    told = TableFeatures(roles={"opened": "date"}).fit(pd.DataFrame({"opened": opened}))
    assert told.notes_ == ['"opened": 10 of its values, such as "unknown", are no dates.']


def test_empty_texts_lie_together_and_very_long_ones_are_cut():
    texts = ["red green", "green blue", "", "blue red", None, "red", "x " * 500_000] * 4
    features = TableFeatures(roles={"t": "text"})
    X = features.fit_transform(pd.DataFrame({"t": texts}))
    assert not X[[2, 4]].any()
    assert features.notes_ == ['"t": of 4 texts only the first 100,000 characters are read.']


def test_texts_without_blanks_or_repeated_words_are_told_apart_by_letters():
    texts = ["!?", "...", "!?", "...", "!!"]
    X = TableFeatures(roles={"t": "text"}).fit_transform(pd.DataFrame({"t": texts}))
    assert_allclose(X[0], X[2])
    assert not np.allclose(X[0], X[1])


def test_one_text_repeated_has_nothing_to_tell():
    frame = pd.DataFrame({"t": ["the same words again"] * 9})
    assert not TableFeatures(roles={"t": "text"}).fit_transform(frame).any()
    with pytest.raises(InvalidInput, match='"t": every row has the same value, "the same words'):
        TableFeatures().fit(frame)


def test_without_skrub_many_categories_are_one_sentence(frame, monkeypatch):
    monkeypatch.setitem(sys.modules, "skrub", None)
    TableFeatures().fit(frame.drop(columns="city"))
    with pytest.raises(MissingExtra) as caught:
        TableFeatures().fit(frame)
    assert str(caught.value) == (
        '"city", a category of many values, needs skrub: pip install "linkwise[tables]"'
    )


def test_the_door_to_features_opens_nothing_before_it_is_used():
    code = (
        "import sys, linkwise as lw\n"
        "assert not {'numpy', 'sklearn', 'skrub', 'PIL'} & set(sys.modules)\n"
        "lw.features.TableFeatures, lw.features.ImageFeatures, lw.features.TextEmbeddings\n"
        "assert not {'skrub', 'PIL', 'torch', 'model2vec'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
