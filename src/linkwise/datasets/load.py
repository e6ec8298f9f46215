"""``load("digits")``: rows and truth by name, or a sentence that says what is missing."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.datasets
from numpy.typing import NDArray

from linkwise.errors import InvalidInput, MissingData
from linkwise.typing import Matrix

_BUNDLED: dict[str, Callable[[], Any]] = {
    "breast_cancer": sklearn.datasets.load_breast_cancer,
    "digits": sklearn.datasets.load_digits,
    "iris": sklearn.datasets.load_iris,
    "wine": sklearn.datasets.load_wine,
}

#: Larger sets: expected shape, and the OpenML number where the same table is published there.
_LARGER: dict[str, tuple[int, int, int | None]] = {
    "bci": (400, 117, None),
    "breast": (699, 9, None),
    "coil100": (7200, 1024, None),
    "coil20": (1440, 1024, None),
    "coil3": (216, 1024, None),
    "covtype": (581012, 54, None),
    "digits_oddeven": (1797, 64, None),
    "ecoli": (332, 7, None),
    "glass": (214, 9, 41),
    "ionosphere": (351, 34, 59),
    "letter": (20000, 16, 6),
    "letterIJL": (227, 16, None),
    "magic": (19020, 10, 1120),
    "mfeat_fac": (2000, 216, 12),
    "mnist": (70000, 784, 554),
    "mnist0689": (800, 784, None),
    "ohscal": (11162, 11465, None),
    "optdigits": (5620, 64, 28),
    "pendigit389": (318, 16, None),
    "pendigits": (10992, 16, 32),
    "pie": (11554, 1024, None),
    "pie10_exact": (1700, 1024, None),
    "satimage": (4435, 36, None),
    "satimage_full": (6435, 36, 182),
    "segment": (2310, 19, 36),
    "sonar": (208, 60, 40),
    "usps": (9298, 256, 41082),
    "uspst": (2007, 256, None),
    "vehicle": (846, 18, 54),
}


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows ``X``, truth ``y`` as 0..k-1, and the name they go by.

    See Also
    --------
    load : Reads one.

    Examples
    --------
    >>> wine = load("wine")
    >>> wine.X.shape, wine.n_classes
    ((178, 13), 3)
    """

    name: str
    X: Any
    y: NDArray[np.int64]

    @property
    def n_classes(self) -> int:
        """Number of classes in ``y``."""
        return len(np.unique(self.y))

    def __repr__(self) -> str:
        n, d = self.X.shape
        return f"Dataset({self.name!r}: {n} rows, {d} features, {self.n_classes} classes)"


def available() -> list[str]:
    """Return the names that ``load`` can answer on this machine without a download.

    These are the bundled sets and every ``.npz`` file in the folder ``LINKWISE_DATA``.

    See Also
    --------
    load : Reads a set by its name.

    Examples
    --------
    >>> "digits" in available()
    True
    """
    folder = _folder()
    here = () if folder is None else (path.stem for path in folder.glob("*.npz"))
    return sorted({*_BUNDLED, *here})


def size(name: str) -> int:
    """Return how many numbers the rows of a set here hold, without reading them.

    Examples
    --------
    >>> size("iris")
    600
    """
    folder = _folder()
    if name in _BUNDLED or folder is None:
        return int(load(name).X.size)
    path = folder / f"{name}.npz"
    if not zipfile.is_zipfile(path):
        raise InvalidInput(f"{path} is no .npz file: numpy.savez writes one.")
    with zipfile.ZipFile(path) as parts:
        held = [Path(member).stem for member in parts.namelist()]
        if "y" not in held or not {"X", "data"} & set(held):
            raise InvalidInput(f"{path} holds no X and y, but {', '.join(held) or 'nothing'}.")
        member = "X.npy" if "X" in held else "data.npy"
        with parts.open(member) as file:
            read = {(1, 0): np.lib.format.read_array_header_1_0}.get(
                np.lib.format.read_magic(file), np.lib.format.read_array_header_2_0
            )
            shape, _, _ = read(file)
    return int(np.prod(shape))


