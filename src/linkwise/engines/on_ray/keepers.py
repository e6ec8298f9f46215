"""Actors that keep shards, and what any worker can be asked to do."""

from __future__ import annotations

import tempfile
import time
import uuid
import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from linkwise.engines.base import Ballot, Margins, Rule
from linkwise.engines.find import find_engine
from linkwise.engines.on_ray.calls import ACTOR_RETRIES, Call, Handle, import_ray
from linkwise.engines.shard import Packed, Shard, pack
from linkwise.ensemble import Ensemble, LabelMatrix, RowSource
from linkwise.ensemble.blas import one_blas_thread
from linkwise.ensemble.execution import Execution
from linkwise.ensemble.models import PartitionModels
from linkwise.ensemble.preparation import Preparation
from linkwise.ensemble.sources import part_of, sample_rows
from linkwise.errors import MissingDevice

T = TypeVar("T")
#: One reference to a shared object, in a list so that Ray does not fetch it for every call.
Reference = list[Handle]
#: What is to be done with labels: ``work(labels, *args, **options)``.
Work = tuple[Callable[..., object], tuple[object, ...], dict[str, object]]

#: Rows that a keeper labels between two reports.
STEP = 1 << 17
#: Seconds in which a GPU is free once its keeper has gone.
PATIENCE = 10.0


@dataclass(frozen=True, eq=False)
class Task:
    """What all keepers of a table are told.

    Attributes
    ----------
    source, preparation, models
        The rows, and the partitions that label them.
    storage : str or None
        Folder on every machine to keep labels in; None is a temporary one.
    name : str
        What the labels are called there: the same for the same rows and partitions.
    engine : str
        Who labels and votes on the machine itself.
    n_threads : int
        Threads for each keeper.
    """

    source: RowSource
    preparation: Preparation
    models: PartitionModels
    storage: str | None
    name: str
    engine: str
    n_threads: int

    def folder(self, start: int, stop: int) -> Path:
        """Return where the labels of some rows are kept on this machine."""
        if self.storage is not None:
            return Path(self.storage) / self.name / f"{start}-{stop}"
        node: str = import_ray().get_runtime_context().get_node_id()
        return Path(tempfile.gettempdir()) / "linkwise" / self.name / node / f"{start}-{stop}"


class Keeper:
    """Keeps a shard; an actor. It finds or makes the labels again whenever it is started.

    All it needs comes with every call: what an actor was made of may be gone when it is made
    again. The task and the ballot come as references, fetched only when they are needed.
    """

    def __init__(self, start: int, stop: int) -> None:
        self._start, self._stop = start, stop
        self._kept: Shard | None = None

    def _shard(self, task: Reference) -> Shard:
        if self._kept is None:
            told: Task = import_ray().get(task[0])
            self._kept = Shard(
                told.source,
                self._start,
                self._stop,
                told.preparation,
                own(told.models),
                told.folder(self._start, self._stop),
                find_engine(told.engine),
                told.n_threads,
            )
        return self._kept

    def label(self, task: Reference, until: int) -> int:
        return self._shard(task).label(until)

    def rows(self, task: Reference, indices: NDArray[np.int64]) -> NDArray[np.uint8]:
        return self._shard(task).rows(indices)

    def apply(self, task: Reference, wanted: Work, n_rows: int) -> object:
        work, args, options = wanted
        return work(self._shard(task).blocks(n_rows), *args, **options)

    def labels(self, task: Reference, key: str, ballot: Ballot, first: int, n: int) -> Packed:
        votes = self._shard(task).vote(key, ballot, first, n)
        return pack(votes.labels, ballot.rule.n_clusters)

    def margins(self, task: Reference, key: str, ballot: Ballot, first: int, n: int) -> Margins:
        return self._shard(task).vote(key, ballot, first, n).margins

    def sizes(
        self, task: Reference, key: str, ballot: Ballot, first: int, n: int
    ) -> NDArray[np.int64]:
        return self._shard(task).vote(key, ballot, first, n).sizes(ballot.rule.n_clusters)

    def write(
        self, task: Reference, key: str, ballot: Ballot, first: int, n: int, folder: str
    ) -> None:
        shard = self._shard(task)
        shard.write(folder, shard.vote(key, ballot, first, n), first)

    def drop(self) -> None:
        if self._kept is not None:
            self._kept.drop()


