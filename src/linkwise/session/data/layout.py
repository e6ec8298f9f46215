"""Layouts: a place in the plane for every row, for drawing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits

from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.ensemble.blas import one_blas_thread
from linkwise.errors import Cancelled
from linkwise.kernels.coassociation import nearest_by_coassociation
from linkwise.running import current_options
from linkwise.typing import Matrix, is_csr

KINDS = ("pca", "neighbours")
SAMPLE = 20_000
BLOCK = 20_000
N_PLACED_BY = 5
#: Rows on the map of a table that is not read as a whole.
MOST_ON_MAP = 100_000
#: Share of the rows that decide the scale; the few outside are drawn on the border.
WITHIN = 99.5

Places = NDArray[np.float32]


def pca_layout(X: Matrix) -> Places:
    """Return the two leading principal components of the rows."""
    n, d = X.shape
    sample = X[np.linspace(0, n - 1, SAMPLE).astype(np.int64)] if n > SAMPLE else X
    if n < 2 or d < 2:
        flat = np.zeros((n, 2), dtype=np.float32)
        if d and n > 1:
            flat[:, 0] = _dense(X)[:, 0]
        return fit_square(flat)
    with one_blas_thread():
        if is_csr(X):
            model: Any = TruncatedSVD(2, random_state=0).fit(sample)
        else:
            solver = "covariance_eigh" if d <= 2_000 else "randomized"
            model = PCA(2, svd_solver=solver, random_state=0).fit(sample)
        signs = np.sign(model.components_[np.arange(2), np.abs(model.components_).argmax(axis=1)])
        parts = [model.transform(X[i : i + BLOCK]) * signs for i in range(0, n, BLOCK)]
    return fit_square(np.concatenate(parts))


def map_rows(n_rows: int, landmarks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of a large table that a map shows, increasing: some, and the landmarks."""
    if n_rows <= MOST_ON_MAP:
        return np.arange(n_rows)
    return np.union1d(np.linspace(0, n_rows - 1, MOST_ON_MAP).astype(np.int64), landmarks)


def neighbours_layout(
    model: SequentialClustering, shown: NDArray[np.int64] | None = None
) -> Places:
    """Place rows that often share a block of the ensemble near each other.

    The landmarks are placed by t-SNE on the share of partitions that part them, every other row
    among the landmarks it shares most blocks with. ``shown`` are the rows to place, increasing,
    the landmarks among them; all by default.
    """
    tell = current_options().progress or (lambda done, total, what: None)  # noqa: ARG005
    landmarks, labels = model.landmarks_.rows, model.ensemble_.labels
    shown = np.arange(labels.n_rows) if shown is None else shown
    tell(0, len(shown), "placing landmarks")
    places = _place_landmarks(np.ascontiguousarray(labels.rows(landmarks).T))
    return _place_rows(model, places, shown)


def quick_layout(model: SequentialClustering) -> Places:
    """Place landmarks by their two leading principal components, and all other rows among them."""
    landmarks = model.landmarks_
    known = landmarks.features if landmarks.features.shape[1] else landmarks.vectors[:, 1:]
    places = np.zeros((len(landmarks.rows), 2))
    places[:, : min(2, known.shape[1])] = known[:, :2]
    return _place_rows(model, places, np.arange(model.ensemble_.labels.n_rows))


def _place_rows(
    model: SequentialClustering, places: NDArray[np.float64], shown: NDArray[np.int64]
) -> Places:
    """Return places for the rows ``shown``, increasing, given those of the landmarks among them."""
    options = current_options()
    tell = options.progress or (lambda done, total, what: None)  # noqa: ARG005
    landmarks, labels = model.landmarks_.rows, model.ensemble_.labels
    n = len(shown)
    landmark_blocks = np.ascontiguousarray(labels.rows(landmarks).T)
    result = np.empty((n, 2))
    for start in range(0, n, BLOCK):
        if options.wants_to_stop():
            raise Cancelled("The layout was cancelled.")
        rows = np.arange(start, min(start + BLOCK, n))
        blocks = labels.rows(shown[rows])
        n_nearest = min(N_PLACED_BY, len(landmarks))
        nobody = np.full(len(rows), -1)
        nearest, counts = nearest_by_coassociation(blocks, landmark_blocks, n_nearest, nobody)
        # the nearest of all should count most, or rows would gather half-way between groups
        share = (counts / labels.n_partitions) ** 8 + 1e-12
        share /= share.sum(axis=1, keepdims=True)
        result[rows] = np.einsum("ik,ikd->id", share, places[nearest])
        tell(int(rows[-1]) + 1, n, "placing rows")
    result[np.searchsorted(shown, landmarks)] = places
    return fit_square(result)


def place_others(
    places: Places, shown: NDArray[np.int64], n_first: int, model: SequentialClustering
) -> Places:
    """Return the places and, for rows that joined, that of the landmark most like each.

    ``shown`` are the rows that have places, increasing, of the ``n_first`` that were there first.
    """
    landmarks, labels = model.landmarks_.rows, model.ensemble_.labels
    rows = np.arange(n_first, labels.n_rows)
    blocks = np.ascontiguousarray(labels.rows(landmarks).T)
    nearest, _ = nearest_by_coassociation(labels.rows(rows), blocks, 1, np.full(len(rows), -1))
    like = np.searchsorted(shown, landmarks[nearest[:, 0]])
    return np.concatenate([places, places[like]])


def _place_landmarks(blocks: NDArray[np.uint8]) -> NDArray[np.float64]:
    n_partitions, n = blocks.shape
    if n < 5:
        return np.column_stack([np.arange(n), np.zeros(n)]).astype(np.float64)
    apart = np.zeros((n, n), dtype=np.float32)
    for row in blocks:
        apart += row[:, None] != row[None, :]
    apart /= n_partitions
    perplexity = min(30.0, (n - 1) / 3)
    with threadpool_limits(1):  # t-SNE's own threads get in each other's way
        placed = TSNE(
            metric="precomputed", init="random", perplexity=perplexity, random_state=0, n_jobs=1
        ).fit_transform(apart)
    return np.asarray(placed, dtype=np.float64)


def fit_square(places: NDArray[Any]) -> Places:
    """Centre the places and scale both axes alike into [-1, 1]."""
    places = np.asarray(places, dtype=np.float64)
    if not len(places):
        return np.zeros((0, 2), dtype=np.float32)
    low, high = np.percentile(places, [100 - WITHIN, WITHIN], axis=0)
    places = places - (low + high) / 2
    reach = np.percentile(np.abs(places).max(axis=1), WITHIN)
    if reach == 0:
        reach = np.abs(places).max() or 1.0
    return np.asarray(np.clip(places / (1.02 * reach), -1.0, 1.0), dtype=np.float32)


def _dense(X: Matrix) -> NDArray[Any]:
    return np.asarray(X.toarray() if is_csr(X) else X)