def load(name: str, *, download: bool = False) -> Dataset:
    """Return the data set called ``name``, rows as floats (CSR where the file is sparse).

    Parameters
    ----------
    name : str
        One of ``available()``, or of the larger sets named in the error for an unknown name. A
        set of one's own is a file ``NAME.npz`` with ``X`` and ``y`` in the folder
        ``LINKWISE_DATA``.
    download : bool, default=False
        Fetch a missing set from OpenML (checksums are verified by scikit-learn, which also keeps
        the copy). Never done unasked.

    See Also
    --------
    available : The names.

    Examples
    --------
    >>> load("iris")
    Dataset('iris': 150 rows, 4 features, 3 classes)
    """
    if name in _BUNDLED:
        bunch = _BUNDLED[name]()
        return Dataset(name, bunch.data, bunch.target.astype(np.int64))
    folder = _folder()
    if folder is not None and Path(name).name == name and (folder / f"{name}.npz").is_file():
        return _read_npz(name, folder / f"{name}.npz")
    if name not in _LARGER:
        known = ", ".join(sorted([*_BUNDLED, *_LARGER]))
        raise InvalidInput(f"{name!r} is not a data set linkwise knows. Known: {known}.")
    if download:
        return _download(name)
    raise MissingData(_what_is_missing(name, folder))


def _folder() -> Path | None:
    value = os.environ.get("LINKWISE_DATA")
    return Path(value) if value else None


def _what_is_missing(name: str, folder: Path | None) -> str:
    n, d, openml = _LARGER[name]
    where = f"the folder {folder}" if folder else "a folder named by LINKWISE_DATA"
    sentence = f"{name} is not bundled. Put {name}.npz with X ({n}×{d}) and y into {where}"
    if name == "covtype" or openml is not None:
        sentence += f', or call load("{name}", download=True)'
    return sentence + "."


def _read_npz(name: str, path: Path) -> Dataset:
    with np.load(path, allow_pickle=False) as arrays:
        if "y" not in arrays or ("X" not in arrays and "indptr" not in arrays):
            raise InvalidInput(f"{path} holds no X and y, but {', '.join(arrays) or 'nothing'}.")
        if "indptr" in arrays:
            X: Any = sp.csr_array(
                (arrays["data"].astype(np.float64), arrays["indices"], arrays["indptr"]),
                shape=tuple(arrays["shape"]),
            )
        else:
            X = _numbers_or_texts(arrays, "X", path)
            if X.dtype != np.float32:
                X = X.astype(np.float64)
        classes = _numbers_or_texts(arrays, "y", path)
        _, codes = np.unique(classes, return_inverse=True)
        y = classes.astype(np.int64) if name in _LARGER else codes.astype(np.int64)
    _refuse_another_table(name, path, X, y)
    return Dataset(name, X, y)


def _numbers_or_texts(arrays: Mapping[str, NDArray[Any]], which: str, path: Path) -> NDArray[Any]:
    """Return an array of a file; refuse Python objects, which could be any program."""
    try:
        return np.asarray(arrays[which])
    except ValueError:
        kind = "float" if which == "X" else "str"
        raise InvalidInput(
            f"{path} holds {which} as Python objects, which are not read. Save it as "
            f"numpy.asarray({which}, dtype={kind})."
        ) from None


def _refuse_another_table(name: str, path: Path, X: Matrix, y: NDArray[np.int64]) -> None:
    """Refuse a file with fewer labels than rows, or one that only has the name of a known set."""
    n, d, _ = _LARGER.get(name, (len(y), X.shape[-1], None))
    if X.shape != (n, d) or len(y) != n:
        shape = "×".join(str(length) for length in X.shape)
        rest = f"It is not the {name} we know; rename it or load it with numpy."
        raise InvalidInput(
            f"{path} holds X {shape} and {len(y)} labels, expected {n}×{d}. "
            f"{rest if name in _LARGER else 'There must be one label a row.'}"
        )


def _download(name: str) -> Dataset:
    n, d, openml = _LARGER[name]
    if name == "covtype":
        bunch = sklearn.datasets.fetch_covtype()
    elif openml is not None:
        bunch = sklearn.datasets.fetch_openml(data_id=openml, as_frame=False, parser="liac-arff")
    else:
        raise MissingData(_what_is_missing(name, _folder()))
    X = np.asarray(bunch.data, dtype=np.float64)
    if X.shape != (n, d):
        raise MissingData(
            f"the public copy of {name} has {X.shape[0]}×{X.shape[1]} values, expected {n}×{d}."
        )
    _, y = np.unique(bunch.target, return_inverse=True)
    return Dataset(name, X, y.astype(np.int64))
