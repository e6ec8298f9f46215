"""The vote over all rows against float64 sums, added up partition by partition."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from linkwise.errors import InvalidInput
from linkwise.kernels.vote import vote as module
from linkwise.kernels.vote.bytes import PARTS, round_tables, round_weights
from linkwise.kernels.vote.fetch import add_rows, lay_out_rows
from linkwise.kernels.vote.settle import Evidence, settle
from linkwise.kernels.vote.vectors import (
    BLOCK,
    add_tables,
    add_weights,
    addresses_of,
    has_byte_permute,
    lay_out_tables,
    lay_out_weights,
)
from linkwise.kernels.vote.vote import quantisation_error, scores, vote, vote_weights

needs_permute = pytest.mark.skipif(not has_byte_permute(), reason="needs AVX-512 VBMI")
ENGINES = [
    pytest.param(module.PERMUTE, marks=needs_permute, id="permute"),
    pytest.param(module.FETCH, id="fetch"),
]

# partitions, rows, labels, clusters: around the sizes of vectors, groups, blocks and chunks
SHAPES = [
    (0, 10, 3, 4),
    (1, 1, 1, 2),
    (1, 63, 2, 3),
    (3, 64, 63, 2),
    (4, 65, 64, 12),
    (5, 1000, 65, 13),
    (6, 1025, 80, 10),
    (7, 200, 128, 16),
    (8, 130, 129, 17),
    (9, 70, 256, 27),
    (30, 16 * 1024 + 65, 80, 2),
    (10, 1100, 200, 256),
    (3, 66, 5, 300),
]


def sums(labels, tables):
    """Add float64 entries one partition after the other: (n_rows, n_clusters)."""
    entries = tables[np.arange(len(labels))[:, None], labels]
    start = np.zeros((1, *entries.shape[1:]))
    return np.concatenate([start, entries]).cumsum(axis=0)[-1]


def expected(totals):
    """Return winners and margins of float64 sums."""
    ordered = np.sort(totals, axis=1)
    return totals.argmax(axis=1), ordered[:, -1] - ordered[:, -2]


def shares(rng, m, n_labels, r):
    """Draw tables as they are in use: each label a concentrated distribution over clusters."""
    return rng.dirichlet(np.full(r, 0.2), (m, n_labels))


def draw(shape, seed=0):
    m, n, n_labels, r = shape
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_labels, (m, n), dtype=np.uint8)
    return labels, shares(rng, m, n_labels, r)


def assert_right(labels, tables, result):
    """Compare winners exactly, and margins up to the promised error and float32."""
    winners, margins = result
    right, gaps = expected(sums(labels, tables))
    assert winners.dtype == np.int32
    assert margins.dtype == np.float32
    assert np.array_equal(winners, right)
    within = gaps < np.finfo(np.float32).max
    gaps, error = gaps[within], quantisation_error(tables)
    assert np.all(np.abs(margins[within] - gaps) <= error + 1e-7 * gaps)
    assert np.isinf(margins[~within]).all()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_winners_are_those_of_the_float64_sums(shape, engine):
    labels, tables = draw(shape)
    assert_right(labels, tables, module._vote(labels, tables, None, engine))


@pytest.mark.parametrize(
    ("lay_out", "add"),
    [
        pytest.param(lay_out_tables, add_tables, marks=needs_permute, id="permute"),
        pytest.param(lay_out_rows, add_rows, id="fetch"),
    ],
)
@pytest.mark.parametrize("shape", SHAPES[1:], ids=str)
def test_bytes_add_up_to_the_sums_of_whole_numbers(shape, lay_out, add):
    m, n, n_labels, r = shape
    rng = np.random.default_rng(1)
    n = min(n + -n % 64, BLOCK)
    labels = rng.integers(0, n_labels, (m, n + 64), dtype=np.uint8)
    entries = rng.integers(0, 128, (m, n_labels, r), dtype=np.uint8)
    added = np.empty((r, BLOCK), np.uint16)
    add(addresses_of(labels, np.arange(m)), lay_out(entries), 64, n, added)
    right = entries[np.arange(m)[:, None], labels[:, 64:]].sum(axis=0, dtype=int)
    assert np.array_equal(added[:, :n].T, right)


@pytest.mark.parametrize("n", [64, 640, 1024])
def test_weights_add_up_to_the_sums_of_whole_numbers(n):
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 256, (11, n + 64), dtype=np.uint8)
    weights = rng.integers(0, 64, 11, dtype=np.uint8)
    added = np.empty((256, BLOCK), np.uint16)
    addresses = addresses_of(labels, np.arange(11))
    add_weights(addresses, lay_out_weights(weights), 64, n, added)
    named = labels[:, 64:, None] == np.arange(256)
    right = (named * weights[:, None, None].astype(int)).sum(axis=0)
    assert np.array_equal(added[:, :n].T, right)


def hostile(kind, rng, m=40, n_labels=80, r=5):
    tables = shares(rng, m, n_labels, r)
    match kind:
        case "all equal":
            tables[:] = 0.3
        case "clusters equal, labels not":
            tables[:] = tables[:, :, :1]
        case "two clusters equal":
            tables[:, :, 3] = tables[:, :, 1]
        case "negative":
            tables -= 5.0
        case "some partitions say nothing":
            tables[::3] = 7.25
        case "far from zero":
            tables += 1e12
        case "huge range":
            tables = 10.0 ** rng.uniform(-200, 200, tables.shape)
        case "one partition dominates":
            tables[17] *= 1e6
        case "one partition dominates, and ties":
            tables[17] = 1e6 * (np.arange(r) < 2)
        case "too small for a step":
            tables *= 1e-310
        case "every margin is close":
            tables = 1.0 + 1e-9 * rng.normal(size=tables.shape)
            tables[0] += 1.0 * (np.arange(r) < 3)
        case "few distinct values":
            tables = rng.integers(0, 2, tables.shape).astype(float)
    return tables


KINDS = [
    "all equal",
    "clusters equal, labels not",
    "two clusters equal",
    "negative",
    "some partitions say nothing",
    "far from zero",
    "huge range",
    "one partition dominates",
    "one partition dominates, and ties",
    "too small for a step",
    "every margin is close",
    "few distinct values",
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_tables_change_no_winner(kind, engine):
    rng = np.random.default_rng(2)
    tables = hostile(kind, rng)
    labels = rng.integers(0, 80, (40, 700), dtype=np.uint8)
    assert_right(labels, tables, module._vote(labels, tables, None, engine))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("m", [257, 258, 1200, 5000])
def test_many_partitions_do_not_overflow_the_sums(m, engine):
    # all partitions agree, so the sums are as large as they can get
    tables = np.zeros((m, 2, 3))
    tables[:, 0, 1] = 1.0
    tables[:, 1, 2] = 0.999
    labels = np.repeat(np.array([[0, 1, 0, 1, 1]], np.uint8), m, axis=0)
    labels[0, 2:4] = 1, 0
    assert round_tables(tables).entries.max(axis=(1, 2)).sum(dtype=int) <= 65535
    assert_right(labels, tables, module._vote(labels, tables, None, engine))


def test_the_smallest_of_equal_clusters_wins():
    rng = np.random.default_rng(3)
    tables = np.repeat(shares(rng, 20, 9, 2), 3, axis=2)  # clusters 0 = 1 = 2 and 3 = 4 = 5
    labels = rng.integers(0, 9, (20, 300), dtype=np.uint8)
    winners, margins = vote(labels, tables)
    assert set(winners.tolist()) == {0, 3}
    assert not margins.any()


@needs_permute
def test_both_engines_return_the_same_bits():
    labels, tables = draw((50, 3000, 80, 10), seed=4)
    quick = module._vote(labels, tables, None, module.PERMUTE)
    portable = module._vote(labels, tables, None, module.FETCH)
    assert np.array_equal(quick[0], portable[0])
    assert np.array_equal(quick[1], portable[1])


@pytest.mark.parametrize("engine", ENGINES)
def test_close_margins_are_known_to_a_part_of_a_step_and_closer_ones_exactly(engine):
    labels, tables = draw((50, 20_000, 80, 10), seed=5)
    _, gaps = expected(sums(labels, tables))
    _, margins = module._vote(labels, tables, None, engine)
    rounded = round_tables(tables)
    part = rounded.unit / PARTS
    close = gaps < rounded.doubt * rounded.unit / 2
    assert 1000 < close.sum() < 19_000
    in_parts = np.abs(margins - gaps)[close] / part
    assert 0.5 < in_parts.max() <= rounded.doubt_in_parts + 1
    closer = gaps < rounded.doubt_in_parts * part / 2
    assert closer.sum() > 10
    assert np.array_equal(margins[closer], gaps[closer].astype(np.float32))


def test_the_runner_up_may_be_third_in_steps():
    # in steps 100, 96, 95; what rounding took away makes it 98, 93, 97
    steps = np.array([[100], [96], [95]], np.uint16)
    parts = np.zeros((6, 1, 3), np.int8)
    parts[:4, 0, 0] = -127
    parts[:, 0, 1] = -127
    parts[:4, 0, 2] = 127
    exact = np.zeros((6, 1, 3))
    labels = np.zeros((6, 1), np.uint8)
    evidence = Evidence(labels, parts, exact, unit=0.5, doubt=4, doubt_in_parts=3)
    winners, margins = np.empty(1, np.int32), np.empty(1, np.float32)
    settle(steps, evidence, 0, winners, margins)
    assert winners.tolist() == [0]
    assert margins.tolist() == [0.5]


def test_result_does_not_depend_on_the_number_of_threads():
    labels, tables = draw((20, 5 * 16 * 1024 + 17, 80, 10), seed=6)
    alone = vote(labels, tables, n_threads=1)
    assert_right(labels, tables, alone)
    for n_threads in (2, 3, 16, None):
        winners, margins = vote(labels, tables, n_threads=n_threads)
        assert np.array_equal(winners, alone[0])
        assert np.array_equal(margins, alone[1])


def test_result_does_not_depend_on_how_the_rows_are_cut():
    labels, tables = draw((20, 1500, 80, 10), seed=7)
    whole = vote(labels, tables)
    parts = [vote(labels[:, a:b], tables) for a, b in ((0, 1), (1, 700), (700, 1500))]
    for i in range(2):
        assert np.array_equal(np.concatenate([part[i] for part in parts]), whole[i])


def test_several_callers_at_once_get_their_own_answers():
    jobs = [draw((10, 40_000, 30, 4), seed) for seed in range(6)]
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda job: vote(*job, n_threads=2), jobs))
    for job, result in zip(jobs, results, strict=True):
        assert_right(*job, result)


@pytest.mark.parametrize(
    "lay",
    [
        lambda labels: labels,
        lambda labels: padded(labels, 64 * 17)[:, :1000],
        lambda labels: padded(labels, 64 * 17 + 3)[:, :1000],
        lambda labels: padded(labels, 1200, first=5)[:, 5:1005],
        lambda labels: np.ascontiguousarray(labels[::-1])[::-1],
        lambda labels: module._read_only(labels),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_labels_may_lie_in_memory_in_any_way_with_contiguous_rows(lay, engine):
    labels, tables = draw((9, 1000, 80, 10), seed=8)
    laid = lay(labels)
    assert np.array_equal(laid, labels)
    assert_right(labels, tables, module._vote(laid, tables, None, engine))


def padded(labels, width, first=0):
    wide = np.full((len(labels), width), 255, np.uint8)
    wide[:, first : first + labels.shape[1]] = labels
    return wide


def test_one_row_repeated_for_all_partitions_is_counted_each_time():
    _, tables = draw((9, 1000, 80, 10), seed=8)
    one = np.random.default_rng(8).integers(0, 80, 1000, dtype=np.uint8)
    labels = np.broadcast_to(one, (9, 1000))
    assert_right(labels, tables, vote(labels, tables))


def test_labels_in_a_file_are_counted(tmp_path):
    labels, tables = draw((9, 1000, 80, 10), seed=9)
    np.save(tmp_path / "labels.npy", labels)
    mapped = np.load(tmp_path / "labels.npy", mmap_mode="r")
    assert_right(labels, tables, vote(mapped, tables))


@pytest.mark.parametrize("shape", [(1, 80, 1, 2), (1, 80, 5, 1), (5, 80, 6, 7)])
def test_arguments_are_left_as_they_were(shape):
    labels, tables = draw(shape)
    before = labels.copy(), tables.copy()
    vote(labels, tables)
    quantisation_error(tables)
    assert np.array_equal(labels, before[0])
    assert np.array_equal(tables, before[1])


def test_no_rows_give_no_winners():
    labels, tables = draw((4, 0, 5, 3))
    winners, margins = vote(labels, tables)
    assert winners.shape == margins.shape == (0,)


def test_one_cluster_wins_by_an_infinite_margin():
    labels, tables = draw((4, 100, 5, 1))
    winners, margins = vote(labels, tables)
    assert not winners.any()
    assert np.isinf(margins).all()


def weights_like(kind, rng, m=60):
    weights = rng.dirichlet(np.ones(m))
    match kind:
        case "uniform":
            weights[:] = 1 / m
        case "mostly zero":
            weights[rng.permutation(m)[3:]] = 0.0
        case "all zero":
            weights[:] = 0.0
        case "one dominates":
            weights[5] = 1e7
        case "tiny":
            weights *= 1e-310
    return weights


@pytest.mark.parametrize("n_clusters", [1, 2, 10, 13, 255, 256])
@pytest.mark.parametrize(
    "kind", ["drawn", "uniform", "mostly zero", "all zero", "one dominates", "tiny"]
)
def test_weights_are_tables_with_the_weight_on_the_diagonal(kind, n_clusters):
    rng = np.random.default_rng(10)
    weights = weights_like(kind, rng)
    labels = rng.integers(0, n_clusters, (60, 1203), dtype=np.uint8)
    winners, margins = vote_weights(labels, weights, n_clusters)
    totals = np.zeros((1203, n_clusters))
    for k in range(60):
        totals[np.arange(1203), labels[k]] += weights[k]
    assert np.array_equal(winners, totals.argmax(axis=1))
    if n_clusters > 1:
        gaps = expected(totals)[1]
        assert np.all(np.abs(margins - gaps) <= quantisation_error(weights) + 1e-7 * gaps)
    else:
        assert np.isinf(margins).all()


def test_labels_without_a_cluster_count_for_nobody():
    labels = np.array([[0, 7, 2], [1, 1, 3], [2, 255, 9]], np.uint8)
    winners, margins = vote_weights(labels, np.array([0.5, 0.3, 0.2]), 3)
    assert winners.tolist() == [0, 1, 2]
    assert margins == pytest.approx([0.2, 0.3, 0.5], abs=3e-3)


def test_tables_of_an_ensemble_need_few_recounts():
    labels, tables = clumps()
    winners, margins = vote(labels, tables)
    assert np.array_equal(winners, sums(labels, tables).argmax(axis=1))
    assert (margins <= quantisation_error(tables)).mean() < 0.02


def test_bytes_alone_are_right_on_nearly_all_rows_and_wherever_the_margin_is_clear():
    labels, tables = clumps()
    totals = sums(labels, tables)
    right, gaps = expected(totals)
    rounded = round_tables(tables)
    quick = sums(labels, rounded.entries.astype(float))
    assert (quick.argmax(axis=1) == right).mean() >= 0.9995
    clear = gaps > rounded.error
    assert clear.mean() > 0.98
    assert np.array_equal(quick.argmax(axis=1)[clear], right[clear])


def clumps(m=100, n=8000, n_clusters=10, blocks=8):
    """Return labels of rows more or less true to their cluster, and the tables of 2000 of them."""
    rng = np.random.default_rng(11)
    truth = rng.integers(n_clusters, size=n)
    loyalty = 0.2 + 0.8 * rng.beta(4, 2, size=n)
    astray = rng.random((m, n)) > loyalty
    owner = np.where(astray, (truth + rng.integers(1, 4, (m, n))) % n_clusters, truth)
    labels = (owner * blocks + rng.integers(blocks, size=(m, n))).astype(np.uint8)
    tables = np.zeros((m, n_clusters * blocks, n_clusters))
    for k in range(m):
        np.add.at(tables[k], (labels[k, :2000], truth[:2000]), 1.0)
    return labels, tables / tables.sum(axis=2, keepdims=True)


def worst(off):
    """Return the largest difference of two clusters' sums, over all rows there could be."""
    clusters = range(off.shape[2])
    return max((off[:, :, c] - off[:, :, d]).max(axis=1).sum() for c in clusters for d in clusters)


