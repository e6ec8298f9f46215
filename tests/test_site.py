"""The documentation site: what its pages show runs, every page is reached, every name is listed."""

import doctest
import importlib
import re
import sys
from pathlib import Path

import pytest

import linkwise as lw

DOCS = Path(__file__).parents[1] / "docs"
RUN = sorted([DOCS / "tour.md", *DOCS.glob("guide/*.md"), *DOCS.glob("coming-from/*.md")])
RUN = [path for path in RUN if ">>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_what_the_page_shows_runs(path, tmp_path, monkeypatch):
    if path.stem == "pictures":
        pytest.importorskip("PIL")
    monkeypatch.chdir(tmp_path)
    outcome = doctest.testfile(str(path), module_relative=False)
    assert outcome.attempted >= 4
    assert outcome.failed == 0


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_all_python_of_the_page_is_run(path):
    for block in re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
        assert block.startswith(">>> ")
        assert block.endswith("\n\n")  # or the closing fence would count as output


def test_every_page_is_in_the_table_of_contents():
    listed = {DOCS / "index.md"}
    for page in DOCS.rglob("*.md"):
        for tree in re.findall(r"```{toctree}\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            entries = [line for line in tree.splitlines() if line and not line.startswith(":")]
            names = [re.sub(r".*<(.*)>", r"\1", entry) for entry in entries]
            listed |= {page.parent / f"{name}.md" for name in names}
    assert set(DOCS.rglob("*.md")) <= listed


def test_the_reference_lists_every_public_name():
    page = (DOCS / "api" / "index.rst").read_text(encoding="utf-8")
    listed = {}
    for part in re.split(r"^\.\. currentmodule:: ", page, flags=re.MULTILINE)[1:]:
        module, _, rest = part.partition("\n")
        listed.setdefault(module, set()).update(re.findall(r"^   (\w+)$", rest, re.MULTILINE))
    rooms = {"datasets", "engines", "errors", "features", "metric", "plot", "scores"}
    assert set(lw.__all__) - rooms - {"__version__"} <= listed["linkwise"]
    for room in ("metric", "scores"):
        names = importlib.import_module(f"linkwise.{room}").__all__
        assert set(names) <= listed[f"linkwise.{room}"]
    for module, names in listed.items():
        importlib.import_module(module)
        assert [name for name in names if not hasattr(sys.modules[module], name)] == []
