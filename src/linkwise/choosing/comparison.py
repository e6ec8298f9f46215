"""``compare``: several methods on the same rows, judged by links none of them was told."""

from __future__ import annotations

import html
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, has_fit_parameter

import linkwise
from linkwise.choosing.link_folds import LinkKFold
from linkwise.cluster.base import ConstrainedClusterer
from linkwise.cluster.how_many import choose_k
from linkwise.constraints import Knowledge, Links, PartialLabels, as_constraints
from linkwise.errors import ConstraintWarning, InvalidInput, LinkwiseError
from linkwise.scores.kept_links import shares_kept
from linkwise.typing import MatrixLike
from linkwise.validation import require_number

Floats = NDArray[np.float64]
Methods = Mapping[str, BaseEstimator | str] | Iterable[BaseEstimator | str]
#: What is compared unless told otherwise: k-means, which is told nothing, and one of each family.
USUAL = (
    "KMeans",
    "SequentialClustering",
    "LandmarkSpectralClustering",
    "MaxMarginClustering",
    "MPCKMeans",
    "PCKMeans",
    "COPKMeans",
)
#: A difference of less than so many standard errors may be chance.
NOTABLE = 2.0


@dataclass(frozen=True, eq=False)
class Judgement:
    """What left-out links say about one method.

    Attributes
    ----------
    name : str
        What the method is called.
    kept : ndarray of shape (n_folds,)
        Score of each fold: the mean of ``must`` and ``cannot``.
    must, cannot : float
        Share of the left-out must-links and cannot-links kept, over all folds; NaN if there were
        none.
    told : float
        The same score on the links the model was told, when it was told all.
    seconds : float
        Seconds it took to fit once, with all that is known.
    model : estimator or None
        The model that was told all; None if it refused.
    trouble : str
        Why it refused; empty if it did not.
    """

    name: str
    kept: Floats
    must: float = np.nan
    cannot: float = np.nan
    told: float = np.nan
    seconds: float = np.nan
    model: BaseEstimator | None = None
    trouble: str = ""

    @property
    def score(self) -> float:
        """Mean over the folds; NaN if the method refused."""
        return float(np.mean(self.kept)) if len(self.kept) else float("nan")

    def behind(self, other: Judgement) -> tuple[float, float]:
        """Return how far this is behind another on the same folds, and the standard error."""
        less = other.kept - self.kept
        return float(less.mean()), float(less.std(ddof=1) / np.sqrt(len(less)))


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods, best first, and what left-out links say about each; prints as a table.

    Attributes
    ----------
    judgements : tuple of Judgement
        One per method; those that refused come last.
    n_folds : int
        How often links were left out.
    """

    judgements: tuple[Judgement, ...]
    n_folds: int

    @property
    def best(self) -> Judgement:
        """The method that keeps most of what it was not told."""
        return self.judgements[0]

    def __getitem__(self, name: str) -> Judgement:
        found = {judgement.name: judgement for judgement in self.judgements}
        if name not in found:
            raise InvalidInput(f"{name!r} was not compared. Compared: {', '.join(found)}.")
        return found[name]

    def _lines(self) -> list[tuple[str, ...]]:
        lines: list[tuple[str, ...]] = []
        for one in self.judgements:
            if one.trouble:
                lines.append((one.name, "refused", "", "", "", "", one.trouble))
                continue
            numbers = (one.score, one.must, one.cannot, one.told)
            shown = ("–" if np.isnan(x) else f"{x:.3f}" for x in numbers)
            lines.append((one.name, *shown, f"{one.seconds:.2f}", self._verdict(one)))
        return lines

    def _verdict(self, one: Judgement) -> str:
        if one is self.best:
            return "best"
        less, error = one.behind(self.best)
        return f"behind by {less:.3f}" if less > NOTABLE * error else "may be as good"

    def __str__(self) -> str:
        lines = [_TITLES, *self._lines()]
        widths = [max(len(line[column]) for line in lines) for column in range(len(_TITLES) - 1)]
        table = [
            "  ".join(
                [
                    line[0].ljust(widths[0]),
                    *(
                        cell.rjust(width)
                        for cell, width in zip(line[1:-1], widths[1:], strict=True)
                    ),
                    line[-1],
                ]
            ).rstrip()
            for line in lines
        ]
        return "\n".join([*table, self._footnote()])

    def _footnote(self) -> str:
        return (
            f"left out: mean of must and cannot, the shares kept of links left out, {self.n_folds} "
            f"folds; told: of links told."
        )

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{html.escape(title)}</th>" for title in _TITLES)
        rows = "".join(
            f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in line)}</tr>"
            for line in self._lines()
        )
        return (
            f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
            f"<p>{html.escape(self._footnote())}</p>"
        )


_TITLES = ("method", "left out", "must", "cannot", "told", "seconds", "")


def compare(
    X: MatrixLike,
    constraints: Knowledge,
    methods: Methods | None = None,
    *,
    n_clusters: int | str = "auto",
    cv: LinkKFold | None = None,
) -> Comparison:
    """Run several methods and tell what links they were not told say about each.

    Every method is fitted on the folds of ``cv``, predicts the rows that were left out, and is
    judged by the links among them; then once more with all that is known.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.
    constraints : Links, PartialLabels or array-like of shape (n_samples,)
        What is known.
    methods : mapping of str to estimator, iterable of estimators or None, default=None
        What to compare: estimators of linkwise, pipelines of them, or any that have ``predict``;
        those whose ``fit`` takes no constraints are told nothing. An estimator of linkwise, and
        "KMeans", may be named instead: "PCKMeans" has the settings it takes by itself. None is
        k-means, which is told nothing, and one method of each family.
    n_clusters : int or "auto", default="auto"
        Number of clusters of methods that are named and of those compared by default; "auto" is
        what :func:`~linkwise.choose_k` finds.
    cv : LinkKFold, LinkShuffleSplit or None, default=None
        How links are left out; None is five folds, seeded with 0.

    Returns
    -------
    comparison : Comparison
        Prints as a table, in notebooks too; ``comparison.best.model`` is the best one, fitted.

    Examples
    --------
    >>> import linkwise as lw
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> links = lw.Links.sample(y, 150, random_state=0)
    >>> methods = [KMeans(3, random_state=0), lw.MPCKMeans(3, random_state=0)]
    >>> found = lw.compare(X, links, methods)
    >>> found.best.name
    'MPCKMeans'
    >>> found["KMeans"].score < found.best.score
    True
    """
    known = as_constraints(constraints, _num_samples(X))
    if known is None:
        raise InvalidInput(
            "compare got no constraints: without links there is nothing to judge by."
        )
    named = _made(_named(USUAL if methods is None else methods), X, n_clusters)
    if not named:
        raise InvalidInput("compare got no methods. Leave them out to compare one of each family.")
    splitter = LinkKFold(random_state=0) if cv is None else cv
    folds = list(splitter.split(X, constraints=known))
    with sklearn.config_context(enable_metadata_routing=True):
        judged = [_judge(name, method, X, known, folds) for name, method in named.items()]
    judged.sort(key=lambda one: -one.score if not one.trouble else np.inf)
    if judged[0].trouble:
        raise InvalidInput(f"compare: every method refused. {judged[0].name}: {judged[0].trouble}")
    return Comparison(tuple(judged), len(folds))


def _made(
    named: Mapping[str, BaseEstimator | str], X: MatrixLike, n_clusters: int | str
) -> dict[str, BaseEstimator]:
    """Make the estimators that are only named, all with the same number of clusters."""
    require_number("compare", "n_clusters", n_clusters, low=1, integer=True, or_in=("auto",))
    if isinstance(n_clusters, str) and any(isinstance(one, str) for one in named.values()):
        n_clusters = choose_k(X).k
    return {
        name: _by_name(one, n_clusters) if isinstance(one, str) else one
        for name, one in named.items()
    }


def _by_name(name: str, n_clusters: int | str) -> BaseEstimator:
    """Make the estimator that goes by a name, with the settings it takes by itself."""
    if name == "KMeans":
        return KMeans(n_clusters, n_init=10, random_state=0)
    found: Any = getattr(linkwise, name) if name in linkwise.HOME else None
    if isinstance(found, type) and issubclass(found, ConstrainedClusterer):
        by_chance = "random_state" in signature(found).parameters
        return found(n_clusters, **({"random_state": 0} if by_chance else {}))
    raise InvalidInput(
        f"compare: linkwise has no estimator called {name!r}. Name one that clusters, such as "
        "'PCKMeans', or give an estimator itself."
    )


def _named(methods: Methods) -> dict[str, BaseEstimator | str]:
    """Name methods by their class, or as they print where two are of one class."""
    if isinstance(methods, Mapping):
        return dict(methods)
    listed = [methods] if isinstance(methods, str | BaseEstimator) else list(methods)
    names = [one if isinstance(one, str) else type(one).__name__ for one in listed]
    return {
        name if names.count(name) == 1 else " ".join(repr(method).split()): method
        for name, method in zip(names, listed, strict=True)
    }


def _judge(
    name: str,
    method: BaseEstimator,
    X: MatrixLike,
    known: Links | PartialLabels,
    folds: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]],
) -> Judgement:
    kept: list[dict[str, float]] = []
    if not hasattr(method, "predict"):
        trouble = f"{name} has no predict, which tells where rows that were left out belong."
        return Judgement(name, np.empty(0), trouble=trouble)
    try:
        for train, test in folds:
            model = _fit(method, _safe_indexing(X, train), known[train])
            kept.append(shares_kept(known[test], model.predict(_safe_indexing(X, test))))
        start = time.perf_counter()
        model = _fit(method, X, known)
        seconds = time.perf_counter() - start
        labels = model.labels_ if hasattr(model, "labels_") else model.predict(X)
    except (LinkwiseError, ValueError) as refusal:  # scikit-learn refuses by ValueError
        return Judgement(name, np.empty(0), trouble=" ".join(str(refusal).split()))
    return Judgement(
        name,
        np.array([np.mean(list(shares.values())) for shares in kept]),
        must=_mean([shares["must"] for shares in kept if "must" in shares]),
        cannot=_mean([shares["cannot"] for shares in kept if "cannot" in shares]),
        told=_mean(list(shares_kept(known, np.asarray(labels)).values())),
        seconds=seconds,
        model=model,
    )


def _fit(method: BaseEstimator, X: MatrixLike, known: Links | PartialLabels) -> Any:
    model = clone(method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstraintWarning)  # every method is told the same
        if isinstance(model, Pipeline) or has_fit_parameter(model, "constraints"):
            return model.fit(X, constraints=known)
        return model.fit(X)


def _mean(shares: list[float]) -> float:
    return float(np.mean(shares)) if shares else float("nan")
