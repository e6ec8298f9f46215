"""The examples of the gallery: each runs, warns of nothing, and draws."""

import warnings
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
from matplotlib import pyplot as plt  # noqa: E402

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("plot_*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs_and_draws(path, capsys):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
        exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), {"__name__": "__main__"})
    drawn = [axis for number in plt.get_fignums() for axis in plt.figure(number).axes]
    plt.close("all")
    capsys.readouterr()
    assert any(axis.has_data() for axis in drawn)


def test_there_are_at_least_sixteen():
    assert len(EXAMPLES) >= 16
