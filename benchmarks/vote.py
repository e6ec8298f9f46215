"""How long the vote over all rows takes, beside reading the label bytes once.

The floor adds up the label matrix as 64-bit words with the same threads: no vote can be faster than
reading what it counts. The rows come from a made-up ensemble: ten clusters of eight base clusters
each, and every row has its own probability of being put into its cluster, so margins run from clear
to close. The tables are the shares of the clusters among 2000 landmarks, per base cluster. For the
vote by weights every label is replaced by the cluster it belongs to. There are at most 2**18
different rows, repeated until there are enough.

    python benchmarks/vote.py                    8.1 million rows, 2.4 GB
    python benchmarks/vote.py --rows 1000000
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from numba import njit

from linkwise.ensemble.store import LabelMatrix
from linkwise.kernels.vote import vote as votes
from linkwise.threads import count_threads

CLUSTERS = 10
BASE = 80  # base clusters
LANDMARKS = 2000
DISTINCT = 1 << 18
SAMPLE = 20_000  # rows compared with float64
FLOOR = "read the bytes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=8_100_000)
    parser.add_argument("--partitions", type=int, default=300)
    parser.add_argument("--threads", type=int, default=count_threads())
    parser.add_argument("--repeat", type=int, default=7, help="take the fastest of so many rounds")
    arguments = parser.parse_args()
    threads, repeat = arguments.threads, arguments.repeat

    print(f"{processor()}, {os.cpu_count()} cores, {threads} threads used")
    print(f"AVX-512 VBMI: {'yes' if votes.has_byte_permute() else 'no'}")
    print(
        f"{arguments.rows} rows, {arguments.partitions} partitions, {CLUSTERS} clusters, "
        f"{BASE} base clusters"
    )
    rng = np.random.default_rng(0)
    matrix = LabelMatrix.empty(arguments.partitions, arguments.rows)
    tables = fill(matrix, rng)
    labels = matrix.array
    ways = {FLOOR: partial(read, labels, threads)}
    if votes.has_byte_permute():
        ways["tables, byte permute"] = partial(votes._vote, labels, tables, threads, votes.PERMUTE)
    ways["tables, row by row"] = partial(votes._vote, labels, tables, threads, votes.FETCH)
    report(ways, labels, tables, votes.quantisation_error(tables), repeat)

    name_owners(matrix)
    weights = rng.dirichlet(np.ones(arguments.partitions))
    diagonal = weights[:, None, None] * np.eye(CLUSTERS)
    ways = {FLOOR: partial(read, labels, threads)}
    ways["weights, compare and add"] = partial(
        votes.vote_weights, labels, weights, CLUSTERS, n_threads=threads
    )
    report(ways, labels, diagonal, votes.quantisation_error(weights), repeat)
    print("\nx: times the floor; cpu: seconds of all threads, steadier on a busy machine")
    print(f"equal: share of {SAMPLE} sampled rows with the winner of a float64 sum")
    print("close: share of rows with a margin within the rounding error; about these are recounted")


def report(
    ways: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]],
    labels: np.ndarray,
    tables: np.ndarray,
    error: float,
    repeat: int,
) -> None:
    """Time all ways in turn, several rounds, and print the fastest of each."""
    sample = np.linspace(0, labels.shape[1] - 1, SAMPLE).astype(int)
    right = votes.scores(labels[:, sample], tables).argmax(axis=1)
    wall = dict.fromkeys(ways, np.inf)
    cpu = dict.fromkeys(ways, np.inf)
    print(f"\n{'':<26}{'seconds':>9}{'x':>7}{'cpu':>9}{'x':>7}{'equal':>9}{'close':>9}")
    results = {name: way() for name, way in ways.items()}  # compile first
    for _ in range(repeat):
        for name, way in ways.items():
            clocks = time.perf_counter(), time.process_time()
            way()
            wall[name] = min(wall[name], time.perf_counter() - clocks[0])
            cpu[name] = min(cpu[name], time.process_time() - clocks[1])
    for name in ways:
        line = f"{name:<26}{wall[name]:>9.4f}{wall[name] / wall[FLOOR]:>7.2f}"
        line += f"{cpu[name]:>9.4f}{cpu[name] / cpu[FLOOR]:>7.2f}"
        if name != FLOOR:
            winners, margins = results[name]
            line += f"{np.mean(winners[sample] == right):>9.5f}{np.mean(margins <= error):>9.5f}"
        print(line)


@njit(nogil=True)
def sum_words(words):  # type: ignore[no-untyped-def]
    total = np.uint64(0)
    for i in range(len(words)):
        total += words[i]
    return total


def read(labels: np.ndarray, n_threads: int) -> None:
    """Read all labels once, one partition after the other, as words of eight bytes."""
    whole = labels.shape[1] // 8 * 8
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(sum_words, [row[:whole].view(np.uint64) for row in labels]))


def fill(matrix: LabelMatrix, rng: np.random.Generator) -> np.ndarray:
    """Fill ``matrix`` with labels; return the tables of the landmarks."""
    n_rows = min(DISTINCT, matrix.n_rows)
    truth = rng.integers(CLUSTERS, size=n_rows)
    certainty = 0.1 + 0.9 * rng.beta(3, 2, size=n_rows)  # of being put into the true cluster
    labels = np.empty((matrix.n_partitions, n_rows), np.uint8)
    for k in range(matrix.n_partitions):
        astray = rng.random(n_rows) > certainty
        owner = np.where(astray, (truth + rng.choice([1, 1, 1, 2, 3], n_rows)) % CLUSTERS, truth)
        labels[k] = owner * (BASE // CLUSTERS) + rng.integers(BASE // CLUSTERS, size=n_rows)
    for first in range(0, matrix.n_rows, n_rows):
        matrix.write(first, labels[:, : matrix.n_rows - first])
    return shares(labels[:, :LANDMARKS], truth[:LANDMARKS])


def shares(labels: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the share of every cluster among the landmarks in every base cluster."""
    tables = np.zeros((len(labels), BASE, CLUSTERS))
    for k in range(len(labels)):
        np.add.at(tables[k], (labels[k], truth), 1.0)
    return tables / np.maximum(tables.sum(axis=2, keepdims=True), 1.0)


def name_owners(matrix: LabelMatrix) -> None:
    """Replace every base cluster by the cluster it belongs to."""
    for first in range(0, matrix.n_rows, DISTINCT):
        matrix.write(first, matrix.array[:, first : first + DISTINCT] // (BASE // CLUSTERS))


def processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