@pytest.mark.parametrize("seed", range(5))
def test_no_margin_in_bytes_is_off_by_more_than_the_error(seed):
    rng = np.random.default_rng(seed)
    tables = rng.normal(size=(30, 12, 4)) * rng.exponential(size=(30, 1, 1))
    tables[7] = 1.5
    rounded = round_tables(tables)
    steps = np.zeros(tables.shape)
    steps[rounded.partitions] = rounded.entries
    assert worst(rounded.unit * steps - tables) <= rounded.error
    assert rounded.error <= 30 * rounded.unit * (1 + 1e-9)  # half a step up, half a step down
    finer = steps + rounded.parts / PARTS
    assert worst(finer - tables / rounded.unit) * PARTS <= rounded.doubt_in_parts + 1
    assert rounded.doubt_in_parts <= 30


@pytest.mark.parametrize("n_used", [1, 3, 4, 299, 300])
def test_rounded_weights_are_off_by_half_a_step_at_most(n_used):
    rng = np.random.default_rng(12)
    weights = np.zeros(300)
    weights[rng.permutation(300)[:n_used]] = rng.dirichlet(np.ones(n_used))
    rounded = round_weights(weights)
    steps = np.zeros(300)
    np.add.at(steps, rounded.partitions, rounded.entries)
    off = np.abs(rounded.unit * steps - weights).sum()
    assert off <= rounded.error <= n_used / 2 * rounded.unit * (1 + 1e-9)
    finer = np.abs(steps + rounded.parts / PARTS - weights / rounded.unit).sum()
    assert finer * PARTS <= rounded.doubt_in_parts + 1 <= n_used / 2 + 1
    assert rounded.entries.reshape(-1, 4).sum(axis=1, dtype=int).max() <= 255
    # large weights stand beside small ones, so the largest has more steps than a quarter of 255
    assert rounded.entries.max() > 150


