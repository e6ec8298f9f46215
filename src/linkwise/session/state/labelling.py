"""Labelling: from what the events say to a label and a margin for every row.

Everything here is a function of the first ``n`` events alone. What was computed for the state
before is used again where it would come out the same.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.running import run_options
from linkwise.session.journal.log import Log
from linkwise.session.state.margins import SplitMemory
from linkwise.session.state.names import cluster_names, keep_names
from linkwise.session.state.statements import (
    Statements,
    Told,
    left_out_rows,
    read_statements,
    unsure_pairs,
)
from linkwise.session.state.structure import (
    Change,
    apply_changes,
    names_joined,
    nearer_second,
    read_changes,
)
from linkwise.typing import Matrix

Labels = NDArray[np.unsignedinteger[Any]]
Margins = NDArray[np.float32]
#: What the rows that belong nowhere are called.
NOWHERE = "nowhere"
#: Models with other numbers of clusters that are kept at hand.
_MAX_NUMBERS = 8


@dataclass(frozen=True, eq=False)
class State:
    """What the first ``seq`` events say.

    ``n_clusters`` counts all clusters there ever were, ``number`` those that the model has;
    ``numbers`` are what the model's clusters are called, ``nowhere`` the rows in none: those of
    which somebody said so, and those that cannot be used and that nobody speaks about.
    """

    seq: int
    statements: Statements
    changes: tuple[Change, ...]
    unsure: NDArray[np.int64]
    n_clusters: int
    number: int
    numbers: NDArray[np.int64]
    nowhere: NDArray[np.int64]

    @classmethod
    def of(
        cls, log: Log, n: int, n_rows: int, n_clusters: int, unusable: Sequence[int] = ()
    ) -> State:
        """Fold the first ``n`` events of the log."""
        standing = log.standing(n)
        statements = read_statements(log, n, standing, n_rows)
        unplaced = np.setdiff1d(np.array(unusable, dtype=np.int64), statements.rows())
        return cls(
            seq=n,
            statements=statements,
            changes=read_changes(log, n, standing),
            unsure=unsure_pairs(log, n, standing),
            n_clusters=n_clusters + log.added(n),
            number=log.number(n, standing) or n_clusters,
            numbers=np.append(np.arange(n_clusters), log.model_clusters(n)).astype(np.int64),
            nowhere=np.union1d(left_out_rows(log, n, standing), unplaced),
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


def nowhere(labels: Labels) -> int:
    """Return the label of rows that belong nowhere: the largest there can be, which is -1."""
    return int(np.iinfo(labels.dtype).max)


def called_clusters(state: State, labels: Labels) -> dict[int, str]:
    """Return what the clusters are called; also the rows that are in none."""
    names = cluster_names(state.statements, state.changes, labels)
    return names | {nowhere(labels): NOWHERE} if len(state.nowhere) else names


def cluster_shares(labelling: Labelling, shares: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the share of each row in each cluster there ever was, (n_rows, n_clusters).

    ``shares`` are those in the model's clusters. Clusters that became one add up; of a cluster that
    was split, a row's share goes to the part the row is in, or stays where it was.
    """
    state, labels = labelling.state, labelling.labels
    found = np.zeros((len(labels), state.n_clusters), dtype=np.float32)
    np.add.at(found.T, state.numbers[: shares.shape[1]], shares.T)
    for change in state.changes:
        if change.effect.joins and len(names_joined(labels, change, state.clustered_names)) < 2:
            first, *others = change.effect.joins(change.payload)
            found[:, first] += found[:, others].sum(axis=1)
            found[:, others] = 0.0
        elif change.effect.adds_cluster:
            new, old = change.payload["new"], change.payload["cluster"]
            inside = labels == new
            found[inside, new], found[inside, old] = found[inside, old], 0.0
    return found


def alike(model: SequentialClustering, first: SequentialClustering) -> NDArray[np.int64]:
    """Return for each cluster of a model which one of the first shares most rows with it, or -1.

    Each has one of its own, so that as few rows as can be change the number of their cluster.
    """
    shared = np.zeros((model.n_clusters_, first.n_clusters_))
    np.add.at(shared, (model.labels_, first.labels_), 1.0)
    own, others = linear_sum_assignment(shared, maximize=True)
    place = np.full(model.n_clusters_, -1, dtype=np.int64)
    place[own] = others
    return place


