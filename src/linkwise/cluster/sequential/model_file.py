"""Models on disk: a folder of JSON and arrays, nothing executable."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.sequential.model_layout import LAYOUTS, MOST_CLUSTERS, SAID, CheckedArrays
from linkwise.constraints import Links, PartialLabels
from linkwise.engines.base import Engine
from linkwise.engines.find import find_engine
from linkwise.ensemble import Ensemble, SourceLike
from linkwise.ensemble.execution import Execution
from linkwise.ensemble.models import PartitionModels
from linkwise.ensemble.preparation import Preparation
from linkwise.errors import InvalidInput
from linkwise.files.headed import Format, read_array, short, write_arrays
from linkwise.running import current_options

FORMAT = Format("linkwise model", 6)
HEADER_FILE = "model.json"
ENSEMBLE_FOLDER = "ensemble"
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
    stored.ensemble.save(draft / ENSEMBLE_FOLDER)
    links = {f"links.{part}": getattr(stored.links, part) for part in ("must", "cannot", "weight")}
    rows = stored.named.known_rows
    names = {"named.rows": rows, "named.codes": stored.named.codes[rows]}
    write_arrays(draft, {**links, **names, **stored.arrays})
    params = dict(stored.params)
    params.pop("engine", None)  # where work is done is no part of a model
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


def load(
    path: str | os.PathLike[str],
    *,
    mmap: bool = False,
    X: SourceLike | None = None,
    engine: str | Engine = "cpu",
) -> Any:
    """Open a model that ``save`` wrote: the same labels, ready for more answers.

    Parameters
    ----------
    path : path-like
        The folder that ``save`` wrote.
    mmap : bool, default=False
        Leave the partitions' labels in their file, mapped, instead of reading them into memory.
    X : array-like, path or RowSource, default=None
        The rows the model was fitted on, to have them labelled again instead of reading their
        labels. A model that lay on a cluster is stored without these.
    engine : {"cpu", "cuda", "ray"} or engine, default="cpu"
        Where the work over all rows is to be done from now on.

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
    label = None if X is None else _labelling(X, find_engine(engine), folder, header["n_rows"])
    ensemble = Ensemble.load(folder / ENSEMBLE_FOLDER, mmap, label)
    _check_fits(folder / HEADER_FILE, header, ensemble)
    sizes = {
        "n": ensemble.n_rows,
        "p": ensemble.n_partitions,
        "b": ensemble.n_blocks,
        "k": _n_clusters(header),
        "c": len(header.get("classes", ())),
    }
    arrays = CheckedArrays(
        lambda name: read_array(folder, name, FORMAT.what),
        {**SAID, **LAYOUTS[kind]},
        sizes,
        str(folder),
    )
    must, cannot = arrays["links.must"], arrays["links.cannot"]
    arrays.sizes["m"] = len(must) + len(cannot)
    stored = StoredModel(
        kind=kind,
        params={**header["params"], "engine": engine},
        n_features=header["n_features"],
        feature_names=header["feature_names"],
        ensemble=ensemble,
        links=Links(ensemble.n_rows, must=must, cannot=cannot, weight=arrays["links.weight"]),
        named=_read_names(arrays, header),
        arrays=arrays,
        n_clusters=arrays.sizes["k"],
        version=header["version"],
    )
    return getattr(import_module(_CLASSES[kind]), kind).restore(stored)


def _labelling(
    X: SourceLike, engine: Engine, folder: Path, n_rows: int
) -> Callable[[Preparation, PartitionModels], Ensemble]:
    """Return what labels the rows of a stored model again."""
    source, options = engine.open(X), current_options()
    if source.n_rows != n_rows:
        raise InvalidInput(f"{folder} is a model of {n_rows} rows, but X has {source.n_rows}.")
    execution = Execution(progress=options.progress, cancel=options.cancel)
    return lambda preparation, models: engine.label(
        source, preparation, models, options.folder, execution
    )


def _plain(value: Any) -> Any:
    """Turn NumPy numbers into Python's for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be written to JSON.")


def _read_names(arrays: Mapping[str, NDArray[Any]], header: dict[str, Any]) -> PartialLabels:
    n_rows = int(header["n_rows"])
    if header["version"] < 3:  # labels were kept as links
        return PartialLabels.of_rows({}, n_rows)
    rows = arrays["named.rows"].tolist()
    names = [header["classes"][code] for code in arrays["named.codes"].tolist()]
    return PartialLabels.of_rows(dict(zip(rows, names, strict=True)), n_rows)


def _read_header(path: Path) -> dict[str, Any]:
    """Return the header, every field of which is what it should be."""
    header = FORMAT.read(path)
    kind = header.get("class")
    if not isinstance(kind, str) or kind not in _CLASSES:
        raise InvalidInput(f"{path} holds a {short(kind)}, which cannot be loaded.")
    for name, fits in _FIELDS.items():
        needed = header["version"] >= _SINCE.get(name, 1)
        if needed and (name not in header or not fits(header[name])):
            found = f"is {short(header[name])}" if name in header else "is missing"
            raise InvalidInput(f"{path} is damaged: {name} {found}.")
    known = signature(getattr(import_module(_CLASSES[kind]), kind).__init__).parameters
    for name, value in header["params"].items():
        if name not in known or not isinstance(value, _PLAIN):
            raise InvalidInput(
                f"{path} is damaged: {kind} has no parameter {short(name)} that could be "
                f"{short(value)}."
            )
    if "n_clusters" not in header["params"]:
        raise InvalidInput(f"{path} is damaged: params does not name n_clusters.")
    if header["version"] < 4 and header["params"]["n_clusters"] == "auto":
        raise InvalidInput(f"{path} is damaged: it does not tell how many clusters there are.")
    return header


def _check_fits(path: Path, header: dict[str, Any], ensemble: Ensemble) -> None:
    """Refuse a header that speaks of other rows, features or partitions than the ensemble has."""
    told = {name: header[name] for name in ("n_rows", "n_features")}
    told["n_partitions"] = header["params"].get("n_partitions", ensemble.n_partitions)
    for name, value in told.items():
        found = getattr(ensemble, name)
        if value != found:
            raise InvalidInput(
                f"{path} is damaged: it tells of {short(value)} {name[2:]}, its ensemble has "
                f"{found}."
            )
    if len(header["feature_names"]) not in (0, ensemble.n_features):
        raise InvalidInput(
            f"{path} is damaged: it has {len(header['feature_names'])} names for "
            f"{ensemble.n_features} features."
        )


def _n_clusters(header: dict[str, Any]) -> int:
    """Return the number of clusters; what is none is refused where the model is made."""
    value = (header if header["version"] >= 4 else header["params"])["n_clusters"]
    return value if type(value) is int else 0


def _are_texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _are_classes(values: object) -> bool:
    if not isinstance(values, list) or not all(isinstance(v, _PLAIN) for v in values):
        return False
    return None not in values and len(set(values)) == len(values)


#: Values that JSON has, besides lists and objects.
_PLAIN = str | int | float | bool | None
#: What the fields of the header must look like.
_FIELDS: dict[str, Callable[[Any], bool]] = {
    "params": lambda value: isinstance(value, dict),
    "n_rows": lambda value: type(value) is int and value >= 1,
    "n_features": lambda value: type(value) is int and value >= 1,
    "feature_names": _are_texts,
    "classes": _are_classes,
    "n_clusters": lambda value: type(value) is int and 1 <= value <= MOST_CLUSTERS,
}
#: The versions from which on there are fields that older files lack.
_SINCE = {"classes": 3, "n_clusters": 4}
