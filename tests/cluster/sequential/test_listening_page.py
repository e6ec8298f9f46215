"""The page that explains SequentialClustering lists its constants as they are."""

import importlib
import pkgutil
import re
from pathlib import Path

import linkwise.cluster.sequential as package
from linkwise.cluster import consensus

PAGE = Path(__file__).parents[3] / "docs" / "listening.md"
#: Another estimator, files on disk, what has a page of its own; and what says which answers are
#: facts, which is no number to choose.
OTHER_FILES = ("scsc", "online", "old_options", "model_file", "model_layout", "follow")
WORDS = ("CONFIRMED",)


def constants():
    """Return the named numbers that the files of SequentialClustering define."""
    found = {}
    names = [m.name for m in pkgutil.iter_modules(package.__path__) if m.name not in OTHER_FILES]
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    for loaded in [*modules, consensus]:
        text = Path(loaded.__file__).read_text(encoding="utf-8")
        for name in re.findall(r"^([A-Z][A-Z_]*) = ", text, flags=re.MULTILINE):
            found[name] = float(getattr(loaded, name))
    return {name: value for name, value in found.items() if name not in WORDS}


def test_the_page_lists_every_constant_with_its_value():
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([A-Z_]+)` \| ([\d.]+) \|", text, flags=re.MULTILINE)
    assert {name: float(value) for name, value in rows} == constants()
