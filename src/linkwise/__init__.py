"""Clustering for people who know something about their data.

>>> import linkwise as lw
>>> links = lw.Links(4, must=[(0, 2)], cannot=[(0, 1)])
>>> lw.COPKMeans(n_clusters=2).fit_predict([[0.0], [1.0], [2.0], [9.0]], constraints=links).shape
(4,)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkwise import datasets as datasets
    from linkwise import engines as engines
    from linkwise import errors as errors
    from linkwise import features as features
    from linkwise import metric as metric
    from linkwise import plot as plot
    from linkwise import scores as scores
    from linkwise.choosing.comparison import compare as compare
    from linkwise.choosing.link_folds import LinkKFold as LinkKFold
    from linkwise.choosing.link_folds import LinkShuffleSplit as LinkShuffleSplit
    from linkwise.cluster.hierarchy.cobras import COBRAS as COBRAS
    from linkwise.cluster.hierarchy.constrained_linkage import (
        ConstrainedLinkage as ConstrainedLinkage,
    )
    from linkwise.cluster.how_many import choose_k as choose_k
    from linkwise.cluster.kmeans.constrained_kmeans import ConstrainedKMeans as ConstrainedKMeans
    from linkwise.cluster.kmeans.cop_kmeans import COPKMeans as COPKMeans
    from linkwise.cluster.kmeans.cvqe import CVQE as CVQE
    from linkwise.cluster.kmeans.kcc import KCC as KCC
    from linkwise.cluster.kmeans.lcvqe import LCVQE as LCVQE
    from linkwise.cluster.kmeans.mpck_means import MPCKMeans as MPCKMeans
    from linkwise.cluster.kmeans.partition_kmeans import PartitionKMeans as PartitionKMeans
    from linkwise.cluster.kmeans.pck_means import PCKMeans as PCKMeans
    from linkwise.cluster.kmeans.seeded_kmeans import SeededKMeans as SeededKMeans
    from linkwise.cluster.kmeans.sized_kmeans import SizedKMeans as SizedKMeans
    from linkwise.cluster.margin.cpcmmc import CPCMMC as CPCMMC
    from linkwise.cluster.margin.max_margin import MaxMarginClustering as MaxMarginClustering
    from linkwise.cluster.margin.mmc import MMC as MMC
    from linkwise.cluster.sequential.model_file import load as load
    from linkwise.cluster.sequential.scsc import SCSC as SCSC
    from linkwise.cluster.sequential.sequential import SequentialClustering as SequentialClustering
    from linkwise.cluster.spectral.ccskl import CCSKL as CCSKL
    from linkwise.cluster.spectral.e2cp import E2CP as E2CP
    from linkwise.cluster.spectral.landmark_spectral import (
        LandmarkSpectralClustering as LandmarkSpectralClustering,
    )
    from linkwise.cluster.spectral.lsc import LSC as LSC
    from linkwise.cluster.spectral.nsdr import NSDR as NSDR
    from linkwise.cluster.spectral.nystrom import (
        NystromSpectralClustering as NystromSpectralClustering,
    )
    from linkwise.cluster.spectral.scpc import SCPC as SCPC
    from linkwise.constraints import Links as Links
    from linkwise.constraints import PartialLabels as PartialLabels
    from linkwise.notebook import widget as widget
    from linkwise.running import run_options as run_options

__version__ = "0.1.0"

#: Where each public name lives. Modules load on first use, so that ``linkwise --help`` is quick.
HOME = {
    "CCSKL": "linkwise.cluster.spectral.ccskl",
    "COBRAS": "linkwise.cluster.hierarchy.cobras",
    "COPKMeans": "linkwise.cluster.kmeans.cop_kmeans",
    "CPCMMC": "linkwise.cluster.margin.cpcmmc",
    "CVQE": "linkwise.cluster.kmeans.cvqe",
    "ConstrainedKMeans": "linkwise.cluster.kmeans.constrained_kmeans",
    "ConstrainedLinkage": "linkwise.cluster.hierarchy.constrained_linkage",
    "E2CP": "linkwise.cluster.spectral.e2cp",
    "KCC": "linkwise.cluster.kmeans.kcc",
    "LCVQE": "linkwise.cluster.kmeans.lcvqe",
    "LSC": "linkwise.cluster.spectral.lsc",
    "LandmarkSpectralClustering": "linkwise.cluster.spectral.landmark_spectral",
    "LinkKFold": "linkwise.choosing.link_folds",
    "LinkShuffleSplit": "linkwise.choosing.link_folds",
    "Links": "linkwise.constraints",
    "MMC": "linkwise.cluster.margin.mmc",
    "MPCKMeans": "linkwise.cluster.kmeans.mpck_means",
    "MaxMarginClustering": "linkwise.cluster.margin.max_margin",
    "NSDR": "linkwise.cluster.spectral.nsdr",
    "NystromSpectralClustering": "linkwise.cluster.spectral.nystrom",
    "PCKMeans": "linkwise.cluster.kmeans.pck_means",
    "PartialLabels": "linkwise.constraints",
    "PartitionKMeans": "linkwise.cluster.kmeans.partition_kmeans",
    "SCPC": "linkwise.cluster.spectral.scpc",
    "SCSC": "linkwise.cluster.sequential.scsc",
    "SeededKMeans": "linkwise.cluster.kmeans.seeded_kmeans",
    "SequentialClustering": "linkwise.cluster.sequential.sequential",
    "SizedKMeans": "linkwise.cluster.kmeans.sized_kmeans",
    "choose_k": "linkwise.cluster.how_many",
    "compare": "linkwise.choosing.comparison",
    "load": "linkwise.cluster.sequential.model_file",
    "run_options": "linkwise.running",
    "widget": "linkwise.notebook",
}
_ROOMS = ("datasets", "engines", "errors", "features", "metric", "plot", "scores")

__all__ = [*HOME, *_ROOMS, "__version__"]


if not TYPE_CHECKING:  # type checkers would believe that any name is there

    def __getattr__(name: str) -> object:
        if name in HOME:
            value = getattr(import_module(HOME[name]), name)
        elif name in _ROOMS:
            value = import_module(f"linkwise.{name}")
        else:
            raise AttributeError(f"module 'linkwise' has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
