"""Large margin nearest neighbours: rows of a group close by, other groups a margin further away."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from linkwise.constraints import Links
from linkwise.constraints.groups import Groups
from linkwise.metric.base import LinearMap
from linkwise.metric.chunklets import Chunklets
from linkwise.metric.neighbours import blocks, nearest_of_group, squared_distances
from linkwise.validation import check_number

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class LMNN(LinearMap):
    r"""Linear map under which rows of other groups stay a margin behind those of the own group.

    Groups are must-link components: the classes that labels or links name. With :math:`j` the
    ``n_neighbors`` rows of :math:`i`'s group nearest to it before learning, :math:`l` the rows that
    are known to be of another group, and :math:`d` distances under the map :math:`L`, it minimises

    .. math:: \frac{m}{T} \Big( (1 - \mu) \sum_{ij} d_{ij}^2
              + \mu \sum_{ijl} \big[1 + d_{ij}^2 - d_{il}^2\big]_+ \Big) + \rho\,\|L - I\|^2

    in the unit in which the :math:`T` pairs :math:`ij` have the mean squared distance 1 before
    learning; :math:`m` is the number of independent must-links.

    Parameters
    ----------
    n_neighbors : int, default=3
        How many rows of its group a row is held close to; fewer where the group is small.
    push : float, default=0.5
        Weight :math:`\mu` of rows that come too near, against 1 - push of the own group.
    ridge : float, default=1.0
        Weight :math:`\rho` of the plain metric, in must-links per feature. 0 is the original.
    max_iter : int, default=100
        Most steps of L-BFGS.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map :math:`L`; ``transform(X)`` is ``X @ components_.T``.
    n_iter_ : int
        Steps of L-BFGS.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Without rows that belong together, or without rows that do not, the map is the identity. Weights
    are read only in so far as a link of weight 0 says nothing. Not the method for a few scattered
    links: groups of two rows have one neighbour each, and rows are compared only with groups that
    some link keeps apart from theirs. Nor for wrong answers: one wrong must-link joins two groups.

    References
    ----------
    .. [1] K. Q. Weinberger, L. K. Saul. Distance metric learning for large margin nearest neighbor
       classification. Journal of Machine Learning Research 10, 2009.

    Examples
    --------
    The first feature varies inside the groups and is damped.

    >>> from linkwise.metric import LMNN
    >>> X = [[0.0, 0.0], [8.0, 0.2], [1.0, 5.0], [9.0, 5.2]]
    >>> LMNN().fit(X, constraints=["a", "a", "b", "b"]).components_.diagonal().round(1).tolist()
    [0.3, 1.7]
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 3,
        push: float = 0.5,
        ridge: float = 1.0,
        max_iter: int = 100,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.push = push
        self.ridge = ridge
        self.max_iter = max_iter

    def _check_params(self, X: NDArray[Any]) -> None:  # noqa: ARG002
        check_number(self, "n_neighbors", low=1, integer=True)
        check_number(self, "push", low=0, high=1)
        check_number(self, "ridge", low=0)
        check_number(self, "max_iter", low=1, integer=True)

    def _components(self, X: NDArray[Any], links: Links) -> Floats:
        chunklets = Chunklets(links)
        rows = X[chunklets.groups.rows].astype(np.float64)
        near = nearest_of_group(rows, chunklets.groups.group, self.n_neighbors)
        apart = rows[near[:, 0]] - rows[near[:, 1]]
        self.n_iter_ = 1
        plain = np.eye(X.shape[1])
        if not apart.any() or not len(chunklets.differ):
            return plain
        unit = np.sqrt(np.square(apart).sum(axis=1).mean())
        margins = Margins(rows / unit, chunklets.groups, near, self.push)
        share = chunklets.n_deviations / len(near)

        def cost(flat: Floats) -> tuple[float, Floats]:
            components = flat.reshape(plain.shape)
            loss, slope = margins.loss(components)
            away = components - plain
            total = share * loss + self.ridge * float(np.square(away).sum())
            return total, (share * slope + 2.0 * self.ridge * away).ravel()

        options = {"maxiter": self.max_iter}
        found = minimize(cost, plain.ravel(), jac=True, method="L-BFGS-B", options=options)
        self.n_iter_ = max(int(found.nit), 1)
        learned: Floats = found.x.reshape(plain.shape)
        return learned


class Margins:
    """The loss of a map: how far rows are from their own, and who comes too near.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
        The rows that links name, in the unit of the margin.
    groups : Groups
        Their groups, and which of these are apart.
    near : ndarray of shape (n_pairs, 2)
        Each row with those it is held close to, sorted by the first.
    push : float
        Weight of rows that come too near.
    """

    def __init__(self, rows: Floats, groups: Groups, near: Ints, push: float) -> None:
        self._rows, self._near, self._push = rows, near, push
        self._group = groups.group
        self._separation = groups.separation().astype(bool)

    def loss(self, components: Floats) -> tuple[float, Floats]:
        """Return the bracket of the docstring of :class:`LMNN`, and its gradient."""
        mapped = self._rows @ components.T
        n_rows = len(mapped)
        loss, weighted = 0.0, np.zeros((components.shape[1],) * 2)
        for part in blocks(n_rows, n_rows):
            block_loss, weight = self._block(mapped, part)
            loss += block_loss
            weighted += _scatter(self._rows[part], self._rows, weight)
        return loss, 2.0 * components @ weighted

    def _block(self, mapped: Floats, part: slice) -> tuple[float, Floats]:
        """Return the loss of some rows, and the weight of each pair's squared distance in it."""
        first, last = np.searchsorted(self._near[:, 0], [part.start, part.stop])
        row, mate = self._near[first:last, 0] - part.start, self._near[first:last, 1]
        squared = squared_distances(mapped[part], mapped)
        apart = self._separation[self._group[part]].toarray()[:, self._group]
        own = squared[row, mate]
        short = 1.0 + own[:, None] - squared[row]
        too_near = apart[row] & (short > 0)
        loss = (1.0 - self._push) * float(own.sum()) + self._push * float(short[too_near].sum())
        weight = np.zeros_like(squared)
        held, first_of = np.unique(row, return_index=True)
        if len(held):
            weight[held] = -self._push * np.add.reduceat(too_near, first_of, axis=0, dtype=float)
        pull = 1.0 - self._push + self._push * too_near.sum(axis=1)
        np.add.at(weight, (row, mate), pull)
        return loss, weight


def _scatter(some: Floats, rows: Floats, weight: Floats) -> Floats:
    """Return the sum of ``weight[i, l]`` times the outer square of ``some[i] - rows[l]``."""
    mixed = some.T @ (weight @ rows)
    scatter: Floats = (some.T * weight.sum(axis=1)) @ some - mixed - mixed.T
    scatter += (rows.T * weight.sum(axis=0)) @ rows
    return scatter
