"""The scorer that needs no truth: what a model does to links it was not told."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils.metadata_routing import MetadataRequest

from linkwise.constraints import Knowledge, Links, PartialLabels, as_constraints
from linkwise.errors import InvalidInput
from linkwise.typing import MatrixLike


class Predicts(Protocol):
    """Whatever tells the cluster of rows."""

    def predict(self, X: MatrixLike) -> NDArray[Any]:
        """Return the cluster of each row."""


class LinksKept:
    """Scorer: how many links the predicted clusters keep, from 0 to 1.

    The mean of two shares, of must-links whose rows are together and of cannot-links whose rows
    are apart, by weight; of the one kind where only one was given. Counted together, a majority of
    cannot-links would praise whatever cuts everything to pieces. Of labels all pairs count. NaN
    where nothing is known.

    It is called as ``links_kept(model, X, constraints=links)`` and is a ``scoring`` for
    ``GridSearchCV`` and its kin, with metadata routing switched on; :class:`~linkwise.LinkKFold`
    leaves out links to judge by.

    Examples
    --------
    >>> import linkwise as lw
    >>> X = [[0.0], [1.0], [8.0], [9.0]]
    >>> model = lw.PCKMeans(2, random_state=0).fit(X)
    >>> lw.scores.links_kept(model, X, constraints=lw.Links(4, must=[(0, 1), (1, 2)]))
    0.5
    """

    def __call__(
        self,
        estimator: Predicts,
        X: MatrixLike,
        y: object = None,  # noqa: ARG002
        *,
        constraints: Knowledge | None = None,
    ) -> float:
        if constraints is None:
            raise InvalidInput(
                "links_kept got no constraints to judge by. In GridSearchCV call fit(X, "
                "constraints=links) after sklearn.set_config(enable_metadata_routing=True)."
            )
        return self.of(constraints, np.asarray(estimator.predict(X)))

    def of(self, constraints: Knowledge, labels: NDArray[Any]) -> float:
        """Return the score of labels that are there already."""
        return float(np.mean(list(shares_kept(constraints, labels).values()) or [np.nan]))

    def get_metadata_routing(self) -> MetadataRequest:
        """Tell scikit-learn that this wants the constraints of the rows it scores."""
        request = MetadataRequest(owner=self)
        request.score.add_request(param="constraints", alias=True)
        return request

    def __repr__(self) -> str:
        return "links_kept"


links_kept = LinksKept()


def shares_kept(constraints: Knowledge, labels: NDArray[Any]) -> dict[str, float]:
    """Return the share kept of each kind that is there: "must", "cannot".

    Examples
    --------
    >>> shares_kept(Links(3, must=[(0, 1), (1, 2)]), np.array([0, 0, 1]))
    {'must': 0.5}
    >>> shares_kept(["a", "a", "b", None], np.array([0, 0, 0, 1]))
    {'must': 1.0, 'cannot': 0.0}
    """
    known = as_constraints(constraints, len(labels))
    kept = _of_labels(known, labels) if isinstance(known, PartialLabels) else None
    if isinstance(known, Links):
        kept = _of_links(known, labels)
    shares = kept or {}
    return {kind: held / total for kind, (held, total) in shares.items() if total > 0}


def _of_links(links: Links, labels: NDArray[Any]) -> dict[str, tuple[float, float]]:
    held, n_must = links.weight * links.satisfied(labels), len(links.must)
    return {
        "must": (float(held[:n_must].sum()), float(links.weight[:n_must].sum())),
        "cannot": (float(held[n_must:].sum()), float(links.weight[n_must:].sum())),
    }


def _of_labels(known: PartialLabels, labels: NDArray[Any]) -> dict[str, tuple[float, float]]:
    rows = known.known_rows
    if not len(rows):
        return {}
    table = contingency_matrix(known.codes[rows], labels[rows]).astype(np.float64)
    both = _pairs(table)
    same_class, same_cluster = _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))
    apart = len(rows) * (len(rows) - 1) / 2 - same_class
    return {"must": (both, same_class), "cannot": (apart - (same_cluster - both), apart)}


def _pairs(counts: NDArray[np.float64]) -> float:
    """Return how many pairs can be drawn inside heaps of these sizes."""
    return float((counts * (counts - 1)).sum() / 2)
