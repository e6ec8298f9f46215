"""Print what k-means makes of rows under each learned map: the table of ``docs/metrics.md``.

Run with ``python benchmarks/metrics.py``. Sets of scikit-learn, standardised but for digits.
"""

import argparse
import time

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

import linkwise as lw

SETS = {
    "iris": load_iris,
    "wine": load_wine,
    "breast": load_breast_cancer,
    "digits": load_digits,
}
KNOWN = ("30 links", "500 links", "500 links, 10 % wrong", "10 labels a class")


def knowledge(what, y, seed):
    """Draw what ``what`` says."""
    if what.endswith("a class"):
        rng = np.random.default_rng(seed)
        chosen = [rng.choice(np.flatnonzero(y == c), 10, replace=False) for c in np.unique(y)]
        rows = np.concatenate(chosen)
        return lw.PartialLabels.of_rows({int(r): int(y[r]) for r in rows}, len(y))
    noise = 0.1 if "wrong" in what else 0.0
    return lw.Links.sample(y, int(what.split()[0]), noise=noise, random_state=seed)


def agreement(X, y):
    """Return the NMI of k-means with the truth."""
    k = len(np.unique(y))
    return lw.scores.nmi(y, KMeans(k, n_init=5, random_state=0).fit(X).labels_)


def cell(name, X, y, what, seeds):
    """Return the mean NMI under a map, and the seconds it took to learn; None if it cannot."""
    found, seconds = [], []
    for seed in range(seeds):
        start = time.perf_counter()
        try:
            Z = getattr(lw.metric, name)().fit_transform(X, constraints=knowledge(what, y, seed))
        except lw.errors.InvalidInput:
            return None, None
        seconds.append(time.perf_counter() - start)
        found.append(agreement(Z, y))
    return np.mean(found), np.median(seconds)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seeds", type=int, default=3)
    seeds = arguments.parse_args().seeds
    names = ["RCA", "DCA", "ITML", "PGDM", "LMNN", "SDML", "NCA"]
    print(f"| set | known | no map | {' | '.join(names)} |")
    print("|---|---|" + "---|" * (len(names) + 1))
    longest = dict.fromkeys(names, 0.0)
    for title, load in SETS.items():
        X, y = load(return_X_y=True)
        X = X if title == "digits" else StandardScaler().fit_transform(X)
        plain = agreement(X, y)
        for what in KNOWN:
            cells = []
            for name in names:
                value, seconds = cell(name, X, y, what, seeds)
                cells.append("–" if value is None else f"{value:.3f}".lstrip("0"))
                longest[name] = max(longest[name], seconds or 0.0)
            print(f"| {title} | {what} | {plain:.3f} | {' | '.join(cells)} |".replace(" 0.", " ."))
    print("longest, seconds:", ", ".join(f"{n} {s:.2f}" for n, s in longest.items()))


if __name__ == "__main__":
    main()
