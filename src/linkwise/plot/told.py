"""What functions that draw are told: arrays, or a fitted model that has them."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwise.constraints import Links
from linkwise.errors import InvalidInput


@runtime_checkable
class Fitted(Protocol):
    """A model that has clustered its rows."""

    labels_: Any


#: Labels, or the model that found them.
LabelsOrModel: TypeAlias = ArrayLike | Fitted


def labels_in(told: LabelsOrModel, where: str) -> NDArray[np.int64]:
    """Return the cluster of each row as whole numbers."""
    if hasattr(told, "fit") and not isinstance(told, Fitted):
        raise InvalidInput(
            f"plot.{where}: this {type(told).__name__} is not fitted yet. Call fit first."
        )
    labels = np.asarray(told.labels_ if isinstance(told, Fitted) else told)
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise InvalidInput(
            f"plot.{where}: labels must be one whole number per row, or a fitted model, "
            f"got {labels.dtype} of shape {labels.shape}."
        )
    return labels.astype(np.int64)


def links_in(told: object) -> Links | None:
    """Return the links that a model has heard, if it keeps them."""
    found = getattr(told, "links_", None)
    return found if isinstance(found, Links) else None
