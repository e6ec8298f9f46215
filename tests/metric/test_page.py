"""The page on learned metrics: its code runs, and it lists every map."""

import re
from pathlib import Path

import linkwise as lw

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out == "True\n"


def test_the_page_lists_every_map():
    assert sorted(re.findall(r"^\| `(\w+)` \|", PAGE, flags=re.MULTILINE)) == lw.metric.__all__
