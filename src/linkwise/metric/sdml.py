"""Sparse distance metric learning: a graphical lasso over what links say."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.covariance import graphical_lasso

from linkwise.constraints import Links, PartialLabels
from linkwise.metric.base import LinearMap
from linkwise.metric.differences import Differences, links_across_classes
from linkwise.metric.roots import square_root
from linkwise.validation import check_number

Floats = NDArray[np.float64]
#: Cannot-links may take away so much of the plain metric in any direction, and no more.
MOST_TAKEN = 0.9


class SDML(LinearMap):
    r"""Linear map of a metric in which few features interact.

    With :math:`v` the differences of linked rows and :math:`t` their mean variance per feature, the
    metric minimises

    .. math:: \operatorname{tr} A M - \log\det M + \lambda \sum_{i \ne j} |M_{ij}|, \qquad
              A \propto \rho\,d\,I + \frac{\eta}{t}
              \Big(\sum_{M} w v v^\top - \sum_{C} w v v^\top\Big),

    with :math:`\operatorname{tr} A = d`. Here :math:`\eta = 1`, or less where the cannot-links
    would take more than nine tenths of the plain metric in some direction: :math:`A` has to stay
    positive definite. The map is :math:`x \mapsto M^{1/2} x`.

    Parameters
    ----------
    ridge : float, default=1.0
        Weight :math:`\rho` of the plain metric, in links per feature.
    sparsity : float, default=0.01
        Price :math:`\lambda` of an interaction between two features. 0 is dense.
    max_iter : int, default=100
        Most rounds of the graphical lasso.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map; ``transform(X)`` is ``X @ components_.T``.
    n_iter_ : int
        Rounds of the graphical lasso.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    For many features, few links, and features that mostly act alone. Not the method where a loud
    feature says nothing: it lengthens must-links and cannot-links alike, and only their difference
    is read. A round costs as much as the third power of the features.

    References
    ----------
    .. [1] G.-J. Qi, J. Tang, Z.-J. Zha, T.-S. Chua, H.-J. Zhang. An efficient sparse metric
       learning in high-dimensional space via l1-penalized log-determinant regularization. ICML,
       2009.

    Examples
    --------
    The first feature varies inside the groups and is damped.

    >>> from linkwise import Links
    >>> from linkwise.metric import SDML
    >>> X = [[0.0, 0.0], [8.0, 0.2], [1.0, 5.0], [9.0, 5.2]]
    >>> links = Links(4, must=[(0, 1), (2, 3)], cannot=[(0, 2)])
    >>> SDML().fit(X, constraints=links).components_.round(2).tolist()
    [[0.76, 0.01], [0.01, 1.97]]
    """

    def __init__(self, *, ridge: float = 1.0, sparsity: float = 0.01, max_iter: int = 100) -> None:
        self.ridge = ridge
        self.sparsity = sparsity
        self.max_iter = max_iter

    def _check_params(self, X: NDArray[Any]) -> None:  # noqa: ARG002
        check_number(self, "ridge", low=1e-6)
        check_number(self, "sparsity", low=0)
        check_number(self, "max_iter", low=1, integer=True)

    def _links_of(self, labels: PartialLabels) -> Links:
        return links_across_classes(labels)

    def _components(self, X: NDArray[Any], links: Links) -> Floats:
        loss = _loss(Differences.of(X, links), X.shape[1], self.ridge)
        if len(loss) == 1:
            self.n_iter_ = 1
            return np.eye(1)
        _, metric, self.n_iter_ = graphical_lasso(
            loss, alpha=self.sparsity, max_iter=self.max_iter, return_n_iter=True
        )
        return square_root(metric)


def _loss(told: Differences, n_features: int, ridge: float) -> Floats:
    """Return the matrix A of the docstring."""
    squares = float(np.square(told.must).sum(axis=1) @ told.must_weight)
    squares += float(np.square(told.cannot).sum(axis=1) @ told.cannot_weight)
    total = float(told.must_weight.sum() + told.cannot_weight.sum())
    if squares == 0:
        return np.eye(n_features)
    signed = (told.must * told.must_weight[:, None]).T @ told.must
    signed -= (told.cannot * told.cannot_weight[:, None]).T @ told.cannot
    signed *= total / squares / ridge  # one plain direction weighs as ridge links per feature
    taken = -float(np.linalg.eigvalsh(signed)[0])
    loss = np.eye(n_features) + signed * min(1.0, MOST_TAKEN / max(taken, MOST_TAKEN))
    return np.asarray(loss * (n_features / np.trace(loss)))
