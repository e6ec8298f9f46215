"""The data sets as the paper prepares them, draws of links, and the scores over these."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from linkwise.bench.papers.margin.methods import BY_LABEL, DENSE_ONLY, PLAIN, Labels, Method
from linkwise.bench.report import Settings
from linkwise.constraints import Links
from linkwise.datasets import Dataset, load
from linkwise.errors import MissingData
from linkwise.scores import accuracy, nmi

SMALL = ("pendigit389", "letterIJL", "vehicle", "ionosphere", "sonar", "bci", "mnist0689", "coil3")
MEDIUM = ("digits_oddeven", "segment", "mfeat_fac", "uspst")
LARGE = ("magic", "ohscal")
SETS = (*SMALL, *MEDIUM, *LARGE)

#: Larger sets that some of the small ones were drawn from: their other rows are predicted.
SOURCES = ("pendigits", "letter", "mnist", "optdigits")

#: Sets whose features have very different scales; the paper standardises these.
STANDARDISED = ("vehicle", "segment", "mfeat_fac", "magic")

#: Columns, in the order of the page.
COLUMNS = (
    "K-means",
    "MMC",
    "DCA",
    "DCA, ridge",
    "MPCK-means",
    "CPCMMC",
    "paper, by label",
    "paper, fixed",
    "ours",
)


@dataclass(frozen=True)
class Score:
    """Means over the draws: all rows, and rows in no link; and how far the seconds vary.

    ``spread`` is the standard deviation of the seconds as a share of their mean, NaN of one draw.
    """

    accuracy: float
    nmi: float
    accuracy_free: float
    nmi_free: float
    seconds: float
    spread: float = float("nan")

    @classmethod
    def of(cls, drawn: Sequence[Sequence[float]]) -> Score:
        """Average the figures of several draws: the four scores and the seconds of each."""
        seconds = np.array(drawn)[:, -1]
        spread = seconds.std(ddof=1) / seconds.mean() if len(drawn) > 1 else np.nan
        figures = [*np.mean(drawn, axis=0).tolist(), float(spread)]
        return cls(*figures)


#: Scores by column; a column is missing where the method cannot run.
Cell = dict[str, Score]


def n_links(name: str) -> tuple[int, ...]:
    """Return the numbers of links tried on a set."""
    if name in SMALL:
        return (20, 50, 100)
    if name in MEDIUM or name == "digits":
        return (100, 300, 500)
    return (200, 600, 1000) if name == "magic" else (1000,)


def n_draws(name: str, settings: Settings) -> int:
    """Return how often links are drawn: less often where a fit takes long."""
    if settings.draws is not None:
        return settings.draws
    if name in ("mfeat_fac", "uspst", "mnist0689", "magic"):
        return 3
    return 1 if name == "ohscal" else 10


def available(names: tuple[str, ...], settings: Settings) -> dict[str, Dataset]:
    """Load the sets asked for, prepared; leave out those that are not on this machine."""
    chosen = settings.chosen((*SETS, *SOURCES, "digits"))
    found = {}
    for name in names:
        try:
            if name in chosen:
                found[name] = prepared(load(name))
        except MissingData as error:
            settings.say(str(error))
    return found


def prepared(data: Dataset) -> Dataset:
    """Standardise where the paper does; give words their tf-idf weight."""
    X = data.X
    if data.name in STANDARDISED:
        X = StandardScaler().fit_transform(X)
    elif data.name == "ohscal":
        X = sp.csr_array(TfidfTransformer(sublinear_tf=True).fit_transform(X))
    return Dataset(data.name, X, data.y)


def cell(data: Dataset, count: int, settings: Settings) -> Cell:
    """Score every method on the same draws of ``count`` links."""
    settings.say(f"{data.name}: {count} links")
    seeds = range(settings.seed, settings.seed + n_draws(data.name, settings))
    drawn = [
        settings.kept.figure((data.name, count, seed), partial(_one_draw, data, count, seed))
        for seed in seeds
    ]
    found = {}
    for column in drawn[0]:
        n_choices = len(drawn[0][column])
        scores = [Score.of([draw[column][choice] for draw in drawn]) for choice in range(n_choices)]
        found[column] = max(scores, key=lambda one: one.accuracy)
    return found


def _one_draw(data: Dataset, count: int, seed: int) -> dict[str, list[list[float]]]:
    """Return, by column, the figures of each choice of alpha there is."""
    links = Links.sample(data.y, count, random_state=seed)
    found = {}
    with threadpool_limits(1):
        for column in COLUMNS:
            if sp.issparse(data.X) and column in DENSE_ONLY:
                continue
            choices = BY_LABEL.get(column) or {0.0: PLAIN[column]}
            found[column] = [_figures(data, method, seed, links) for method in choices.values()]
    return found


def score(data: Dataset, method: Method, draws: Sequence[tuple[int, Links]]) -> Score:
    """Score one method over draws of links."""
    return Score.of([_figures(data, method, seed, links) for seed, links in draws])


def _figures(data: Dataset, method: Method, seed: int, links: Links) -> list[float]:
    start = time.process_time()
    labels = method(data.X, links, data.n_classes, seed)
    seconds = time.process_time() - start
    free = np.setdiff1d(np.arange(len(data.y)), links.linked_rows)
    return [*_agreement(data.y, labels), *_agreement(data.y[free], labels[free]), seconds]


def _agreement(truth: NDArray[Any], labels: Labels) -> tuple[float, float]:
    if len(truth) == 0:
        return float("nan"), float("nan")
    return accuracy(truth, labels), nmi(truth, labels)
