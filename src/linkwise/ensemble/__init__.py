"""Many partitions of the same rows, built once and stored as a matrix of bytes."""

from linkwise.ensemble.align import align_labels, consensus
from linkwise.ensemble.files import FileRows
from linkwise.ensemble.generate import build_ensemble, default_blocks
from linkwise.ensemble.kernel_kmeans import build_paper_ensemble
from linkwise.ensemble.models import KernelCenters, NearestCenters
from linkwise.ensemble.npy_source import NpySource
from linkwise.ensemble.parquet import ParquetSource
from linkwise.ensemble.partitions import Ensemble
from linkwise.ensemble.sources import RowSource, SourceLike, as_source
from linkwise.ensemble.store import LabelMatrix

__all__ = [
    "Ensemble",
    "FileRows",
    "KernelCenters",
    "LabelMatrix",
    "NearestCenters",
    "NpySource",
    "ParquetSource",
    "RowSource",
    "SourceLike",
    "align_labels",
    "as_source",
    "build_ensemble",
    "build_paper_ensemble",
    "consensus",
    "default_blocks",
]
