"""What the questions of each strategy buy, against questions drawn at random.

Answers are given by the truth, five at a time; NMI over all rows, after so many answers.

    python benchmarks/query_strategies.py                       digits, one seed
    python benchmarks/query_strategies.py --data usps --seeds 3
"""

from __future__ import annotations

import argparse
import copy
import time

import numpy as np

from linkwise import Links, SequentialClustering, datasets
from linkwise.query import STRATEGIES, choose_pairs
from linkwise.scores import nmi

STOPS = (25, 50, 100, 200)
BATCH = 5


def main() -> None:
    """Print one line per strategy."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="digits")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--strategies", nargs="*", default=list(STRATEGIES))
    args = parser.parse_args()
    data = datasets.load(args.data)
    X, y = data.X, data.y
    found: dict[str, list[list[float]]] = {name: [] for name in args.strategies}
    slowest = dict.fromkeys(args.strategies, 0.0)
    without = []
    for seed in range(args.seeds):
        model = SequentialClustering(len(np.unique(y)), random_state=seed).fit(X)
        without.append(nmi(y, model.labels_))
        for name in args.strategies:
            scores, seconds = ask_and_score(model, y, name)
            found[name].append(scores)
            slowest[name] = max(slowest[name], seconds)
    print(f"{args.data}, {args.seeds} seeds; no answers: {np.mean(without):.3f}")
    print("answers".ljust(22), *(f"{stop:>6}" for stop in STOPS), "  slowest call")
    for name in args.strategies:
        means = np.mean(found[name], axis=0)
        cells = (f"{value:>6.3f}" for value in means)
        print(name.ljust(22), *cells, f"  {slowest[name]:.3f} s")


def ask_and_score(
    model: SequentialClustering, y: np.ndarray, name: str
) -> tuple[list[float], float]:
    """Return NMI at every stop, and the CPU time of the slowest call."""
    scores, slowest, n = [], 0.0, 0
    while n < STOPS[-1]:
        started = time.thread_time()
        pairs = choose_pairs(model, BATCH, name)
        slowest = max(slowest, time.thread_time() - started)
        if not len(pairs):
            break
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        model = copy.copy(model).update(Links(len(y), pairs[same], pairs[~same]))
        n += len(pairs)
        while len(scores) < len(STOPS) and n >= STOPS[len(scores)]:
            scores.append(nmi(y, model.labels_))
    return scores + scores[-1:] * (len(STOPS) - len(scores)), slowest


if __name__ == "__main__":
    main()
