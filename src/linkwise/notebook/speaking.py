"""Whom a widget speaks with: a model in memory, or a session that records what is said."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.constraints import Links
from linkwise.errors import InvalidInput, LinkwiseError
from linkwise.notebook.rows import RowData, RowsSeen, Seen, picture_address, rows_seen
from linkwise.session import Session
from linkwise.session.data.layout import Places, neighbours_layout, quick_layout

#: More rows than a notebook's messages carry well; the studio shows more.
MOST_ROWS = 1_000_000

Codes = NDArray[np.uint8] | NDArray[np.uint16]


@dataclass(frozen=True)
class Asked:
    """Do rows ``i`` and ``j`` belong together?"""

    i: int
    j: int
    why: str = ""


@dataclass(frozen=True)
class Seat:
    """A cluster, as the map names it."""

    number: int
    name: str
    size: int


class Partner(ABC):
    """Asks, hears, takes back, and says how the clustering stands."""

    @property
    @abstractmethod
    def model(self) -> SequentialClustering:
        """The model with all that was said."""

    @abstractmethod
    def labels(self) -> NDArray[Any]:
        """Return the cluster of each row, -1 for none."""

    @abstractmethod
    def places(self) -> Places:
        """Return a place in [-1, 1] x [-1, 1] for every row, at once."""

    @abstractmethod
    def better_places(self) -> Places:
        """Return places that keep alike rows together; takes some seconds."""

    @abstractmethod
    def colours(self) -> tuple[Codes, list[Seat]]:
        """Return the cluster of each row as the map draws it, and the clusters that have rows."""

    @abstractmethod
    def ask(self) -> Asked | None:
        """Return the next question; None if nothing is worth asking."""

    @abstractmethod
    def hear(self, asked: Asked, verdict: str) -> str:
        """Hear an answer; returns what contradicts it, in a sentence, or nothing."""

    @abstractmethod
    def take_back(self) -> None:
        """Take back the last answer that was heard here."""

    @abstractmethod
    def see(self, row: int) -> Seen:
        """Return ``id``, and what is seen of a row."""

    @property
    @abstractmethod
    def n_heard(self) -> int:
        """Answers that can be taken back."""


class ModelPartner(Partner):
    """A model in memory, which the answers change."""

    def __init__(
        self, model: SequentialClustering, rows: RowsSeen, ids: NDArray[Any] | None
    ) -> None:
        self._model, self._rows, self._ids = model, rows, ids
        self._heard: list[tuple[Asked, Links | None]] = []

    @property
    def model(self) -> SequentialClustering:
        """The model itself."""
        return self._model

    @property
    def n_heard(self) -> int:
        """Answers that can be taken back."""
        return len(self._heard)

    def labels(self) -> NDArray[Any]:
        """Return the labels of the model."""
        return np.asarray(self._model.labels_)

    def places(self) -> Places:
        """Return the leading principal components."""
        return quick_layout(self._model)

    def better_places(self) -> Places:
        """Return a place for every row, near those it often shares a block with."""
        return neighbours_layout(self._model)

    def colours(self) -> tuple[Codes, list[Seat]]:
        """Return the labels; rows that belong nowhere have the largest number there is."""
        labels, n_clusters = self.labels(), self._model.n_clusters_
        nowhere = 255 if n_clusters < 256 else 65_535
        filled = np.where(labels < 0, nowhere, labels)
        codes: Codes = filled.astype(np.uint8) if nowhere == 255 else filled.astype(np.uint16)
        sizes = np.bincount(codes, minlength=nowhere + 1)
        named = self._model.classes_
        seats = [
            Seat(k, f"cluster {k}" if named[k] is None else str(named[k]), int(sizes[k]))
            for k in range(n_clusters)
            if sizes[k]
        ]
        if sizes[nowhere]:
            seats.append(Seat(nowhere, "nowhere", int(sizes[nowhere])))
        return codes, seats

    def ask(self) -> Asked | None:
        """Return the most useful pair about which nobody was unsure."""
        unsure = {(a.i, a.j) for a, links in self._heard if links is None}
        for i, j in self._model.query(len(unsure) + 1).tolist():
            if (min(i, j), max(i, j)) not in unsure:
                return Asked(min(i, j), max(i, j))
        return None

    def hear(self, asked: Asked, verdict: str) -> str:
        """Update the model; a pair that nobody can tell is not asked about again."""
        if verdict == "unsure":
            self._heard.append((asked, None))
            return ""
        pair = [(asked.i, asked.j)]
        said = {"must": pair} if verdict == "same" else {"cannot": pair}
        links = Links(len(self._model.links_), **said)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self._model.update(links)
        self._heard.append((asked, links))
        return str(caught[-1].message) if caught else ""

    def take_back(self) -> None:
        """Have the model forget the last answer."""
        _, links = self._heard[-1]
        if links is not None:
            self._model.retract(links)
        del self._heard[-1]

    def see(self, row: int) -> Seen:
        """Return what the data given beside the model shows."""
        name = row if self._ids is None else str(self._ids[row])
        return {"id": name, **self._rows.see(row)}


class SessionPartner(Partner):
    """A session, which records the answers."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._heard: list[int] = []

    @property
    def model(self) -> SequentialClustering:
        """A copy of the session's model."""
        return self._session.model

    @property
    def n_heard(self) -> int:
        """Answers that can be taken back."""
        return len(self._heard)

    def labels(self) -> NDArray[Any]:
        """Return the labels of the session, -1 where rows belong nowhere."""
        view = self._session.view()
        labels = view.labels.astype(np.int64)
        if view.nowhere is not None:
            labels[labels == view.nowhere] = -1
        return labels

    def places(self) -> Places:
        """Return the layout that the studio shows, or its first one."""
        there = self._session.has_layout("neighbours")
        return self._session.layout("neighbours" if there else "pca")

    def better_places(self) -> Places:
        """Return the layout that the studio shows."""
        return self._session.layout("neighbours")

    def colours(self) -> tuple[Codes, list[Seat]]:
        """Return the labels and clusters of the view."""
        view = self._session.view()
        return view.labels, [Seat(c.number, c.name, c.size) for c in view.clusters]

    def ask(self) -> Asked | None:
        """Return what the session asks next."""
        asked = self._session.query(1, asked=len(self._heard))
        return Asked(asked[0].i, asked[0].j, asked[0].why) if asked else None

    def hear(self, asked: Asked, verdict: str) -> str:
        """Record the answer."""
        event = self._session.answer(asked.i, asked.j, verdict)
        self._heard.append(event.seq)
        told = [trouble for trouble in self._session.conflicts() if event.seq in trouble.events]
        return told[0].sentence if told else ""

    def take_back(self) -> None:
        """Record that the last answer is undone."""
        self._session.undo(self._heard[-1])
        del self._heard[-1]

    def see(self, row: int) -> Seen:
        """Return what the studio shows of a row."""
        shown = self._session.rows([row])[0]
        seen: Seen = {"id": shown.id, "fields": shown.fields, "text": shown.text}
        if shown.has_image:
            try:
                seen["picture"] = picture_address(*self._session.image(row))
            except LinkwiseError:
                seen["picture"] = ""  # said to be there, and is not: the page says so
        return seen


