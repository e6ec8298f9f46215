"""Rows on many machines: actors hold shards of the label matrix, and every shard votes.

The driver knows the partitions, the answers and where each shard is, never the rows. A shard is
some rows of a source that can be opened anywhere, and a file of labels on the disk of the machine
it is on. When a worker or a machine dies, Ray starts its actors again; they find their file, or
label their rows once more.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from linkwise.engines.base import Ballot, Labels, Rule
from linkwise.engines.on_ray.address import LOCAL, require_answer, start_here
from linkwise.engines.on_ray.calls import Call, import_ray, in_order
from linkwise.engines.on_ray.dataset import DatasetRows, is_dataset
from linkwise.engines.on_ray.keepers import (
    Task,
    Team,
    name_of,
    predict_some,
    require_gpus,
    sample_some,
    train_some,
)
from linkwise.engines.on_ray.labels import ShardedLabels, ShardedVotes, sharded
from linkwise.engines.shard import cuts, unpack
from linkwise.ensemble import Ensemble, RowSource, SourceLike, as_source
from linkwise.ensemble.execution import Execution
from linkwise.ensemble.models import PartitionModels
from linkwise.ensemble.preparation import Preparation
from linkwise.ensemble.sources import ArraySource, SparseSource
from linkwise.errors import InvalidInput, LinkwiseError, MissingDevice
from linkwise.validation import check_number

T = TypeVar("T")

#: A shard has at least so many rows, where their number is "auto".
FEWEST_ROWS = 1 << 16
#: Rows that a worker predicts at once.
PREDICTED_ROWS = 1 << 18


class Ray:
    """Workers of a Ray cluster, each with some of the rows.

    Rows come from a folder of Parquet files, here or in an object store, a list of ``.npy`` or
    Parquet files, a Ray Dataset, or any :class:`~linkwise.ensemble.RowSource` that can be sent to
    a worker and opens there what it needs. They are never gathered: ``labels_`` fetches a byte a
    row when asked for, ``count_labels`` and ``write_labels`` nothing of the kind.

    Labels are those of the cpu engine, bit for bit, on processors of the same kind.

    Parameters
    ----------
    address : str or None, default=None
        The cluster, as ``ray.init`` understands it. None is the one this process is connected to,
        or else a new one on this machine, as "local" is; Ray asks for a token there.
    shards : int or "auto", default="auto"
        Parts to cut the rows into; "auto" is one a processor, or one a GPU.
    storage : path or None, default=None
        Folder on every worker in which labels are kept, so that another process finds them again
        (see ``linkwise.load``). None is a temporary one, removed with the model.
    gpus : int, default=0
        GPUs to use. Each has a shard and does its work by ``engine="cuda"`` as long as the model
        is there. Rows that are added later are left to processors.

    Examples
    --------
    >>> import linkwise as lw
    >>> engine = lw.engines.Ray("auto", shards=4)  # doctest: +SKIP
    >>> model = lw.SequentialClustering(10, engine=engine).fit("s3://b/rows")  # doctest: +SKIP
    >>> model.write_labels("s3://b/labels")  # doctest: +SKIP
    """

    def __init__(
        self,
        address: str | None = None,
        shards: int | str = "auto",
        storage: str | os.PathLike[str] | None = None,
        gpus: int = 0,
    ) -> None:
        self.address, self.shards, self.storage, self.gpus = address, shards, storage, gpus
        check_number(self, "shards", low=1, integer=True, or_in=("auto",))
        check_number(self, "gpus", low=0, integer=True)
        if not isinstance(shards, str) and 0 < gpus < shards:
            raise InvalidInput(
                f"Ray(shards={shards}, gpus={gpus}): a GPU has one shard. Leave shards out."
            )
        import_ray()

    def __repr__(self) -> str:
        return f"Ray(address={self.address!r}, shards={self.shards!r})"

    def open(self, X: SourceLike) -> RowSource:
        """Return rows; those that are not in memory are sampled by the workers."""
        if is_dataset(X):
            self.connect()
            return RemoteRows(DatasetRows.of(X), self)
        if isinstance(X, str | os.PathLike) and "://" not in os.fspath(X):
            X = os.path.abspath(X)  # workers are elsewhere
        source = as_source(X)
        if isinstance(source, ArraySource | SparseSource | RemoteRows):
            return source
        return RemoteRows(source, self)

    def train(
        self,
        recipe: Callable[[NDArray[np.float32], np.random.SeedSequence], T],
        pool: NDArray[np.float32],
        seeds: list[np.random.SeedSequence],
        execution: Execution,
    ) -> list[T]:
        n_batches = min(len(seeds), 4 * self._n_workers())
        shared = import_ray().put(pool)
        batches = [seeds[k::n_batches] for k in range(n_batches)]
        calls = [Call.task(train_some, recipe, shared, batch) for batch in batches]
        trained: list[T | None] = [None] * len(seeds)
        done = 0
        for k, batch in enumerate(in_order(calls)):
            trained[k::n_batches] = batch
            done += len(batch)
            execution.step(done, len(seeds), "training partitions")
        return [partition for partition in trained if partition is not None]

    def label(
        self,
        source: RowSource,
        preparation: Preparation,
        models: PartitionModels,
        path: str | os.PathLike[str] | None,
        execution: Execution,
    ) -> Ensemble:
        storage = self.storage if path is None else path
        n_shards = self._n_shards(source.n_rows)
        if self.gpus:
            require_gpus(n_shards)
        team = self._team(source, preparation, models, storage, n_shards, self.gpus)
        team.label(execution)
        return Ensemble(ShardedLabels.of(team, models.n_partitions), models, preparation)

    def extend(self, ensemble: Ensemble, source: RowSource, execution: Execution) -> None:
        labels = sharded(ensemble)
        wanted = self._n_shards(labels.n_rows) * source.n_rows // labels.n_rows
        # by processors: each GPU has a shard already
        team = self._team(
            source, ensemble.preparation, ensemble.models, labels.storage, max(1, wanted), 0
        )
        team.label(execution)
        labels.add(team)

    def vote(self, ensemble: Ensemble, ballot: Ballot, n_threads: int | None) -> ShardedVotes:  # noqa: ARG002
        return ShardedVotes(sharded(ensemble), ballot)

    def predict(
        self, ensemble: Ensemble, source: RowSource, rule: Rule, n_threads: int | None
    ) -> Labels:
        if not isinstance(source, RemoteRows):
            return rule.count(ensemble.assign(source, n_threads=n_threads), n_threads).labels
        n_parts = max(self._n_workers(), source.n_rows // PREDICTED_ROWS)
        shared = import_ray().put((source.source, ensemble.preparation, ensemble.models, rule))
        bounds = cuts(source.n_rows, n_parts)
        calls = [Call.task(predict_some, shared, a, b) for a, b in pairwise(bounds)]
        return np.concatenate([unpack(part) for part in in_order(calls)])

    def sample(self, source: RowSource, indices: NDArray[np.intp]) -> NDArray[Any]:
        """Let workers read the rows at increasing positions."""
        bounds = cuts(source.n_rows, 4 * self._n_workers())
        wanted = np.split(indices, np.searchsorted(indices, bounds[1:-1]))
        shared = import_ray().put(source)
        calls = [Call.task(sample_some, shared, some) for some in wanted if len(some)]
        return np.concatenate(list(in_order(calls)))

    def _team(
        self,
        source: RowSource,
        preparation: Preparation,
        models: PartitionModels,
        storage: str | os.PathLike[str] | None,
        n_shards: int,
        gpus: int,
    ) -> Team:
        rows = source.source if isinstance(source, RemoteRows) else source
        if not hasattr(rows, "fingerprint"):
            storage = None  # nobody would find them again
        bounds = cuts(rows.n_rows, n_shards)
        task = Task(
            source=rows,
            preparation=preparation,
            models=models,
            storage=None if storage is None else os.path.abspath(storage),
            name=name_of(rows, preparation, models, storage is not None),
            engine="cuda" if gpus else "cpu",
            n_threads=max(1, self._n_workers() // (len(bounds) - 1)),
        )
        return Team(task, bounds, 1 if gpus else 0)

    def _n_shards(self, n_rows: int) -> int:
        if isinstance(self.shards, str):
            return max(1, min(self._n_workers(), n_rows // FEWEST_ROWS))
        return self.shards

    def _n_workers(self) -> int:
        """Return how much can be done at a time: by GPUs, or by processors."""
        self.connect()
        there = import_ray().cluster_resources()
        if self.gpus > there.get("GPU", 0):
            raise MissingDevice(
                f"Ray(gpus={self.gpus}): this cluster has fewer GPUs, {there.get('GPU', 0):g}. "
                "gpus=0 gives the same result, by processors."
            )
        return self.gpus or max(1, int(there.get("CPU", 1)))

    def connect(self) -> None:
        """Connect to the cluster, or start one; what needs it does so by itself."""
        ray = import_ray()
        if ray.is_initialized():
            return
        try:
            if self.address not in (None, LOCAL):
                require_answer(self.address)
                ray.init(self.address, log_to_driver=False)
            else:
                start_here()
        except Exception as error:  # Ray raises plain ones
            where = "on this machine" if self.address in (None, LOCAL) else f"at {self.address}"
            reason = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
            raise LinkwiseError(
                f"there is no Ray cluster {where} ({type(error).__name__}: {reason[:200]}). A "
                "machine that is busy may need another try; nothing was begun."
            ) from error


class RemoteRows:
    """Rows that workers read; the driver reads them only to say which value is bad."""

    def __init__(self, source: RowSource, engine: Ray) -> None:
        self.source, self._engine = source, engine
        self.n_rows, self.n_features = source.n_rows, source.n_features

    def read(self, start: int, stop: int) -> NDArray[Any]:
        return self.source.read(start, stop)

    def sample(self, indices: NDArray[np.intp]) -> NDArray[Any]:
        return self._engine.sample(self.source, indices)
