"""The convex metric of Xing and others: cannot-links as long as must-links allow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links, PartialLabels
from linkwise.metric.base import LinearMap
from linkwise.metric.chunklets import shrink
from linkwise.metric.differences import Differences, links_across_classes
from linkwise.metric.roots import inverse_root, square_root
from linkwise.validation import check_number

Floats = NDArray[np.float64]


class PGDM(LinearMap):
    r"""Linear map that makes cannot-links long while must-links stay short.

    With :math:`v` the differences of linked rows, the metric :math:`M` of the paper is

    .. math:: \arg\max_{M \succeq 0} \sum_{C} w \sqrt{v^\top M v} \quad\text{subject to}\quad
              \operatorname{tr} M \Sigma \le 1,

    :math:`\Sigma` being half the mean of :math:`v v^\top` over the must-links.

    Written as :math:`M = \Sigma^{-1/2} N \Sigma^{-1/2}` the bound is :math:`\operatorname{tr} N
    \le 1`, and the sum is convex in the root of :math:`N`: power steps :math:`N \mapsto BNB`, with
    :math:`B = \sum w u u^\top / \sqrt{u^\top N u}` and :math:`u = \Sigma^{-1/2} v`, ascend to the
    maximum without a step length. The map is :math:`x \mapsto M^{1/2} x`, scaled as in
    :class:`RCA`.

    Parameters
    ----------
    ridge : float, default=1.0
        Weight of the plain metric: in :math:`\Sigma` in must-links per feature, and of the
        identity in :math:`N` in cannot-links per free entry. 0 is the original.
    max_iter : int, default=500
        Most power steps.
    tol : float, default=1e-6
        Stop when a step wins less than this share of the sum.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map; ``transform(X)`` is ``X @ components_.T``.
    n_iter_ : int
        Power steps taken.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Called MMC in some packages, which here is a clusterer. Not the method where there are many
    classes: the sum of lengths is largest when nearly all of them lie along one or two directions,
    and the others are lost (digits: below the plain metric however many links). Without
    cannot-links the map is that of :class:`RCA` for single pairs.

    References
    ----------
    .. [1] E. P. Xing, A. Y. Ng, M. I. Jordan, S. Russell. Distance metric learning with application
       to clustering with side-information. NIPS, 2002.

    Examples
    --------
    The first feature varies inside the groups and is damped.

    >>> from linkwise import Links
    >>> from linkwise.metric import PGDM
    >>> X = [[0.0, 0.0], [8.0, 0.2], [1.0, 5.0], [9.0, 5.2]]
    >>> links = Links(4, must=[(0, 1), (2, 3)], cannot=[(0, 2)])
    >>> PGDM().fit(X, constraints=links).components_.round(2).tolist()
    [[0.71, 0.01], [0.01, 1.58]]
    """

    def __init__(self, *, ridge: float = 1.0, max_iter: int = 500, tol: float = 1e-6) -> None:
        self.ridge = ridge
        self.max_iter = max_iter
        self.tol = tol

    def _check_params(self, X: NDArray[Any]) -> None:  # noqa: ARG002
        check_number(self, "ridge", low=0)
        check_number(self, "max_iter", low=1, integer=True)
        check_number(self, "tol", low=0)

    def _links_of(self, labels: PartialLabels) -> Links:
        return links_across_classes(labels)

    def _components(self, X: NDArray[Any], links: Links) -> Floats:
        told = Differences.of(X, links)
        within, variance = shrink(_half_scatter(told, X.shape[1]), len(told.must), self.ridge)
        whiten = inverse_root(within)
        spread, self.n_iter_ = _spread(
            told.cannot @ whiten, told.cannot_weight, self.max_iter, self.tol
        )
        spread, _ = shrink(spread, len(told.cannot), self.ridge * (X.shape[1] + 1) / 2)
        return square_root(variance * whiten @ spread @ whiten)


def _half_scatter(told: Differences, n_features: int) -> Floats:
    """Return the covariance inside groups that the must-links show; a difference has twice it."""
    if not len(told.must):
        return np.zeros((n_features, n_features))
    weighted = told.must * told.must_weight[:, None]
    scatter: Floats = weighted.T @ told.must / (2.0 * told.must_weight.sum())
    return scatter


def _spread(apart: Floats, weight: Floats, max_iter: int, tol: float) -> tuple[Floats, int]:
    """Return the matrix of mean eigenvalue 1 that makes ``apart`` longest, and the steps."""
    n_features = apart.shape[1]
    root, before, n_iter = np.eye(n_features), 0.0, 0
    seen = np.square(apart).sum(axis=1) > 0
    apart, weight = apart[seen], weight[seen]
    if not len(apart):
        return np.eye(n_features), 1
    for n_iter in range(1, max_iter + 1):
        lengths = np.linalg.norm(apart @ root, axis=1)
        total = float(weight @ lengths)
        if total - before <= tol * total:
            break
        pull = weight / np.maximum(lengths, np.finfo(np.float64).tiny)
        root = apart.T @ (pull[:, None] * (apart @ root))
        root *= np.sqrt(n_features) / np.linalg.norm(root)
        before = total
    return root @ root.T, n_iter
