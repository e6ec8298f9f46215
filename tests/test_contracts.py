"""The contracts on imports name what is there."""

import tomllib
from pathlib import Path

import linkwise as lw
from linkwise.cluster.base import ConstrainedClusterer

ROOT = Path(__file__).parents[1]


def test_every_exported_estimator_is_kept_apart_from_the_others():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    listed = {name for c in contracts if c["type"] == "independence" for name in c["modules"]}
    values = (getattr(lw, name) for name in lw.__all__)
    homes = {
        value.__module__
        for value in values
        if isinstance(value, type) and issubclass(value, ConstrainedClusterer)
    }
    assert listed == homes
