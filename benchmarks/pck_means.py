"""What links cost: PCKMeans beside scikit-learn's KMeans on the same rows, in one run.

python benchmarks/pck_means.py
"""

from __future__ import annotations

import argparse
import time

from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from linkwise import Links, PCKMeans


def least(action, repeat: int) -> float:
    """Return the CPU seconds of the quickest run."""
    runs = []
    for _ in range(repeat):
        start = time.process_time()
        action()
        runs.append(time.process_time() - start)
    return min(runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--links", type=int, default=200)
    parser.add_argument("--clusters", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    X, y = make_blobs(
        options.rows, options.features, centers=options.clusters, cluster_std=8.0, random_state=0
    )
    links = Links.sample(y, options.links, random_state=0)
    k = options.clusters
    with threadpool_limits(1):
        PCKMeans(k, random_state=0).fit(X[:1000], constraints=links[:1000])
        plain = least(lambda: KMeans(k, n_init=1, random_state=0).fit(X), options.repeat)
        linked = least(
            lambda: PCKMeans(k, random_state=0).fit(X, constraints=links), options.repeat
        )
    print(f"KMeans {plain:.3f} CPU s, PCKMeans {linked:.3f} CPU s, ratio {linked / plain:.1f}")


if __name__ == "__main__":
    main()
