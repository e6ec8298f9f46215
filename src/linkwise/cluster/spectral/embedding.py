"""From a graph to coordinates in which clusters are round, and k-means on these coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from linkwise.ensemble.blas import one_blas_thread
from linkwise.kernels.gram import gram
from linkwise.typing import Matrix, is_csr

Floats = NDArray[np.float64]

#: Up to this size a full factorisation is as quick as an iterative one.
SMALL = 400
#: K-means is started several times on no more than this many rows.
START_ROWS = 10_000
#: Rows that are worked on together.
BLOCK_ROWS = 65_536


def leading_eigenvectors(S: Matrix, n_vectors: int) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues of a symmetric matrix and their vectors, largest first.

    The same matrix always gives the same vectors: the iteration starts from a fixed vector, and
    the entry of largest size in each eigenvector is positive. At most as many vectors as the
    matrix has rows are returned.
    """
    n_vectors = min(n_vectors, S.shape[0])
    with one_blas_thread():  # many small products: threads would mostly wait for each other
        values, vectors = _eigenpairs(S, n_vectors)
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    tallest = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[tallest, np.arange(n_vectors)] < 0, -1.0, 1.0)
    return values, vectors * signs


def _eigenpairs(S: Matrix, n_vectors: int) -> tuple[Floats, Floats]:
    n = S.shape[0]
    if n <= SMALL or 4 * n_vectors > n:
        return _factorise(S, n_vectors)
    start = np.random.RandomState(0).uniform(-1, 1, n)
    try:
        values, vectors = eigsh(S, n_vectors, which="LA", v0=start)
    except ArpackNoConvergence:
        return _factorise(S, n_vectors)
    return values, vectors


def _factorise(S: Matrix, n_vectors: int) -> tuple[Floats, Floats]:
    dense = S.toarray() if is_csr(S) else S
    n = len(dense)
    values, vectors = eigh(dense, subset_by_index=[n - n_vectors, n - 1])
    return values, vectors


def column_products(Z: sp.csr_array) -> Floats:
    """Return ``Z.T @ Z`` as a dense array."""
    products: Floats = gram(Z.indptr, Z.indices, Z.data, Z.shape[1])
    return products


def column_sums(Z: sp.csr_array) -> Floats:
    """Return the sum of each column."""
    return np.asarray(Z.sum(axis=0), dtype=np.float64).reshape(-1)


def inverse_roots(sums: Floats) -> Floats:
    """Return one over the root of each sum, and 0 for 0: a landmark that no row is near to."""
    scale = np.zeros_like(sums)
    scale[sums > 0] = 1.0 / np.sqrt(sums[sums > 0])
    return scale


def scale_to_degrees(W: Floats, bridge: float = 0.0) -> Floats:
    """Return similarities divided by the roots of both row sums; ``W`` is overwritten.

    First ``bridge`` times the mean similarity is added to all: where the graph has fallen apart,
    this puts large pieces before small ones among its leading eigenvectors. A row of zeros stays
    when nothing is added.
    """
    W += bridge * W.mean()
    scale = inverse_roots(W.sum(axis=1))
    W *= scale[:, None]
    W *= scale
    return W


def landmark_vectors(
    products: Floats, sums: Floats, n_vectors: int, *, skip_constant: bool = False
) -> tuple[Floats, Floats]:
    r"""Return singular values of :math:`\hat Z = Z D^{-1/2}`, and V for which B = Z V.

    The columns of B are the left singular vectors. When the rows of Z sum to one, the first
    singular value is 1 and its vector constant. That vector is known beforehand, so it can be
    taken out exactly, also where the graph falls apart and others share its singular value.

    Parameters
    ----------
    products : ndarray of shape (n_landmarks, n_landmarks)
        ``Z.T @ Z``; overwritten.
    sums : ndarray of shape (n_landmarks,)
        Diagonal of D, the column sums of Z.
    n_vectors : int
        Most vectors to return; those whose singular value is rounding are left out.
    skip_constant : bool, default=False
        Take out the constant vector.
    """
    scale = inverse_roots(sums)
    products *= scale[:, None]
    products *= scale
    if skip_constant:
        constant = np.sqrt(sums / sums.sum())
        products -= np.outer(constant, constant)
    values, vectors = leading_eigenvectors(products, n_vectors)
    sigma = np.sqrt(np.maximum(values, 0.0))
    kept = sigma > 1e-7
    if not kept.any():  # all rows look alike
        return np.zeros(1), np.zeros((len(sums), 1))
    return sigma[kept], scale[:, None] * vectors[:, kept] / sigma[kept]


def lsc_vectors(Z: sp.csr_array, n_vectors: int) -> Floats:
    """Return V for which Z V holds the leading left singular vectors but the constant one."""
    return landmark_vectors(column_products(Z), column_sums(Z), n_vectors, skip_constant=True)[1]


def unit_rows(B: NDArray[Any]) -> NDArray[np.float32]:
    """Return the rows divided by their lengths, in float32; a row of zeros stays."""
    lengths = np.sqrt(np.einsum("ij,ij->i", B, B))
    lengths[lengths == 0.0] = 1.0
    return np.asarray(B / lengths[:, None], dtype=np.float32)


def embed(Z: sp.csr_array, vectors: NDArray[Any]) -> NDArray[np.float32]:
    """Return the unit rows of ``Z @ vectors``, computed a block at a time."""
    B = np.empty((Z.shape[0], vectors.shape[1]), dtype=np.float32)
    for start in range(0, len(B), BLOCK_ROWS):
        B[start : start + BLOCK_ROWS] = unit_rows(Z[start : start + BLOCK_ROWS] @ vectors)
    return B


def kmeans_centers(
    B: NDArray[np.float32],
    n_clusters: int,
    rng: np.random.RandomState,
    n_init: int = 10,
    max_iter: int = 100,
) -> tuple[NDArray[np.float32], int]:
    """Return k-means centres of the rows of ``B``, and the number of rounds.

    The ``n_init`` starts compete on a sample of the rows; the winner is carried on with all rows.
    To save a copy, ``B`` is centred and put back in place: it may change in the last bit.
    """
    sample = B
    if len(B) > START_ROWS:
        sample = B[np.sort(rng.choice(len(B), START_ROWS, replace=False))]
    with threadpool_limits(limits=1, user_api="openmp"):  # quicker on few rows, and repeatable
        best = KMeans(n_clusters, n_init=n_init, max_iter=max_iter, random_state=rng).fit(sample)
        if len(B) > START_ROWS:
            start = best.cluster_centers_
            best = KMeans(n_clusters, init=start, n_init=1, max_iter=max_iter, copy_x=False).fit(B)
    return best.cluster_centers_, int(best.n_iter_)


def center_distances(B: NDArray[np.float32], centers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the squared distances of rows to centres, less the squared length of each row."""
    distances: NDArray[np.float32] = np.square(centers).sum(axis=1) - 2.0 * (B @ centers.T)
    return distances


def nearest_center(B: NDArray[np.float32], centers: NDArray[np.float32]) -> NDArray[np.int32]:
    """Return the nearest centre of every row."""
    labels = np.empty(len(B), dtype=np.int32)
    for start in range(0, len(B), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        labels[block] = center_distances(B[block], centers).argmin(axis=1)
    return labels
