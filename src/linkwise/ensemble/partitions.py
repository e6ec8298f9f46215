"""The ensemble: many partitions of the same rows, and the models that made them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.ensemble.execution import Execution
from linkwise.ensemble.labelling import IN_THREADS, BlockLabeller, label_rows
from linkwise.ensemble.models import (
    KernelCenters,
    NearestCenters,
    PartitionModels,
    models_from_arrays,
)
from linkwise.ensemble.preparation import Preparation
from linkwise.ensemble.sources import RowSource, SourceLike, as_source
from linkwise.ensemble.store import LabelMatrix
from linkwise.errors import InvalidInput
from linkwise.files.headed import Format, read_array, short, write_arrays
from linkwise.running import Cancel, Progress

FORMAT = Format("linkwise ensemble", 2)
HEADER_FILE = "ensemble.json"
KINDS = {kind.kind: kind for kind in (NearestCenters, KernelCenters)}


class Ensemble:
    """Many partitions of the same rows.

    Made by :func:`~linkwise.ensemble.build_ensemble` or
    :func:`~linkwise.ensemble.build_paper_ensemble`.

    Attributes
    ----------
    labels : LabelMatrix
        Label of every row in every partition.
    models : NearestCenters or KernelCenters
        The partitions as functions of a row.
    preparation : Preparation
        What is done to a row before the models see it.
    """

    def __init__(
        self, labels: LabelMatrix, models: PartitionModels, preparation: Preparation
    ) -> None:
        self.labels = labels
        self.models = models
        self.preparation = preparation

    @property
    def n_partitions(self) -> int:
        return self.models.n_partitions

    @property
    def n_rows(self) -> int:
        return self.labels.n_rows

    @property
    def n_features(self) -> int:
        """Features of the rows, before any preparation."""
        return len(self.preparation.mean)

    @property
    def n_blocks(self) -> int:
        """Base clusters per partition: labels are smaller than this."""
        return self.models.n_blocks

    def assign(
        self,
        X: SourceLike,
        *,
        n_threads: int | None = None,
        chunk_rows: int | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> NDArray[np.uint8]:
        """Label rows without keeping them: (n_partitions, n_new)."""
        source = as_source(X)
        labels = np.empty((self.n_partitions, source.n_rows), dtype=np.uint8)

        def write(start: int, block: NDArray[np.uint8]) -> None:
            labels[:, start : start + block.shape[1]] = block

        execution = Execution(n_threads, chunk_rows, progress, cancel)
        label_rows(source, self.preparation, self.models, write, execution)
        return labels

    def extend(
        self,
        X: SourceLike,
        *,
        n_threads: int | None = None,
        chunk_rows: int | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> None:
        """Label rows and append them; if that fails or is cancelled, nothing is appended."""
        self.append(as_source(X), Execution(n_threads, chunk_rows, progress, cancel))

    def append(
        self, source: RowSource, execution: Execution, labeller: BlockLabeller = IN_THREADS
    ) -> None:
        """Do what :meth:`extend` does, as ``execution`` says; ``labeller`` does the work."""
        first = self.labels.n_rows
        self.labels.reserve(first + source.n_rows)

        def write(start: int, block: NDArray[np.uint8]) -> None:
            self.labels.write(first + start, block)

        label_rows(source, self.preparation, self.models, write, execution, labeller)
        self.labels.announce(first + source.n_rows)

    def borrowed(self, n_rows: int | None = None) -> Ensemble:
        """Return an ensemble that shares its first rows, or all, and can grow by itself."""
        return Ensemble(self.labels.borrowed(n_rows), self.models, self.preparation)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the ensemble to a folder: JSON and ``.npy`` files, nothing executable."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        self.labels.save(target)
        arrays = {name: getattr(self.models, name) for name in self.models.layout}
        arrays["mean"] = self.preparation.mean
        if self.preparation.components is not None:
            arrays["components"] = self.preparation.components
        write_arrays(target, arrays)
        header = {
            "kind": self.models.kind,
            "scale": self.preparation.scale,
            "projected": self.preparation.components is not None,
            "unit": self.preparation.unit,
        }
        FORMAT.write(target / HEADER_FILE, header)

    @classmethod
    def load(
        cls,
        folder: str | os.PathLike[str],
        mmap: bool = True,
        label: Callable[[Preparation, PartitionModels], Ensemble] | None = None,
    ) -> Ensemble:
        """Open what :meth:`save` wrote; the labels are mapped from their file if ``mmap``.

        With ``label`` they are not read: it makes them again.
        """
        source = Path(folder)
        header = _read_header(source / HEADER_FILE)
        preparation = Preparation(
            read_array(source, "mean", FORMAT.what),
            float(header["scale"]),
            read_array(source, "components", FORMAT.what) if header["projected"] else None,
            header.get("unit") is True and bool(header["projected"]),
        )
        kind = KINDS[header["kind"]]
        _check_preparation(source, preparation)
        arrays = {name: read_array(source, name, FORMAT.what) for name in kind.layout}
        models = models_from_arrays(kind, arrays, preparation.n_features)
        if label is not None:
            return label(preparation, models)
        labels = LabelMatrix.load(source, mmap)
        if labels.n_partitions != models.n_partitions:
            raise InvalidInput(
                f"{source} holds labels of {labels.n_partitions} partitions, but models of "
                f"{models.n_partitions}."
            )
        largest = max(labels.each(labels.n_rows, _largest), default=0)
        if largest >= models.n_blocks:  # compiled code trusts them
            raise InvalidInput(
                f"{source} holds the label {largest}, but its partitions have "
                f"{models.n_blocks} blocks."
            )
        return cls(labels, models, preparation)


def _largest(blocks: NDArray[np.uint8]) -> int:
    return max((int(partition.max(initial=0)) for partition in blocks), default=0)


def _check_preparation(source: Path, preparation: Preparation) -> None:
    mean, components = preparation.mean, preparation.components
    fits = mean.dtype == np.float64 and mean.ndim == 1 and mean.size > 0
    fits = fits and bool(np.isfinite(mean).all())
    if components is not None:
        fits = fits and components.dtype == np.float32 and components.ndim == 2
        fits = fits and components.shape[1] == len(mean) and bool(np.isfinite(components).all())
    if not fits:
        raise InvalidInput(f"the arrays mean and components of {source} do not fit each other.")


def _read_header(path: Path) -> dict[str, Any]:
    header = FORMAT.read(path)
    kind = header.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidInput(
            f"{path} has kind {short(kind)}; this linkwise reads kinds "
            f"{', '.join(map(repr, KINDS))}."
        )
    scale = header.get("scale")
    if not isinstance(scale, float) or not isinstance(header.get("projected"), bool):
        raise InvalidInput(f"{path} is not complete: scale or projected is missing.")
    if not 0 < scale < np.inf:
        raise InvalidInput(f"{path} is damaged: scale is {scale}.")
    return header
