"""Information-theoretic metric learning: the metric nearest to the plain one that bounds links."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from linkwise.constraints import Links, PartialLabels
from linkwise.kernels.bregman import project_onto_bounds
from linkwise.metric.base import LinearMap
from linkwise.metric.differences import Differences, links_across_classes
from linkwise.metric.roots import square_root
from linkwise.validation import check_number

Floats = NDArray[np.float64]
#: Shares of all distances that must-links should be below of, cannot-links above of.
NEAR, FAR = 5, 95
#: Of more linked rows than these, so many are looked at for the two bounds.
MOST_ROWS = 1000


class ITML(LinearMap):
    r"""Linear map nearest to the identity under which links are short or long enough.

    With :math:`v_k` the difference of the two rows of link :math:`k`, the metric :math:`M` and the
    bounds :math:`\xi` minimise

    .. math:: \rho\,D(M, I) + \sum_k w_k\,D(\xi_k, b_k) \quad\text{subject to}\quad
              v_k^\top M v_k \le \xi_k \text{ (must)}, \quad
              v_k^\top M v_k \ge \xi_k \text{ (cannot)},

    where :math:`D(A, B) = \operatorname{tr} AB^{-1} - \log\det AB^{-1} - \dim A` and
    :math:`b_k` is the 5th percentile of the squared distances between linked rows for must-links,
    the 95th for cannot-links. The map is :math:`x \mapsto M^{1/2} x`.

    Parameters
    ----------
    ridge : float, default=1.0
        Weight :math:`\rho` of the plain metric, in links per feature; :math:`1 / \gamma` in the
        paper.
    max_iter : int, default=1000
        Most rounds over all links.
    tol : float, default=1e-4
        Stop when no distance is changed by more than this share of it.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map; ``transform(X)`` is ``X @ components_.T``.
    n_iter_ : int
        Rounds over all links.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Bregman's cyclic projections, as in the paper, whose step is right for :math:`\gamma = 1` only:
    here it is :math:`\delta\,\gamma / (1 + \gamma)\,(1/p - 1/\xi)`. Bounds are squared distances,
    as in the paper, so that units of the rows do not matter; packages that take plain distances
    for them find other metrics. A round costs as much as links times squared features: not the
    method for thousands of features. Wrong answers pull as hard as right ones.

    References
    ----------
    .. [1] J. V. Davis, B. Kulis, P. Jain, S. Sra, I. S. Dhillon. Information-theoretic metric
       learning. ICML, 2007.

    Examples
    --------
    The first feature varies inside the groups and is damped.

    >>> from linkwise import Links
    >>> from linkwise.metric import ITML
    >>> X = [[0.0, 0.0], [8.0, 0.2], [1.0, 5.0], [9.0, 5.2]]
    >>> links = Links(4, must=[(0, 1), (2, 3)], cannot=[(0, 2)])
    >>> ITML().fit(X, constraints=links).components_.round(2).tolist()
    [[0.71, 0.02], [0.02, 1.26]]
    """

    def __init__(self, *, ridge: float = 1.0, max_iter: int = 1000, tol: float = 1e-4) -> None:
        self.ridge = ridge
        self.max_iter = max_iter
        self.tol = tol

    def _check_params(self, X: NDArray[Any]) -> None:  # noqa: ARG002
        check_number(self, "ridge", low=1e-6)
        check_number(self, "max_iter", low=1, integer=True)
        check_number(self, "tol", low=0)

    def _links_of(self, labels: PartialLabels) -> Links:
        return links_across_classes(labels)

    def _components(self, X: NDArray[Any], links: Links) -> Floats:
        told = Differences.of(X, links)
        near, far = _bounds(X, links)
        metric = np.eye(X.shape[1])
        n_must, n_cannot = len(told.must), len(told.cannot)
        _, self.n_iter_ = project_onto_bounds(
            metric,
            np.concatenate((told.must, told.cannot)),
            np.repeat([1.0, -1.0], [n_must, n_cannot]),
            np.repeat([near, far], [n_must, n_cannot]),
            np.concatenate((told.must_weight, told.cannot_weight)) / self.ridge,
            self.max_iter,
            float(self.tol),
        )
        return square_root(metric)


def _bounds(X: NDArray[Any], links: Links) -> tuple[float, float]:
    """Return the squared distances that must-links should be below of, cannot-links above of."""
    rows = links.linked_rows
    some = rows[:: max(1, -(-len(rows) // MOST_ROWS))]
    squared = pdist(X[some].astype(np.float64), "sqeuclidean")
    squared = squared[squared > 0]
    if not len(squared):
        return 1.0, 1.0
    near, far = np.percentile(squared, [NEAR, FAR])
    return float(near), float(far)
