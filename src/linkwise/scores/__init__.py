"""How good a clustering is: agreement with the truth, links kept, gain over no knowledge.

>>> import linkwise as lw
>>> lw.scores.nmi([0, 0, 1, 1], [1, 1, 0, 0]), lw.scores.accuracy([0, 0, 1, 1], [1, 1, 0, 0])
(1.0, 1.0)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from linkwise.constraints import Links
from linkwise.errors import InvalidInput
from linkwise.scores.kept_links import links_kept

__all__ = ["accuracy", "ari", "gain", "links_kept", "nmi", "purity", "satisfied"]


def nmi(truth: ArrayLike, labels: ArrayLike) -> float:
    """Normalised mutual information of two labellings, arithmetic mean of the entropies.

    See Also
    --------
    ari : Counts pairs of rows, corrected for chance.
    gain : What answers bought.

    Examples
    --------
    >>> nmi(["a", "a", "b", "b"], [1, 1, 0, 0])
    1.0
    """
    truth, labels = _pair(truth, labels)
    return float(normalized_mutual_info_score(truth, labels))


def ari(truth: ArrayLike, labels: ArrayLike) -> float:
    """Adjusted Rand index: 0 for chance, 1 for the same partition.

    See Also
    --------
    nmi : Measures information instead of pairs.

    Examples
    --------
    >>> ari([0, 0, 1, 1], [0, 1, 0, 1])
    -0.5
    """
    truth, labels = _pair(truth, labels)
    return float(adjusted_rand_score(truth, labels))


def accuracy(truth: ArrayLike, labels: ArrayLike) -> float:
    """Share of rows that agree under the best one-to-one matching of clusters to classes.

    See Also
    --------
    purity : Lets several clusters stand for one class.

    Examples
    --------
    >>> accuracy([0, 0, 1, 1], [5, 5, 3, 5])
    0.75
    """
    truth, labels = _pair(truth, labels)
    table = contingency_matrix(truth, labels)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / len(truth))


def purity(truth: ArrayLike, labels: ArrayLike) -> float:
    """Share of rows whose class is the most frequent one of their cluster.

    See Also
    --------
    accuracy : Lets one cluster stand for one class.

    Examples
    --------
    >>> purity([0, 0, 1, 1], [0, 1, 2, 3])
    1.0
    """
    truth, labels = _pair(truth, labels)
    return float(contingency_matrix(truth, labels).max(axis=0).sum() / len(truth))


def satisfied(links: Links, labels: ArrayLike) -> float:
    """Share of the links that ``labels`` keep, by weight; 1.0 where nothing was said.

    See Also
    --------
    linkwise.Links.satisfied : The same link by link.

    Examples
    --------
    >>> satisfied(Links(3, must=[(0, 1)], cannot=[(1, 2)]), [0, 0, 0])
    0.5
    """
    total = float(links.weight.sum())
    if total == 0:
        return 1.0
    return float(links.weight[links.satisfied(np.asarray(labels))].sum() / total)


def gain(
    truth: ArrayLike, labels: ArrayLike, labels_without: ArrayLike, rows: ArrayLike | None = None
) -> float:
    """NMI won by knowledge: ``nmi(truth, labels) - nmi(truth, labels_without)``.

    Pass as ``rows`` those no constraint names (a mask or positions): rows the knowledge names
    score themselves, so a gain on all rows alone says little.

    See Also
    --------
    nmi : What is compared.
    linkwise.Links.linked_rows : The rows that links name.

    Examples
    --------
    >>> gain([0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1])
    1.0
    """
    truth, labels, labels_without = (np.asarray(a) for a in (truth, labels, labels_without))
    if rows is not None:
        picked = np.asarray(rows)
        truth, labels, labels_without = truth[picked], labels[picked], labels_without[picked]
    return nmi(truth, labels) - nmi(truth, labels_without)


def _pair(truth: ArrayLike, labels: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    truth, labels = np.asarray(truth), np.asarray(labels)
    if truth.ndim != 1 or truth.shape != labels.shape:
        raise InvalidInput(
            f"two labellings of the same rows are needed, got shapes {truth.shape} "
            f"and {labels.shape}."
        )
    if len(truth) == 0:
        raise InvalidInput("the labellings are empty: there is nothing to compare.")
    return truth, labels
