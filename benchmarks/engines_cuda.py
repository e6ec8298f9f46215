"""The GPU engine: is it right, and how fast is it?

    python benchmarks/engines_cuda.py --check     every kernel against its emulation
    python benchmarks/engines_cuda.py --time      the table of docs/scale.md
    python benchmarks/engines_cuda.py --estimator SequentialClustering with this engine
    python benchmarks/engines_cuda.py --sweep     variants: threads, tiles

Needs NumPy and CuPy alone (what also compares with the processor's kernels says when numba is
missing). Each part goes on when another fails. The rows are made up: pictures of 28 x 28 points
with a few blobs each, so no data set is needed.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import cupy as cp

from linkwise.kernels.cuda import emulation
from linkwise.kernels.cuda import vote as voting
from linkwise.kernels.cuda.labelling import Labeller, label_stream, upload_centers
from linkwise.kernels.cuda.layout import passes
from linkwise.kernels.cuda.training import train
from linkwise.kernels.vote.bytes import round_tables, round_weights

FAILED = []
N_FEATURES = 784


@contextmanager
def part(name):
    """Say what is done, and go on if it fails."""
    begin = time.perf_counter()
    try:
        yield
        print(f"done  {name} ({time.perf_counter() - begin:.1f} s)", flush=True)
    except Exception:
        FAILED.append(name)
        print(f"FAIL  {name}", flush=True)
        traceback.print_exc()
        sys.stderr.flush()


def device_labels(labels):
    """Put labels on the GPU with rows of the array at multiples of 16 bytes."""
    m, n = labels.shape
    stride = -(-n // 16) * 16
    room = cp.full((m, stride), 255, cp.uint8)
    room[:, :n] = cp.asarray(labels)
    return room


def milliseconds(work, repeat=20):
    """Return the median time on the GPU of ``work()``."""
    for _ in range(3):
        work()
    times = []
    for _ in range(repeat):
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        begin.record()
        work()
        end.record()
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(begin, end))
    return float(np.median(times))


def wall(work, repeat=5):
    """Return the median wall time of ``work()`` in milliseconds."""
    work()
    times = []
    for _ in range(repeat):
        cp.cuda.runtime.deviceSynchronize()
        begin = time.perf_counter()
        work()
        cp.cuda.runtime.deviceSynchronize()
        times.append(1e3 * (time.perf_counter() - begin))
    return float(np.median(times))


# ---------------------------------------------------------------- is it right?

VOTE_SHAPES = [
    (1, 1, 1, 2),
    (3, 70, 5, 3),
    (4, 65, 64, 8),
    (5, 3000, 80, 9),
    (9, 20000, 128, 10),
    (8, 1300, 129, 12),
    (7, 900, 40, 14),
    (13, 640, 128, 16),
    (9, 700, 256, 17),
    (6, 500, 30, 40),
    (5, 300, 200, 256),
]


def check_votes():
    for shape in VOTE_SHAPES:
        m, n, n_labels, r = shape
        for concentration in (0.2, 5.0):
            rng = np.random.default_rng(m)
            labels = rng.integers(0, n_labels, (m, n), dtype=np.uint8)
            tables = rng.dirichlet(np.full(r, concentration), (m, n_labels))
            if concentration == 5.0:
                tables = np.round(tables, 2)  # ties
            compare_votes(labels, tables, shape)


def compare_votes(labels, tables, shape):
    rounded = round_tables(tables)
    on_device = voting.upload_tables(tables)
    if on_device is None:
        assert not len(rounded.partitions)
        return
    assert on_device.unit == rounded.unit
    assert (on_device.doubt, on_device.doubt_in_parts) == (rounded.doubt, rounded.doubt_in_parts)
    steps = np.zeros(tables.shape, np.uint8)
    steps[rounded.partitions] = rounded.entries
    for both, (first, size) in zip(cp.asnumpy(on_device.both), passes(shape[3]), strict=True):
        here = slice(first, first + size)
        np.testing.assert_array_equal(both[:, :, 0, :size], steps[:, :, here])
        parts = both[:, :, 1, :size].astype(np.int64) - 128
        np.testing.assert_array_equal(parts, rounded.parts[:, :, here])
    found = voting.vote(device_labels(labels), shape[1], on_device)
    expected = emulation.count_votes(labels, rounded, tables, shape[3])
    winners, margins = map(cp.asnumpy, found)
    same = (winners == expected.winners).mean(), (margins == expected.margins).mean()
    assert same == (1.0, 1.0), f"{shape}: winners and margins agree on {same}"


def check_weights():
    for n_clusters in (2, 5, 9, 10, 16, 20, 200):
        rng = np.random.default_rng(n_clusters)
        labels = rng.integers(0, min(n_clusters + 3, 256), (21, 1500), dtype=np.uint8)
        weights = np.maximum(rng.normal(size=21), 0.0)
        on_device = voting.upload_weights(weights, n_clusters)
        winners, margins = map(cp.asnumpy, voting.vote(device_labels(labels), 1500, on_device))
        expected = emulation.count_votes(labels, round_weights(weights), weights, n_clusters)
        np.testing.assert_array_equal(winners, expected.winners)
        np.testing.assert_array_equal(margins, expected.margins)


def check_votes_with_processor():
    from linkwise.kernels.vote.vote import vote

    rng = np.random.default_rng(0)
    labels = rng.integers(0, 128, (300, 300_001), dtype=np.uint8)
    tables = rng.dirichlet(np.full(10, 0.1), (300, 128))
    winners, margins = vote(labels, tables)
    found = voting.vote(device_labels(labels), labels.shape[1], voting.upload_tables(tables))
    np.testing.assert_array_equal(cp.asnumpy(found[0]), winners)
    np.testing.assert_array_equal(cp.asnumpy(found[1]), margins)
    print("      300,001 rows x 300 partitions: winners and margins equal bit by bit")


def draw_partitions(rng, n_rows, n_features, m, n_blocks):
    rows = rng.normal(size=(n_rows, n_features)).astype(np.float32)
    n_used = -(-n_features // 2)
    features = np.stack([np.sort(rng.permutation(n_features)[:n_used]) for _ in range(m)])
    centers = np.stack([rows[rng.permutation(n_rows)[:n_blocks]][:, seen] for seen in features])
    offsets = (0.5 * np.square(centers).sum(axis=2)).astype(np.float32)
    return rows, np.ascontiguousarray(centers), offsets, features.astype(np.int32)


def label_on_device(raw, centers, offsets, features, mean, scale, **tiles):
    labeller = Labeller(
        upload_centers(centers, offsets, features, raw.shape[1]), mean, scale, **tiles
    )
    labels = cp.full((len(centers), -(-len(raw) // 16) * 16), 255, cp.uint8)
    labeller.label(cp.asarray(raw), labels)
    labeller.check()
    return cp.asnumpy(labels)[:, : len(raw)], cp.asnumpy(labeller.n_decided)


def check_labels():
    for n_features, n_blocks in ((2, 5), (7, 30), (40, 2), (40, 1), (200, 128), (784, 256)):
        rng = np.random.default_rng(n_features)
        rows, *partitions = draw_partitions(rng, 1500, n_features, 5, n_blocks)
        mean = np.zeros(n_features)
        expected = emulation.label_prepared(rows, *partitions)
        for tiles in ({}, {"tile_rows": 512, "tile_bytes": 1 << 20}):
            found, decided = label_on_device(rows, *partitions, mean, 1.0, **tiles)
            differ = (found != expected.labels).sum()
            share = decided.sum() / found.size
            print(
                f"      {n_features} features, {n_blocks} centres: {differ} differ, recounted "
                f"{share:.3f} ({expected.share_close:.3f} emulated)"
            )
            assert differ <= 2  # of 7500, by float32's rounding
            if n_blocks > 1:
                assert abs(share - expected.share_close) < 0.02


def check_types_and_outliers():
    rng = np.random.default_rng(5)
    rows, centers, offsets, features = draw_partitions(rng, 1000, 30, 3, 20)
    mean = rng.normal(size=30)
    for dtype in (np.float64, np.float32, np.uint8, np.int16, np.bool_):
        raw = (30 * rows + 100).clip(0, 255).astype(dtype)
        prepared = ((raw - mean) / 64.0).astype(np.float32)
        found, _ = label_on_device(raw, centers, offsets, features, mean, 64.0)
        expected = emulation.label_prepared(prepared, centers, offsets, features).labels
        assert (found != expected).mean() <= 1e-4, dtype
    rows[::50] *= 1e6  # beyond half precision
    found, _ = label_on_device(rows, centers, offsets, features, np.zeros(30), 1.0)
    for p, seen in enumerate(features):
        exact = rows[:, seen].astype(np.float64) @ centers[p].T.astype(np.float64) - offsets[p]
        assert (exact.argmax(axis=1) != found[p]).mean() < 2e-3
    rows[3, 4] = np.nan
    try:
        label_on_device(rows, centers, offsets, features, np.zeros(30), 1.0)
    except ValueError:
        return
    raise AssertionError("NaN was not noticed")


def check_stream():
    rng = np.random.default_rng(6)
    rows, centers, offsets, features = draw_partitions(rng, 5000, 50, 7, 60)
    centers_on_device = upload_centers(centers, offsets, features, 50)
    labeller = Labeller(centers_on_device, np.zeros(50), 1.0)
    blocks = ((start, rows[start : start + 700]) for start in range(0, 5000, 700))
    found = np.empty((7, 5000), np.uint8)
    for start, labels in label_stream(labeller, blocks):
        found[:, start : start + labels.shape[1]] = labels
    whole, _ = label_on_device(rows, centers, offsets, features, np.zeros(50), 1.0)
    np.testing.assert_array_equal(found, whole)


def check_labels_with_processor():
    from linkwise.ensemble.models import NearestCenters

    raw, mean, scale, partitions = pictures_and_partitions(8192, 300)
    prepared = ((cp.asnumpy(raw) - mean) / scale).astype(np.float32)
    models = NearestCenters(*partitions)
    tiles = (np.ascontiguousarray(prepared[start : start + 256].T) for start in range(0, 8192, 256))
    expected = np.hstack([models.label(tile) for tile in tiles])
    found, decided = label_on_device(cp.asnumpy(raw), *partitions, mean, scale)
    differ = (found != expected).mean()
    print(f"      8192 pictures x 300 partitions: {differ:.2e} differ from the processor's;")
    print(
        f"      recounted {decided[0] / found.size:.4f} (two), {decided[1] / found.size:.4f} (more)"
    )
    assert differ <= 1e-4


def numpy_kmeans(X, starts, n_steps=10):
    centers = X[starts].copy()
    for _ in range(n_steps):
        scores = centers @ X.T - 0.5 * np.square(centers).sum(axis=1)[:, None]
        labels = scores.argmax(axis=0)
        for c in range(len(centers)):
            if (labels == c).any():
                centers[c] = np.add.accumulate(X[labels == c], axis=0)[-1] / np.float32(
                    (labels == c).sum()
                )
    return centers


def check_training():
    rng = np.random.default_rng(7)
    pool = rng.normal(size=(4000, 20)).astype(np.float32)
    rows = np.stack([np.sort(rng.permutation(4000)[:600]) for _ in range(6)])
    features = np.stack([np.sort(rng.permutation(20)[:10]) for _ in range(6)]).astype(np.int32)
    starts = np.stack([np.sort(rng.permutation(600)[:16]) for _ in range(6)])
    found = train(pool, rows, features, starts)
    for p in range(6):
        X = np.ascontiguousarray(pool[rows[p]][:, features[p]])
        expected = numpy_kmeans(X, starts[p])
        off = np.abs(found[p] - expected).max()
        assert off < 1e-5, f"partition {p} is off by {off}"
    pool[:] = pool[0]  # nothing but one row: all clusters but one are empty
    assert np.isfinite(train(pool, rows, features, starts)).all()


# ---------------------------------------------------------------- how fast is it?


def pictures(n_rows, seed):
    """Draw pictures of ten kinds on the GPU: (n_rows, 784) float32 from 0 to 255, and kinds."""
    rng = cp.random.RandomState(seed)
    kinds = np.random.default_rng(0).uniform(5, 23, (10, 5, 2)).astype(np.float32)
    kind = rng.randint(0, 10, n_rows)
    at = cp.asarray(kinds)[kind] + 3.0 * rng.standard_normal((n_rows, 5, 2), dtype=cp.float32)
    size = rng.uniform(1.5, 3.5, (n_rows, 5)).astype(cp.float32)
    grid = cp.arange(28, dtype=cp.float32)
    found = cp.zeros((n_rows, 28, 28), cp.float32)
    for blob in range(5):
        width = size[:, blob, None]
        down = cp.exp(-(((grid - at[:, blob, :1]) / width) ** 2))
        across = cp.exp(-(((grid - at[:, blob, 1:]) / width) ** 2))
        found += down[:, :, None] * across[:, None, :]
    found = cp.minimum(found, 1.0).reshape(n_rows, N_FEATURES)
    found[found < 0.1] = 0.0
    return cp.rint(255 * found), kind


def draws(n_pool, m, sample, n_used, n_blocks):
    rng = np.random.default_rng(1)
    rows = np.stack([np.sort(rng.choice(n_pool, sample, replace=False)) for _ in range(m)])
    features = [np.sort(rng.choice(N_FEATURES, n_used, replace=False)) for _ in range(m)]
    starts = [np.sort(rng.choice(sample, n_blocks, replace=False)) for _ in range(m)]
    return rows, np.stack(features).astype(np.int32), np.stack(starts)


def fit_preparation(rows):
    mean = rows.mean(axis=0, dtype=np.float64)
    size = float(np.maximum(rows.max(axis=0) - mean, mean - rows.min(axis=0)).max())
    return mean, 2.0 ** int(np.frexp(size)[1])


def pictures_and_partitions(n_rows, m):
    raw = pictures(n_rows, 0)[0]
    pool_raw = cp.asnumpy(pictures(21400, 1)[0])
    mean, scale = fit_preparation(pool_raw)
    pool = ((pool_raw - mean) / scale).astype(np.float32)
    rows, features, starts = draws(len(pool), m, 3000, 392, 128)
    centers = train(pool, rows, features, starts)
    offsets = (0.5 * np.square(centers).sum(axis=2)).astype(np.float32)
    return raw, mean, scale, (centers, offsets, features)


def vote_case(n_rows):
    """Return the labels of pictures in 300 partitions, and tables of their kinds.

    A label gives each kind its share among 2000 landmarks, as SequentialClustering has it.
    """
    _, mean, scale, partitions = pictures_and_partitions(16, 300)
    labeller = Labeller(upload_centers(*partitions, N_FEATURES), mean, scale)
    labels = cp.empty((300, 64 * (-(-n_rows // 64) | 1)), cp.uint8)
    kinds = cp.empty(n_rows, cp.int64)
    for start in range(0, n_rows, 65536):
        stop = min(start + 65536, n_rows)
        raw, kinds[start:stop] = pictures(stop - start, start)
        labeller.label(raw, labels[:, start:stop])
    landmarks = cp.asnumpy(labels[:, :2000]).astype(np.int64)
    tables = np.zeros((300, 128, 10))
    np.add.at(tables, (np.arange(300)[:, None], landmarks, cp.asnumpy(kinds[:2000])), 1.0)
    tables /= np.maximum(tables.sum(axis=2, keepdims=True), 1.0)
    return labels, tables


def time_vote(n_rows):
    labels, tables = vote_case(n_rows)
    some = labels.ravel()[: labels.size // 16 * 16].view(cp.uint64)
    read = milliseconds(lambda: cp.max(some))
    uploaded = voting.upload_tables(tables)
    certain = replace(uploaded, doubt=-1)
    result = []

    def count():
        result[:] = voting.vote(labels, n_rows, uploaded)

    on_gpu, alone = milliseconds(count), milliseconds(lambda: voting.vote(labels, n_rows, certain))
    rounding = wall(lambda: voting.upload_tables(tables))
    pinned = [cp.cuda.alloc_pinned_memory(4 * n_rows) for _ in range(2)]
    views = [
        np.frombuffer(memory, dtype, n_rows)
        for memory, dtype in zip(pinned, (np.int32, np.float32), strict=True)
    ]

    def whole():
        winners, margins = voting.vote(labels, n_rows, voting.upload_tables(tables))
        for array, view in zip((winners, margins), views, strict=True):
            array.get(out=view)

    print(f"      read the labels once        {read:8.2f} ms")
    print(f"      vote with margins           {on_gpu:8.2f} ms ({alone:.2f} without the recount)")
    print(f"      round and upload the tables {rounding:8.2f} ms (wall)")
    print(f"      all of it, results fetched  {wall(whole):8.2f} ms (wall)")
    lead = cp.percentile(result[1][:100000] / 300, cp.asarray([1.0, 10.0, 50.0]))
    print(f"      margins, as shares of the votes, at 1, 10, 50 %: {lead}")
    chosen = np.random.default_rng(2).integers(0, n_rows, 20000)
    sample = cp.asnumpy(labels[:, cp.asarray(chosen)])
    expected = emulation.count_votes(sample, round_tables(tables), tables, tables.shape[2])
    assert (cp.asnumpy(result[0])[chosen] == expected.winners).all()
    assert (cp.asnumpy(result[1])[chosen] == expected.margins).all()
    print(
        f"      of 20000 rows, all equal: {expected.n_close} recounted, "
        f"{expected.n_exact} of them in float64"
    )


def sweep_vote(n_rows):
    labels, tables = vote_case(n_rows)
    for r in (2, 8, 10, 12, 16, 20):
        some = np.random.default_rng(0).dirichlet(np.full(r, 0.1), tables.shape[:2])
        uploaded = replace(voting.upload_tables(some), doubt=-1)
        for threads in (256, 320, 384, 512):
            ms = milliseconds(
                lambda t=threads, u=uploaded: voting.vote(labels, n_rows, u, t), repeat=7
            )
            print(f"      {r:3d} clusters, {threads:4d} threads: {ms:7.2f} ms", flush=True)
    uploaded = voting.upload_tables(
        np.random.default_rng(0).dirichlet(np.full(10, 0.1), (300, 128))
    )
    ms = milliseconds(lambda: voting.vote(labels, n_rows, uploaded), repeat=3)
    print(f"      tables that know nothing, most rows recounted: {ms:7.2f} ms", flush=True)
    uploaded = voting.upload_weights(np.random.default_rng(0).random(300), 10)
    few = labels % 10
    ms = milliseconds(lambda: voting.vote(few, n_rows, uploaded), repeat=7)
    print(f"      weights, 10 clusters: {ms:7.2f} ms", flush=True)


def time_labelling(n_rows, tiles):
    raw, mean, scale, partitions = pictures_and_partitions(65536, 300)
    centers = upload_centers(*partitions, N_FEATURES)
    labels = cp.empty((300, 65536), cp.uint8)
    for tile_rows, tile_bytes in tiles:
        labeller = Labeller(centers, mean, scale, tile_rows, tile_bytes)
        ms = milliseconds(lambda lb=labeller: lb.label(raw, labels), repeat=5)
        labeller.n_decided[:] = 0
        labeller.label(raw, labels)
        share = cp.asnumpy(labeller.n_decided) / labels.size
        product = milliseconds(
            lambda lb=labeller: [
                lb._multiply(lb.tile_rows, first, lb.partitions_at_once)
                for first in range(0, 301 - lb.partitions_at_once, lb.partitions_at_once)
            ],
            repeat=5,
        )
        print(
            f"      tile {labeller.tile_rows} x {labeller.partitions_at_once} partitions: "
            f"{n_rows / 65536 * ms / 1e3:6.2f} s for {n_rows} rows, the product alone "
            f"{n_rows / labeller.tile_rows * product / 1e3:5.2f} s; "
            f"recounted {share[0]:.4f} (two), {share[1]:.4f} (more)",
            flush=True,
        )
        del labeller
        cp.get_default_memory_pool().free_all_blocks()


def time_training():
    pool_raw = cp.asnumpy(pictures(21400, 1)[0])
    mean, scale = fit_preparation(pool_raw)
    pool = ((pool_raw - mean) / scale).astype(np.float32)
    begin = time.perf_counter()
    drawn = draws(len(pool), 300, 3000, 392, 128)
    print(f"      draws on the host {time.perf_counter() - begin:5.2f} s")
    for turn in ("first", "again"):
        begin = time.perf_counter()
        train(pool, *drawn)
        print(f"      training 300 partitions, {turn}: {time.perf_counter() - begin:5.2f} s")


def time_fit(n_rows):
    """Everything from rows in host memory to labels in host memory."""
    begin = time.perf_counter()
    X = np.empty((n_rows, N_FEATURES), np.float32)
    for start in range(0, n_rows, 100_000):
        stop = min(start + 100_000, n_rows)
        pictures(stop - start, start)[0].get(out=X[start:stop])
    found = np.empty((300, n_rows), np.uint8)
    found[:] = 0
    cp.get_default_memory_pool().free_all_blocks()
    print(f"      made {X.nbytes / 1e9:.1f} GB of rows ({time.perf_counter() - begin:.1f} s)")
    begin = time.perf_counter()
    chosen = np.sort(np.random.default_rng(0).choice(n_rows, 21400, replace=False))
    pool_raw = X[chosen]
    mean, scale = fit_preparation(pool_raw)
    pool = ((pool_raw - mean) / scale).astype(np.float32)
    sampled = time.perf_counter()
    rows, features, starts = draws(len(pool), 300, 3000, 392, 128)
    centers = train(pool, rows, features, starts)
    offsets = (0.5 * np.square(centers).sum(axis=2)).astype(np.float32)
    trained = time.perf_counter()
    labeller = Labeller(upload_centers(centers, offsets, features, N_FEATURES), mean, scale)
    step = 65536
    blocks = ((start, X[start : start + step]) for start in range(0, n_rows, step))
    for start, labels in label_stream(labeller, blocks):
        found[:, start : start + labels.shape[1]] = labels
    done = time.perf_counter()
    print(f"      sample {sampled - begin:5.2f} s, train {trained - sampled:5.2f} s")
    print(f"      label, transfers included {done - trained:5.2f} s; all {done - begin:5.2f} s")


class HostRows:
    """Rows in host memory, as a source that reads blocks."""

    def __init__(self, X):
        self._X = X
        self.n_rows, self.n_features = X.shape

    def read(self, start, stop):
        return self._X[start:stop]

    def sample(self, indices):
        return self._X[indices]


def time_estimator(n_rows):
    """SequentialClustering on the GPU: needs all of linkwise."""
    import linkwise as lw

    X, kinds = np.empty((n_rows, N_FEATURES), np.float32), np.empty(n_rows, np.int64)
    for start in range(0, n_rows, 100_000):
        stop = min(start + 100_000, n_rows)
        some, kind = pictures(stop - start, start)
        some.get(out=X[start:stop])
        kinds[start:stop] = cp.asnumpy(kind)
    del some, kind
    cp.get_default_memory_pool().free_all_blocks()
    spoken = np.sort(np.random.default_rng(0).choice(n_rows, 60, replace=False))
    few = lw.Links.sample(kinds[spoken], 100, random_state=0)
    links = lw.Links(n_rows, must=spoken[few.must], cannot=spoken[few.cannot])
    for turn in ("first", "again"):
        model = lw.SequentialClustering(
            10, n_partitions=300, n_blocks=128, engine="cuda", random_state=0
        )
        begin = time.perf_counter()
        model.fit(HostRows(X))
        fitted = time.perf_counter()
        model.labels_  # noqa: B018
        voted = time.perf_counter()
        model.update(links)
        heard = time.perf_counter()
        model.labels_  # noqa: B018
        done = time.perf_counter()
        print(
            f"      {turn}: fit {fitted - begin:.2f} s, first labels_ {voted - fitted:.2f} s, "
            f"update {heard - voted:.2f} s, labels_ {1e3 * (done - heard):.1f} ms",
            flush=True,
        )


def describe():
    found = cp.cuda.runtime.getDeviceProperties(0)
    print(f"{found['name'].decode()}, {found['multiProcessorCount']} multiprocessors")
    print(f"CuPy {cp.__version__}, NumPy {np.__version__}, Python {sys.version.split()[0]}")
    for name in (
        "numba",
        "scipy",
        "sklearn",
        "pytest",
        "joblib",
        "pyarrow",
        "narwhals",
        "hypothesis",
    ):
        try:
            print(f"{name} {__import__(name).__version__}", end="; ")
        except Exception:
            print(f"no {name}", end="; ")
    print()


CHECKS = {
    "votes with tables are those of the emulation": check_votes,
    "votes with weights are those of the emulation": check_weights,
    "votes are those of the processor": check_votes_with_processor,
    "labels are those of the emulation": check_labels,
    "all types of values; outliers; NaN": check_types_and_outliers,
    "a stream of blocks gives the same labels": check_stream,
    "training is k-means": check_training,
    "labels are those of the processor": check_labels_with_processor,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--estimator", action="store_true", help="needs all of linkwise")
    parser.add_argument("--profile", action="store_true", help="one vote, for a profiler")
    parser.add_argument("--rows", type=int, default=8_100_000)
    parser.add_argument("--fit-rows", type=int)
    chosen = parser.parse_args()
    describe()
    if chosen.profile:
        labels = cp.random.RandomState(0).randint(0, 128, (300, chosen.rows // 16 * 16))
        tables = np.random.default_rng(0).dirichlet(np.full(10, 0.1), (300, 128))
        certain = replace(voting.upload_tables(tables), doubt=-1)
        voting.vote(labels.astype(cp.uint8), chosen.rows // 16 * 16, certain)
        cp.cuda.runtime.deviceSynchronize()
    if chosen.check:
        for name, check in CHECKS.items():
            with part(name):
                check()
    if chosen.time:
        with part(f"vote, {chosen.rows} rows x 300 partitions of 128 blocks, 10 clusters"):
            time_vote(chosen.rows)
        with part("training"):
            time_training()
        with part("labelling"):
            time_labelling(chosen.rows, [(16384, 3 << 30)])
        with part("the whole fit"):
            time_fit(chosen.fit_rows or chosen.rows)
    if chosen.estimator:
        with part(f"SequentialClustering, {chosen.rows} rows"):
            time_estimator(chosen.rows)
    if chosen.sweep:
        with part("sweep of the vote"):
            sweep_vote(chosen.rows)
        with part("sweep of labelling"):
            l2 = [(8192, 8192 * 512 * n) for n in (4, 8, 16)]
            time_labelling(chosen.rows, [*l2, (16384, 1 << 30), (32768, 6 << 30)])
    print(f"FAILED: {', '.join(FAILED)}" if FAILED else "PASS")
    sys.exit(bool(FAILED))


if __name__ == "__main__":
    main()
