"""The page about notebooks: its code runs, and says what it says."""

import re
from pathlib import Path

import pytest

import linkwise as lw
from linkwise.errors import ConstraintWarning, UnknownRows

PAGE = (Path(__file__).parents[1] / "docs" / "notebooks.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(tmp_path, monkeypatch):
    from matplotlib import pyplot

    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    first, loop, pictures, widget, in_python = blocks
    scope = {}
    with pytest.warns(ConstraintWarning) as caught:
        exec(first, scope)
    assert [str(w.message) for w in caught] == [
        "the data frame: 1 of 4 entries is unsure and was skipped.",
        "the data frame: 1 of 3 entries was skipped because it names rows that are not there: "
        "'flower-60'.",
    ]
    assert scope["links"].n_links == 2
    strict = first.replace("skip_unknown=True", "skip_unknown=False").replace("lw.datasets.", "# ")
    with pytest.warns(ConstraintWarning), pytest.raises(UnknownRows) as refused:
        exec(strict, scope)
    assert "'flower-60' is not among the 150 ids. Did you mean 'flower-060'?" in str(refused.value)
    exec(loop, scope)
    assert scope["links"].n_links == 42
    try:
        exec(pictures, scope)
        assert len(pyplot.get_fignums()) == 6
    finally:
        pyplot.close("all")
    pytest.importorskip("anywidget")
    exec(widget, scope)
    assert scope["widget"].question["rows"][0]["id"].startswith("flower-")
    exec(in_python, scope)
    assert len(scope["labels"]) == 150


def test_the_page_lists_every_picture():
    assert sorted(re.findall(r"^\| `(\w+)` \|", PAGE, flags=re.MULTILINE)) == lw.plot.__all__
