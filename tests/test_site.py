"""The documentation site: what its pages show runs, what the reference lists exists."""

import doctest
import importlib
import re
from pathlib import Path

import pytest
from matplotlib import pyplot

import linkwise as lw

DOCS = Path(__file__).parents[1] / "docs"
RUN = sorted([DOCS / "tour.md", *DOCS.glob("guide/*.md"), *DOCS.glob("coming-from/*.md")])
RUN = [path for path in RUN if ">>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_what_the_page_shows_runs(path, tmp_path, monkeypatch):
    if path.stem == "pictures":
        pytest.importorskip("PIL")
    monkeypatch.chdir(tmp_path)
    try:
        outcome = doctest.testfile(str(path), module_relative=False)
    finally:
        pyplot.close("all")  # the next test counts its own pictures
    assert outcome.attempted >= 4
    assert outcome.failed == 0
    shown = re.findall(r"images/(tour-\w+\.png)", path.read_text(encoding="utf-8"))
    assert shown == [name for name in shown if Path(name).exists()]  # the page draws what it shows


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_all_python_of_the_page_is_run(path):
    for block in re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
        assert block.startswith(">>> ")
        assert block.endswith("\n\n")  # or the closing fence would count as output


def test_the_reference_lists_what_there_is():
    page = (DOCS / "api" / "index.rst").read_text(encoding="utf-8")
    for part in re.split(r"^\.\. currentmodule:: ", page, flags=re.MULTILINE)[1:]:
        module, _, rest = part.partition("\n")
        names = re.findall(r"^   (\w+)$", rest, re.MULTILINE)
        home = importlib.import_module(module)
        assert [name for name in names if not hasattr(home, name)] == []


def test_every_method_has_a_line_that_says_when_not_to_use_it():
    text = (DOCS / "methods.md").read_text(encoding="utf-8")
    part = text.partition("and when not\n")[2].partition("\n## ")[0]
    rows = [line.split(" | ") for line in part.splitlines() if line.startswith("| `")]
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row[0])}
    methods = {name for name in lw.HOME if hasattr(getattr(lw, name), "fit_predict")}
    assert told == methods
    assert all(len(row) == 3 and len(row[2]) > 10 for row in rows)
