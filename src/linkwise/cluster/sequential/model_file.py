"""Models on disk: a folder of JSON and arrays, nothing executable."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links, PartialLabels
from linkwise.ensemble import Ensemble
from linkwise.errors import InvalidInput
from linkwise.files.headed import Format, read_array, write_arrays

FORMAT = Format("linkwise model", 4)
HEADER_FILE = "model.json"
#: The classes that can be written, and where they live.
_CLASSES = {
    "SequentialClustering": "linkwise.cluster.sequential.sequential",
    "SCSC": "linkwise.cluster.sequential.scsc",
}


@dataclass(frozen=True, eq=False)
class StoredModel:
    """A fitted model as it is kept; which ``arrays`` are its state, its class alone knows."""

    kind: str
    params: dict[str, Any]
    n_features: int
    feature_names: list[str]
    ensemble: Ensemble
    links: Links
    named: PartialLabels
    arrays: Mapping[str, NDArray[Any]]
    n_clusters: int
    version: int = FORMAT.version


def write_model(stored: StoredModel, folder: Path) -> None:
    """Write a model; one that is there already is replaced only when all is written."""
    if folder.exists() and not (folder / HEADER_FILE).is_file():
        raise InvalidInput(f"{folder} exists and is not a linkwise model; it was left alone.")
    draft = folder.with_name(folder.name + ".new")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    stored.ensemble.save(draft / "ensemble")
    links = {f"links.{part}": getattr(stored.links, part) for part in ("must", "cannot", "weight")}
    rows = stored.named.known_rows
    names = {"named.rows": rows, "named.codes": stored.named.codes[rows]}
    write_arrays(draft, {**links, **names, **stored.arrays})
    params = dict(stored.params)
    if not isinstance(params["random_state"], int | None):
        params["random_state"] = None
    header = {
        "class": stored.kind,
        "params": params,
        "n_clusters": stored.n_clusters,
        "n_features": stored.n_features,
        "feature_names": stored.feature_names,
        "n_rows": stored.ensemble.n_rows,
        "classes": stored.named.classes.tolist(),
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
    kind = header["class"]
    arrays = _ArrayFiles(folder)
    stored = StoredModel(
        kind=kind,
        params=header["params"],
        n_features=int(header["n_features"]),
        feature_names=header["feature_names"],
        ensemble=Ensemble.load(folder / "ensemble", mmap=mmap),
        links=Links(
            int(header["n_rows"]),
            must=arrays["links.must"],
            cannot=arrays["links.cannot"],
            weight=arrays["links.weight"],
        ),
        named=_read_names(arrays, header),
        arrays=arrays,
        n_clusters=int(header.get("n_clusters", header["params"]["n_clusters"])),
        version=header["version"],
    )
    return getattr(import_module(_CLASSES[kind]), kind).restore(stored)


def _plain(value: Any) -> Any:
    """Turn NumPy numbers into Python's for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be written to JSON.")


def _read_names(arrays: Mapping[str, NDArray[Any]], header: dict[str, Any]) -> PartialLabels:
    n_rows = int(header["n_rows"])
    if header["version"] < 3:  # labels were kept as links
        return PartialLabels.of_rows({}, n_rows)
    names = [header["classes"][code] for code in arrays["named.codes"]]
    rows = arrays["named.rows"].tolist()
    return PartialLabels.of_rows(dict(zip(rows, names, strict=True)), n_rows)


class _ArrayFiles(Mapping[str, NDArray[Any]]):
    """The ``.npy`` files of a folder by name, read when asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __getitem__(self, name: str) -> NDArray[Any]:
        return read_array(self.folder, name, FORMAT.what)

    def __iter__(self) -> Iterator[str]:
        return (path.stem for path in sorted(self.folder.glob("*.npy")))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _read_header(path: Path) -> dict[str, Any]:
    header = FORMAT.read(path)
    if header.get("class") not in _CLASSES:
        raise InvalidInput(f"{path} holds a {header.get('class')!r}, which cannot be loaded.")
    return header
