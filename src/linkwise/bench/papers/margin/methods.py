"""The methods of the paper's comparison: rows and links in, labels out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from linkwise.cluster.base import ConstrainedClusterer
from linkwise.cluster.kmeans.mpck_means import MPCKMeans
from linkwise.cluster.margin.cpcmmc import CPCMMC
from linkwise.cluster.margin.max_margin import MaxMarginClustering
from linkwise.cluster.margin.mmc import MMC
from linkwise.constraints import Links
from linkwise.errors import ConstraintWarning
from linkwise.metric import DCA
from linkwise.typing import Matrix

Labels = NDArray[np.integer[Any]]

#: Rows, links, number of clusters, seed.
Method = Callable[[Matrix, Links, int, int], Labels]
Model = TypeVar("Model", bound=ConstrainedClusterer)

#: Weights of the squared norm from which the best is taken by label.
ALPHAS = (0.0001, 0.001, 0.01, 0.1)


def kmeans(X: Matrix, links: Links, k: int, seed: int) -> Labels:  # noqa: ARG001
    """K-means, the best of five starts."""
    labels: Labels = KMeans(k, n_init=5, random_state=seed).fit(X).labels_
    return labels


def dca_kmeans(X: Matrix, links: Links, k: int, seed: int, ridge: float = 1.0) -> Labels:
    """K-means in the metric of DCA; ``ridge`` 0 is the original."""
    return kmeans(DCA(ridge=ridge).fit_transform(X, constraints=links), links, k, seed)


def fitted(model: type, X: Matrix, links: Links, k: int, seed: int, **params: Any) -> Labels:
    """Any estimator of ours."""
    labels: Labels = quiet_fit(model(k, random_state=seed, **params), X, links).labels_
    return labels


def quiet_fit(model: Model, X: Matrix, links: Links) -> Model:
    """Fit; that clusters may be lost is seen in the scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstraintWarning)
        return model.fit(X, constraints=links)


#: Methods without a choice to make, by the name of their column.
PLAIN: dict[str, Method] = {
    "K-means": kmeans,
    "MMC": partial(fitted, MMC),
    "DCA": partial(dca_kmeans, ridge=0.0),
    "DCA, ridge": dca_kmeans,
    "MPCK-means": partial(fitted, MPCKMeans),
    "paper, fixed": partial(fitted, MaxMarginClustering, starts="links"),
    "ours": partial(fitted, MaxMarginClustering),
}

#: Methods whose alpha is chosen by label, as the paper does.
BY_LABEL: dict[str, dict[float, Method]] = {
    "CPCMMC": {alpha: partial(fitted, CPCMMC, alpha=alpha) for alpha in ALPHAS},
    "paper, by label": {
        alpha: partial(fitted, MaxMarginClustering, starts="links", alpha=alpha) for alpha in ALPHAS
    },
}

#: Need dense rows, and their square in features.
DENSE_ONLY = ("DCA", "DCA, ridge", "MPCK-means")
