"""The label matrix and the votes of an ensemble whose rows are elsewhere."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Concatenate, NamedTuple, NoReturn, ParamSpec, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwise.engines.base import Ballot, Labels, Margins
from linkwise.engines.on_ray.calls import Call, import_ray, in_order
from linkwise.engines.on_ray.keepers import Team
from linkwise.engines.shard import unpack
from linkwise.ensemble import Ensemble, LabelMatrix
from linkwise.errors import InvalidInput

T = TypeVar("T")
P = ParamSpec("P")


class Stretch(NamedTuple):
    """Rows from the number ``first`` on are the first ``n_rows`` of a team."""

    team: Team
    first: int
    n_rows: int


class Held(NamedTuple):
    """The rows from the number ``first`` on are in the shard ``k`` of a team."""

    team: Team
    k: int
    first: int
    n_rows: int


class ShardedLabels(LabelMatrix):
    """A label matrix that keepers have; some of its rows can be fetched."""

    def __init__(self, n_partitions: int, stretches: list[Stretch]) -> None:
        last = stretches[-1]
        super().__init__(np.empty((n_partitions, 0), np.uint8), last.first + last.n_rows)
        self._stretches = stretches

    @classmethod
    def of(cls, team: Team, n_partitions: int) -> Self:
        """Return the labels that a team made."""
        return cls(n_partitions, [Stretch(team, 0, team.n_rows)])

    @property
    def storage(self) -> str | None:
        """Where the keepers keep them."""
        return self._stretches[0].team.storage

    def add(self, team: Team) -> None:
        """Let another team's rows follow."""
        self._stretches = [*self._stretches, Stretch(team, self.n_rows, team.n_rows)]
        self._n_rows += team.n_rows

    def held(self, n_rows: int) -> list[Held]:
        """Return who has which ones of the first rows."""
        found = []
        for team, first, n_used in self._stretches:
            stop = min(n_rows - first, n_used)
            for k, (a, b) in enumerate(pairwise(team.bounds)):
                if a < stop:
                    found.append(Held(team, k, first + a, min(b, stop) - a))
        return found

    @property
    def array(self) -> NoReturn:
        raise InvalidInput(
            f"the labels of {self.n_rows} rows in {self.n_partitions} partitions lie on a cluster "
            "and are not gathered. labels_, margins_, memberships_, count_labels() and "
            "write_labels() tell what they amount to."
        )

    def each(
        self,
        n_rows: int,
        work: Callable[Concatenate[NDArray[np.uint8], P], T],
        *args: P.args,
        **options: P.kwargs,
    ) -> list[T]:
        wanted = import_ray().put((work, args, options))
        held = self.held(n_rows)
        return list(in_order([team.ask(k, "apply", wanted, n) for team, k, _, n in held]))

    def rows(self, indices: ArrayLike) -> NDArray[np.uint8]:
        chosen = np.asarray(indices, dtype=np.int64)
        self._check_inside(chosen)
        found = np.empty((len(chosen), self.n_partitions), dtype=np.uint8)
        asked = []
        for team, k, first, n_rows in self.held(self.n_rows):
            here = np.flatnonzero((chosen >= first) & (chosen < first + n_rows))
            if len(here):
                asked.append((here, team.ask(k, "rows", chosen[here] - first)))
        for (here, _), labels in zip(asked, in_order([call for _, call in asked]), strict=True):
            found[here] = labels
        return found

    def borrowed(self, n_rows: int | None = None) -> ShardedLabels:
        wanted = self.n_rows if n_rows is None else n_rows
        kept = [
            Stretch(team, first, min(n_used, wanted - first))
            for team, first, n_used in self._stretches
            if first < wanted
        ]
        return ShardedLabels(self.n_partitions, kept)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write down how many there are; rows and partitions are enough to make them again."""
        if len(self._stretches) > 1:
            raise InvalidInput(
                "rows were appended to a model on a cluster. It can be stored as it was fitted, "
                "not with what followed: fit on all rows to store it."
            )
        self.save_without(folder)


class ShardedVotes:
    """A vote that is held where the rows are, when somebody asks for what came of it."""

    def __init__(self, labels: ShardedLabels, ballot: Ballot) -> None:
        self._held, self._n_rows = labels.held(ballot.n_rows), ballot.n_rows
        self._key, self._ballot = uuid.uuid4().hex, import_ray().put(ballot)

    @cached_property
    def labels(self) -> Labels:
        labels = np.empty(self._n_rows, dtype=np.int32)
        for held, part in zip(self._held, in_order(self._ask("labels")), strict=True):
            labels[held.first : held.first + held.n_rows] = unpack(part)
        labels.setflags(write=False)
        return labels

    @cached_property
    def margins(self) -> Margins:
        margins = np.empty(self._n_rows, dtype=np.float32)
        for held, part in zip(self._held, in_order(self._ask("margins")), strict=True):
            margins[held.first : held.first + held.n_rows] = part
        margins.setflags(write=False)
        return margins

    def sizes(self, n_clusters: int) -> NDArray[np.int64]:
        total = np.zeros(n_clusters, dtype=np.int64)
        for part in in_order(self._ask("sizes")):
            total += part
        return total

    def write(self, folder: str) -> None:
        for _ in in_order(self._ask("write", folder)):
            pass

    def _ask(self, what: str, *more: object) -> list[Call]:
        """Ask all keepers; they vote once, and remember."""
        return [
            team.ask(k, what, self._key, self._ballot, first, n_rows, *more)
            for team, k, first, n_rows in self._held
        ]


def sharded(ensemble: Ensemble) -> ShardedLabels:
    """Return the labels of an ensemble that was built here."""
    if not isinstance(ensemble.labels, ShardedLabels):
        raise InvalidInput(
            "these partitions were not built by a Ray engine, so no cluster has their labels."
        )
    return ensemble.labels
