import threading

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from linkwise.ensemble import LabelMatrix, blas, build_ensemble, default_blocks
from linkwise.ensemble.generate import draw_pool, seed_sequence
from linkwise.ensemble.sources import as_source
from linkwise.errors import Cancelled, InvalidInput


class Table:
    def __init__(self, X):
        self._X = X
        self.n_rows, self.n_features = X.shape

    def read(self, start, stop):
        return self._X[start:stop]


def rows(n_rows=1500, n_features=20, seed=0):
    rng = np.random.default_rng(seed)
    centers = 3 * rng.normal(size=(6, n_features))
    X = centers[rng.integers(6, size=n_rows)] + rng.normal(size=(n_rows, n_features))
    return X.astype(np.float32)


def labels_of(X, **options):
    options = {"n_partitions": 6, "seed": 1, **options}
    return build_ensemble(X, 6, **options).labels.array


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("chunk_rows", [1, 256, 300, 1024, 10**6])
def test_labels_do_not_depend_on_threads_or_blocks(n_threads, chunk_rows):
    X = rows()
    expected = labels_of(X, n_threads=1)
    np.testing.assert_array_equal(
        labels_of(X, n_threads=n_threads, chunk_rows=chunk_rows), expected
    )


@pytest.mark.parametrize("n_features", [200, 1000])
def test_labels_do_not_depend_on_threads_for_wide_tables(n_features):
    X = np.random.default_rng(0).normal(size=(2000, n_features))  # no clusters: many near ties
    options = {"n_partitions": 4, "n_blocks": 200}
    expected = labels_of(X, n_threads=1, **options)
    np.testing.assert_array_equal(labels_of(X, n_threads=2, chunk_rows=512, **options), expected)


def test_fits_at_the_same_time_give_what_they_give_alone():
    tables = [rows(seed=seed) for seed in range(4)]
    expected = [labels_of(X) for X in tables]
    found = [None] * 4

    def fit(i):
        found[i] = labels_of(tables[i], n_threads=2)

    fits = [threading.Thread(target=fit, args=(i,)) for i in range(4)]
    for fit_thread in fits:
        fit_thread.start()
    for fit_thread in fits:
        fit_thread.join()
    for i in range(4):
        np.testing.assert_array_equal(found[i], expected[i])


@pytest.mark.parametrize("kind", ["custom", "npy", "column-major npy", "parquet", "sparse", "list"])
def test_labels_do_not_depend_on_where_rows_come_from(kind, tmp_path):
    X = rows()
    path = tmp_path / ("X.parquet" if kind == "parquet" else "X.npy")
    if kind == "parquet":
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        pandas.DataFrame(X, columns=[f"c{j}" for j in range(20)]).to_parquet(
            path, row_group_size=333
        )
    else:
        np.save(path, np.asfortranarray(X) if kind == "column-major npy" else X)
    source = {"custom": Table(X), "sparse": sparse.csr_array(X), "list": X.tolist()}.get(kind, path)
    np.testing.assert_array_equal(labels_of(source), labels_of(X))


def test_labels_do_not_depend_on_where_they_are_kept(tmp_path):
    X = rows()
    expected = labels_of(X)
    np.testing.assert_array_equal(labels_of(X, path=tmp_path / "labels"), expected)
    np.testing.assert_array_equal(LabelMatrix.load(tmp_path / "labels").array, expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float64])
def test_labels_do_not_depend_on_the_type_of_the_numbers(dtype):
    X = np.random.default_rng(0).integers(200, size=(700, 9))
    np.testing.assert_array_equal(labels_of(X.astype(dtype)), labels_of(X.astype(np.float32)))


def test_labels_do_not_depend_on_offset_or_scale():
    X = np.round(rows() * 64) / 64  # numbers that stay exact when moved
    expected = labels_of(X)
    np.testing.assert_array_equal(labels_of(X.astype(float) + 2.0**20), expected)
    np.testing.assert_array_equal(labels_of(X * 2.0**-60), expected)
    np.testing.assert_array_equal(labels_of(X * 2.0**60), expected)


