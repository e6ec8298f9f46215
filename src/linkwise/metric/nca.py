"""Neighbourhood components analysis, by scikit-learn, on the rows whose class is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from linkwise.constraints import Links, PartialLabels
from linkwise.metric.base import LinearMap
from linkwise.metric.chunklets import Chunklets, shrink
from linkwise.metric.neighbours import nearest_of_group
from linkwise.metric.roots import square_root
from linkwise.validation import check_number

Floats = NDArray[np.float64]


class NCA(LinearMap):
    r"""Linear map under which a row drawn near a labelled row is likely of its class.

    With :math:`p_{ij} \propto \exp(-\|Lx_i - Lx_j\|^2)` over the labelled rows :math:`j \ne i`,
    scikit-learn's :class:`~sklearn.neighbors.NeighborhoodComponentsAnalysis` maximises the sum of
    :math:`p_{ij}` over pairs of one class, in the unit in which rows have the mean squared distance
    1 to the nearest of their class. The metric :math:`L^\top L` is then mixed with the plain one as
    in :class:`RCA`, and has its mean eigenvalue 1.

    Parameters
    ----------
    ridge : float, default=1.0
        Weight of the plain metric, in must-links per feature. 0 is the original, which fits few
        labels perfectly and learns nothing from them.
    max_iter : int, default=50
        Most steps of the optimiser.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map; ``transform(X)`` is ``X @ components_.T``.
    n_iter_ : int
        Steps of the optimiser.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Reads labels. Links are read where they name classes, that is where any two linked rows are
    known to be of one class or of two; others are refused. Weights are read only in so far as a
    link of weight 0 says nothing.

    References
    ----------
    .. [1] J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov. Neighbourhood components analysis.
       NIPS, 2004.

    Examples
    --------
    The first feature varies inside the groups and is damped.

    >>> from linkwise.metric import NCA
    >>> X = [[0.0, 0.0], [8.0, 0.2], [1.0, 5.0], [9.0, 5.2]]
    >>> NCA().fit(X, constraints=["a", "a", "b", "b"]).components_.diagonal().round(1).tolist()
    [0.8, 1.2]
    """

    def __init__(self, *, ridge: float = 1.0, max_iter: int = 50) -> None:
        self.ridge = ridge
        self.max_iter = max_iter

    def _check_params(self, X: NDArray[Any]) -> None:  # noqa: ARG002
        check_number(self, "ridge", low=0)
        check_number(self, "max_iter", low=1, integer=True)

    def _components(self, X: NDArray[Any], links: Links) -> Floats:
        chunklets = Chunklets(links)
        labels = PartialLabels.from_links(chunklets.heard, reader="NCA")
        rows = X[labels.known_rows].astype(np.float64)
        classes = labels.codes[labels.known_rows]
        nearest = nearest_of_group(rows, classes, 1)
        apart = rows[nearest[:, 0]] - rows[nearest[:, 1]]
        self.n_iter_ = 1
        if len(labels.classes) < 2 or not apart.any():
            return np.eye(X.shape[1])
        unit = np.sqrt(np.square(apart).sum(axis=1).mean())
        found = NeighborhoodComponentsAnalysis(init="identity", max_iter=self.max_iter)
        found.fit(rows / unit, classes)
        self.n_iter_ = int(found.n_iter_)
        metric = found.components_.T @ found.components_
        mixed, scale = shrink(metric, chunklets.n_deviations, self.ridge)
        return square_root(mixed / scale)
