"""Our method in other ways: the paper's solver, wrong answers, curved borders."""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from linkwise.bench.papers.margin.methods import PLAIN, Method, fitted, quiet_fit
from linkwise.bench.papers.margin.trials import available, n_draws
from linkwise.bench.report import Settings, table
from linkwise.cluster.margin.max_margin import MaxMarginClustering
from linkwise.constraints import Links
from linkwise.datasets import Dataset
from linkwise.scores import accuracy

#: Numbers of links of which some are flipped.
FLIPPED = {
    "pendigit389": 50,
    "letterIJL": 100,
    "digits_oddeven": 300,
    "segment": 500,
    "digits": 500,
}

#: Numbers of links with which borders are bent.
BENT = {
    "ionosphere": 100,
    "sonar": 100,
    "digits_oddeven": 300,
    "letterIJL": 100,
    "vehicle": 100,
    "segment": 500,
    "digits": 500,
}


def compare_solvers(data: Dataset, count: int, settings: Settings) -> str:
    """Both solvers from the same start: objective, accuracy and time by alpha."""
    rows = []
    for alpha in (0.1, 0.01, 0.001):
        settings.say(f"solvers: {data.name}, alpha {alpha}")
        each: dict[str, list[list[float]]] = {"lbfgs": [], "subgradient": []}
        for seed in range(settings.seed, settings.seed + n_draws(data.name, settings)):
            links = Links.sample(data.y, count, random_state=seed)
            for solver, figures in each.items():
                model = MaxMarginClustering(
                    data.n_classes, starts="links", solver=solver, alpha=alpha, random_state=seed
                )
                before = time.process_time()
                quiet_fit(model, data.X, links)
                took = time.process_time() - before
                lost = data.n_classes - len(np.unique(model.labels_))
                figures.append([model.objective_, accuracy(data.y, model.labels_), took, lost])
        means = {solver: np.mean(figures, axis=0).tolist() for solver, figures in each.items()}
        rows.append([data.name, count, f"{alpha:g}", *means["lbfgs"], *means["subgradient"]])
    header = ["set", "links", "alpha"]
    for solver in ("L-BFGS", "subgradient"):
        header += [f"{solver}: objective", "accuracy", "s", "clusters lost"]
    return table(header, rows)


def wrong_answers(settings: Settings) -> str:
    """Accuracy when a share of the answers is flipped, as it comes and held back."""
    held_back: Method = partial(fitted, MaxMarginClustering, alpha=0.03, delta=5.0)
    methods = [PLAIN["K-means"], PLAIN["ours"], held_back]
    rows = []
    for name, data in available(tuple(FLIPPED), settings).items():
        for noise in (0.0, 0.1, 0.2):
            settings.say(f"wrong answers: {name}, {noise:.0%}")
            means = _means(data, methods, FLIPPED[name], noise, settings)
            rows.append([name, FLIPPED[name], f"{noise:.0%}", *means])
    return table(("set", "links", "flipped", "K-means", "ours", "ours, held back"), rows)


def bent_borders(settings: Settings) -> str:
    """Accuracy with linear borders and with those of a Gaussian kernel."""
    methods: list[Method] = [PLAIN["ours"], partial(fitted, MaxMarginClustering, kernel="rbf")]
    rows = []
    for name, data in available(tuple(BENT), settings).items():
        settings.say(f"kernel: {name}")
        rows.append([name, BENT[name], *_means(data, methods, BENT[name], 0.0, settings)])
    return table(("set", "links", "linear", 'kernel="rbf"'), rows)


def _means(
    data: Dataset, methods: list[Method], count: int, noise: float, settings: Settings
) -> list[float]:
    """Return the mean accuracy of each method over the same five draws."""
    each = []
    for seed in range(settings.seed, settings.seed + (settings.draws or 5)):
        links = Links.sample(data.y, count, noise=noise, random_state=seed)
        labels = [method(data.X, links, data.n_classes, seed) for method in methods]
        each.append([accuracy(data.y, one) for one in labels])
    means: list[float] = np.mean(each, axis=0).tolist()
    return means