class Team:
    """The keepers of one table; they go when it does, and so do labels without a storage."""

    def __init__(self, task: Task, bounds: list[int], n_gpus: int) -> None:
        ray = import_ray()
        actor = ray.remote(
            num_cpus=0,  # a keeper waits most of the time
            memory=1 << 20,  # who asks for nothing is put anywhere
            num_gpus=n_gpus,
            max_restarts=-1,
            max_task_retries=ACTOR_RETRIES,
        )(Keeper)
        self._task: Reference = [ray.put(task)]
        places = _places(len(bounds) - 1, "GPU" if n_gpus else "CPU", task.name)
        self._keepers: list[Handle] = [
            actor.options(scheduling_strategy=place).remote(a, b)
            for place, (a, b) in zip(places, pairwise(bounds), strict=True)
        ]
        self.bounds, self.storage = bounds, task.storage
        if self.storage is None:
            weakref.finalize(self, _drop, self._keepers)

    @property
    def n_rows(self) -> int:
        return self.bounds[-1]

    def ask(self, k: int, what: str, *args: object) -> Call:
        """Ask the keeper of shard ``k`` for something."""
        return Call(getattr(self._keepers[k], what), self._task, *args)

    def label(self, execution: Execution) -> None:
        """Have all rows labelled, a step at a time, saying how far it is."""
        ray, sizes = import_ray(), np.diff(self.bounds)
        done = np.zeros(len(sizes), dtype=np.int64)
        working = {k: self.ask(k, "label", STEP) for k in range(len(sizes))}
        while working:
            waiting = {call.reference: k for k, call in working.items()}
            ready, _ = ray.wait(list(waiting), num_returns=1, timeout=1.0)
            for reference in ready:
                k = waiting[reference]
                done[k] = working.pop(k).result()
                if done[k] < sizes[k]:
                    working[k] = self.ask(k, "label", int(done[k]) + STEP)
            execution.step(int(done.sum()), self.n_rows, "labelling rows")


def _places(n_keepers: int, kind: str, name: str) -> list[Any]:
    """Return where to start keepers: on each machine as many as its share of all processors.

    Ray's own "SPREAD" puts those that are asked for at once on one machine. The same machines get
    the same shards of a table with this name, so that labels in a storage are found again. When a
    machine is gone, Ray chooses another.
    """
    ray = import_ray()
    machines = sorted(
        (machine for machine in ray.nodes() if machine["Alive"]),
        key=lambda machine: (machine["NodeManagerHostname"], machine["NodeManagerPort"]),
    )
    slots = [m["NodeID"] for m in machines for _ in range(int(m["Resources"].get(kind, 0)))]
    if not slots:
        return ["SPREAD"] * n_keepers
    first = int(name[:8], 16) % len(slots)  # tables of few shards are not all on one machine
    chosen = [slots[(first + k * len(slots) // n_keepers) % len(slots)] for k in range(n_keepers)]
    here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
    return [here(node, soft=True) for node in chosen]


def require_gpus(n_gpus: int) -> None:
    """Refuse to start keepers that would wait for GPUs which others have; let these go first."""
    ray = import_ray()
    until = time.monotonic() + PATIENCE
    while (free := ray.available_resources().get("GPU", 0)) < n_gpus:
        if time.monotonic() > until:
            raise MissingDevice(
                f"fewer GPUs of this cluster are free ({free:g}) than are needed ({n_gpus}). A "
                "model has its own until it is deleted or its process ends."
            )
        time.sleep(0.1)


def _drop(keepers: list[Handle]) -> None:
    ray = import_ray()
    if ray.is_initialized():
        ray.wait([keeper.drop.remote() for keeper in keepers], num_returns=len(keepers), timeout=2)


def name_of(
    source: RowSource, preparation: Preparation, models: PartitionModels, is_kept: bool
) -> str:
    """Return a name for labels: the same for the same rows and partitions, if one can tell."""
    fingerprint = getattr(source, "fingerprint", None) if is_kept else None
    if fingerprint is None:
        return uuid.uuid4().hex
    known = sha256(fingerprint.encode())
    arrays = [getattr(models, name) for name in models.layout]
    arrays += [preparation.mean, np.array([preparation.scale, preparation.unit])]
    if preparation.components is not None:
        arrays.append(preparation.components)
    for array in arrays:
        known.update(np.ascontiguousarray(array).tobytes())
    return known.hexdigest()[:32]


def own(models: PartitionModels) -> PartitionModels:
    """Return models with arrays of this process: shared ones are read-only, which is another type
    to compiled code.
    """
    arrays = {name: np.array(getattr(models, name)) for name in models.layout}
    return replace(models, **arrays)  # type: ignore[type-var]


def train_some(
    recipe: Callable[[NDArray[np.float32], np.random.SeedSequence], T],
    pool: NDArray[np.float32],
    seeds: list[np.random.SeedSequence],
) -> list[T]:
    """Train a partition for every seed."""
    with one_blas_thread() as blas:
        return [blas.run(recipe, pool, seed) for seed in seeds]


def sample_some(source: RowSource, indices: NDArray[np.intp]) -> NDArray[Any]:
    """Read the rows at increasing positions."""
    return sample_rows(source, indices)


def predict_some(
    shared: tuple[RowSource, Preparation, PartitionModels, Rule], start: int, stop: int
) -> Packed:
    """Label some rows and vote on them."""
    source, preparation, models, rule = shared
    nothing = LabelMatrix.empty(models.n_partitions, 0)
    ensemble = Ensemble(nothing, own(models), preparation)
    blocks = ensemble.assign(part_of(source, start, stop), n_threads=1)
    return pack(rule.count(blocks, 1).labels, rule.n_clusters)
