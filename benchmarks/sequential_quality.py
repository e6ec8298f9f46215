"""What answers buy: SequentialClustering on real data, random and asked answers, right and wrong.

Prints NMI (mean over seeds) on all rows and on rows in no link, beside k-means,
pairwise-constrained k-means and ridge-regularised RCA + k-means given the same links. Data come
from ``LINKWISE_DATA``; without it only the bundled sets are used. Rows are taken as they are,
nothing is standardised.

    python benchmarks/sequential_quality.py --seeds 5 --sets digits,usps
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from joblib import Parallel, delayed
from sklearn.cluster import KMeans
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from linkwise import Links, PCKMeans, SequentialClustering, datasets
from linkwise.metric import RCA
from linkwise.scores import nmi

RANDOM = [(10, 0.0), (30, 0.0), (100, 0.0), (200, 0.0), (500, 0.0), (500, 0.1), (500, 0.2)]
ASKED = (100, 200, 500)
ROUND = 20
MAX_ROWS = 20_000


def load(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and truth; of very large sets a random part, so that a run stays affordable."""
    data = datasets.load(name)
    X, y = data.X, data.y
    if X.shape[0] > MAX_ROWS:
        rows = np.random.RandomState(seed).choice(X.shape[0], MAX_ROWS, replace=False)
        X, y = X[rows], y[rows]
    return X, y


def both(y: np.ndarray, labels: np.ndarray, links: Links) -> tuple[float, float]:
    """Return NMI on all rows and on the rows in no link (NaN when there are fewer than 100)."""
    free = np.ones(len(y), dtype=bool)
    free[links.linked_rows] = False
    return nmi(y, labels), nmi(y[free], labels[free]) if free.sum() >= 100 else np.nan


def answers_bought(name: str, seed: int, asked: bool, baselines: bool) -> dict[str, float]:
    """Return every figure for one data set and one seed."""
    X, y = load(name, seed)
    r = len(np.unique(y))
    found: dict[str, float] = {}
    with threadpool_limits(1):
        start = time.process_time()
        model = SequentialClustering(r, n_jobs=1, random_state=seed).fit(X)
        found["fit s"] = time.process_time() - start
        found["none"] = nmi(y, model.labels_)
        silent = model.labels_
        for p, noise in RANDOM:
            if p > len(y) * (len(y) - 1) // 4:
                continue
            links = Links.sample(y, p, noise=noise, random_state=seed)
            start = time.process_time()
            model.update(links)
            seconds = time.process_time() - start
            key = f"{p}" + (f" {noise:.0%} wrong" if noise else "")
            found[key], free = both(y, model.labels_, links)
            found[key + " free"] = free - both(y, silent, links)[1] + found["none"]
            if noise == 0.1:
                truth = Links.sample(y, p, noise=0.0, random_state=seed)
                wrong = ~np.concatenate(
                    [is_in(links.must, truth.must), is_in(links.cannot, truth.cannot)]
                )
                found["suspicion AUC"] = roc_auc_score(wrong, model.suspicion_)
            if p == 500 and not noise:
                found["update s"] = seconds
                if baselines:
                    found |= baseline_figures(X, y, r, links, seed)
            model.retract(links)
        if asked:
            found |= asked_figures(model, y)
    return found


def is_in(pairs: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Tell which pairs occur among the others."""
    known = {tuple(pair) for pair in others.tolist()}
    return np.array([tuple(pair) in known for pair in pairs.tolist()], dtype=bool)


def baseline_figures(
    X: np.ndarray, y: np.ndarray, r: int, links: Links, seed: int
) -> dict[str, float]:
    """Return the competitors' NMI on all rows, given the same 500 links."""
    dense = X.toarray() if hasattr(X, "toarray") else X
    found = {"kmeans": nmi(y, KMeans(r, n_init=10, random_state=seed).fit(dense).labels_)}
    found["pck-means"] = nmi(
        y, PCKMeans(r, random_state=seed).fit(dense, constraints=links).labels_
    )
    metric = RCA().fit(dense, constraints=links)
    found["rca+kmeans"] = nmi(
        y, KMeans(r, n_init=10, random_state=seed).fit(metric.transform(dense)).labels_
    )
    return found


def asked_figures(model: SequentialClustering, y: np.ndarray) -> dict[str, float]:
    """Let a person who is always right answer what ``query`` asks, twenty questions a round."""
    found: dict[str, float] = {}
    n_asked, n_same, slowest = 0, 0, 0.0
    while n_asked < max(ASKED):
        start = time.process_time()
        pairs = model.query(ROUND)
        slowest = max(slowest, time.process_time() - start)
        if len(pairs) == 0:
            break
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        model.update(Links(len(y), must=pairs[same], cannot=pairs[~same]))
        n_asked, n_same = n_asked + len(pairs), n_same + int(same.sum())
        if n_asked in ASKED:
            found[f"asked {n_asked}"], _ = both(y, model.labels_, model.links_)
    for count in ASKED:  # no question left: more answers cannot be had
        found.setdefault(f"asked {count}", nmi(y, model.labels_))
    return found | {"same": n_same / max(n_asked, 1), "query s": slowest, "n asked": n_asked}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", help="comma-separated names; default: all with 300 rows or more")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--no-asked", action="store_true", help="leave the questions out")
    parser.add_argument("--no-baselines", action="store_true", help="leave the competitors out")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    names = options.sets.split(",") if options.sets else [
        name for name in datasets.available() if datasets.load(name).X.shape[0] >= 300
    ]  # fmt: skip
    for name in names:
        runs = Parallel(n_jobs=options.jobs)(
            delayed(answers_bought)(name, seed, not options.no_asked, not options.no_baselines)
            for seed in range(options.seeds)
        )
        mean = {key: np.mean([run[key] for run in runs if key in run]) for key in runs[0]}
        print(f"{name} ({options.seeds} seeds)")
        print("  " + ", ".join(f"{key} {value:.3f}" for key, value in mean.items()), flush=True)


if __name__ == "__main__":
    main()
