"""Clustering for people who know something about their data.

>>> import linkwise as lw
>>> links = lw.Links(4, must=[(0, 2)], cannot=[(0, 1)])
>>> lw.COPKMeans(n_clusters=2).fit_predict([[0.0], [1.0], [2.0], [9.0]], constraints=links).shape
(4,)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linkwise import datasets as datasets
    from linkwise import errors as errors
    from linkwise import metric as metric
    from linkwise import scores as scores
    from linkwise.cluster.constrained_kmeans import ConstrainedKMeans as ConstrainedKMeans
    from linkwise.cluster.cop_kmeans import COPKMeans as COPKMeans
    from linkwise.cluster.cpcmmc import CPCMMC as CPCMMC
    from linkwise.cluster.e2cp import E2CP as E2CP
    from linkwise.cluster.kcc import KCC as KCC
    from linkwise.cluster.landmark_spectral import (
        LandmarkSpectralClustering as LandmarkSpectralClustering,
    )
    from linkwise.cluster.lcvqe import LCVQE as LCVQE
    from linkwise.cluster.lsc import LSC as LSC
    from linkwise.cluster.max_margin import MaxMarginClustering as MaxMarginClustering
    from linkwise.cluster.mmc import MMC as MMC
    from linkwise.cluster.model_file import load as load
    from linkwise.cluster.mpck_means import MPCKMeans as MPCKMeans
    from linkwise.cluster.nsdr import NSDR as NSDR
    from linkwise.cluster.nystrom import NystromSpectralClustering as NystromSpectralClustering
    from linkwise.cluster.partition_kmeans import PartitionKMeans as PartitionKMeans
    from linkwise.cluster.pck_means import PCKMeans as PCKMeans
    from linkwise.cluster.scpc import SCPC as SCPC
    from linkwise.cluster.scsc import SCSC as SCSC
    from linkwise.cluster.seeded_kmeans import SeededKMeans as SeededKMeans
    from linkwise.cluster.sequential import SequentialClustering as SequentialClustering
    from linkwise.constraints import Links as Links
    from linkwise.constraints import PartialLabels as PartialLabels

__version__ = "0.1.0"

#: Where each public name lives. Modules load on first use, so that ``linkwise --help`` is quick.
_HOME = {
    "COPKMeans": "linkwise.cluster.cop_kmeans",
    "CPCMMC": "linkwise.cluster.cpcmmc",
    "ConstrainedKMeans": "linkwise.cluster.constrained_kmeans",
    "E2CP": "linkwise.cluster.e2cp",
    "KCC": "linkwise.cluster.kcc",
    "LCVQE": "linkwise.cluster.lcvqe",
    "LSC": "linkwise.cluster.lsc",
    "LandmarkSpectralClustering": "linkwise.cluster.landmark_spectral",
    "Links": "linkwise.constraints",
    "MMC": "linkwise.cluster.mmc",
    "MPCKMeans": "linkwise.cluster.mpck_means",
    "MaxMarginClustering": "linkwise.cluster.max_margin",
    "NSDR": "linkwise.cluster.nsdr",
    "NystromSpectralClustering": "linkwise.cluster.nystrom",
    "PCKMeans": "linkwise.cluster.pck_means",
    "PartialLabels": "linkwise.constraints",
    "PartitionKMeans": "linkwise.cluster.partition_kmeans",
    "SCPC": "linkwise.cluster.scpc",
    "SCSC": "linkwise.cluster.scsc",
    "SeededKMeans": "linkwise.cluster.seeded_kmeans",
    "SequentialClustering": "linkwise.cluster.sequential",
    "load": "linkwise.cluster.model_file",
}
_ROOMS = ("datasets", "errors", "metric", "scores")

__all__ = [*_HOME, *_ROOMS, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in _ROOMS:
        value = import_module(f"linkwise.{name}")
    else:
        raise AttributeError(f"module 'linkwise' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