class Labeller:
    """Labels states, one at a time.

    Parameters
    ----------
    model : SequentialClustering
        Fitted, without any link; never changed.
    """

    def __init__(self, model: SequentialClustering) -> None:
        self._grown = self.model = model
        self._solved = (Told(model.links_, model.named_), model.n_clusters_, b""), model
        self._numbered = {model.n_clusters_: model}
        self._places: dict[int, NDArray[np.int64]] = {}
        self._split_margins = SplitMemory()

    def grow(self, model: SequentialClustering) -> None:
        """Go on with a model that has more rows; what there is keeps its place in it."""
        self._grown = model

    def _of_rows(self, n_rows: int) -> None:
        """Let the model without answers be about so many rows."""
        if self.model.links_.n_samples != n_rows:
            self.model = self._grown.of_first(n_rows)
            self._numbered = {self.model.n_clusters_: self.model}
            self._places = {}

    def called(self, state: State) -> State:
        """Return the state with its clusters called alike, whatever their number is."""
        silent = self.unanswered(state)
        if silent is self.model:
            return state
        if state.number not in self._places:
            self._places[state.number] = alike(silent, self.model)
        place = self._places[state.number]
        # those that are like none of the first have the numbers that are free
        free = np.setdiff1d(np.arange(len(state.numbers)), place)
        place = place.copy()
        place[place < 0] = free[: (place < 0).sum()]
        return replace(state, numbers=state.numbers[place])

    def label(self, state: State) -> Labelling:
        """Return the labels of all rows in this state."""
        state = self.called(state)
        said, names = state.statements, state.clustered_names
        solved = self.solved(state)
        links = said.together() if state.changes else solved.links_
        n_numbers = state.n_clusters + bool(len(state.nowhere))
        kind: Any = np.uint8 if n_numbers <= 256 else np.uint16
        # of rows left out any cluster will do
        voted = state.numbers.astype(kind).take(solved.labels_, mode="clip")
        final = apply_changes(voted, state.changes, names, links, self._margins)
        keep_names(final, names, links, state.n_clusters, state.changes)
        margins = np.clip(solved.margins_, 0.0, 1.0)
        final[state.nowhere] = nowhere(final)
        for array in (final, margins):
            array.setflags(write=False)
        called = called_clusters(state, final)
        return Labelling(state, final, margins, called, solved)

    def predict(self, state: State, X: Matrix) -> Labels:
        """Return the labels that rows which are not part of the session would have in it."""
        state = self.called(state)
        solved = self.solved(state)
        matrix = self.model.ensemble_.labels
        voted, blocks = np.asarray(solved.labels_), None
        if any(change.effect.adds_cluster for change in state.changes):
            blocks = self.model.ensemble_.assign(X)

        def margins(split: Change, rows: NDArray[np.int64]) -> NDArray[np.float32]:
            assert blocks is not None
            inside, others = rows[rows < len(voted)], rows[rows >= len(voted)] - len(voted)
            strangers = nearer_second(split, matrix, np.ascontiguousarray(blocks[:, others]))
            return np.append(self._margins(split, inside), strangers)

        every = state.numbers[np.maximum(np.append(voted, solved.predict(X)), 0)]
        links = state.statements.together()
        labels = apply_changes(every, state.changes, state.clustered_names, links, margins)
        kind: Any = np.uint8 if state.n_clusters < 256 else np.uint16
        return labels[len(voted) :].astype(kind)

    def solved(self, state: State) -> Any:
        """Return the model that knows what was said.

        What it sets aside, the session shows among its suspects; nobody reads a warning here.
        """
        silent = self.unanswered(state)
        told = state.statements.told(state.number)
        wanted = told, state.number, state.nowhere.tobytes()
        known, solved = self._solved
        if wanted != known:
            with run_options(quiet=True):
                solved = copy.copy(silent).update(*told)
            solved.leave_out(state.nowhere)
            self._solved = wanted, solved
        return solved

    def unanswered(self, state: State) -> SequentialClustering:
        """Return the model of these rows and so many clusters that nothing was said to."""
        self._of_rows(state.statements.n_rows)
        number = state.number
        if number not in self._numbered:
            if len(self._numbered) > _MAX_NUMBERS:
                self._numbered = {self.model.n_clusters_: self.model}
            self._numbered[number] = copy.copy(self.model).recluster(number)
        return self._numbered[number]

    def _margins(self, split: Change, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        return self._split_margins.of(split, self.model.ensemble_.labels, rows)
