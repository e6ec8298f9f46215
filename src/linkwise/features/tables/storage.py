"""Fitted parts as JSON and arrays, and back; nothing executable is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.features.blocks.categories import EitherBlock, LettersBlock, OneHotBlock
from linkwise.features.blocks.dates import DateBlock
from linkwise.features.blocks.numbers import NumberBlock, Squash
from linkwise.features.blocks.picture_column import PictureBlock
from linkwise.features.blocks.terms import Terms
from linkwise.features.blocks.texts import TextBlock
from linkwise.features.blocks.vectors import VectorBlock

#: Every part that can be stored, by name.
_PARTS = {
    part.__name__: part
    for part in (
        DateBlock,
        EitherBlock,
        LettersBlock,
        NumberBlock,
        OneHotBlock,
        PictureBlock,
        Squash,
        Terms,
        TextBlock,
        VectorBlock,
    )
}


def take_apart(part: object, prefix: str, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Return a part as JSON; arrays go to ``arrays`` under names that begin with ``prefix``."""
    header: dict[str, Any] = {"part": type(part).__name__}
    for field in fields(part):  # type: ignore[arg-type]
        value, name = getattr(part, field.name), f"{prefix}.{field.name}"
        if isinstance(value, np.ndarray):
            arrays[name] = value
            header[field.name] = {"array": name}
        elif is_dataclass(value):
            header[field.name] = take_apart(value, name, arrays)
        else:
            header[field.name] = value
    return header


def put_together(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Any:
    """Return the part that :func:`take_apart` took apart."""
    values = {}
    for name, value in header.items():
        if isinstance(value, Mapping):
            value = arrays[value["array"]] if "array" in value else put_together(value, arrays)
        values[name] = value
    return _PARTS[values.pop("part")](**values)
