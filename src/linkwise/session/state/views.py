"""Views: computed when asked for, once for all who ask, and kept for a while."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from threading import RLock
from typing import Any

from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.session.journal.checkpoint import Checkpoint
from linkwise.session.state.history import History
from linkwise.session.state.labelling import (
    Labeller,
    Labelling,
    Labels,
    State,
    called_clusters,
)
from linkwise.session.state.moves import Moved, Moves
from linkwise.session.state.view import View, make_view
from linkwise.typing import Matrix

#: Memory for earlier views.
CACHE_BYTES = 16 << 20
MAX_KEPT = 16


class Views:
    """The views of a session.

    Parameters
    ----------
    history : History
        What was said.
    model : SequentialClustering
        Fitted, without links.
    """

    def __init__(self, history: History, model: SequentialClustering) -> None:
        self._history, self._labeller = history, Labeller(model)
        self._landmarks = model.landmarks_.rows
        self._computing = RLock()
        self._latest: View | None = None
        self._kept: OrderedDict[int, View] = OrderedDict()
        n_rows = model.ensemble_.n_rows
        self._n_kept = min(MAX_KEPT, max(4, CACHE_BYTES // max(5 * n_rows, 1)))
        self._moves = Moves(history.folder, history.seq)
        if history.restored is not None:
            self._restore(history.restored)
        history.snapshot = self._snapshot

    @property
    def moved(self) -> Moved:
        """How many rows changed their cluster with each view that was computed."""
        return self._moves.moved

    def latest(self) -> View | None:
        """Return the last view of all events that was computed, if any."""
        return self._latest

    def view(self, at: int | None = None) -> View:
        """Return the view after ``at`` events, after all of them by default."""
        known = self._known(at)
        if known is not None:
            return known
        with self._computing:
            known = self._known(at)  # someone else may have computed it meanwhile
            if known is not None:
                return known
            seq = self._history.seq if at is None else at
            newest = self._latest
            labelling = self._labeller.label(self._history.state(seq))
            is_new = newest is None or seq > newest.seq
            before = newest.labels if newest is not None and is_new else None
            view = make_view(labelling, self._landmarks, before)
            if is_new:
                self._latest = view
                if newest is not None:
                    self._moves.add(seq, view.moved)
            self._keep(view)
            return view

    def current(self, fresh: bool = True) -> tuple[View, Labelling, Any]:
        """Return the view, its labelling and the model that knows its links."""
        latest = self._latest
        view = self.view() if fresh or latest is None else latest
        labelling = view.labelling
        assert labelling is not None
        if labelling.model is not None:
            return view, labelling, labelling.model
        with self._computing:
            return view, labelling, self._labeller.solved(labelling.state)

    def unanswered(self, at: int) -> tuple[State, SequentialClustering]:
        """Return what the first ``at`` events say, and the model before it is told any of it."""
        state = self._history.state(at)
        with self._computing:
            return state, self._labeller.unanswered(state)

    def grow(self, model: SequentialClustering) -> None:
        """Go on with a model that has more rows."""
        with self._computing:
            self._labeller.grow(model)

    def predict(self, X: Matrix) -> Labels:
        """Return the labels that other rows would have after all events."""
        with self._computing:
            return self._labeller.predict(self._history.state(), X)

    def _snapshot(self) -> Checkpoint:
        """Return what the next start should find."""
        view = self._latest
        log = self._history.log
        if view is None:
            return Checkpoint(log, moved=tuple(self.moved))
        return Checkpoint(log, view.seq, view.labels, view.margins, tuple(self.moved))

    def _known(self, at: int | None) -> View | None:
        """Return a view that need not be computed."""
        latest = self._latest
        if latest is not None and latest.seq == (self._history.seq if at is None else at):
            return latest
        return None if at is None else self._kept.get(at)

    def _keep(self, view: View) -> None:
        """Remember the labels of a view; only the latest keeps what it came from."""
        self._kept[view.seq] = replace(view, labelling=None)
        self._kept.move_to_end(view.seq)
        if len(self._kept) > self._n_kept:
            self._kept.popitem(last=False)

    def _restore(self, checkpoint: Checkpoint) -> None:
        if not self._moves.moved:
            self._moves.moved = list(checkpoint.moved)
        if checkpoint.labelled is None or checkpoint.labels is None or checkpoint.margins is None:
            return
        state = self._history.state(checkpoint.labelled)
        for array in (checkpoint.labels, checkpoint.margins):
            array.setflags(write=False)
        labelling = Labelling(
            state,
            checkpoint.labels,
            checkpoint.margins,
            called_clusters(state, checkpoint.labels),
        )
        self._latest = make_view(labelling, self._landmarks)
        self._keep(self._latest)