def test_every_row_has_the_nearest_centre():
    X = rows()
    ensemble = build_ensemble(X, 6, n_partitions=6, seed=0)
    prepared = ensemble.preparation.rows(X).astype(float)
    for p, (centers, features) in enumerate(
        zip(ensemble.models.centers, ensemble.models.features, strict=True)
    ):
        distance = np.square(prepared[:, None, features] - centers).sum(axis=2)
        chosen = np.take_along_axis(distance, ensemble.labels.array[p][:, None].astype(int), 1)
        np.testing.assert_allclose(chosen[:, 0], distance.min(axis=1), atol=1e-6)


def test_partitions_differ_in_rows_and_features():
    ensemble = build_ensemble(rows(), 6, n_partitions=6, seed=0)
    assert ensemble.models.features.shape == (6, 10)
    assert len({tuple(features) for features in ensemble.models.features.tolist()}) == 6


@pytest.mark.parametrize("kind", ["int", "SeedSequence", "RandomState"])
def test_the_same_seed_gives_the_same_labels_and_another_seed_others(kind):
    def seed(number):
        if kind == "SeedSequence":
            return np.random.SeedSequence(number)
        return np.random.RandomState(number) if kind == "RandomState" else number

    X = rows()
    np.testing.assert_array_equal(labels_of(X, seed=seed(3)), labels_of(X, seed=seed(3)))
    assert (labels_of(X, seed=seed(3)) != labels_of(X, seed=seed(4))).any()


def test_a_seed_sequence_is_not_used_up():
    sequence = np.random.SeedSequence(3)
    first = [child.generate_state(1)[0] for child in seed_sequence(sequence).spawn(3)]
    again = [child.generate_state(1)[0] for child in seed_sequence(sequence).spawn(3)]
    assert first == again


def test_base_clusters_of_digits_are_pure():
    X, y = load_digits(return_X_y=True)
    ensemble = build_ensemble(X, 10, n_blocks=128, n_partitions=20, seed=0)
    purity = [
        sum(np.bincount(y[labels == k]).max() for k in np.unique(labels)) / len(y)
        for labels in ensemble.labels.array
    ]
    assert np.mean(purity) > 0.9


def test_the_fast_way_looks_at_64_components():
    X = rows(n_features=100)
    ensemble = build_ensemble(X, 6, n_partitions=3, fast=True, seed=0)
    assert ensemble.models.centers.shape[2] == 32
    assert ensemble.n_features == 100
    np.testing.assert_array_equal(
        labels_of(X, fast=True, n_threads=3, chunk_rows=256), labels_of(X, fast=True)
    )


def test_few_rows_are_all_in_the_pool_and_many_are_sampled(monkeypatch):
    source = as_source(rows())
    seed = np.random.SeedSequence(0)
    assert len(draw_pool(source, 100, seed)[1]) == 1500
    assert len(draw_pool(source, 50, seed)[1]) == 800
    monkeypatch.setattr("linkwise.ensemble.generate.POOL_BYTES", 4 * 20 * 300)
    assert len(draw_pool(source, 50, seed)[1]) == 300
    assert len(draw_pool(source, 400, seed)[1]) == 400


@pytest.mark.parametrize(
    ("n_clusters", "n_rows", "expected"),
    [
        (10, 1797, 80),
        (10, 70000, 128),
        (7, 581012, 128),
        (20, 1440, 160),
        (26, 20000, 208),
        (20, 10**6, 256),
        (3, 150, 18),
        (2, 5000, 70),
        (3, 12, 3),
        (1, 1, 1),
        (2, 5, 2),
        (300, 10**4, 256),
    ],
)
def test_the_number_of_base_clusters_follows_rows_and_clusters(n_clusters, n_rows, expected):
    assert default_blocks(n_clusters, n_rows) == expected


@pytest.mark.parametrize("n_features", [1, 3])
@pytest.mark.parametrize("n_rows", [1, 2, 5, 9, 255, 256, 257])
def test_tiny_tables_are_labelled(n_rows, n_features):
    X = np.random.default_rng(0).normal(size=(n_rows, n_features))
    ensemble = build_ensemble(X, min(2, n_rows), n_partitions=7, seed=0)
    assert ensemble.labels.array.shape == (7, n_rows)
    assert ensemble.labels.array.max() < ensemble.n_blocks
    np.testing.assert_array_equal(ensemble.assign(X), ensemble.labels.array)


