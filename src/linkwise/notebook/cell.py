"""The widget: what the cell's page is told, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import anywidget
import numpy as np
import traitlets as t
from numpy.typing import NDArray

from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.constraints import Links
from linkwise.errors import InvalidInput, LinkwiseError, MissingData
from linkwise.notebook.rows import Seen
from linkwise.notebook.speaking import Asked, Partner
from linkwise.session.data.layout import Places

#: The page, which ``web/build.py`` makes of the studio's own parts.
PAGE = Path(__file__).parent / "page" / "widget.js"
VERDICTS = ("same", "different", "unsure")


class ClusterWidget(anywidget.AnyWidget):
    """A map of the rows and one question at a time; made by :func:`linkwise.widget`.

    Attributes
    ----------
    pair : tuple of int or None
        The two rows that are asked about; None if nothing is worth asking.
    model : SequentialClustering
        The model with all that was said; of a session, a copy of its model.
    links : Links
        All links that the model has heard.
    labels : ndarray of shape (n_samples,)
        The cluster of each row, -1 for none.
    """

    #: Two float32 for each row, the first row first; in [-1, 1].
    places = t.Bytes().tag(sync=True)
    #: The cluster of each row, in one byte, or in two where there are more than 255.
    colours = t.Bytes().tag(sync=True)
    n_bytes = t.Int(1).tag(sync=True)
    clusters = t.List(t.Dict()).tag(sync=True)
    question = t.Dict(allow_none=True, default_value=None).tag(sync=True)
    #: What the person should know: what contradicts the answer, what could not be done.
    notice = t.Unicode().tag(sync=True)
    n_answers = t.Int(0).tag(sync=True)
    #: Messages that were dealt with, so that the page knows when to go on.
    n_dealt_with = t.Int(0).tag(sync=True)

    def __init__(self, partner: Partner) -> None:
        self._partner = partner
        self._asked: Asked | None = None
        self._n_asked = 0
        if not PAGE.exists():
            raise MissingData(f"{PAGE} is not built. In a checkout, run: make page")
        self._esm = PAGE.read_text(encoding="utf-8")
        self._improving: Thread | None = None
        super().__init__(places=_bytes_of(partner.places()), **self._standing())
        self.on_msg(self._told)

    @property
    def model(self) -> SequentialClustering:
        """The model with all that was said."""
        return self._partner.model

    @property
    def links(self) -> Links:
        """All links that the model has heard."""
        return self._partner.model.links_

    @property
    def labels(self) -> NDArray[Any]:
        """The cluster of each row, -1 for none."""
        return self._partner.labels()

    @property
    def pair(self) -> tuple[int, int] | None:
        """The two rows that are asked about."""
        return None if self._asked is None else (self._asked.i, self._asked.j)

    def answer(self, verdict: str) -> None:
        """Answer the question that stands: "same", "different" or "unsure"."""
        if verdict not in VERDICTS:
            raise InvalidInput(f"verdict is {verdict!r}, expected one of {', '.join(VERDICTS)}.")
        if self._asked is None:
            raise InvalidInput("there is no question to answer: nothing is worth asking.")
        notice = self._partner.hear(self._asked, verdict)
        self._show(notice)

    def undo(self) -> None:
        """Take back the last answer that was given here."""
        if not self._partner.n_heard:
            raise InvalidInput("there is no answer to take back.")
        self._partner.take_back()
        self._show()

    def refresh(self) -> None:
        """Show what the model or session has heard elsewhere, too."""
        self._show()

    def improve(self) -> None:
        """Find better places for the rows, beside all else; the map glides there.

        The cell asks for it when it is first shown.
        """
        if self._improving is None:
            self._improving = Thread(target=self._improve, daemon=True)
            self._improving.start()

    def _improve(self) -> None:
        self.places = _bytes_of(self._partner.better_places())

    def _show(self, notice: str = "") -> None:
        standing = self._standing()
        with self.hold_sync():
            for name, value in standing.items():
                self.set_trait(name, value)
            self.notice = notice

    def _standing(self) -> dict[str, Any]:
        """Return the colours and the question as they are now."""
        codes, seats = self._partner.colours()
        self._asked = asked = self._partner.ask()
        self._n_asked += 1
        question = None
        if asked is not None:
            pair = [self._row(asked.i), self._row(asked.j)]
            question = {"number": self._n_asked, "rows": pair, "why": asked.why}
        return {
            "colours": np.ascontiguousarray(codes, dtype=codes.dtype.newbyteorder("<")).tobytes(),
            "n_bytes": codes.dtype.itemsize,
            "clusters": [vars(seat) for seat in seats],
            "question": question,
            "n_answers": self._partner.n_heard,
        }

    def _row(self, row: int) -> Seen:
        """Return a row as the page's parts want it."""
        nothing: Seen = {"fields": {}, "text": None, "picture": None}
        return {"row": row, **nothing, **self._partner.see(row)}

    def _told(self, _: object, content: Mapping[str, Any], buffers: object) -> None:  # noqa: ARG002
        """Deal with what the page says; what it cannot have is said in a sentence."""
        try:
            kind = content.get("kind")
            if kind == "answer" and self._question_number() == content.get("question"):
                self.answer(str(content.get("verdict")))
            elif kind == "undo":
                self.undo()
            elif kind == "improve":
                self.improve()
            elif kind == "look":
                self.send({"kind": "row", "row": self._row(self._checked(content.get("row")))})
        except LinkwiseError as error:
            self.notice = str(error)
        finally:
            self.n_dealt_with += 1

    def _question_number(self) -> int | None:
        return None if self._asked is None else self._n_asked

    def _checked(self, row: object) -> int:
        n_rows = len(self.colours) // self.n_bytes
        if not isinstance(row, int) or not 0 <= row < n_rows:
            raise InvalidInput(f"row {row!r} is outside the {n_rows} rows (0 to {n_rows - 1}).")
        return row


def _bytes_of(places: Places) -> bytes:
    return np.ascontiguousarray(places, dtype="<f4").tobytes()
