"""What the named constants of SequentialClustering do: each halved and doubled in turn."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import linkwise.cluster.sequential as package
from heart_ours import asked, fit
from heart_sets import (
    Figures,
    Table,
    on_free,
    on_unlabelled,
    random_links,
    some_labels,
)
from linkwise import SequentialClustering
from linkwise.cluster import consensus
from linkwise.scores import nmi

SETS = ("ecoli", "vehicle", "segment", "digits", "satimage")
N_SEEDS = 2
#: Probabilities are halved and doubled in odds, so that they stay probabilities.
PROBABILITIES = ("ERROR_RATE", "FEATURE_SHARE", "MISJUDGED", "SMOOTHING")
#: What people say with a weight is a matter of words, not of the model: halved, all would be facts.
WORDS = ("CONFIRMED",)
#: These files belong to another estimator, or to files on disk.
_OTHERS = ("scsc", "online", "old_options", "model_file", "model_layout", "follow")


def modules() -> list[ModuleType]:
    """Return the modules that are SequentialClustering."""
    names = [found.name for found in pkgutil.iter_modules(package.__path__)]
    own = [
        importlib.import_module(f"{package.__name__}.{name}")
        for name in names
        if name not in _OTHERS
    ]
    return [*own, consensus]


def constants() -> dict[str, float]:
    """Return every number that these modules name; what begins with _ only limits loops."""
    return {
        name: getattr(module, name)
        for module in modules()
        for name in re.findall(r"^([A-Z][A-Z_]*) = ", inspect.getsource(module), re.MULTILINE)
        if name not in WORDS
    }


def changed(name: str, value: float, factor: float) -> float:
    """Return the constant times the factor; counts stay counts, at least one."""
    if name in PROBABILITIES:
        odds = factor * value / (1.0 - value)
        return odds / (1.0 + odds)
    return max(1, round(value * factor)) if isinstance(value, int) else value * factor


@contextmanager
def patched(name: str, value: float) -> Iterator[None]:
    """Let every module that knows the constant see another value."""
    kept = [(module, getattr(module, name)) for module in modules() if hasattr(module, name)]
    for module, _ in kept:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, was in kept:
            setattr(module, name, was)


def measure_constants(model: SequentialClustering, table: Table) -> Figures:  # noqa: ARG001
    """Return what a few answers of each kind buy, as it is and with each constant changed."""
    found: Figures = {"as it is": bought(table)}
    for name, value in constants().items():
        for word, factor in (("halved", 0.5), ("doubled", 2.0)):
            with patched(name, changed(name, value, factor)):
                found[f"{name} {word}"] = bought(table)
    return found


def bought(table: Table) -> Figures:
    """Return NMI after random links, labels and questions, by a model fitted anew."""
    model = fit(table)
    found: Figures = {}
    for n_links in (100, 500):
        links = random_links(table, n_links)
        found[f"random {n_links}"] = on_free(table, model.update(links).labels_, links)
        model.retract(links)
    given = some_labels(table, 10)
    found["labels 10"] = on_unlabelled(table, model.update(given).labels_, given)
    model.retract(given)
    for _ in asked(model, table, (100,)):
        pass
    found["asked 100"] = nmi(table.y, model.labels_)
    model.retract(model.links_)
    return found
