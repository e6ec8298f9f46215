"""What other methods make of the same labels and links."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading

from heart_sets import (
    LABELS,
    LINKS,
    Figures,
    Ints,
    Table,
    on_free,
    on_unlabelled,
    random_links,
    some_labels,
)
from linkwise import LandmarkSpectralClustering, MaxMarginClustering, PartitionKMeans, PCKMeans
from linkwise.constraints import Links, PartialLabels
from linkwise.metric import RCA
from linkwise.scores import nmi

Knowledge = Links | PartialLabels
Cluster = Callable[[Table, Any], Ints]

#: Sparse with 11,465 features: no rival is run.
SKIPPED = ("ohscal",)


def k_means(table: Table, links: Links) -> Ints:  # noqa: ARG001  # it does not listen
    return _k_means(table.X, table)


def rca(table: Table, links: Links) -> Ints:
    return _k_means(RCA().fit(table.X, constraints=links).transform(table.X), table)


def _k_means(X: Any, table: Table) -> Ints:
    return KMeans(table.n_classes, n_init=10, random_state=table.seed).fit(X).labels_


def landmark_spectral(table: Table, known: Knowledge) -> Ints:
    model = LandmarkSpectralClustering(table.n_classes, random_state=table.seed)
    return model.fit(table.X, constraints=known).labels_


def max_margin(table: Table, known: Knowledge) -> Ints:
    model = MaxMarginClustering(table.n_classes, random_state=table.seed)
    return model.fit(table.X, constraints=known).labels_


def pck_means(table: Table, links: Links) -> Ints:
    return (
        PCKMeans(table.n_classes, random_state=table.seed).fit(table.X, constraints=links).labels_
    )


def partition_tied(table: Table, given: PartialLabels) -> Ints:
    model = PartitionKMeans(table.n_classes, metric="tied", random_state=table.seed)
    return model.fit(table.X, constraints=given).labels_


def label_spreading(table: Table, given: PartialLabels) -> Ints:
    model = LabelSpreading(kernel="knn", n_neighbors=10, alpha=0.9)
    return model.fit(table.X, given.codes).transduction_


def nearest(table: Table, given: PartialLabels) -> Ints:
    named = given.codes >= 0
    model = KNeighborsClassifier(1).fit(table.X[named], given.codes[named])
    return model.predict(table.X)


WITH_LABELS: dict[str, Cluster] = {
    "LandmarkSpectral": landmark_spectral,
    "PartitionKMeans tied": partition_tied,
    "MaxMargin": max_margin,
    "LabelSpreading": label_spreading,
    "1-NN": nearest,
}
WITH_LINKS: dict[str, Cluster] = {
    "RCA + k-means": rca,
    "LandmarkSpectral": landmark_spectral,
    "MaxMargin": max_margin,
    "PCKMeans": pck_means,
    "k-means": k_means,
}
RIVALS = tuple(dict.fromkeys([*WITH_LABELS, *WITH_LINKS]))


def measure_rival(name: str, table: Table) -> Figures:
    """Return what one rival makes of labels and of random links; NaN where it gives up."""
    found: Figures = {}
    if name in WITH_LABELS:
        for per_class in LABELS:
            given = some_labels(table, per_class)
            labels = _try(WITH_LABELS[name], table, given)
            found[f"labels {per_class}"] = (
                float("nan") if labels is None else on_unlabelled(table, labels, given)
            )
    if name in WITH_LINKS:
        for n_links in LINKS[:1] if name == "k-means" else LINKS:
            links = random_links(table, n_links)
            labels = _try(WITH_LINKS[name], table, links)
            found[f"random {n_links}"] = (
                float("nan") if labels is None else on_free(table, labels, links)
            )
        if name == "k-means" and labels is not None:
            found["none"] = nmi(table.y, labels)
            found[f"random {LINKS[1]}"] = on_free(table, labels, random_links(table, LINKS[1]))
    return found


def _try(cluster: Cluster, table: Table, known: Knowledge) -> Ints | None:
    """Return a rival's labels, or None and a line on stderr: the others still count."""
    try:
        return np.asarray(cluster(table, known))
    except (ValueError, MemoryError, np.linalg.LinAlgError) as error:
        print(f"{cluster.__name__}: {error}", file=sys.stderr)
        return None
