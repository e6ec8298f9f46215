"""Must-links contracted: rows that belong together are one group, cannot-links lie between groups.

Everything that treats must-linked rows as one thing reads them here: which rows links name, the
group of each, which groups must differ, and sums over the rows of a group.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.constraints.links import Links
from linkwise.constraints.pairs import Pairs, in_order

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows in must-link components.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,)
        The rows, ascending; everything else speaks of them by their place here.
    links : Links
        The links among them, by place.
    """

    rows: Ints
    links: Links

    @classmethod
    def of(cls, links: Links) -> Groups:
        """Group the rows that links name; one that only cannot-links name is alone.

        Examples
        --------
        >>> groups = Groups.of(Links(9, must=[(2, 7)], cannot=[(5, 7)]))
        >>> groups.rows, groups.group, groups.apart
        (array([2, 5, 7]), array([0, 1, 0]), array([[0, 1]]))
        """
        rows = links.linked_rows
        return cls(rows, links[rows])

    @classmethod
    def of_all_rows(cls, links: Links) -> Groups:
        """Group all rows, also those that no link names."""
        return cls(np.arange(links.n_samples), links)

    @cached_property
    def group(self) -> Ints:
        """The group of each row, numbered from 0 by first appearance."""
        return self.links.components()

    @cached_property
    def n_groups(self) -> int:
        """Number of groups, singletons included."""
        return count_groups(self.group)

    @cached_property
    def sizes(self) -> Ints:
        """Number of rows in each group."""
        return np.bincount(self.group, minlength=self.n_groups)

    @cached_property
    def apart(self) -> Pairs:
        """The pairs of groups that some cannot-link separates, each once, the smaller first.

        A cannot-link inside a group contradicts its must-links and is passed over.
        """
        return self._between(np.ones(len(self.links.cannot)))[0]

    def separation(self, weight: Floats | None = None) -> sp.csr_array:
        """Return how firmly groups are kept apart, a symmetric (n_groups, n_groups) matrix.

        ``weight`` is one per cannot-link, 1 by default. Of several links between the same two
        groups the heaviest counts; one of weight 0 says nothing.
        """
        n_links = len(self.links.cannot)
        pairs, firm = self._between(np.ones(n_links) if weight is None else weight)
        pairs, firm = pairs[firm > 0], firm[firm > 0]
        i, j = np.concatenate((pairs, pairs[:, ::-1])).T
        size = (self.n_groups, self.n_groups)
        return sp.csr_array((np.concatenate((firm, firm)), (i, j)), shape=size)

    def members(self, group: int) -> Ints:
        """Return the rows of one group."""
        members: Ints = self.rows[self.group == group]
        return members

    def sums(self, values: NDArray[Any]) -> Floats:
        """Return the sum of ``values``, one line per row, over each group."""
        return sums_by_group(values, self.group, self.n_groups)

    def means(self, values: NDArray[Any]) -> Floats:
        """Return the mean of ``values``, one line per row, over each group."""
        return self.sums(values) / self.sizes[:, None]

    def _between(self, weight: Floats) -> tuple[Pairs, Floats]:
        """Return the separated pairs of groups, and the largest weight of the links of each."""
        ends = self.group[self.links.cannot].reshape(-1, 2)
        differ = ends[:, 0] != ends[:, 1]
        return in_order(ends[differ], weight[differ])


def count_groups(group: NDArray[np.integer[Any]]) -> int:
    """Return how many groups there are, numbered from 0 without gaps."""
    return int(group.max(initial=-1)) + 1


def sums_by_group(values: NDArray[Any], group: NDArray[np.integer[Any]], n_groups: int) -> Floats:
    """Return the sum of the lines of ``values`` over each group, in float64."""
    total = np.zeros((n_groups, values.shape[1]))
    np.add.at(total, group, values)
    return total
