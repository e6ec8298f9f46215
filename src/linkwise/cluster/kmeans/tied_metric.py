"""One covariance for all clusters, and the linear map that makes it round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

#: Share of an isotropic covariance mixed into every estimate, so that it can be inverted.
SHRINKAGE = 0.05


def standardise(X: Floats) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the rows with mean 0 and variance 1 in every feature, and the means and scales.

    A feature without variance keeps its scale.
    """
    rows = X.astype(np.float64)
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale[scale <= 1e-12 * np.abs(mean)] = 1.0
    return (rows - mean) / scale, mean, scale


def whitening(X: NDArray[np.float64], labels: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Return the symmetric map under which the rows spread alike in all directions within groups.

    Rows labelled -1 do not count. Where the groups have no spread at all, the map is the identity.
    """
    covariance = within_covariance(X, labels)
    spread = np.trace(covariance) / len(covariance)
    if spread <= 0:
        return np.eye(len(covariance))
    covariance *= 1.0 - SHRINKAGE
    covariance[np.diag_indices_from(covariance)] += SHRINKAGE * spread
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors / np.sqrt(values)) @ vectors.T)


def within_covariance(
    X: NDArray[np.float64], labels: NDArray[np.integer[Any]]
) -> NDArray[np.float64]:
    """Return the covariance of the rows around the mean of their group, all groups pooled."""
    counted = labels >= 0
    rows, groups = X[counted], labels[counted]
    if len(rows) == 0:
        return np.zeros((X.shape[1], X.shape[1]))
    size = np.bincount(groups)
    sums = np.zeros((len(size), X.shape[1]))
    np.add.at(sums, groups, rows)
    rows = rows - (sums / np.maximum(size, 1)[:, None])[groups]
    covariance: NDArray[np.float64] = rows.T @ rows / len(rows)
    return covariance


def n_in_majority(codes: NDArray[np.integer[Any]], clusters: NDArray[np.integer[Any]]) -> int:
    """Count the labelled rows whose class is the most frequent one of their cluster."""
    known = codes >= 0
    if not known.any():
        return 0
    table = np.zeros((clusters.max() + 1, codes.max() + 1), dtype=np.int64)
    np.add.at(table, (clusters[known], codes[known]), 1)
    return int(table.max(axis=1).sum())
