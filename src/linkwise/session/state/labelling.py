"""Labelling: from what the events say to a label and a margin for every row.

Everything here is a function of the first ``n`` events alone. What was computed for the state
before is used again where it would come out the same.
"""

from __future__ import annotations

import copy
import warnings
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.errors import ConstraintWarning
from linkwise.session.journal.log import Log
from linkwise.session.state.names import cluster_names, keep_names
from linkwise.session.state.statements import Statements, Told, read_statements, unsure_pairs
from linkwise.session.state.structure import Change, apply_changes, read_changes, split_margins

Labels = NDArray[np.unsignedinteger[Any]]
Margins = NDArray[np.float32]
_MAX_SPLITS = 20


@dataclass(frozen=True, eq=False)
class State:
    """What the first ``seq`` events say."""

    seq: int
    statements: Statements
    changes: tuple[Change, ...]
    unsure: NDArray[np.int64]
    n_clusters: int

    @classmethod
    def of(cls, log: Log, n: int, n_rows: int, n_clusters: int) -> State:
        """Fold the first ``n`` events of the log."""
        standing = log.standing(n)
        return cls(
            seq=n,
            statements=read_statements(log, n, standing, n_rows),
            changes=read_changes(log, n, standing),
            unsure=unsure_pairs(log, n, standing),
            n_clusters=n_clusters + log.added(n),
        )

    @property
    def clustered_names(self) -> dict[str, NDArray[np.int64]]:
        """The rows of the names that have a cluster of their own."""
        return self.statements.clustered_names(self.n_clusters)


@dataclass(frozen=True, eq=False)
class Labelling:
    """A label and a margin for every row, what clusters are called, and what it all came from.

    ``model`` knows what it was told; None where the labels were read and not computed.
    """

    state: State
    labels: Labels
    margins: Margins
    names: dict[int, str]
    model: Any = None


class Labeller:
    """Labels states, one at a time.

    Parameters
    ----------
    model : SequentialClustering
        Fitted, without any link; never changed.
    """

    def __init__(self, model: SequentialClustering) -> None:
        self.model = model
        self._solved = Told(model.links_, model.named_), model
        self._split_margins: OrderedDict[int, NDArray[np.float32]] = OrderedDict()

    def label(self, state: State) -> Labelling:
        """Return the labels of all rows in this state."""
        said, names = state.statements, state.clustered_names
        solved = self.solved(state)
        links = said.together() if state.changes else solved.links_
        voted = np.asarray(solved.labels_)
        n_splits = sum(change.effect.adds_cluster for change in state.changes)
        margins_of = self._margins if n_splits <= _MAX_SPLITS else self._margins_of_rows
        labels = apply_changes(voted, state.changes, names, links, margins_of)
        keep_names(labels, names, links, state.n_clusters)
        kind: Any = np.uint8 if state.n_clusters <= 256 else np.uint16
        margins = np.clip(solved.margins_, 0.0, 1.0)
        final = labels.astype(kind)
        for array in (final, margins):
            array.setflags(write=False)
        called = cluster_names(said, state.changes, final)
        return Labelling(state, final, margins, called, solved)

    def solved(self, state: State) -> Any:
        """Return the model that knows what was said.

        What it sets aside, the session shows among its suspects; nobody reads a warning here.
        """
        told = state.statements.told(self.model.n_clusters)
        known, solved = self._solved
        if told != known:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConstraintWarning)
                solved = copy.copy(self.model).update(*told)
            self._solved = told, solved
        return solved

    def _margins_of_rows(self, split: Change, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return what is asked for and no more: so many splits, so few rows in each cluster."""
        return split_margins(split, self.model.ensemble_.labels, rows)

    def _margins(self, split: Change, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return a part of what is kept for all rows, for the next time."""
        known = self._split_margins
        if split.seq not in known:
            known[split.seq] = split_margins(split, self.model.ensemble_.labels)
            if len(known) > _MAX_SPLITS:
                known.popitem(last=False)
        return known[split.seq][rows]
