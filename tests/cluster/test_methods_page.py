"""The page about other methods: its code runs, and it speaks of what is there."""

import re
from pathlib import Path

import linkwise as lw

PAGE = (Path(__file__).parents[2] / "docs" / "methods.md").read_text(encoding="utf-8")


def test_the_code_on_the_page_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(code, {})
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("100 of 100 links hold")
    assert said[-1].startswith("(177, 4)")


def test_every_method_of_the_page_is_exported():
    titles = re.findall(r"^## .*$", PAGE, flags=re.MULTILINE)
    named = {name for title in titles for name in re.findall(r"`(\w+)`", title)}
    assert {"SizedKMeans", "ConstrainedLinkage", "CVQE", "LCVQE", "CCSKL"} <= named
    assert all(hasattr(lw, name) for name in named)
