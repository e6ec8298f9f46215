"""One covariance for all clusters, and the linear map that makes it round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.row_weights import counting
from linkwise.cluster.starts import Weights

Floats = NDArray[np.floating[Any]]

#: Share of an isotropic covariance mixed into every estimate, so that it can be inverted.
SHRINKAGE = 0.05


def standardise(
    X: Floats, weights: Weights = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the rows with mean 0 and variance 1 in every feature, and the means and scales.

    A feature without variance keeps its scale.
    """
    rows = X.astype(np.float64)
    mean = np.average(rows, axis=0, weights=weights)
    scale = np.sqrt(np.average(np.square(rows - mean), axis=0, weights=weights))
    scale[scale <= 1e-12 * np.abs(mean)] = 1.0
    return (rows - mean) / scale, mean, scale


def whitening(
    X: NDArray[np.float64], labels: NDArray[np.integer[Any]], weights: Weights = None
) -> NDArray[np.float64]:
    """Return the symmetric map under which the rows spread alike in all directions within groups.

    Rows labelled -1 do not count. Where the groups have no spread at all, the map is the identity.
    """
    covariance = within_covariance(X, labels, weights)
    spread = np.trace(covariance) / len(covariance)
    if spread <= 0:
        return np.eye(len(covariance))
    covariance *= 1.0 - SHRINKAGE
    covariance[np.diag_indices_from(covariance)] += SHRINKAGE * spread
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors / np.sqrt(values)) @ vectors.T)


def within_covariance(
    X: NDArray[np.float64], labels: NDArray[np.integer[Any]], weights: Weights = None
) -> NDArray[np.float64]:
    """Return the covariance of the rows around the mean of their group, all groups pooled."""
    heed = counting(len(X), weights)
    counted = (labels >= 0) & (heed > 0)
    rows, groups, heed = X[counted], labels[counted], heed[counted]
    if len(rows) == 0:
        return np.zeros((X.shape[1], X.shape[1]))
    size = np.bincount(groups, heed)
    sums = np.zeros((len(size), X.shape[1]))
    np.add.at(sums, groups, heed[:, None] * rows)
    rows = rows - sums[groups] / size[groups, None]
    covariance: NDArray[np.float64] = (heed[:, None] * rows).T @ rows / heed.sum()
    return covariance


def n_in_majority(
    codes: NDArray[np.integer[Any]],
    clusters: NDArray[np.integer[Any]],
    weights: Weights = None,
) -> float:
    """Count the labelled rows whose class is the most frequent one of their cluster."""
    known = codes >= 0
    if not known.any():
        return 0
    table = np.zeros((clusters.max() + 1, codes.max() + 1))
    np.add.at(table, (clusters[known], codes[known]), counting(len(codes), weights)[known])
    return float(table.max(axis=1).sum())
