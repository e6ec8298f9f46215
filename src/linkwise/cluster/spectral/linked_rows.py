"""Links as facts about few rows: components, how firmly each row belongs, which must differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.constraints import Links
from linkwise.constraints.groups import Groups

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Most linked rows that become landmarks: some steps need the square of it in memory.
MOST_LINKED = 3000


@dataclass(frozen=True, eq=False)
class LinkedRows:
    """The rows that links name, in must-link components, and the components that must differ.

    Attributes
    ----------
    rows : ndarray of shape (n_linked,)
        The rows.
    component : ndarray of shape (n_linked,)
        Must-link component of each, from 0; a row without must-links is alone in its own.
    firmness : ndarray of shape (n_linked,)
        How firmly each row is tied to its component: 1, or less where links have weights.
    apart : ndarray of shape (n_components, n_components)
        How firmly components are separated: 0 or 1, or between where links have weights.
    """

    rows: Ints
    component: Ints
    firmness: Floats
    apart: sp.csr_array

    @classmethod
    def of(cls, links: Links) -> LinkedRows:
        """Read consistent links. Weights count relative to the largest."""
        groups = Groups.of(links.closure())
        among = groups.links
        largest = among.weight.max(initial=0.0)
        weight = among.weight / largest if largest > 0 else among.weight
        n_must = len(among.must)
        firmness = np.ones(len(groups.rows))
        firmness[among.must[:, 1]] = weight[:n_must]  # the closure ties each row to the smallest
        return cls(groups.rows, groups.group, firmness, groups.separation(weight[n_must:]))

    @property
    def n_components(self) -> int:
        """Number of components."""
        return int(self.apart.shape[0])

    def few(self, most: int, rng: np.random.RandomState) -> LinkedRows:
        """Return at most ``most`` of the rows: two of each component first, then two more."""
        if len(self.rows) <= most:
            return self
        shuffled = rng.permutation(len(self.rows))
        shuffled = shuffled[np.argsort(self.component[shuffled], kind="stable")]
        component = self.component[shuffled]
        turn = (np.arange(len(component)) - np.searchsorted(component, component)) // 2
        size = np.bincount(component)[component]
        chosen = np.sort(shuffled[np.lexsort((component, -size, turn))[:most]])
        kept, renumbered = np.unique(self.component[chosen], return_inverse=True)
        return LinkedRows(
            self.rows[chosen],
            renumbered.reshape(-1).astype(np.int64),
            self.firmness[chosen],
            self.apart[kept][:, kept],
        )

    def membership(self, n_landmarks: int) -> sp.csr_array:
        """Return the firmness in a (n_landmarks, n_components) matrix; linked rows come first."""
        shape = (n_landmarks, self.n_components)
        places = (np.arange(len(self.rows)), self.component)
        return sp.csr_array((self.firmness, places), shape=shape)
