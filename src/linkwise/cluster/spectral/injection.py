"""Links written into the affinities of rows to landmarks (SC-PC, eqs. 3 to 6).

Everything that is written is constant over a must-link component, so it is kept as one column per
component beside the affinities that stay: memory grows with the rows, not with the square of a
component.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.cluster.spectral.embedding import BLOCK_ROWS, column_products, column_sums
from linkwise.cluster.spectral.linked_rows import LinkedRows

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
        """Return the products of all columns with each other.

        That is ``spread.T @ column_products(wide) @ spread``, added up in place: what a component
        was given belongs to the column of each of its landmarks.
        """
        n = self.spread.shape[1]
        products = column_products(self.wide)
        own, across, between = products[:n, :n], products[n:, :n], products[n:, n:]
        members = self.spread[n:].tocoo()
        for component, landmark in zip(members.row, members.col, strict=True):
            own[landmark] += across[component]
            own[:, landmark] += across[component]
            own[landmark, members.col] += between[component, members.row]
        # eigenvectors of a part of an array take four times longer
        return np.ascontiguousarray(own)

    def column_sums(self) -> Floats:
        """Return the sum of each column."""
        sums: Floats = column_sums(self.wide) @ self.spread
        return sums

    def row_stochastic(self) -> Injected:
        """Return the same with every row divided by its sum."""
        sums = self.wide @ column_sums(self.spread.T)
        wide, shares = self.wide, np.empty_like(self.wide.data)
        for start in range(0, len(sums), BLOCK_ROWS):
            ends = wide.indptr[start : start + BLOCK_ROWS + 1]
            block = slice(ends[0], ends[-1])
            divisor = np.repeat(sums[start : start + BLOCK_ROWS], np.diff(ends))
            np.divide(wide.data[block], divisor, out=shares[block])
        stochastic = sp.csr_array((shares, wide.indices, wide.indptr), shape=wide.shape)
        return Injected(stochastic, self.spread)


def inject(
    Z: sp.csr_array, linked: LinkedRows, n_propagate: int, scale: Floats | None = None
) -> Injected:
    """Write the links into ``Z``, whose first columns are the linked rows themselves.

    A linked row gets 1 for the landmarks of its own component and 0 for other linked landmarks
    (eq. 3). The ``n_propagate`` free rows that have the largest affinities to each member of a
    component get one common value for all members (eqs. 4 to 6). When ``scale`` is given, the
    affinities are the columns of ``Z`` multiplied by it.
    """
    kept = sp.csr_array((Z.data.copy(), Z.indices, Z.indptr), shape=Z.shape)
    if scale is not None:
        for start in range(0, len(kept.data), BLOCK_ROWS):
            block = slice(start, start + BLOCK_ROWS)
            kept.data[block] *= scale[Z.indices[block]]
    n_linked, n_landmarks = len(linked.rows), Z.shape[1]
    rows, components, values = _written(kept, linked, n_propagate)
    _clear_written(kept, linked, rows, components)
    width = n_landmarks + linked.n_components
    given = sp.csr_array((values, (rows, n_landmarks + components)), shape=(Z.shape[0], width))
    kept.resize((Z.shape[0], width))
    members = sp.csr_array(
        (np.ones(n_linked), (linked.component, np.arange(n_linked))),
        shape=(linked.n_components, n_landmarks),
    )
    spread = sp.vstack([sp.eye_array(n_landmarks), members], format="csr")
    return Injected(kept + given, spread)


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
    is_free = np.ones(Z.shape[0], dtype=bool)
    is_free[linked.rows] = False
    near, member, affinity = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    for start in range(0, Z.shape[0], BLOCK_ROWS):
        block = Z[start : start + BLOCK_ROWS].tocoo()
        free = is_free[start + block.row] & (block.col < len(linked.rows))
        near = np.append(near, start + block.row[free])
        member = np.append(member, block.col[free])
        affinity = np.append(affinity, block.data[free])
        best = _largest(near, member, affinity, n_propagate)
        near, member, affinity = near[best], member[best], affinity[best]
    return near, member, affinity


def _largest(near: Ints, member: Ints, affinity: Floats, n_propagate: int) -> Ints:
    """Return where the largest affinities of every landmark are, the lower row first in a tie."""
    order = np.lexsort((near, -affinity, member))
    landmark = member[order]
    place = np.arange(len(order)) - np.searchsorted(landmark, landmark)
    return np.asarray(order[place < n_propagate], dtype=np.int64)


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


def _clear_written(Z: sp.csr_array, linked: LinkedRows, rows: Ints, components: Ints) -> None:
    """Put zeros into Z where eqs. 3 to 6 have the say.

    In a linked row these are all linked landmarks; in another row, the landmarks of the components
    that wrote to it. Only rows that were written to are looked at.
    """
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
    Z.data[places[written]] = 0.0
