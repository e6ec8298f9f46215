"""The notebook among the examples runs, from the first cell to the last."""

import json
from pathlib import Path

import pytest

from linkwise.notebook import widget

BOOK = Path(__file__).parents[2] / "examples" / "widget.ipynb"


def test_the_notebook_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("anywidget", reason='needs anywidget: pip install "linkwise[notebook]"')
    from linkwise.notebook.cell import PAGE

    if not PAGE.exists():
        pytest.skip("the widget's page is not built: python web/build.py --fetch")
    monkeypatch.chdir(tmp_path)
    cells = json.loads(BOOK.read_text(encoding="utf-8"))["cells"]
    scope = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            source = cell["source"].replace("(n_clusters=10, ", "(n_clusters=10, n_partitions=40, ")
            exec(source if "Sequential" in source else cell["source"], scope)
    assert "20 links, NMI 0." in capsys.readouterr().out
    assert scope["widget"].n_answers == 20
    assert (tmp_path / "answers.csv").exists()
    assert scope["lw"].widget is widget
