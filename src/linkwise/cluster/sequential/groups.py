"""Rows that answers have joined are examples of a class; the rest of the data follows them.

Chosen questions compare row after row with the same few examples, so the answers grow into groups,
and a group is worth more than its links: it is a class with labelled rows. A ridge regression on
the smooth directions carries the groups over to all landmarks. Where they say nothing, the
clustering without answers decides, which counts as a handful of labelled rows.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components

from linkwise.cluster.sequential.landmarks import Basis, Floats, Ints
from linkwise.cluster.sequential.trust import LiftedLinks, one_hot
from linkwise.kernels.joints import lone_joints

#: A row with so many must-links is the middle of a group.
HUB = 3
#: Must-links that weigh less join nothing.
MIN_WEIGHT = 0.3
#: Groups of so many rows speak for a class. There must be as many as clusters, and half of the
#: joined rows must be in one: links between random rows make pairs, not groups.
MIN_GROUP = 3
#: Labelled rows that each cluster of the clustering without answers counts as.
PRIOR_ROWS = 0.6
#: Variance of a label against that of the scores it teaches.
NOISE = 1.0


def joined_rows(n_rows: int, must: Ints) -> Ints:
    """Return the group of each row, joined by the pairs in ``must``.

    One mistaken answer must not make one class of two: where two groups, each around a row that was
    linked often, hang together by a single link, they stay two until another link joins them.
    """
    pairs = np.unique(np.sort(must, axis=1), axis=0).reshape(-1, 2)
    number = np.arange(len(pairs))
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    graph = sp.csr_array(
        (np.concatenate([number, number]) + 1, (ends[:, 0], ends[:, 1])), (n_rows, n_rows)
    )
    is_hub = np.diff(graph.indptr) >= HUB
    doubtful = lone_joints(graph.indptr, graph.indices, graph.data - 1, is_hub, len(pairs))
    i, j = pairs[~doubtful].T
    sure = sp.csr_array((np.ones(len(i)), (i, j)), (n_rows, n_rows))
    return np.asarray(connected_components(sure, directed=False)[1], dtype=np.int64)


class GroupSpread:
    """Spreads groups of linked rows over the landmarks; what never changes is computed once."""

    def __init__(self, basis: Basis, links: LiftedLinks, weight: Floats) -> None:
        self.basis, self.links, self.weight = basis, links, weight
        self.prior = one_hot(basis.labels, basis.n_clusters)
        self.overlap = links.mixture @ self.prior
        self.rows, self.landmarks = basis.spread_of(links.place), basis.spread
        share = PRIOR_ROWS * basis.n_clusters / basis.n_landmarks
        self.gram = share * (self.landmarks.T @ self.landmarks)
        self.gram[np.diag_indices_from(self.gram)] += NOISE
        self.taught = share * (self.landmarks.T @ (self.prior - 1 / basis.n_clusters))

    def enough(self) -> bool:
        """Tell whether the links have grown into groups."""
        size = np.bincount(self.joined(np.arange(len(self.links))))
        large = size[size >= MIN_GROUP]
        many = len(large) >= max(2, self.basis.n_clusters)
        return bool(many and 2 * large.sum() > size[size > 1].sum())

    def labels(self, part: Ints) -> Ints:
        """Return the clusters of the landmarks when only the links in ``part`` are known."""
        group = self.joined(part)
        belongs = self._belongs(group, part)[group]
        which, names = linear_sum_assignment(belongs.T @ self.overlap, maximize=True)
        target = np.zeros((len(group), self.basis.n_clusters))
        target[:, names] = belongs[:, which]
        known = np.flatnonzero(target.sum(axis=1))
        rows, target = self.rows[known], target[known] - 1 / self.basis.n_clusters
        factor = cho_factor(self.gram + rows.T @ rows, lower=True)
        scores = self.landmarks @ cho_solve(factor, self.taught + rows.T @ target)
        return np.asarray(scores.argmax(axis=1))

    def _belongs(self, group: Ints, part: Ints) -> Floats:
        """Return which groups speak for which class, (n_groups, n_classes) of zeros and ones.

        The largest groups stand for one class each. A group that differs from all of them shows
        that two of them are one class; it takes the place of the smaller. A group that differs from
        all classes but one belongs to that one.
        """
        size, r = np.bincount(group), self.basis.n_clusters
        by_size = np.argsort(-size, kind="stable")[: np.count_nonzero(size > 1)]
        apart = self._apart(group, part)
        classes = by_size[:r]
        differs = apart[:, classes].toarray()
        while len(classes) == r and differs[by_size].all(axis=1).any():
            unsure = (differs[classes] + np.eye(r) == 0).any(axis=1)
            if not unsure.any():
                break
            outside = by_size[differs[by_size].all(axis=1)][0]
            kept = np.delete(classes, np.flatnonzero(unsure)[-1])
            classes = by_size[np.isin(by_size, [*kept, outside])]
            differs = apart[:, classes].toarray()
        placed = (size > 1) & (differs.sum(axis=1) == r - 1) & (len(classes) == r)
        belongs = np.where(placed[:, None], 1.0 - differs, 0.0)
        belongs[classes] = np.eye(len(classes))
        return belongs

    def _apart(self, group: Ints, part: Ints) -> sp.csr_array:
        """Return a one where a trusted link tells two groups apart."""
        cannot = part[~self.links.must[part] & (self.weight[part] > MIN_WEIGHT)]
        one, other = group[self.links.i[cannot]], group[self.links.j[cannot]]
        two = one != other  # a contradictory answer may lie inside a group
        n_groups = int(group.max()) + 1
        shape = (n_groups, n_groups)
        apart = sp.csr_array((np.ones(two.sum()), (one[two], other[two])), shape)
        apart = apart + apart.T
        apart.data[:] = 1.0
        return apart

    def joined(self, part: Ints) -> Ints:
        """Return the group of each linked row when only the links in ``part`` are known."""
        links = self.links
        must = part[links.must[part] & (self.weight[part] > MIN_WEIGHT)]
        return joined_rows(len(links.rows), np.column_stack([links.i[must], links.j[must]]))
