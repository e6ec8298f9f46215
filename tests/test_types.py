"""What type checkers are told."""

import ast
from pathlib import Path
from typing import Self, get_type_hints

import pytest

import linkwise as lw
from linkwise.cluster.base import ConstrainedClusterer, Labels

SOURCES = Path(lw.__file__).parent
#: Parameters that really take anything, or what a library without types hands on. A new one should
#: be able to say what it takes: linkwise/typing.py has the usual words.
MOST_ANY = 28


def check(path):
    """Run mypy, which sees the names of linkwise and nothing of what is behind them."""
    api = pytest.importorskip("mypy.api")
    files = [str(path), str(SOURCES / "__init__.py")]
    said, trouble, _ = api.run([*files, "--follow-imports=skip", "--cache-dir", "/dev/null"])
    assert trouble == ""
    return said


def test_a_name_that_is_not_there_is_an_error(tmp_path):
    path = tmp_path / "typo.py"
    path.write_text("import linkwise as lw\nlw.Nope\n")
    assert 'error: Module has no attribute "Nope"' in check(path)


def test_every_name_that_is_there_is_known(tmp_path):
    path = tmp_path / "names.py"
    path.write_text("import linkwise as lw\n" + "".join(f"lw.{name}\n" for name in lw.__all__))
    assert "error" not in check(path)


@pytest.mark.parametrize("method", ["fit", "update", "retract", "extend"])
def test_methods_that_can_be_chained_return_self(method):
    values = [getattr(lw, name) for name in lw.__all__]
    values += [getattr(lw.metric, name) for name in lw.metric.__all__]
    found = [getattr(value, method) for value in values if hasattr(value, method)]
    assert len(found) >= 2
    assert all(get_type_hints(function)["return"] is Self for function in found)


@pytest.mark.parametrize("method", ["predict", "fit_predict"])
def test_labels_are_typed_arrays(method):
    assert get_type_hints(ConstrainedClusterer)["labels_"] == Labels
    assert get_type_hints(lw.SequentialClustering.labels_.fget)["return"] == Labels
    values = [getattr(lw, name) for name in lw.__all__]
    found = [getattr(value, method) for value in values if hasattr(value, method)]
    assert len(found) >= 19
    assert all(get_type_hints(function)["return"] == Labels for function in found)


def test_few_parameters_take_anything():
    found = [
        f"{path.relative_to(SOURCES)}:{arg.lineno} {arg.arg}"
        for path in sorted(SOURCES.rglob("*.py"))
        for arg in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(arg, ast.arg) and arg.annotation is not None
        if "Any" in ast.unparse(arg.annotation).split(" | ")
    ]
    assert len(found) <= MOST_ANY, "\n".join(found)
