"""Time one step of PartitionKMeans beside one step of scikit-learn's k-means, in the same run.

    python benchmarks/partition_kmeans.py [--repeat 15] [--rows 1000000]

Both start from the same centres. The time of one step is what a longer run costs more than a
shorter one, so validation, copies and reports do not count: CPU time on one thread, wall time on
two. The floor is the matrix product of rows and centres alone. pendigits is used where
LINKWISE_DATA names a folder that has it, else digits.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from linkwise import PartialLabels, PartitionKMeans
from linkwise.datasets import available, load

LIMIT = 1.3
COLUMNS = ("table", "threads", "labels", "ours", "KMeans", "floor")
FEW, MANY = 2, 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=15, help="runs per figure; the best counts")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the large table")
    args = parser.parse_args()
    print(
        f"{'table':>24} {'threads':>7} {'labels':>6} {'ours':>9} {'KMeans':>9} {'floor':>9}  ratio"
    )
    for name, X, y in tables(args.rows):
        repeat = max(3, args.repeat // 3) if X.shape[0] > 50_000 else 2 * args.repeat
        for n_threads in (1, 2):
            for share in (0.1, 0.5):
                report(name, X, y, n_threads, share, repeat)


def tables(n_rows: int) -> list[tuple[str, Any, Any]]:
    small = load("pendigits" if "pendigits" in available() else "digits")
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n_rows)
    X = 0.5 * rng.standard_normal((10, 20))[y] + rng.standard_normal((n_rows, 20))
    words = sp.random_array((n_rows // 10, 1000), density=0.05, format="csr", rng=rng)
    return [
        (small.name, small.X, small.y),
        (f"{n_rows} x 20", X, y),
        (f"{n_rows} x 20 float32", X.astype(np.float32), y),
        (f"{words.shape[0]} x 1000 sparse", words, y[: words.shape[0]]),
    ]


def report(name: str, X: Any, y: Any, n_threads: int, share: float, repeat: int) -> None:
    known = PartialLabels.sample(y, share, random_state=0)
    n_clusters = len(np.unique(y))
    rows = np.random.default_rng(1).choice(X.shape[0], n_clusters, replace=False)
    centers = X[rows].toarray() if sp.issparse(X) else X[rows]

    def ours(steps: int) -> int:
        model = PartitionKMeans(n_clusters, init=centers, max_iter=steps)
        return int(model.fit(X, constraints=known).n_iter_)

    def theirs(steps: int) -> int:
        model = KMeans(n_clusters, init=centers, n_init=1, max_iter=steps, tol=0)
        return int(model.fit(X).n_iter_)

    def product(steps: int) -> int:
        for _ in range(steps):
            X @ centers.T
        return steps

    clock = time.process_time if n_threads == 1 else time.perf_counter
    with threadpool_limits(n_threads):
        a, b, floor = seconds_per_step([ours, theirs, product], clock, repeat)
    verdict = "ok" if a <= LIMIT * b else f"above {LIMIT}"
    if min(a, b) <= 0:
        verdict = "too noisy to say"
    milliseconds = " ".join(f"{1e3 * t:7.2f}ms" for t in (a, b, floor))
    print(f"{name:>24} {n_threads:7d} {share:6.0%} {milliseconds}  {a / b:.2f} ({verdict})")


def seconds_per_step(
    fits: list[Callable[[int], int]], clock: Callable[[], float], repeat: int
) -> list[float]:
    """Return the time of one step of each, the best of runs that take turns."""
    best = {(fit, steps): np.inf for fit in fits for steps in (FEW, MANY)}
    done: dict[Any, int] = {}
    for fit in fits:
        fit(1)  # compiles
    for _ in range(repeat):
        for fit, steps in best:
            start = clock()
            done[fit, steps] = fit(steps)
            best[fit, steps] = min(best[fit, steps], clock() - start)
    return [(best[fit, MANY] - best[fit, FEW]) / (done[fit, MANY] - done[fit, FEW]) for fit in fits]


if __name__ == "__main__":
    main()