def speak_with(
    model: SequentialClustering | Session, data: RowData | None, ids: ArrayLike | None
) -> Partner:
    """Return whom to speak with; whatever else cannot be asked is refused."""
    if isinstance(model, Session):
        if data is not None or ids is not None:
            raise InvalidInput("widget: a session knows its rows; leave data and ids out.")
        _check_number_of_rows(model.n_rows)
        if model.on_map is not None:
            raise InvalidInput(
                "widget: the map of this session shows only some of its rows, which stay in their "
                "files. The studio (linkwise studio) shows it."
            )
        return SessionPartner(model)
    if not isinstance(model, SequentialClustering):
        raise InvalidInput(
            f"widget: expected a fitted SequentialClustering or a Session, got "
            f"{type(model).__name__}. Only these can be asked and hear answers one by one."
        )
    check_is_fitted(model)
    n_rows = len(model.links_)
    _check_number_of_rows(n_rows)
    names = None if ids is None else np.asarray(ids)
    if names is not None and names.shape != (n_rows,):
        raise InvalidInput(
            f"widget: ids must be one per row, got shape {names.shape} for {n_rows} rows."
        )
    return ModelPartner(model, rows_seen(data, n_rows), names)


def _check_number_of_rows(n_rows: int) -> None:
    if n_rows > MOST_ROWS:
        raise InvalidInput(
            f"widget: a notebook shows up to {MOST_ROWS:,} rows, there are {n_rows:,}. "
            "The studio (linkwise studio) shows more."
        )
