"""The engine on a GPU: partitions are trained and rows are labelled there, and vote there."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from linkwise.engines.base import Ballot, Blocks, Labels, Rule, Votes
from linkwise.engines.rules import ByTables, ByWeights
from linkwise.ensemble import Ensemble, RowSource, SourceLike, as_source
from linkwise.ensemble.execution import Execution
from linkwise.ensemble.generate import SampledKMeans, label_all, train_all
from linkwise.ensemble.labelling import IN_THREADS, BlockLabeller, label_rows
from linkwise.ensemble.models import NearestCenters, PartitionModels
from linkwise.ensemble.preparation import NotFinite, Preparation
from linkwise.ensemble.sources import Block
from linkwise.kernels.cuda.device import on_device, require_device
from linkwise.kernels.cuda.labelling import (
    Labeller,
    NotFiniteOnDevice,
    label_stream,
    upload_centers,
)
from linkwise.kernels.cuda.resident import ResidentLabels, count_all
from linkwise.kernels.cuda.training import train
from linkwise.kernels.cuda.vote import OnDevice, Tables, upload_tables, upload_weights, vote

T = TypeVar("T")

#: Partitions trained in one call; in between there is time to ask whether to stop.
TRAINED_AT_ONCE = 100
#: Bytes of a block of rows on its way to the GPU; two are under way.
BLOCK_BYTES = 1 << 28
#: The recount keeps so many clusters.
MOST_CLUSTERS = 256


class Cuda:
    """One NVIDIA GPU, through CuPy.

    Votes are those of the cpu engine, bit by bit; labels, too, except where two centres are equally
    near to a row within the rounding of float32. Centres differ from the cpu engine's by such rows,
    so the same seed gives nearly, not exactly, the same partitions. What a GPU does not do well is
    left to threads: kernels (:class:`~linkwise.SCSC`'s partitions) and rules that are not sums.

    Parameters
    ----------
    device : int, default=0
        Which GPU.
    """

    def __init__(self, device: int = 0) -> None:
        self.device = device
        require_device(device)
        self._resident = ResidentLabels()

    def __repr__(self) -> str:
        return f"Cuda(device={self.device})"

    def __reduce__(self) -> tuple[type[Cuda], tuple[int]]:
        return type(self), (self.device,)

    def open(self, X: SourceLike) -> RowSource:
        return as_source(X)

    def train(
        self,
        recipe: Callable[[NDArray[np.float32], np.random.SeedSequence], T],
        pool: NDArray[np.float32],
        seeds: list[np.random.SeedSequence],
        execution: Execution,
    ) -> list[T]:
        if not isinstance(recipe, SampledKMeans):
            return train_all(recipe, pool, seeds, execution)
        trained: list[T] = []
        for start in range(0, len(seeds), TRAINED_AT_ONCE):
            drawn = [recipe.draw(pool, seed) for seed in seeds[start : start + TRAINED_AT_ONCE]]
            rows, features, starts = (np.stack(part) for part in zip(*drawn, strict=True))
            with on_device(self.device):
                centers = train(pool, rows, features, starts)
            trained += cast(list[T], list(zip(centers, features, strict=True)))
            execution.step(len(trained), len(seeds), "training partitions")
        return trained

    def label(
        self,
        source: RowSource,
        preparation: Preparation,
        models: PartitionModels,
        path: str | os.PathLike[str] | None,
        execution: Execution,
    ) -> Ensemble:
        labeller = self._labeller(models)
        return label_all(source, preparation, models, path, execution, labeller)

    def extend(self, ensemble: Ensemble, source: RowSource, execution: Execution) -> None:
        ensemble.append(source, execution, self._labeller(ensemble.models))

    def vote(self, ensemble: Ensemble, ballot: Ballot, n_threads: int | None) -> Votes:
        with ensemble.labels.parts(ballot.n_rows) as parts:
            counted = [self._count_part(part, ballot.rule, n_threads) for part in parts]
        return ballot.amend(Votes.joined(counted))

    def _count_part(self, blocks: Blocks, rule: Rule, n_threads: int | None) -> Votes:
        """Count labels, and keep them on the GPU unless they are only passing through.

        Those that were read because nobody lends the file lie where others lie in a moment: what
        is lent for good is read-only.
        """
        passing = blocks.flags.writeable
        return self._count(blocks, rule, n_threads, ResidentLabels() if passing else self._resident)

    def predict(
        self, ensemble: Ensemble, source: RowSource, rule: Rule, n_threads: int | None
    ) -> Labels:
        blocks = np.empty((ensemble.n_partitions, source.n_rows), np.uint8)

        def write(start: int, some: Blocks) -> None:
            blocks[:, start : start + some.shape[1]] = some

        labeller = self._labeller(ensemble.models)
        execution = Execution(n_threads)
        label_rows(source, ensemble.preparation, ensemble.models, write, execution, labeller)
        return self._count(blocks, rule, n_threads, ResidentLabels()).labels

    def _labeller(self, models: PartitionModels) -> BlockLabeller:
        return _OnDevice(self.device) if isinstance(models, NearestCenters) else IN_THREADS

    def _count(
        self, blocks: Blocks, rule: Rule, n_threads: int | None, resident: ResidentLabels
    ) -> Votes:
        with on_device(self.device):
            tables = _upload(rule) if blocks.size else None
            if tables is None:
                return rule.count(blocks, n_threads)
            voters = len(rule.tables) if isinstance(rule, ByTables) else 1
            known = tables

            def count(labels: OnDevice, n_rows: int) -> tuple[Any, Any]:
                winners, margins = vote(labels, n_rows, known)
                return winners, margins / np.float32(voters)

            return Votes(*count_all(resident, blocks, count))


def _upload(rule: Rule) -> Tables | None:
    """Bring a rule to the GPU; None if it is not a sum, or has nothing to add up."""
    if not 1 < rule.n_clusters <= MOST_CLUSTERS:
        return None
    if isinstance(rule, ByTables):
        return upload_tables(rule.tables)
    if isinstance(rule, ByWeights):
        return upload_weights(np.ascontiguousarray(rule.weights, np.float64), rule.n_clusters)
    return None


class _OnDevice:
    """Labels blocks on a GPU; a block is prepared there, too, where that is centring alone."""

    def __init__(self, device: int) -> None:
        self._device = device

    def rows_at_once(self, n_features: int) -> int:
        return max(BLOCK_BYTES // (4 * n_features) // 1024 * 1024, 1024)

    def label(
        self,
        blocks: Iterable[tuple[int, Block]],
        preparation: Preparation,
        models: PartitionModels,
        execution: Execution,  # noqa: ARG002
    ) -> Generator[tuple[int, NDArray[np.uint8]]]:
        assert isinstance(models, NearestCenters)
        prepared = preparation.components is not None
        n_features = preparation.n_features
        mean = np.zeros(n_features) if prepared else preparation.mean
        scale = 1.0 if prepared else preparation.scale
        if prepared:
            blocks = ((start, preparation.rows(block)) for start, block in blocks)
        with on_device(self._device):
            centers = upload_centers(models.centers, models.offsets, models.features, n_features)
            labeller = Labeller(centers, mean, scale)
            try:
                yield from label_stream(labeller, blocks)
            except NotFiniteOnDevice:
                raise NotFinite from None
