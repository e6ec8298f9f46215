import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from linkwise.ensemble import Ensemble, build_ensemble, build_paper_ensemble
from linkwise.errors import Cancelled, InvalidInput, MissingData


def rows(n_rows=900, n_features=70, seed=0):
    rng = np.random.default_rng(seed)
    centers = 2 * rng.normal(size=(5, n_features))
    return centers[rng.integers(5, size=n_rows)] + rng.normal(size=(n_rows, n_features))


BUILD = {
    "k-means": lambda X, **options: build_ensemble(X, 5, n_partitions=6, seed=0, **options),
    "fast": lambda X, **options: build_ensemble(X, 5, n_partitions=6, seed=0, fast=True, **options),
    "paper": lambda X, **options: build_paper_ensemble(X, 5, n_partitions=6, seed=0, **options),
}


@pytest.fixture(params=BUILD)
def build(request):
    return BUILD[request.param]


def test_the_models_give_the_training_rows_the_labels_they_have(build):
    X = rows()
    ensemble = build(X)
    np.testing.assert_array_equal(ensemble.assign(X), ensemble.labels.array)


@pytest.mark.parametrize("count", [1, 2, 5, 13, 31, 100, 257])
def test_labels_do_not_depend_on_the_company_a_row_is_in(build, count):
    X = rows()
    ensemble = build(X)
    for start in (0, 1, 7, 200, 643):
        some = slice(start, start + count)
        np.testing.assert_array_equal(ensemble.assign(X[some]), ensemble.labels.array[:, some])


def test_labels_do_not_depend_on_the_order_of_rows(build):
    X = rows()
    ensemble = build(X)
    order = np.random.default_rng(1).permutation(len(X))
    np.testing.assert_array_equal(ensemble.assign(X[order]), ensemble.labels.array[:, order])


@pytest.mark.parametrize("on_disk", [False, True])
def test_extending_appends_what_assigning_returns(build, on_disk, tmp_path):
    X, X_new = rows(), rows(333, seed=1)
    ensemble = build(X, path=tmp_path / "labels" if on_disk else None)
    before = ensemble.labels.array.copy()
    expected = ensemble.assign(X_new)
    ensemble.extend(X_new[:100], n_threads=1)
    ensemble.extend(X_new[100:], n_threads=2, chunk_rows=1)
    assert ensemble.n_rows == 1233
    np.testing.assert_array_equal(ensemble.labels.array, np.hstack([before, expected]))


def test_an_extension_that_fails_changes_nothing(build):
    ensemble = build(rows())
    before = ensemble.labels.array.copy()
    bad = rows(600, seed=1)
    bad[400, 2] = np.inf
    with pytest.raises(InvalidInput) as caught:
        ensemble.extend(bad, chunk_rows=256)
    assert str(caught.value) == (
        "X[400, 2] is inf. Every value must be a finite number: fill or drop such rows first."
    )
    with pytest.raises(Cancelled) as caught:
        ensemble.extend(rows(600, seed=1), chunk_rows=256, cancel=lambda: True)
    assert str(caught.value) == "cancelled while labelling rows, 256 of 600 done."
    np.testing.assert_array_equal(ensemble.labels.array, before)


def test_a_value_far_beyond_the_sample_is_refused():
    ensemble = BUILD["k-means"](rows())
    with pytest.raises(InvalidInput) as caught:
        ensemble.assign(np.full((2, 70), 1e300))
    assert str(caught.value) == (
        "X holds values near the largest a float can hold, or more than 1e38 times as large as "
        "the others. Rescale or drop such rows first."
    )


def test_rows_with_other_features_are_refused(build):
    with pytest.raises(InvalidInput) as caught:
        build(rows()).assign(rows(n_features=71))
    assert str(caught.value) == "X has 71 features, but the ensemble was built with 70."


@pytest.mark.parametrize("mmap", [False, True])
def test_a_saved_ensemble_is_the_same_ensemble(build, mmap, tmp_path):
    ensemble = build(rows())
    ensemble.save(tmp_path)
    loaded = Ensemble.load(tmp_path, mmap=mmap)
    np.testing.assert_array_equal(loaded.labels.array, ensemble.labels.array)
    assert loaded.preparation.scale == ensemble.preparation.scale
    np.testing.assert_array_equal(loaded.preparation.mean, ensemble.preparation.mean)
    assert type(loaded.models) is type(ensemble.models)
    for name in ensemble.models.layout:
        np.testing.assert_array_equal(
            getattr(loaded.models, name), getattr(ensemble.models, name), strict=True
        )
    X_new = rows(300, seed=1)
    np.testing.assert_array_equal(loaded.assign(X_new), ensemble.assign(X_new))
    loaded.extend(X_new)
    assert loaded.n_rows == 1200


