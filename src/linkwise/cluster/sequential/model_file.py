"""Models on disk: a folder of JSON and arrays, nothing executable."""

from __future__ import annotations

import os
import shutil
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from linkwise.constraints import Links
from linkwise.ensemble import Ensemble
from linkwise.errors import InvalidInput
from linkwise.files.headed import Format, read_array, write_arrays

FORMAT = Format("linkwise model", 2)
HEADER_FILE = "model.json"
#: The classes that can be written, where they live, and the values that hold their fitted state.
_CLASSES: dict[str, tuple[str, dict[str, str]]] = {
    "SequentialClustering": (
        "linkwise.cluster.sequential.sequential",
        {
            "_basis": "linkwise.cluster.sequential.landmarks.Basis",
            "_solution": "linkwise.cluster.sequential.sequential.Solution",
        },
    ),
    "SCSC": ("linkwise.cluster.sequential.scsc", {}),
}
_ARRAYS: dict[str, tuple[str, ...]] = {
    "SequentialClustering": (),
    "SCSC": ("weights_", "_query_rows", "_sample_blocks"),
}


def save_model(model: Any, folder: Path) -> None:
    """Write ``model``; a model that is there already is replaced only when all is written."""
    if folder.exists() and not (folder / HEADER_FILE).is_file():
        raise InvalidInput(f"{folder} exists and is not a linkwise model; it was left alone.")
    draft = folder.with_name(folder.name + ".new")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    model.ensemble_.save(draft / "ensemble")
    write_arrays(draft, _state(model))
    params = model.get_params()
    if not isinstance(params["random_state"], int | None):
        params["random_state"] = None
    header = {
        "class": type(model).__name__,
        "params": params,
        "n_features": int(model.n_features_in_),
        "feature_names": getattr(model, "feature_names_in_", np.empty(0)).tolist(),
        "n_rows": model.ensemble_.n_rows,
    }
    FORMAT.write(draft / HEADER_FILE, header, default=_plain)
    if folder.exists():
        old = folder.with_name(folder.name + ".old")
        shutil.rmtree(old, ignore_errors=True)
        os.replace(folder, old)
        os.replace(draft, folder)
        shutil.rmtree(old)
    else:
        os.replace(draft, folder)


def load(path: str | os.PathLike[str], *, mmap: bool = False) -> Any:
    """Open a model that ``save`` wrote: the same labels, ready for more answers.

    Parameters
    ----------
    path : path-like
        The folder that ``save`` wrote.
    mmap : bool, default=False
        Leave the partitions' labels in their file, mapped, instead of reading them into memory.

    Examples
    --------
    >>> import tempfile, linkwise as lw
    >>> model = lw.SequentialClustering(2, n_partitions=5).fit([[0.0], [1.0], [8.0], [9.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model")
    ...     twin = lw.load(f"{folder}/model")
    >>> bool((twin.labels_ == model.labels_).all())
    True
    """
    folder = Path(path)
    header = _read_header(folder / HEADER_FILE)
    name = header["class"]
    module, values = _CLASSES[name]
    model: Any = getattr(import_module(module), name)(**header["params"])
    model.ensemble_ = Ensemble.load(folder / "ensemble", mmap=mmap)
    model.n_features_in_ = int(header["n_features"])
    if header["feature_names"]:
        model.feature_names_in_ = np.array(header["feature_names"], dtype=object)
    model.n_iter_ = 1
    for attribute, home in values.items():
        where, kind_name = home.rsplit(".", 1)
        kind = getattr(import_module(where), kind_name)
        names = {f.name for f in fields(kind)}
        if header["version"] == 1:
            names -= {"features"}
        parts = {part: _read(folder, f"{attribute}.{part}") for part in names}
        if attribute == "_basis" and header["version"] == 1:  # it kept no features
            parts["features"] = np.empty((len(parts["rows"]), 0), dtype=np.float32)
        setattr(model, attribute, kind(**parts))
    for attribute in _ARRAYS[name]:
        setattr(model, attribute, _read(folder, attribute))
    model.links_ = Links(
        int(header["n_rows"]),
        must=_read(folder, "links.must"),
        cannot=_read(folder, "links.cannot"),
        weight=_read(folder, "links.weight"),
    )
    model._voted = None
    return model


def _state(model: Any) -> dict[str, Any]:
    name = type(model).__name__
    state = {f"links.{part}": getattr(model.links_, part) for part in ("must", "cannot", "weight")}
    for attribute in _CLASSES[name][1]:
        value = getattr(model, attribute)
        state |= {f"{attribute}.{f.name}": getattr(value, f.name) for f in fields(value)}
    return state | {attribute: getattr(model, attribute) for attribute in _ARRAYS[name]}


def _plain(value: Any) -> Any:
    """Turn NumPy numbers into Python's for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be written to JSON.")


def _read(folder: Path, name: str) -> Any:
    return read_array(folder, name, FORMAT.what)


def _read_header(path: Path) -> dict[str, Any]:
    header = FORMAT.read(path)
    if header.get("class") not in _CLASSES:
        raise InvalidInput(f"{path} holds a {header.get('class')!r}, which cannot be loaded.")
    return header
