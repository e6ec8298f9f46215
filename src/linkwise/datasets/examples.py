"""Small tables and what somebody knows about them, as files: what the documentation speaks of."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from linkwise.constraints import Links
from linkwise.datasets.load import load
from linkwise.errors import InvalidInput
from linkwise.files.csv_writer import write_csv

Columns = Mapping[str, Iterable[Any]]

_SPECIES = ("setosa", "versicolor", "virginica")
_NAMES = [
    "ann",
    "bob",
    "eve",
    "tom",
    "mia",
    "leo",
    "ida",
    "max",
    "eva",
    "jan",
    "lea",
    "tim",
    "amy",
    "ben",
    "zoe",
    "kim",
    "pia",
    "jim",
    "sue",
    "ray",
    "dan",
    "may",
    "joe",
    "liv",
    "kai",
    "una",
    "ivo",
    "fay",
    "gus",
    "nel",
]
_COMPLAINTS = {
    "parcel": ("parcel", "late", "damaged", "courier", "address", "lost"),
    "login": ("password", "login", "account", "locked", "reset", "phone"),
}


def flowers() -> dict[str, Columns]:
    """150 irises, 40 answers about pairs of them, and their species.

    Examples
    --------
    >>> list(flowers())
    ['flowers.csv', 'answers.csv', 'species.csv']
    """
    iris = load("iris")
    called = [f"flower-{k:03}" for k in range(1, len(iris.y) + 1)]
    measured = ("sepal_length", "sepal_width", "petal_length", "petal_width")
    table = {"flower": called} | dict(zip(measured, iris.X.T.tolist(), strict=True))
    links = Links.sample(iris.y, 40, random_state=0)
    species = [_SPECIES[code] for code in iris.y.tolist()]
    return {
        "flowers.csv": table,
        "answers.csv": _answers(links),
        "species.csv": {"id": called, "label": species},
    }


def people() -> dict[str, Columns]:
    """30 people, and 6 answers, of which three contradict each other."""
    rng = np.random.RandomState(0)
    heights = np.concatenate((rng.normal(1.2, 0.05, 15), rng.normal(1.8, 0.05, 15)))
    weights = 60 * heights - 38 + rng.normal(0, 3, 30)
    towns = [("Oslo", "Bergen")[k] for k in rng.randint(2, size=30)]
    links = Links(
        30, must=[(0, 1), (1, 2), (16, 17), (20, 21)], cannot=[(0, 2), (0, 16)], weight=None
    )
    table: Columns = {
        "name": _NAMES,
        "height": heights.round(2).tolist(),
        "weight": weights.round(1).tolist(),
        "town": towns,
    }
    return {"people.csv": table, "said.csv": _answers(links, _NAMES)}


def tickets() -> dict[str, Columns]:
    """40 complaints, some about parcels and some about passwords, with gaps."""
    rng = np.random.RandomState(0)
    about = [("login", "parcel")[k % 2] for k in range(40)]
    words = [rng.choice(_COMPLAINTS[topic], 4, replace=False) for topic in about]
    table: Columns = {
        "ticket": [f"T{k}" for k in range(40)],
        "message": [" ".join(chosen.tolist()) for chosen in words],
        "opened": [f"2026-05-{1 + k % 28:02}" for k in range(40)],
        "channel": [("mail", "phone", None)[k] for k in rng.randint(3, size=40)],
        "replies": [k % 4 for k in range(40)],
    }
    return {"tickets.csv": table}


#: What each example is called.
EXAMPLES: dict[str, Callable[[], dict[str, Columns]]] = {
    "flowers": flowers,
    "people": people,
    "tickets": tickets,
}


def about(name: str) -> str:
    """Return what an example holds, in a sentence."""
    return (EXAMPLES[name].__doc__ or "").splitlines()[0]


def write_example(name: str, folder: str | os.PathLike[str] = ".") -> list[Path]:
    """Write the files of an example into a folder; nothing is overwritten.

    Parameters
    ----------
    name : {"flowers", "people", "tickets"}
        Which example.
    folder : path, default="."
        Where to; it is made if it is not there.

    Returns
    -------
    files : list of Path
        What was written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     files = write_example("flowers", folder)
    ...     links = Links.read(files[1], 150)
    >>> [file.name for file in files], links
    (['flowers.csv', 'answers.csv', 'species.csv'], Links(n_samples=150, must=16, cannot=24))
    """
    if name not in EXAMPLES:
        raise InvalidInput(f"there is no example {name!r}, only {', '.join(EXAMPLES)}.")
    files, folder = EXAMPLES[name](), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    there = [file for file in files if (folder / file).exists()]
    if there:
        raise InvalidInput(
            f"{', '.join(there)} {'is' if len(there) == 1 else 'are'} "
            f"{'here' if folder == Path() else f'in {folder}'} already. "
            f"Choose another folder, or remove what is there."
        )
    for file, columns in files.items():
        write_csv(folder / file, columns)
    return [folder / file for file in files]


def _answers(links: Links, ids: list[str] | None = None) -> Columns:
    called: list[Any] = list(range(len(links))) if ids is None else ids
    said = list(links)
    return {
        "i": [called[link.i] for link in said],
        "j": [called[link.j] for link in said],
        "kind": ["same" if link.kind == "must" else "different" for link in said],
    }
