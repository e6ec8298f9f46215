"""The page on choosing: its code runs and prints what it says, times aside."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "choosing.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_code_of_the_page_runs_and_finds_the_same(capsys):
    scope = {}
    for code in blocks("python"):
        exec(code, scope)
    table, grid = blocks("text")
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].split()[0] == table.splitlines()[1].split()[0]
    assert {line.split()[0] for line in printed[1:8]} == {
        line.split()[0] for line in table.splitlines()[1:8]
    }
    assert printed[8] == table.splitlines()[-1]
    assert printed[9].startswith(grid.partition("[")[0])
