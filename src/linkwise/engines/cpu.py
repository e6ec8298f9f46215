"""The engine that is always there: threads of this process, labels in its memory or in a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from linkwise.engines.base import Ballot, Labels, Rule, Votes
from linkwise.ensemble import Ensemble, RowSource, SourceLike, as_source
from linkwise.ensemble.execution import Execution
from linkwise.ensemble.generate import label_all, train_all
from linkwise.ensemble.models import PartitionModels
from linkwise.ensemble.preparation import Preparation

T = TypeVar("T")


class Cpu:
    """Threads of this process."""

    def open(self, X: SourceLike) -> RowSource:
        return as_source(X)

    def train(
        self,
        recipe: Callable[[NDArray[np.float32], np.random.SeedSequence], T],
        pool: NDArray[np.float32],
        seeds: list[np.random.SeedSequence],
        execution: Execution,
    ) -> list[T]:
        return train_all(recipe, pool, seeds, execution)

    def label(
        self,
        source: RowSource,
        preparation: Preparation,
        models: PartitionModels,
        path: str | os.PathLike[str] | None,
        execution: Execution,
    ) -> Ensemble:
        return label_all(source, preparation, models, path, execution)

    def extend(self, ensemble: Ensemble, source: RowSource, execution: Execution) -> None:
        ensemble.append(source, execution)

    def vote(self, ensemble: Ensemble, ballot: Ballot, n_threads: int | None) -> Votes:
        with ensemble.labels.parts(ballot.n_rows) as parts:
            counted = [ballot.rule.count(blocks, n_threads) for blocks in parts]
        return ballot.amend(Votes.joined(counted))

    def predict(
        self, ensemble: Ensemble, source: RowSource, rule: Rule, n_threads: int | None
    ) -> Labels:
        return rule.count(ensemble.assign(source, n_threads=n_threads), n_threads).labels
