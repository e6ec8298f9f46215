"""What one more answer costs: the same at a hundred thousand rows and at eight million.

20,000 synthetic rows are repeated up to the wanted number of rows, so that only the number
of rows differs. CPU seconds on one thread, the least of several runs; the floor beside the vote is
the time to read the label bytes once.

    python benchmarks/sequential_speed.py --rows 100000,8000000
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_blobs

from linkwise import Links, SequentialClustering

LINKS = (100, 500, 5_000, 20_000)


class Repeated:
    """A table repeated until it has so many rows."""

    def __init__(self, X: np.ndarray, n_rows: int) -> None:
        self.X, self.n_rows, self.n_features = X, n_rows, X.shape[1]

    def read(self, start: int, stop: int) -> np.ndarray:
        return self.X[np.arange(start, stop) % len(self.X)]

    def sample(self, indices: np.ndarray) -> np.ndarray:
        return self.X[indices % len(self.X)]


def least(action, repeat: int) -> tuple[float, float]:
    """Return CPU and wall seconds of the quickest run."""
    runs = []
    for _ in range(repeat):
        cpu, wall = time.process_time(), time.perf_counter()
        action()
        runs.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(run[0] for run in runs), min(run[1] for run in runs)


def voting(model: SequentialClustering, more: Links) -> tuple[float, float]:
    """Return CPU and wall seconds of the vote after one more answer."""
    model.update(more)
    return least(lambda: model.labels_, 1)


def measure(
    all_rows: Sequence[int],
    all_links: Sequence[int] = LINKS,
    n_partitions: int = 200,
    repeat: int = 3,
) -> list[dict[str, float]]:
    """Return CPU and wall seconds of hearing so many links, of asking, and of the vote."""
    X, y = make_blobs(20_000, n_features=20, centers=10, cluster_std=6.0, random_state=0)
    plain = SequentialClustering(10, n_partitions=n_partitions, n_jobs=1, random_state=0)
    lines = []
    for n_rows in all_rows:
        model = clone(plain).fit(Repeated(X, n_rows))
        truth, named = np.resize(y, n_rows), model.named_
        for n_links in all_links:
            links = Links.sample(truth, n_links, random_state=0)
            cpu, wall = least(lambda m=model, k=links, n=named: m._say(k, n), repeat)
            query, _ = least(lambda m=model: m.query(20), repeat)
            lines.append(
                {"rows": n_rows, "links": n_links, "update": cpu, "wall": wall, "query": query}
            )
        labels = model.ensemble_.labels.array
        cpu, wall = min(voting(model, Links(n_rows, must=[(0, k + 1)])) for k in range(repeat))
        _, floor = least(lambda a=labels: np.bitwise_xor.reduce(a, axis=0), 2)
        lines.append({"rows": n_rows, "vote": cpu, "wall": wall, "floor": floor})
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="100000,8000000")
    parser.add_argument("--links", default=",".join(map(str, LINKS)))
    parser.add_argument("--partitions", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    rows, links = (list(map(int, value.split(","))) for value in (options.rows, options.links))
    print(f"{'rows':>10} {'links':>6} {'update CPU s':>13} {'wall s':>8} {'query CPU s':>12}")
    for line in measure(rows, links, options.partitions, options.repeat):
        if "links" in line:
            print(
                f"{line['rows']:>10,} {line['links']:>6,} {line['update']:>13.3f} "
                f"{line['wall']:>8.3f} {line['query']:>12.3f}"
            )
        else:
            print(
                f"{line['rows']:>10,} vote {line['wall']:.3f} s, {line['vote']:.3f} s CPU; "
                f"reading the bytes {line['floor']:.3f} s"
            )


if __name__ == "__main__":
    main()
