"""The page on the number of clusters: its code runs, and it lists the constants as they are."""

import re
from pathlib import Path

from linkwise.cluster import how_many
from linkwise.cluster.sequential import follow

PAGE = (Path(__file__).parents[2] / "docs" / "how_many.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    found = {}
    quick = code.replace('("auto"', '("auto", n_partitions=50')
    exec(quick, found)
    assert 5 <= found["after"] <= 20
    assert found["proposal"].k > 6
    assert capsys.readouterr().out.startswith(f"{found['proposal'].k} ")
    assert (found["model"].labels_[found["far"][1:3]] == -1).all()
    assert found["model"].labels_[found["far"][0]] >= 0


def test_the_page_lists_every_constant_with_its_value():
    rows = re.findall(r"^\| `([A-Z_]+)` \| ([\d.]+) \|", PAGE, flags=re.MULTILINE)
    found = {}
    for module in (how_many, follow):
        text = Path(module.__file__).read_text(encoding="utf-8")
        for name in re.findall(r"^([A-Z][A-Z_]*) = ", text, flags=re.MULTILINE):
            found[name] = float(getattr(module, name))
    assert {name: float(value) for name, value in rows} == found
