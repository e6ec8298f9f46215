"""Links written into the affinities of rows to landmarks (SC-PC, eqs. 3 to 6).

Everything that is written is constant over a must-link component, so it is kept as one column per
component beside the affinities that stay: memory grows with the rows, not with the square of a
component.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.cluster.linked_rows import LinkedRows
from linkwise.cluster.spectral_embedding import column_products, column_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Injected:
    """The matrix ``wide @ spread``: affinities that stay, then what each component was given.

    Attributes
    ----------
    wide : csr_array of shape (n_samples, n_landmarks + n_components)
    spread : csr_array of shape (n_landmarks + n_components, n_landmarks)
        The identity above the membership of landmarks in components.
    """

    wide: sp.csr_array
    spread: sp.csr_array

    def toarray(self) -> Floats:
        """Return the matrix in full."""
        dense: Floats = (self.wide @ self.spread).toarray()
        return dense

    def column_products(self) -> Floats:
        """Return the products of all columns with each other."""
        products: Floats = self.spread.T @ column_products(self.wide) @ self.spread
        return products

    def column_sums(self) -> Floats:
        """Return the sum of each column."""
        sums: Floats = column_sums(self.wide) @ self.spread
        return sums

    def row_stochastic(self) -> Injected:
        """Return the same with every row divided by its sum."""
        sums = self.wide @ column_sums(self.spread.T)
        wide = self.wide.copy()
        wide.data /= np.repeat(sums, np.diff(wide.indptr))
        return Injected(wide, self.spread)


def inject(Z: sp.csr_array, linked: LinkedRows, n_propagate: int) -> Injected:
    """Write the links into ``Z``, whose first columns are the linked rows themselves.

    A linked row gets 1 for the landmarks of its own component and 0 for other linked landmarks
    (eq. 3). The ``n_propagate`` free rows that have the largest affinities to each member of a
    component get one common value for all members (eqs. 4 to 6).
    """
    n_linked, n_landmarks = len(linked.rows), Z.shape[1]
    rows, components, values = _written(Z, linked, n_propagate)
    width = n_landmarks + linked.n_components
    given = sp.csr_array((values, (rows, n_landmarks + components)), shape=(Z.shape[0], width))
    kept = _without_written(Z, linked, rows, components)
    kept.resize((Z.shape[0], width))
    members = sp.csr_array(
        (np.ones(n_linked), (linked.component, np.arange(n_linked))),
        shape=(linked.n_components, n_landmarks),
    )
    spread = sp.vstack([sp.eye_array(n_landmarks), members], format="csr")
    return Injected((kept + given).tocsr(), spread)


def _written(Z: sp.csr_array, linked: LinkedRows, n_propagate: int) -> tuple[Ints, Ints, Floats]:
    """Return what eqs. 3 to 6 write, as (row, component, value)."""
    near, member, affinity = _neighbours(Z, linked, n_propagate)
    component = linked.component[member]
    pair, frequency = np.unique(component * Z.shape[0] + near, return_counts=True)
    component_of_pair, row_of_pair = np.divmod(pair, Z.shape[0])
    lookup = _lookup(component, affinity, component_of_pair, frequency, linked.n_components)
    return (
        np.append(linked.rows, row_of_pair),
        np.append(linked.component, component_of_pair),
        np.append(np.ones(len(linked.rows)), lookup),
    )


def _neighbours(Z: sp.csr_array, linked: LinkedRows, n_propagate: int) -> tuple[Ints, Ints, Floats]:
    """Return the free rows most similar to each linked landmark: (row, landmark, affinity)."""
    columns = Z.tocsc()
    is_linked = np.zeros(Z.shape[0], dtype=bool)
    is_linked[linked.rows] = True
    found = []
    for landmark in range(len(linked.rows)):
        column = slice(columns.indptr[landmark], columns.indptr[landmark + 1])
        rows, affinity = columns.indices[column], columns.data[column]
        free = np.flatnonzero(~is_linked[rows])
        best = free[np.lexsort((rows[free], -affinity[free]))[:n_propagate]]
        found.append((rows[best], np.full(len(best), landmark), affinity[best]))
    near, member, affinity = (np.concatenate(part) for part in zip(*found, strict=True))
    return near.astype(np.int64), member, affinity


def _lookup(
    component: Ints,
    affinity: Floats,
    component_of_pair: Ints,
    frequency: Ints,
    n_components: int,
) -> Floats:
    """Return eq. 4 for every (component, neighbour): the more members it is near, the larger.

    With m distinct frequencies in a component it is min + frequency (max - min) / (m - 1), or max
    when m is 1. As printed it may exceed max.
    """
    low = np.full(n_components, np.inf)
    high = np.full(n_components, -np.inf)
    np.minimum.at(low, component, affinity)
    np.maximum.at(high, component, affinity)
    distinct = np.unique(np.column_stack([component_of_pair, frequency]), axis=0)
    m = np.bincount(distinct[:, 0], minlength=n_components)[component_of_pair]
    low, high = low[component_of_pair], high[component_of_pair]
    stepped = low + frequency * (high - low) / np.maximum(m - 1, 1)
    return np.where(m == 1, high, stepped)


def _without_written(Z: sp.csr_array, linked: LinkedRows, rows: Ints, components: Ints) -> Any:
    """Return a copy of Z with zeros where eqs. 3 to 6 have the say.

    In a linked row these are all linked landmarks; in another row, the landmarks of the components
    that wrote to it. Only rows that were written to are looked at.
    """
    kept = sp.csr_array((Z.data.copy(), Z.indices, Z.indptr), shape=Z.shape)
    touched = np.unique(rows)
    width = np.diff(Z.indptr)[touched]
    first = np.repeat(Z.indptr[touched] - np.cumsum(width) + width, width)
    places = first + np.arange(width.sum())  # where the entries of touched rows are
    row = np.repeat(touched, width)
    n_extra = Z.shape[1] - len(linked.rows)
    component = np.append(linked.component, np.full(n_extra, -1))[Z.indices[places]]
    size = linked.n_components + 1
    written = np.isin(row * size + component, rows * size + components)
    written |= np.isin(row, linked.rows) & (component >= 0)
    kept.data[places[written]] = 0.0
    return kept