def test_labels_built_in_a_folder_and_saved_there_are_loaded_from_there(tmp_path):
    ensemble = BUILD["k-means"](rows(), path=tmp_path)
    ensemble.save(tmp_path)
    ensemble.extend(rows(10, seed=1))
    np.testing.assert_array_equal(Ensemble.load(tmp_path).labels.array, ensemble.labels.array)


@pytest.fixture
def folder(tmp_path):
    BUILD["k-means"](rows()).save(tmp_path)
    return tmp_path


def refusal(folder):
    with pytest.raises((InvalidInput, MissingData)) as caught:
        Ensemble.load(folder)
    return str(caught.value)


def test_a_folder_without_an_ensemble_is_named(tmp_path):
    path = tmp_path / "ensemble.json"
    assert refusal(tmp_path) == f"there is no ensemble in {tmp_path}: ensemble.json is missing."
    path.write_text("ensemble")
    assert refusal(tmp_path) == f"{path} line 1: not valid JSON (Expecting value)."
    path.write_text("[]")
    assert (
        refusal(tmp_path) == f'{path}: expected a JSON object with "format": "linkwise ensemble".'
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"version": 3},
            "{0}: version 3 is unknown; this linkwise reads versions 1 to 2. "
            "A newer linkwise may open it.",
        ),
        (
            {"kind": "x"},
            "{0} has kind 'x'; this linkwise reads kinds 'nearest centers', 'kernel centers'.",
        ),
        ({"scale": "x"}, "{0} is not complete: scale or projected is missing."),
    ],
)
def test_a_header_that_cannot_be_read_is_refused(change, sentence, folder):
    path = folder / "ensemble.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    assert refusal(folder) == sentence.format(path)


def test_missing_and_broken_arrays_are_named(folder):
    path = folder / "centers.npy"
    whole = path.read_bytes()
    path.write_bytes(whole[:-4])
    assert refusal(folder).startswith(f"{path} cannot be read as an array (")
    path.unlink()
    assert refusal(folder) == f"the ensemble in {folder} is not complete: centers.npy is missing."


def test_arrays_that_do_not_fit_together_are_refused(folder):
    offsets = np.load(folder / "offsets.npy")
    np.save(folder / "offsets.npy", offsets[:, 1:])
    assert refusal(folder) == (
        "the array 'offsets' of the stored ensemble is float32 of shape (6, 39) and does not fit "
        "the others."
    )
    np.save(folder / "offsets.npy", offsets.astype(float))
    assert refusal(folder) == (
        "the array 'offsets' of the stored ensemble is float64 of shape (6, 40) and does not fit "
        "the others."
    )
    np.save(folder / "offsets.npy", offsets)
    features = np.load(folder / "features.npy")
    np.save(folder / "features.npy", features + 40)
    assert refusal(folder) == "the stored ensemble names features outside the 70 it has."


def test_labels_of_other_partitions_are_refused(folder):
    BUILD["k-means"](rows()).labels.save(folder)
    build_ensemble(rows(), 5, n_partitions=4, seed=0).labels.save(folder)
    assert refusal(folder) == f"{folder} holds labels of 4 partitions, but models of 6."


def test_an_ensemble_of_the_first_version_still_opens(folder):
    path = folder / "ensemble.json"
    header = json.loads(path.read_text())
    del header["unit"]
    path.write_text(json.dumps({**header, "version": 1}))
    assert not Ensemble.load(folder).preparation.unit


def test_an_ensemble_of_sparse_rows_labels_the_same_after_reading(tmp_path):
    X = sparse.random_array((300, 400), density=0.05, random_state=0, format="csr")
    ensemble = build_ensemble(X, 3, n_partitions=4, seed=0)
    ensemble.save(tmp_path)
    assert_array_equal(Ensemble.load(tmp_path).assign(X), ensemble.labels.array)
