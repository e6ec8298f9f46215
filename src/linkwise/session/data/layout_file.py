"""Layouts on disk: made once, read when asked for."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from threading import Lock

import numpy as np

from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.engines.find import find_engine
from linkwise.ensemble.sources import sample_rows
from linkwise.errors import InvalidInput, LinkwiseError
from linkwise.files.headed import read_array
from linkwise.session.data.description import Description
from linkwise.session.data.file import prepared_rows
from linkwise.session.data.layout import (
    KINDS,
    Places,
    map_rows,
    neighbours_layout,
    pca_layout,
)

logger = logging.getLogger(__name__)

_FILE = "layout-{}.npy"


class LayoutFiles:
    """The layouts of one session: places for the rows ``shown``, increasing."""

    def __init__(self, folder: Path, about: Description, model: SequentialClustering) -> None:
        self._folder, self._about, self._model = folder, about, model
        self.shown = np.arange(about.n_rows)
        if about.in_place:
            self.shown = map_rows(about.n_rows, model.landmarks_.rows)
        self._making = {kind: Lock() for kind in KINDS}

    def ready(self) -> list[str]:
        """Return the kinds that are there."""
        return [kind for kind in KINDS if layout_path(self._folder, kind).is_file()]

    def get(self, kind: str) -> Places:
        """Return a layout, made if it is not there or cannot be read."""
        if kind not in KINDS:
            raise InvalidInput(f"layout is {kind!r}, expected one of {', '.join(KINDS)}.")
        with self._making[kind]:
            places = self._read(kind)
            if places is None:
                places = self._make(kind)
                self._write(kind, places)
            return places

    def _write(self, kind: str, places: Places) -> None:
        """Keep a layout; it can be made again, so a full disk is no reason to fail."""
        try:
            write_layout(self._folder, kind, places)
        except OSError as error:
            logger.warning("the layout %s could not be kept (%s)", kind, error)

    def _read(self, kind: str) -> Places | None:
        try:
            path = layout_path(self._folder, kind)
            places = read_array(path.parent, path.stem, "layout")
        except LinkwiseError:
            return None
        fits = places.shape == (len(self.shown), 2) and places.dtype == np.float32
        return places if fits else None

    def _make(self, kind: str) -> Places:
        if kind == "neighbours":
            return neighbours_layout(self._model, self.shown)
        about = self._about
        about.data.check()
        if about.in_place:
            rows = find_engine(self._model.engine).open(about.open_rows())
            return pca_layout(sample_rows(rows, self.shown))
        return pca_layout(prepared_rows(about.read_rows(), about.standardised))


def layout_path(folder: Path, kind: str) -> Path:
    """Return the file of a layout."""
    return folder / _FILE.format(kind)


def write_layout(folder: Path, kind: str, places: Places) -> None:
    """Write a layout; readers see it whole or not at all."""
    path = layout_path(folder, kind)
    draft = path.with_suffix(".new")
    with draft.open("wb") as file:
        np.save(file, places, allow_pickle=False)
    draft.chmod(0o600)
    os.replace(draft, path)
