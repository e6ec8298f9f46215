"""The arithmetic of the GPU, emulated word by word, against the kernels of the processor."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwise.kernels.cuda import emulation
from linkwise.kernels.cuda.layout import (
    MOST_CLUSTERS,
    ROWS,
    Words,
    half_bounds,
    in_groups,
    lay_out,
    passes,
    share_rows,
)
from linkwise.kernels.nearest import label_tile
from linkwise.kernels.vote.bytes import round_tables, round_weights
from linkwise.kernels.vote.vote import vote, vote_weights

# partitions, rows, labels, clusters: around groups of four, 16 clusters, and 128 labels
SHAPES = [
    (1, 1, 1, 2),
    (3, 70, 5, 3),
    (4, 65, 64, 8),
    (5, 300, 80, 9),
    (9, 200, 128, 10),
    (8, 130, 129, 12),
    (7, 90, 40, 14),
    (13, 64, 128, 16),
    (9, 70, 256, 17),
    (6, 50, 30, 40),
]


def draw(shape, seed=0, concentration=0.2):
    m, n, n_labels, r = shape
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_labels, (m, n), dtype=np.uint8)
    return labels, rng.dirichlet(np.full(r, concentration), (m, n_labels))


@pytest.mark.parametrize("shape", SHAPES)
def test_winners_and_margins_are_those_of_the_processor_bit_by_bit(shape):
    labels, tables = draw(shape)
    found = emulation.count_votes(labels, round_tables(tables), tables, shape[3])
    winners, margins = vote(labels, tables)
    np.testing.assert_array_equal(found.winners, winners)
    np.testing.assert_array_equal(found.margins, margins)


@pytest.mark.parametrize("shape", SHAPES)
def test_tables_that_were_solved_for_have_both_signs(shape):
    labels, _ = draw(shape)
    tables = np.random.default_rng(0).normal(size=(shape[0], shape[2], shape[3]))
    found = emulation.count_votes(labels, round_tables(tables), tables, shape[3])
    winners, margins = vote(labels, tables)
    np.testing.assert_array_equal(found.winners, winners)
    np.testing.assert_array_equal(found.margins, margins)


def test_ties_are_recounted_and_go_to_the_first_cluster():
    labels, _ = draw((12, 400, 6, 5))
    tables = np.random.default_rng(1).integers(0, 3, (12, 6, 5)) / 2.0
    found = emulation.count_votes(labels, round_tables(tables), tables, 5)
    winners, margins = vote(labels, tables)
    assert found.n_exact > 10
    assert (margins == 0).any()
    np.testing.assert_array_equal(found.winners, winners)
    np.testing.assert_array_equal(found.margins, margins)


def test_close_rows_are_settled_in_parts_or_in_float64():
    labels, tables = draw((60, 2000, 30, 10), concentration=5.0)
    found = emulation.count_votes(labels, round_tables(tables), tables, 10)
    assert 0 < found.n_exact < found.n_close < 2000
    winners, margins = vote(labels, tables)
    np.testing.assert_array_equal(found.winners, winners)
    np.testing.assert_array_equal(found.margins, margins)


@pytest.mark.parametrize("n_clusters", [2, 5, 9, 10, 16, 20])
def test_weighted_votes_are_those_of_the_processor_bit_by_bit(n_clusters):
    rng = np.random.default_rng(n_clusters)
    labels = rng.integers(0, n_clusters + 3, (21, 150), dtype=np.uint8)  # some name nobody
    weights = np.maximum(rng.normal(size=21), 0.0)
    found = emulation.count_votes(labels, round_weights(weights), weights, n_clusters)
    winners, margins = vote_weights(labels, weights, n_clusters)
    np.testing.assert_array_equal(found.winners, winners)
    np.testing.assert_array_equal(found.margins, margins)


def test_the_largest_entries_do_not_spill_into_their_neighbours():
    labels = np.zeros((516, 3), np.uint8)  # as many partitions as sums of 16 bits can hold
    for n_clusters in (8, 10, 12, 14, 16):
        tables = np.zeros((516, 1, n_clusters))
        tables[:, 0, ::3] = 1.0
        rounded = round_tables(tables)
        words = Words.of(n_clusters)
        steps = emulation.add_up(labels, rounded, words, 0, n_clusters)
        expected = rounded.entries.astype(np.int64).sum(axis=0)[0]
        np.testing.assert_array_equal(steps[:n_clusters, 0], expected)
        assert expected.max() > 65000


@given(st.integers(1, MOST_CLUSTERS))
def test_every_cluster_has_a_byte_of_its_own(n_clusters):
    words = Words.of(n_clusters)
    places = words.bytes()
    assert words.n_clusters >= n_clusters
    assert words.dense + words.wide <= 4
    assert len(set(places.tolist())) == len(places)
    assert places.max() < 16
    entries = np.arange(1, n_clusters + 1, dtype=np.uint8).reshape(1, 1, -1)
    table = lay_out(entries, words, 128)
    assert table.shape == (4, 128, 16)
    np.testing.assert_array_equal(table[0, 0, places[:n_clusters]], entries[0, 0])
    assert table.sum() == entries.sum()


@given(st.integers(1, 300))
def test_passes_cover_every_cluster_once(n_clusters):
    covered = [c for first, size in passes(n_clusters) for c in range(first, first + size)]
    assert covered == list(range(n_clusters))
    assert max(size for _, size in passes(n_clusters)) <= MOST_CLUSTERS


@given(st.integers(1, 10**8), st.integers(1, 200), st.sampled_from([256, 384, 512]))
def test_blocks_cover_all_rows_and_fit_their_threads(n_rows, n_processors, threads):
    n_blocks, each = share_rows(n_rows, n_processors, threads)
    assert (n_blocks - 1) * each < n_rows <= n_blocks * each
    assert each <= ROWS * threads
    assert each % (32 * ROWS) == 0


def test_partitions_come_in_groups_of_four():
    assert in_groups(np.array([3, 1, 5])).tolist() == [3, 1, 5, 0]
    assert in_groups(np.arange(4)).tolist() == [0, 1, 2, 3]


def draw_partitions(rng, n_rows, n_features, m, n_blocks):
    rows = rng.normal(size=(n_rows, n_features)).astype(np.float32)
    n_used = -(-n_features // 2)
    features = np.stack([np.sort(rng.permutation(n_features)[:n_used]) for _ in range(m)])
    features = features.astype(np.int32)
    centers = np.stack([rows[rng.permutation(n_rows)[:n_blocks]][:, seen] for seen in features])
    offsets = (0.5 * np.square(centers).sum(axis=2)).astype(np.float32)
    return rows, np.ascontiguousarray(centers), offsets, features


def label_by_processor(rows, centers, offsets, features):
    labels = np.empty((len(centers), len(rows)), np.uint8)
    label_tile(np.ascontiguousarray(rows.T), centers, offsets, features, labels)
    return labels


@pytest.mark.parametrize("n_features", [2, 7, 40, 200])
def test_half_precision_then_single_gives_the_labels_of_the_processor(n_features):
    rng = np.random.default_rng(n_features)
    rows, *partitions = draw_partitions(rng, 600, n_features, 4, 30)
    labels, share_close = emulation.label_prepared(rows, *partitions)
    np.testing.assert_array_equal(labels, label_by_processor(rows, *partitions))
    assert 0 < share_close < 0.8


def test_rows_between_two_centres_are_recounted():
    rng = np.random.default_rng(0)
    rows, centers, offsets, features = draw_partitions(rng, 400, 24, 3, 12)
    between = rows.copy()
    for i in range(200):  # on the plane between two centres, but for a little
        p, (one, other) = i % 3, rng.permutation(12)[:2]
        middle = 0.5 * (centers[p, one] + centers[p, other])
        between[i, features[p]] = middle + 3e-4 * (centers[p, one] - centers[p, other])
    labels, _ = emulation.label_prepared(between, centers, offsets, features)
    np.testing.assert_array_equal(labels, label_by_processor(between, centers, offsets, features))
    # half precision alone is wrong about some of them
    halves = between.astype(np.float16).astype(np.float64)
    rounded = centers.astype(np.float16).astype(np.float64)
    alone = [
        (halves[:, seen] @ rounded[p].T - offsets[p]).argmax(axis=1)
        for p, seen in enumerate(features)
    ]
    assert (np.stack(alone) != labels).any()


def test_values_that_half_precision_cannot_hold_are_never_taken_for_certain():
    rng = np.random.default_rng(3)
    _, centers, _, _ = draw_partitions(rng, 50, 6, 2, 5)
    _, start = half_bounds(1e5 * centers, 6)
    assert np.isinf(start).all()


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.floats(-12, 3), st.integers(1, 60))
def test_no_difference_of_scores_moves_by_more_than_its_bound(seed, magnitude, n_features):
    rng = np.random.default_rng(seed)
    size = 10.0**magnitude
    rows = (size * rng.normal(size=(20, n_features))).astype(np.float32)
    centers = (size * rng.normal(size=(1, 8, n_features))).astype(np.float32)
    slope, start = half_bounds(centers, n_features)
    exact = rows.astype(np.float64) @ centers[0].T.astype(np.float64)
    halves = rows.astype(np.float16).astype(np.float32)
    rounded = halves @ centers[0].astype(np.float16).astype(np.float32).T
    moved = rounded.astype(np.float64) - exact
    between = (moved[:, :, None] - moved[:, None, :]).max(axis=(1, 2))
    norms = np.sqrt(np.square(rows.astype(np.float64)).sum(axis=1))
    assert (between <= slope[0] * norms + start[0]).all()


def test_all_but_cupy_that_the_gpu_needs_is_numpy():
    """Who tests on a machine with a GPU may have little else there."""
    program = """
import sys
for name in ("cupy", "joblib", "numba", "pyarrow", "scipy", "sklearn", "threadpoolctl"):
    sys.modules[name] = None  # importing it fails
from linkwise.kernels.cuda import device, emulation, labelling, layout, resident, training, vote
"""
    subprocess.run([sys.executable, "-c", program], check=True)