def test_equal_rows_get_equal_labels():
    X = np.repeat(rows(40), 10, axis=0)
    labels = labels_of(X)
    assert (labels.reshape(6, 40, 10) == labels.reshape(6, 40, 10)[:, :, :1]).all()


def test_constant_features_and_constant_tables_are_labelled():
    X = rows()
    X[:, ::2] = 7
    assert labels_of(X).max() > 0
    assert not labels_of(np.full((50, 3), 7.0)).any()


def test_progress_is_told_and_never_goes_back():
    calls = []
    labels_of(rows(), chunk_rows=256, n_threads=2, progress=lambda *call: calls.append(call))
    training = [call for call in calls if call[2] == "training partitions"]
    labelling = [call for call in calls if call[2] == "labelling rows"]
    assert calls == training + labelling
    assert training == [(done, 6, "training partitions") for done in range(1, 7)]
    assert [done for done, *_ in labelling] == [256, 512, 768, 1024, 1280, 1500]
    assert {total for _, total, _ in labelling} == {1500}


@pytest.mark.parametrize(
    ("stage", "sentence"),
    [
        ("training partitions", "cancelled while training partitions, 2 of 6 done."),
        ("labelling rows", "cancelled while labelling rows, 512 of 1500 done."),
    ],
)
def test_cancelling_stops_and_leaves_nothing_behind(stage, sentence, tmp_path):
    stop = threading.Event()

    def progress(done, _total, what):
        if what == stage and done in (2, 512):
            stop.set()

    path = tmp_path / "labels"
    with pytest.raises(Cancelled) as caught:
        labels_of(rows(), chunk_rows=256, path=path, progress=progress, cancel=stop)
    assert str(caught.value) == sentence
    assert not path.exists()
    assert blas._holders == 0


@pytest.mark.parametrize("row", [0, 700, 1499])
def test_a_value_that_is_not_finite_is_named(row):
    X = rows()
    X[row, 3] = np.nan
    with pytest.raises(InvalidInput) as caught:
        labels_of(X, sample_size=50)
    assert str(caught.value) == (
        f"X[{row}, 3] is NaN. Every value must be a finite number: fill or drop such rows first."
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"n_blocks": 257},
            "build_ensemble(n_blocks=257): labels are stored in one byte, so a partition can have "
            "at most 256 base clusters.",
        ),
        (
            {"n_blocks": 31},
            "build_ensemble(n_blocks=31): 30 rows cannot be split into 31 base clusters.",
        ),
        (
            {"n_blocks": "many"},
            "build_ensemble(n_blocks='many'): n_blocks must be a whole number >= 1 or 'auto'.",
        ),
        (
            {"n_partitions": 0},
            "build_ensemble(n_partitions=0): n_partitions must be a whole number >= 1.",
        ),
        (
            {"feature_share": 1.5},
            "build_ensemble(feature_share=1.5): feature_share must be a number from 0 to 1.",
        ),
        (
            {"sample_size": 2.5},
            "build_ensemble(sample_size=2.5): sample_size must be a whole number >= 1.",
        ),
        (
            {"n_threads": 0},
            "n_threads is 0, but must be None or a whole number >= 1.",
        ),
        (
            {"chunk_rows": -1},
            "Execution(chunk_rows=-1): chunk_rows must be a whole number >= 1 or None.",
        ),
        ({"seed": -1}, "the seed is -1, expected a whole number >= 0."),
        ({"seed": "x"}, "the seed is 'x', expected a whole number >= 0."),
    ],
)
def test_arguments_that_make_no_sense_are_refused(options, sentence):
    with pytest.raises(InvalidInput) as caught:
        labels_of(rows(30), **options)
    assert str(caught.value) == sentence


def test_more_clusters_than_rows_are_refused():
    with pytest.raises(InvalidInput) as caught:
        build_ensemble(rows(5), 6, seed=0)
    assert str(caught.value) == (
        "build_ensemble(n_clusters=6): 5 rows cannot be split into 6 clusters."
    )
