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
from linkwise.session.state.structure import (
    Change,
    apply_changes,
    nearer_second,
    read_changes,
    split_margins,
)
from linkwise.typing import Matrix

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
        self._grown = self.model = model
        self._solved = Told(model.links_, model.named_), model
        self._split_margins: OrderedDict[tuple[int, int], NDArray[np.float32]] = OrderedDict()

    def grow(self, model: SequentialClustering) -> None:
        """Go on with a model that has more rows; what there is keeps its place in it."""
        self._grown = model

    def _at(self, n_rows: int) -> SequentialClustering:
        """Return the model without answers as it is about so many rows."""
        if self.model.links_.n_samples != n_rows:
            self.model = self._grown.of_first(n_rows)
        return self.model

    def label(self, state: State) -> Labelling:
        """Return the labels of all rows in this state."""
        said, names = state.statements, state.clustered_names
        solved = self.solved(state)
        links = said.links() if state.changes else solved.links_
        voted = np.asarray(solved.labels_)
        labels = apply_changes(voted, state.changes, names, links, self._margins)
        keep_names(labels, names, links, state.n_clusters)
        kind: Any = np.uint8 if state.n_clusters <= 256 else np.uint16
        margins = np.clip(solved.margins_, 0.0, 1.0)
        final = labels.astype(kind)
        for array in (final, margins):
            array.setflags(write=False)
        called = cluster_names(said, state.changes, final)
        return Labelling(state, final, margins, called, solved)

    def predict(self, state: State, X: Matrix) -> Labels:
        """Return the labels that rows which are not part of the session would have in it."""
        solved = self.solved(state)
        matrix = self.model.ensemble_.labels
        voted, blocks = np.asarray(solved.labels_), None
        if any(change.effect.adds_cluster for change in state.changes):
            blocks = self.model.ensemble_.assign(X)

        def margins(split: Change) -> NDArray[np.float32]:
            assert blocks is not None
            return np.append(self._margins(split), nearer_second(split, matrix, blocks))

        every = np.append(voted, solved.predict(X))
        links = state.statements.links()
        labels = apply_changes(every, state.changes, state.clustered_names, links, margins)
        kind: Any = np.uint8 if state.n_clusters <= 256 else np.uint16
        return labels[len(voted) :].astype(kind)

    def solved(self, state: State) -> Any:
        """Return the model that knows what was said.

        What it sets aside, the session shows among its suspects; nobody reads a warning here.
        """
        model = self._at(state.statements.n_rows)
        told = state.statements.told(model.n_clusters)
        known, solved = self._solved
        if told != known:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConstraintWarning)
                solved = copy.copy(model).update(*told)
            self._solved = told, solved
        return solved

    def _margins(self, split: Change) -> NDArray[np.float32]:
        known, n_rows = self._split_margins, self.model.links_.n_samples
        key = split.seq, n_rows
        if key not in known:
            known[key] = split_margins(split, self.model.ensemble_.labels, n_rows)
            if len(known) > _MAX_SPLITS:
                known.popitem(last=False)
        return known[key]
