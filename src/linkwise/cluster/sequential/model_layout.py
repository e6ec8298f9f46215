"""What the arrays of a stored model must look like, checked before anything computes with them.

Model files come from anywhere. Compiled code trusts its arrays: a row number or a block that is too
large would be read from memory that belongs to something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput

Array = NDArray[Any]


@dataclass(frozen=True)
class Part:
    """One array of a model.

    Parameters
    ----------
    dtype : type
        Type of its values.
    axes : str
        One letter per axis; equal letters mean equal lengths, throughout the model.
    below : str, default=""
        The letter of which the length bounds its values, which then are whole numbers from 0 on.
    order : str, default=""
        "increasing", or "distinct" where no value may occur twice.
    within : (float, float) or None, default=None
        The least and the largest value.
    """

    dtype: type[np.generic]
    axes: str
    below: str = ""
    order: str = ""
    within: tuple[float, float] | None = None


Layout = Mapping[str, Part]

#: One, and what rounding adds to it; and farther than prepared rows lie from their mean.
UNIT, FAR = 1 + 1e-6, 1e9
#: A cluster is one byte.
MOST_CLUSTERS = 256
#: Letters: n rows, p partitions, b blocks, k clusters, c classes, m links; l landmarks,
#: d directions, f features of landmarks, s rows spoken about, o rows left
#: out, w words of a generator, q and t sampled rows.
LAYOUTS: dict[str, Layout] = {
    "SequentialClustering": {
        "_basis.rows": Part(np.int64, "l", below="n", order="increasing"),
        "_basis.blocks": Part(np.uint8, "pl", below="b"),
        "_basis.vectors": Part(np.float64, "ld", within=(-UNIT, UNIT)),
        "_basis.smoothness": Part(np.float64, "d", within=(0, UNIT)),
        "_basis.labels": Part(np.int64, "l", below="k"),
        "_basis.lot": Part(np.int64, "l", below="l", order="distinct"),
        "_basis.features": Part(np.float32, "lf", within=(-FAR, FAR)),
        "_count.draws": Part(np.uint32, "w"),
        "_count.wanted": Part(np.int64, "", within=(-1, MOST_CLUSTERS)),
        "_count.left_out": Part(np.int64, "o", below="n", order="increasing"),
        "_solution.memberships": Part(np.float64, "lk", within=(0, UNIT)),
        "_solution.rows": Part(np.int64, "s", below="n", order="increasing"),
        "_solution.settled": Part(np.int64, "s", below="k"),
        "_solution.suspicion": Part(np.float64, "m", within=(0, UNIT)),
        "_solution.cluster_of": Part(np.int64, "c", below="k", order="distinct"),
    },
    "SCSC": {
        "weights_": Part(np.float64, "p", within=(0, UNIT)),
        "_query_rows": Part(np.int64, "q", below="n", order="distinct"),
        "_sample_blocks": Part(np.uint8, "pt", below="b"),
    },
}
#: What every model has besides.
SAID: Layout = {
    "links.must": Part(np.int64, "x2", below="n"),
    "links.cannot": Part(np.int64, "y2", below="n"),
    "links.weight": Part(np.float64, "m"),
    "named.rows": Part(np.int64, "g", below="n", order="increasing"),
    "named.codes": Part(np.int64, "g", below="c"),
}


class CheckedArrays(Mapping[str, Array]):
    """Arrays by name, each compared with the layout when it is read.

    Parameters
    ----------
    read : callable
        Returns the array of a name.
    layout : mapping of str to Part
        What they must look like; arrays it does not name must hold finite numbers.
    sizes : dict of str to int
        Lengths that are known; others become known when the first array that has them is read.
    where : str
        What to call the model in a sentence.
    """

    def __init__(
        self, read: Callable[[str], Array], layout: Layout, sizes: dict[str, int], where: str
    ) -> None:
        self._read, self._layout, self._where = read, layout, where
        self.sizes = {**sizes, "2": 2}

    def __getitem__(self, name: str) -> Array:
        array = self._read(name)
        part = self._layout.get(name)
        if part is not None:
            self._check_shape(name, array, part)
            self._check_values(name, array, part)
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise self._refusal(name, "holds values that are not finite")
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._layout)

    def __len__(self) -> int:
        return len(self._layout)

    def _check_shape(self, name: str, array: Array, part: Part) -> None:
        fits = array.dtype == part.dtype and array.ndim == len(part.axes)
        for letter, size in zip(part.axes, array.shape, strict=False):
            fits = fits and self.sizes.setdefault(letter, size) == size
        if not fits:
            found = f"is {array.dtype} of shape {array.shape} and does not fit the rest"
            raise self._refusal(name, found)

    def _check_values(self, name: str, array: Array, part: Part) -> None:
        if part.below and array.size:
            first, last = int(array.min()), int(array.max())
            limit = self.sizes.get(part.below, 0)
            if first < 0 or last >= limit:
                found = first if first < 0 else last
                raise self._refusal(name, f"holds {found}, expected numbers below {limit}")
        if part.within and array.size:
            low, high = float(array.min()), float(array.max())
            least, most = part.within
            if not (least <= low and high <= most):  # not a number is neither
                wrong = low if not least <= low else high
                raise self._refusal(name, f"holds {wrong:g}, expected {least:g} to {most:g}")
        if part.order == "increasing" and not (array[1:] > array[:-1]).all():
            raise self._refusal(name, "is not in increasing order")
        if part.order == "distinct" and len(np.unique(array)) < len(array):
            raise self._refusal(name, "holds a number twice")

    def _refusal(self, name: str, found: str) -> InvalidInput:
        return InvalidInput(f"{self._where} is damaged: the array {name} {found}.")
