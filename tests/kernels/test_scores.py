import os
import subprocess
import sys

import numpy as np
import pytest

from linkwise.kernels.nearest import label_tile
from linkwise.kernels.scores import LONGEST, label_in_panels, pays, stretch

needs_vectors = pytest.mark.skipif(not pays(), reason="needs AVX2 and FMA")


def partitions(rng, n_features, n_partitions, n_centers, n_used):
    """Return centres, offsets and features."""
    centers = rng.normal(size=(n_partitions, n_centers, n_used)).astype(np.float32)
    features = [rng.choice(n_features, n_used, replace=False) for _ in range(n_partitions)]
    return centers, 0.5 * np.square(centers).sum(axis=2), np.array(features, np.int32)


def labels_of(tile, *models, by=label_in_panels):
    labels = np.full((len(models[0]), tile.shape[1]), 255, np.uint8)
    by(tile, *models, labels)
    return labels


@pytest.mark.parametrize("by", [label_tile, label_in_panels])
@pytest.mark.parametrize("width", [1, 50, 256])
@pytest.mark.parametrize(("n_centers", "n_used"), [(1, 1), (6, 3), (8, 8), (37, 5), (256, 8)])
def test_a_tile_is_labelled_by_the_nearest_centre_of_each_partition(by, width, n_centers, n_used):
    rng = np.random.default_rng(n_used)
    tile = rng.normal(size=(8, width)).astype(np.float32)
    centers, offsets, features = partitions(rng, 8, 4, n_centers, n_used)
    labels = labels_of(tile, centers, offsets, features, by=by)
    for p in range(4):
        part = tile[features[p]].T.astype(float)
        distance = np.square(part[:, None, :] - centers[p]).sum(axis=2)
        np.testing.assert_array_equal(labels[p], distance.argmin(axis=1))


@pytest.mark.parametrize("by", [label_tile, label_in_panels])
def test_the_lower_label_wins_a_tie(by):
    """Whole numbers have exact sums: centres that are given twice tie."""
    rng = np.random.default_rng(0)
    tile = rng.integers(-9, 9, size=(7, 100)).astype(np.float32)
    half = rng.integers(-9, 9, size=(2, 20, 5)).astype(np.float32)
    centers = np.concatenate([half, half], axis=1)
    features = np.array([[0, 2, 3, 5, 6], [6, 5, 4, 1, 0]], np.int32)
    labels = labels_of(tile, centers, 0.5 * np.square(centers).sum(axis=2), features, by=by)
    for p in range(2):
        part = tile[features[p]].T
        distance = np.square(part[:, None, :] - centers[p]).sum(axis=2)
        np.testing.assert_array_equal(labels[p], distance.argmin(axis=1))
    assert labels.max() < 20


def near_ties():
    """Rows and centres whose scores differ by rounding alone: sums of the same in other orders."""
    rng = np.random.default_rng(1)
    n_used = 500
    tile = rng.normal(size=(1, 256)).astype(np.float32).repeat(n_used, axis=0)
    one = rng.normal(size=n_used).astype(np.float32)
    centers = np.stack([rng.permutation(one) for _ in range(40)])[None]
    return tile, centers, np.zeros((1, 40), np.float32), np.arange(n_used, dtype=np.int32)[None]


def test_labels_do_not_depend_on_the_other_rows():
    tile, *models = near_ties()
    labels = labels_of(tile, *models)
    assert len(np.unique(labels)) > 10
    order = np.random.default_rng(2).permutation(256)
    np.testing.assert_array_equal(labels_of(tile[:, order].copy(), *models)[0], labels[0, order])
    for width in (1, 15, 33):
        some = labels_of(tile[:, :width].copy(), *models)
        np.testing.assert_array_equal(some, labels[:, :width])


@needs_vectors
def test_a_score_is_the_sum_that_it_is_said_to_be_to_the_last_bit():
    rng = np.random.default_rng(3)
    weights = rng.normal(size=(1, 13, 392)).astype(np.float32)
    row = rng.normal(size=(392, 1)).astype(np.float32)
    features = np.arange(392, dtype=np.int32)[None]
    scores = np.array([[added(w[:196], row[:196]) + added(w[196:], row[196:]) for w in weights[0]]])
    assert labels_of(row, weights, scores, features)[0, 0] == 0  # all are 0 now
    for c in range(1, 13):
        less = scores.copy()
        less[0, c] = np.nextafter(less[0, c], np.float32(-np.inf))
        assert labels_of(row, weights, less, features)[0, 0] == c
    scores[0, 0] = np.nextafter(scores[0, 0], np.float32(np.inf))
    assert labels_of(row, weights, scores, features)[0, 0] == 1


def added(weights, values):
    """Add products one after the other, rounded once each."""
    total = np.float32(0)
    for weight, value in zip(weights, values[:, 0], strict=True):
        total = np.float32(np.float64(weight) * np.float64(value) + np.float64(total))
    return total


def test_a_stretch_is_an_equal_part_of_the_features():
    found = [int(stretch(n)) for n in (1, LONGEST, LONGEST + 1, 392, 1000)]
    assert found == [1, LONGEST, 161, 196, 250]


@needs_vectors
def test_labels_do_not_depend_on_how_long_vectors_are(tmp_path):
    """numba reads its settings once, so another process has vectors of 8 numbers."""
    np.savez(tmp_path / "given.npz", *near_ties())
    code = """
import sys
import numpy as np
from linkwise.kernels import scores
with np.load(sys.argv[1]) as given:
    labels = np.empty((1, 256), np.uint8)
    scores.label_in_panels(*given.values(), labels)
print(scores.pays(), scores.LANES, *labels[0])
"""
    processor = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "given.npz")],
        env={**os.environ, **processor},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = labels_of(*near_ties())[0]
    assert done.stdout.split() == ["True", "8", *map(str, expected)]


def test_where_vectors_are_short_a_library_multiplies():
    code = """
import numpy as np
from linkwise.ensemble import build_ensemble
from linkwise.kernels import nearest, scores
build_ensemble(np.eye(30), 2, n_partitions=1, seed=0)
print(scores.pays(), len(nearest.label_tile.signatures), len(scores.label_in_panels.signatures))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", "1", "0"]