def test_scores_are_the_sums_in_the_order_of_the_partitions():
    labels, tables = draw((30, 50, 80, 10), seed=13)
    assert np.array_equal(scores(labels, tables), sums(labels, tables))
    points = np.ascontiguousarray(labels.T)
    assert np.array_equal(scores(points.T, tables), sums(labels, tables))


LABELS = np.zeros((2, 5), np.uint8)
TABLES = np.zeros((2, 3, 4))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: vote(LABELS.astype(int), TABLES),
            "labels are int64 of shape (2, 5), but uint8 of shape (n_partitions, n_rows) are "
            "needed.",
        ),
        (
            lambda: vote(LABELS[0], TABLES),
            "labels are uint8 of shape (5,), but uint8 of shape (n_partitions, n_rows) are needed.",
        ),
        (
            lambda: vote(LABELS, TABLES[:1]),
            "labels have 2 partitions, but 1 can vote.",
        ),
        (
            lambda: vote(np.asfortranarray(LABELS), TABLES),
            "labels of one partition are not contiguous. Copy them: np.ascontiguousarray(labels).",
        ),
        (
            lambda: vote(np.zeros((65536, 1), np.uint8), np.zeros((65536, 1, 1))),
            "65536 partitions are too many; at most 65535 can vote.",
        ),
        (
            lambda: vote(LABELS, np.zeros((2, 257, 4))),
            "tables have shape (2, 257, 4), but (n_partitions, n_labels, n_clusters) with 1 to 256 "
            "labels and at least one cluster is needed.",
        ),
        (
            lambda: vote(LABELS, TABLES[0]),
            "tables have shape (3, 4), but (n_partitions, n_labels, n_clusters) with 1 to 256 "
            "labels and at least one cluster is needed.",
        ),
        (
            lambda: vote(LABELS, np.where(np.arange(4) == 2, np.nan, TABLES)),
            "tables[0, 0, 2] is nan, not a finite number.",
        ),
        (
            lambda: vote(LABELS, np.full_like(TABLES, 1e308)),
            "tables add up to more than float64 can hold. Divide them by a common number.",
        ),
        (
            lambda: vote(LABELS, TABLES, n_threads=0),
            "n_threads is 0, but must be None or a whole number >= 1.",
        ),
        (
            lambda: vote_weights(LABELS, np.ones((2, 3)), 3),
            "weights have shape (2, 3), but (n_partitions,) is needed.",
        ),
        (
            lambda: vote_weights(LABELS, np.array([1.0, -0.5]), 3),
            "weights[1] is -0.5. A partition's weight must be >= 0.",
        ),
        (
            lambda: vote_weights(LABELS, np.array([1.0, np.inf]), 3),
            "weights[1] is inf, not a finite number.",
        ),
        (
            lambda: vote_weights(LABELS, np.ones(2), 257),
            "n_clusters is 257, but one-byte labels name 1 to 256.",
        ),
        (
            lambda: scores(LABELS + np.uint8(3), TABLES),
            "labels contain 3, but tables have 3 labels (0 to 2).",
        ),
        (
            lambda: scores(LABELS, TABLES[:1]),
            "labels have 2 partitions, but 1 can vote.",
        ),
    ],
)
def test_wrong_input_is_refused(call, message):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert str(caught.value) == message


def run(code, **environment):
    """Run Python elsewhere, because numba reads its settings once; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_import_compiles_nothing():
    code = """
from linkwise.kernels.vote import vote
for loop in (vote.PERMUTE.vote, vote.FETCH.vote, vote.COMPARE.vote):
    print(len(loop.signatures))
"""
    assert run(code) == ["0", "0", "0"]


def test_processors_without_the_byte_permute_fetch_row_by_row():
    code = """
import numpy as np
from linkwise.kernels.vote import vote
labels = np.array([[0, 1, 1], [1, 1, 0]], np.uint8)
tables = np.array([[[5.0, 0.0], [0.0, 2.0]], [[0.0, 1.0], [0.0, 4.0]]])
print(vote.has_byte_permute(), len(vote.PERMUTE.vote.signatures), *vote.vote(labels, tables)[0])
print(*vote.vote_weights(labels, np.array([2.0, 1.0]), 2)[0])
"""
    printed = run(code, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
    assert printed == ["False", "0", "0", "1", "1", "0", "1", "1"]
