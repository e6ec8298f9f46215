"""The partitions themselves: what is needed to label a row nobody has seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from linkwise.ensemble.preparation import TILE
from linkwise.errors import InvalidInput
from linkwise.kernels.nearest import label_tile, largest
from linkwise.kernels.scores import label_in_panels, pays

#: Labels are stored in one byte.
MOST_BLOCKS = 256

Layout = Mapping[str, tuple[type[np.generic], str]]


class PartitionModels(Protocol):
    """m partitions that can label prepared rows."""

    kind: ClassVar[str]
    layout: ClassVar[Layout]  # of the arrays worth storing: type, and one letter per axis

    @property
    def n_partitions(self) -> int: ...

    @property
    def n_blocks(self) -> int: ...

    def label(self, tile: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Label the columns of a (n_features, TILE) tile: (n_partitions, TILE)."""


@dataclass(frozen=True, eq=False)
class NearestCenters:
    """Each partition gives a row to the nearest of its centres, seen through its own features.

    Parameters
    ----------
    centers : ndarray of shape (n_partitions, n_blocks, n_used), float32
        Centres of each partition.
    offsets : ndarray of shape (n_partitions, n_blocks), float32
        Half the squared norm of each centre.
    features : ndarray of shape (n_partitions, n_used), int32
        Which prepared features each partition looks at.
    """

    centers: NDArray[np.float32]
    offsets: NDArray[np.float32]
    features: NDArray[np.int32]

    kind: ClassVar[str] = "nearest centers"
    layout: ClassVar[Layout] = {
        "centers": (np.float32, "pbu"),
        "offsets": (np.float32, "pb"),
        "features": (np.int32, "pu"),
    }

    @property
    def n_partitions(self) -> int:
        return int(self.centers.shape[0])

    @property
    def n_blocks(self) -> int:
        return int(self.centers.shape[1])

    def label(self, tile: NDArray[np.float32]) -> NDArray[np.uint8]:
        labels = np.empty((self.n_partitions, TILE), dtype=np.uint8)
        do = label_in_panels if pays() else label_tile
        floats = (np.ascontiguousarray(x, np.float32) for x in (tile, self.centers, self.offsets))
        do(*floats, np.ascontiguousarray(self.features, np.int32), labels)
        return labels


@dataclass(frozen=True, eq=False)
class KernelCenters:
    """Each partition gives a row to the nearest of its centres in the space of a Gaussian kernel.

    A centre is a weighted sum of landmarks, so that its product with a row is the same sum of
    kernel values ``exp(-|x - landmark|^2 / (2 width^2))``.

    Parameters
    ----------
    landmarks : ndarray of shape (n_partitions, n_landmarks, n_used), float32
        Landmark rows of each partition, through its own features.
    half_norms : ndarray of shape (n_partitions, n_landmarks), float32
        Half the squared norm of each landmark.
    inverse_variances : ndarray of shape (n_partitions,), float32
        ``1 / width^2`` of each partition.
    weights : ndarray of shape (n_partitions, n_blocks, n_landmarks), float32
        Centres as sums of landmarks.
    offsets : ndarray of shape (n_partitions, n_blocks), float32
        Half the squared norm of each centre in the space of the kernel.
    features : ndarray of shape (n_partitions, n_used), int32
        Which prepared features each partition looks at.
    """

    landmarks: NDArray[np.float32]
    half_norms: NDArray[np.float32]
    inverse_variances: NDArray[np.float32]
    weights: NDArray[np.float32]
    offsets: NDArray[np.float32]
    features: NDArray[np.int32]

    kind: ClassVar[str] = "kernel centers"
    layout: ClassVar[Layout] = {
        "landmarks": (np.float32, "plu"),
        "half_norms": (np.float32, "pl"),
        "inverse_variances": (np.float32, "p"),
        "weights": (np.float32, "pbl"),
        "offsets": (np.float32, "pb"),
        "features": (np.int32, "pu"),
    }

    @property
    def n_partitions(self) -> int:
        return int(self.landmarks.shape[0])

    @property
    def n_blocks(self) -> int:
        return int(self.weights.shape[1])

    def label(self, tile: NDArray[np.float32]) -> NDArray[np.uint8]:
        labels = np.empty((self.n_partitions, TILE), dtype=np.uint8)
        best = np.empty(TILE, dtype=np.float32)
        label = np.empty(TILE, dtype=np.int32)
        for p in range(self.n_partitions):
            scores = self.weights[p] @ self._kernel(p, tile[self.features[p]])
            largest(scores, self.offsets[p], best, label)
            labels[p] = label
        return labels

    def _kernel(self, p: int, part: NDArray[np.float32]) -> NDArray[np.float32]:
        exponent: NDArray[np.float32] = self.landmarks[p] @ part
        exponent -= self.half_norms[p, :, None]
        exponent -= 0.5 * np.einsum("ji,ji->i", part, part)
        exponent *= self.inverse_variances[p]
        np.minimum(exponent, 0, out=exponent)  # rounding may put a landmark beyond itself
        np.exp(exponent, out=exponent)
        return exponent

    def renamed(self, names: NDArray[np.integer[Any]]) -> KernelCenters:
        """Return the same partitions with label ``k`` of partition ``p`` called ``names[p, k]``."""
        order = np.argsort(names, axis=1)
        return KernelCenters(
            self.landmarks,
            self.half_norms,
            self.inverse_variances,
            np.take_along_axis(self.weights, order[:, :, None], axis=1),
            np.take_along_axis(self.offsets, order, axis=1),
            self.features,
        )


def models_from_arrays(
    kind: type[NearestCenters] | type[KernelCenters],
    arrays: Mapping[str, NDArray[Any]],
    n_features: int,
) -> NearestCenters | KernelCenters:
    """Rebuild models from stored arrays, refusing any that compiled code could not trust."""
    sizes: dict[str, int] = {}
    for name, (dtype, axes) in kind.layout.items():
        array = arrays[name]
        fits = array.dtype == dtype and array.ndim == len(axes)
        for axis, size in zip(axes, array.shape, strict=False):
            fits = fits and sizes.setdefault(axis, size) == size
        if not fits:
            raise InvalidInput(
                f"the array {name!r} of the stored ensemble is {array.dtype} of shape "
                f"{array.shape} and does not fit the others."
            )
        if array.size == 0 or not np.isfinite(array).all():
            raise InvalidInput(
                f"the array {name!r} of the stored ensemble is empty or holds values that are not "
                f"finite."
            )
    if sizes["b"] > MOST_BLOCKS:
        raise InvalidInput(f"the stored ensemble has {sizes['b']} blocks, {MOST_BLOCKS} at most.")
    features = arrays["features"]
    if not (features.min() >= 0 and features.max() < n_features):
        raise InvalidInput(f"the stored ensemble names features outside the {n_features} it has.")
    return kind(**{name: np.ascontiguousarray(arrays[name]) for name in kind.layout})
