"""Pictures: a small colour copy and its edges, without any model."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from linkwise.ensemble.execution import Execution
from linkwise.features.pictures.edges import edges, n_edge_features
from linkwise.features.pictures.picture_files import (
    SKIP,
    BrokenPicture,
    picture_paths,
    thumbnail,
)
from linkwise.features.unit_length import unit_length
from linkwise.running import current_options
from linkwise.threads import map_in_order

#: Pixels of the small copy's side.
SIDE = 32
_CHUNK = 64

Pictures = str | PathLike[str] | Sequence[str | PathLike[str]]


class ImageFeatures(TransformerMixin, BaseEstimator):
    """Rows of numbers from pictures, without any model.

    A picture is turned as its camera says, laid on white and squeezed to 32 x 32 pixels. Their
    3072 colour values less their mean, and the 324 numbers that say where its edges run in which
    direction (HOG), are two parts of a row, each of length one. That tells drawings, digits,
    products and scenes apart by how they look, not by what they mean: for that there is
    :class:`~linkwise.features.ImageEmbeddings`.

    Parameters
    ----------
    skip_broken : bool, default=False
        Leave out files that cannot be read, and list them in ``broken_``, instead of refusing.

    Attributes
    ----------
    paths_ : list of Path
        The files that the rows of the last ``fit`` or ``transform`` stand for, in their order.
    broken_ : dict of str to str
        The files that were left out, and what is wrong with each.

    Examples
    --------
    >>> import tempfile
    >>> from PIL import Image
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for colour in ("red", "navy"):
    ...         Image.new("RGB", (60, 40), colour).save(f"{folder}/{colour}.png")
    ...     features = ImageFeatures()
    ...     X = features.fit_transform(folder)
    >>> X.shape, [path.name for path in features.paths_]
    ((2, 3396), ['navy.png', 'red.png'])
    """

    def __init__(self, *, skip_broken: bool = False) -> None:
        self.skip_broken = skip_broken

    def fit(self, X: Pictures, y: object = None) -> Self:
        """Find the pictures; there is nothing to learn from them.

        Parameters
        ----------
        X : path or sequence of paths
            A folder, searched with the folders in it, or files.
        y : ignored
        """
        del y
        self.paths_ = picture_paths(X)
        self.broken_: dict[str, str] = {}
        return self

    def transform(self, X: Pictures) -> NDArray[np.float32]:
        """Return a row for every picture of a folder, or of a list of files."""
        check_is_fitted(self, "paths_")
        self.paths_ = picture_paths(X)
        self.broken_ = {}
        rows = np.empty((len(self.paths_), N_FEATURES), dtype=np.float32)
        try:
            self.broken_ = fill_picture_rows(self.paths_, rows, refuse=not self.skip_broken)
        except BrokenPicture as error:
            raise BrokenPicture(f"{error} {SKIP}") from None
        if not self.broken_:
            return rows
        if len(self.broken_) == len(self.paths_):
            raise BrokenPicture(
                f"none of {len(self.paths_)} pictures can be read. "
                f"{next(iter(self.broken_.values()))}"
            )
        there = [k for k, path in enumerate(self.paths_) if str(path) not in self.broken_]
        self.paths_ = [self.paths_[k] for k in there]
        return rows[there]

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return what the columns of the result are called."""
        del input_features
        return np.array(feature_names(), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


_N_PIXELS = SIDE * SIDE * 3
#: Numbers of one picture.
N_FEATURES = _N_PIXELS + n_edge_features(SIDE)


def feature_names() -> list[str]:
    """Return what the numbers of a picture are called."""
    pixels = [f"pixel {r},{c} {of}" for r in range(SIDE) for c in range(SIDE) for of in "rgb"]
    return [*pixels, *(f"edge {k}" for k in range(n_edge_features(SIDE)))]


def fill_picture_rows(
    paths: Sequence[Path], out: NDArray[np.float32], *, refuse: bool
) -> dict[str, str]:
    """Write a row per picture, zeros for those that cannot be read; say which ones and why."""
    wishes = current_options()
    execution = Execution(progress=wishes.progress, cancel=wishes.cancel)
    broken: dict[str, str] = {}

    def look(start: int) -> tuple[NDArray[np.float32], dict[str, str]]:
        return _rows(paths[start : start + _CHUNK], refuse=refuse)

    starts = range(0, len(paths), _CHUNK)
    with closing(map_in_order(look, starts, execution.n_threads)) as found:
        for start, (rows, wrong) in zip(starts, found, strict=True):
            out[start : start + len(rows)] = rows
            broken |= wrong
            execution.step(start + len(rows), len(paths), "reading pictures")
    return broken


def _rows(paths: Sequence[Path], *, refuse: bool) -> tuple[NDArray[np.float32], dict[str, str]]:
    small = np.zeros((len(paths), SIDE, SIDE, 3), dtype=np.uint8)
    broken = {}
    for k, path in enumerate(paths):
        try:
            small[k] = thumbnail(path, SIDE)
        except BrokenPicture as error:
            if refuse:
                raise
            broken[str(path)] = str(error)
    colours = small.reshape(len(paths), -1).astype(np.float32)
    colours -= colours.mean(axis=1, keepdims=True)
    return np.hstack([unit_length(colours), unit_length(edges(small))]), broken
