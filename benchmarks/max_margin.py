"""What maximum margin clustering costs, on one thread.

Prints processor times measured in this run (the smallest of several) and their ratio to the floor:
the two matrix products (scores, and the gradient pulled back) that every evaluation of the
objective needs, times the number of evaluations the fit made.

    python benchmarks/max_margin.py               # everything
    python benchmarks/max_margin.py magic         # one part: magic, ohscal, rows

Data are looked for in the folder that LINKWISE_DATA names; random tables of the same shape take
their place where they are missing.
"""

import argparse
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from linkwise import Links, MaxMarginClustering
from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.objective import PairMargin
from linkwise.cluster.margin.starts import STARTS
from linkwise.datasets import load
from linkwise.errors import ConstraintWarning, MissingData


def fit_seconds(model, X, links, repeats):
    """Return the smallest processor time of several fits."""
    return cpu_seconds(lambda: model.fit(X, constraints=links), repeats)


def cpu_seconds(work, repeats):
    """Return the smallest processor time of several calls."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


class Evaluations:
    """Counts how often the objective is evaluated on all rows while it is entered."""

    def __init__(self, n_rows):
        self.n_rows, self.count = n_rows, 0

    def __enter__(self):
        self.surrogate = PairMargin.surrogate

        def counting(problem, *args):
            self.count += problem.rows.shape[0] == self.n_rows
            return self.surrogate(problem, *args)

        PairMargin.surrogate = counting
        return self

    def __exit__(self, *_):
        PairMargin.surrogate = self.surrogate


def products_seconds(X, n_clusters, repeats):
    """Return the time of the two products of one evaluation."""
    rows = CentredRows.of(X)
    W = np.ones((X.shape[1], n_clusters))
    D = np.ones((X.shape[0], n_clusters))
    return cpu_seconds(lambda: (rows.scores(W), rows.pull(D)), 5 * repeats)


def report(name, X, y, n_links, starts, repeats):
    """Print the cost of a fit from each start beside its floor."""
    n_clusters = len(np.unique(y))
    links = Links.sample(y, n_links, random_state=0)
    floor = products_seconds(X, n_clusters, repeats)
    print(f"{name}: {X.shape[0]} x {X.shape[1]}, {n_links} links, {n_clusters} clusters;")
    print(f"  the two products of one evaluation take {1e3 * floor:.3f} ms")
    for start in starts:
        model = MaxMarginClustering(n_clusters, starts=start, random_state=0)
        with Evaluations(X.shape[0]) as seen:
            model.fit(X, constraints=links)
        took = fit_seconds(model, X, links, repeats)
        print(
            f"  {start:14s}{took:8.3f} s  {model.n_iter_:3d} rounds  {seen.count:5d} evaluations  "
            f"{took / (floor * max(seen.count, 1)):6.1f} x their products"
        )


def magic(repeats):
    """Each start on magic: 19,020 rows, 600 links."""
    X, y = table("magic", 19020, 10, 2)
    report("magic", StandardScaler().fit_transform(X), y, 600, (*STARTS, "auto"), repeats)


def ohscal(repeats):
    """Sparse rows: 11,162 documents, 11,465 words, 1,000 links; the paper needs 20 minutes."""
    X, y = table("ohscal", 11162, 11465, 10)
    X = sp.csr_array(TfidfTransformer(sublinear_tf=True).fit_transform(X))
    report("ohscal", X, y, 1000, ("links", "ridge-kmeans", "auto"), min(repeats, 1))


def rows(repeats):
    """Time against the number of rows, everything else fixed."""
    rng = np.random.RandomState(0)
    print("rows against time: 20 features, 5 clusters, 600 links, start links and kmeans")
    first = None
    for n in (10_000, 20_000, 40_000, 80_000, 160_000):
        y = rng.randint(5, size=n)
        X = rng.normal(size=(n, 20)) + 1.5 * np.random.RandomState(1).normal(size=(5, 20))[y]
        links = Links.sample(y, 600, random_state=0)
        took = 0.0
        for start in ("links", "kmeans"):
            model = MaxMarginClustering(5, starts=start, random_state=0)
            took += fit_seconds(model, X, links, repeats)
        first = first or took
        print(f"  {n:7d} rows ({n / 10_000:4.0f} x)  {took:7.3f} s ({took / first:5.1f} x)")


def table(name, n, d, n_clusters):
    """Return real rows where they are, random ones of the same shape elsewhere."""
    try:
        data = load(name)
        return data.X, data.y
    except MissingData:
        print(f"{name} is not on this machine: random rows instead")
        rng = np.random.RandomState(0)
        y = rng.randint(n_clusters, size=n)
        if name == "ohscal":
            return sp.random_array((n, d), density=0.005, format="csr", rng=rng), y
        return rng.normal(size=(n, d)) + rng.normal(size=(n_clusters, d))[y], y


PARTS = {"magic": magic, "ohscal": ohscal, "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("part", nargs="*", choices=[*PARTS], help="default: all")
    parser.add_argument("--repeats", type=int, default=3, help="take the fastest of so many runs")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConstraintWarning)
    with threadpool_limits(1):
        for part in arguments.part or PARTS:
            PARTS[part](arguments.repeats)


if __name__ == "__main__":
    main()
