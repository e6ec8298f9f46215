"""What links buy the methods of docs/methods.md: NMI on rows in no link, as a Markdown table.

python benchmarks/rivals.py
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import partial

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

import linkwise as lw
from linkwise.errors import ConstraintWarning, LinkwiseError
from linkwise.scores import nmi

#: Fewer rows in no link than this are no sample.
FEWEST = 30

METHODS = {
    "`PCKMeans`": lw.PCKMeans,
    "`COPKMeans`": lw.COPKMeans,
    "`LCVQE`": lw.LCVQE,
    "`CVQE`": lw.CVQE,
    "`SizedKMeans`": lw.SizedKMeans,
    "`ConstrainedLinkage`": lw.ConstrainedLinkage,
    "`ConstrainedLinkage`, average": partial(lw.ConstrainedLinkage, linkage="average"),
    "`CCSKL`": lw.CCSKL,
}


def make(method, n_clusters, n_rows, seed):
    """Return an estimator; limits on sizes are generous, as people would guess them."""
    settings = {}
    if method is lw.SizedKMeans:
        settings = {"min_size": int(0.7 * n_rows / n_clusters)}
        settings["max_size"] = int(1.5 * n_rows / n_clusters)
    return method(n_clusters, random_state=seed, **settings)


def sets():
    """Return the rows and classes of each set; wine's features have units, so they are scaled."""
    wine = load_wine(return_X_y=True)
    return {
        "iris": load_iris(return_X_y=True),
        "wine": (StandardScaler().fit_transform(wine[0]), wine[1]),
        "digits": load_digits(return_X_y=True),
    }


def cell(method, X, y, n_links, n_seeds):
    """Return the mean NMI on rows in no link, a dash where there are few, and seconds of a fit."""
    scores, seconds, k = [], [], len(np.unique(y))
    for seed in range(n_seeds):
        links = lw.Links.sample(y, n_links, random_state=seed)
        free = np.setdiff1d(np.arange(len(y)), links.linked_rows)
        start = time.process_time()
        try:
            labels = make(method, k, len(y), seed).fit(X, constraints=links).labels_
        except LinkwiseError:
            return "none", seconds
        seconds.append(time.process_time() - start)
        if len(free) >= FEWEST:
            scores.append(nmi(y[free], labels[free]))
    return f"{np.mean(scores):.3f}" if scores else "—", seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--links", type=int, nargs="+", default=[0, 100, 500])
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConstraintWarning)
    data = sets()
    columns = [(name, n) for name in data for n in options.links]
    columns = [(name, n) for name, n in columns if name == "digits" or n <= 100]
    print("| method |", " | ".join(f"{name}, {n}" for name, n in columns), "| CPU s, digits |")
    print("|" + "---|" * (len(columns) + 2))
    for name, method in METHODS.items():
        cells, slowest = [], 0.0
        for key, n_links in columns:
            text, seconds = cell(method, *data[key], n_links, options.seeds)
            cells.append(text)
            slowest = max(slowest, min(seconds, default=0.0))
        print(f"| {name} |", " | ".join(cells), f"| {slowest:.2f} |", flush=True)


if __name__ == "__main__":
    main()
