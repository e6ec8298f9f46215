"""The graph of near rows, its spectral embedding, and new rows placed by their nearest row."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.cluster.spectral.embedding import inverse_roots, leading_eigenvectors, unit_rows
from linkwise.cluster.spectral.neighbours import in_units, length_unit, nearest
from linkwise.typing import Matrix


def neighbour_graph(X: Matrix, n_neighbors: int) -> sp.csr_array:
    r"""Return similarities of rows, of shape (n_samples, n_samples), zero between far rows.

    Two rows are connected if one is among the ``n_neighbors`` nearest of the other, with weight
    :math:`\exp(-d_{ij}^2 / \sigma_i \sigma_j)`, where :math:`\sigma_i` is the distance of row i to
    its last neighbour.
    """
    n = X.shape[0]
    n_neighbors = min(n_neighbors, n - 1)
    unit = length_unit(X)
    index, squared = nearest(X, in_units(X, unit), n_neighbors + 1, unit)
    reach = np.sqrt(squared[:, -1])
    local = reach[:, None] * reach[index]
    local[local == 0.0] = 1.0
    weight = np.exp(-squared / local)
    weight[index == np.arange(n)[:, None]] = 0.0  # a row is no neighbour of its own
    ends = np.arange(0, index.size + 1, n_neighbors + 1)
    W = sp.csr_array((weight.reshape(-1), index.reshape(-1), ends), shape=(n, n))
    W.sort_indices()
    W.eliminate_zeros()
    return W.maximum(W.T).tocsr()


def normalised(W: Matrix) -> Matrix:
    """Return ``W`` over the roots of its row sums, from both sides; dense is done in place."""
    scale = inverse_roots(np.asarray(W.sum(axis=1), dtype=np.float64).reshape(-1))
    if sp.issparse(W):
        return (sp.diags_array(scale) @ W @ sp.diags_array(scale)).tocsr()
    scale = scale.astype(W.dtype)
    W *= scale[:, None]
    W *= scale
    return W


def cut_embedding(W: Matrix, n_vectors: int) -> NDArray[np.float32]:
    """Return the unit rows of the leading eigenvectors of the normalised graph."""
    return unit_rows(leading_eigenvectors(normalised(W), n_vectors)[1])


def nearest_row(X: Matrix, known: Matrix) -> NDArray[np.int32]:
    """Return for every row of ``X`` the position of the nearest row of ``known``."""
    unit = length_unit(known)
    return nearest(X, in_units(known, unit), 1, unit)[0][:, 0]
