"""Methods judged on unlabelled rows: clusterings, and classifiers as the honest upper baseline."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading

from linkwise import PartialLabels, PartitionKMeans
from linkwise.bench.papers.partition.methods import Labelling, Method, ours
from linkwise.typing import Matrix


def plain(X: Matrix, known: PartialLabels, k: int, seed: int) -> Labelling:  # noqa: ARG001
    """K-means, best of ten starts."""
    return np.asarray(KMeans(k, n_init=10, random_state=seed).fit_predict(X))


def automatic(X: Matrix, known: PartialLabels, k: int, seed: int) -> Labelling:
    """PartitionKMeans as it comes."""
    return PartitionKMeans(k, random_state=seed).fit_predict(X, constraints=known)


def tied(X: Matrix, known: PartialLabels, k: int, seed: int) -> Labelling:
    """PartitionKMeans with its learned metric."""
    model = PartitionKMeans(k, metric="tied", random_state=seed)
    return model.fit_predict(X, constraints=known)


def spreading(X: Matrix, known: PartialLabels, k: int, seed: int) -> Labelling:  # noqa: ARG001
    """Label spreading over the seven nearest neighbours, features standardised."""
    model = LabelSpreading(kernel="knn", n_neighbors=7, max_iter=100)
    with warnings.catch_warnings():  # groups no label reaches are divided by zero
        warnings.simplefilter("ignore")
        return np.asarray(model.fit(StandardScaler().fit_transform(X), known.codes).transduction_)


def discriminant(X: Matrix, known: PartialLabels, k: int, seed: int) -> Labelling:  # noqa: ARG001
    """Linear discriminant analysis from the labelled rows, features standardised."""
    Z = StandardScaler().fit_transform(X)
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.05)
    with warnings.catch_warnings():  # a class seen once has no covariance of its own
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(model.fit(Z[known.known], known.codes[known.known]).predict(Z))


def mixture(X: Matrix, known: PartialLabels, k: int, seed: int) -> Labelling:  # noqa: ARG001
    """A Gaussian for each class, fitted to all rows by EM; labelled rows keep their class."""
    Z = StandardScaler().fit_transform(X)
    fixed = (known.codes[:, None] == np.arange(len(known.classes))).astype(float)
    share = np.where(known.known[:, None], fixed, 0.0)
    for _ in range(50):
        previous = share
        log_density = np.column_stack([_log_gaussian(Z, weight) for weight in share.T])
        log_density -= log_density.max(axis=1, keepdims=True)
        share = np.exp(log_density)
        share /= share.sum(axis=1, keepdims=True)
        share = np.where(known.known[:, None], fixed, share)
        if np.abs(share - previous).max() < 1e-4:
            break
    return np.asarray(share.argmax(axis=1))


def _log_gaussian(Z: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log density, times the weight of the class, of a Gaussian fitted to the rows.

    The covariance is shrunk by a twentieth towards its mean variance, and never below 1e-3.
    """
    total = weight.sum() + 1e-12
    mean = weight @ Z / total
    rows = Z - mean
    covariance = (weight[:, None] * rows).T @ rows / total
    variance = max(float(np.trace(covariance)) / Z.shape[1], 1e-2)
    covariance = 0.95 * covariance + (0.05 * variance + 1e-3) * np.eye(Z.shape[1])
    root = np.linalg.cholesky(covariance)
    mapped = np.linalg.solve(root, rows.T)
    log_determinant = 2.0 * np.log(np.diag(root)).sum()
    return np.asarray(np.log(total) - 0.5 * (np.square(mapped).sum(axis=0) + log_determinant))


GENERALISING: dict[str, Method] = {
    "K-means": plain,
    "paper": ours,
    "auto": automatic,
    "tied": tied,
    "label spreading": spreading,
    "LDA": discriminant,
    "Gaussian mixture": mixture,
}
