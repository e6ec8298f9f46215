"""The page that explains SequentialClustering lists its constants as they are."""

import importlib
import pkgutil
import re
from pathlib import Path

import linkwise.cluster.sequential as package

PAGE = Path(__file__).parents[3] / "docs" / "listening.md"
#: Another estimator, files on disk; and what says which answers are facts, which is no number to
#: choose.
OTHER_FILES, WORDS = ("scsc", "online", "model_file"), ("CONFIRMED",)


def constants():
    """Return the named numbers that the files of SequentialClustering define."""
    found = {}
    for module in pkgutil.iter_modules(package.__path__):
        if module.name in OTHER_FILES:
            continue
        loaded = importlib.import_module(f"{package.__name__}.{module.name}")
        text = Path(loaded.__file__).read_text(encoding="utf-8")
        for name in re.findall(r"^([A-Z][A-Z_]*) = ", text, flags=re.MULTILINE):
            found[name] = float(getattr(loaded, name))
    return {name: value for name, value in found.items() if name not in WORDS}


def test_the_page_lists_every_constant_with_its_value():
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([A-Z_]+)` \| ([\d.]+) \|", text, flags=re.MULTILINE)
    assert {name: float(value) for name, value in rows} == constants()
