"""What begins with an underscore is used in the module that defines it, and nowhere else."""

import ast
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src" / "linkwise"
#: Named tuples have public methods that begin with an underscore.
NAMED_TUPLE = {"_asdict", "_fields", "_make", "_replace"}


def is_private(name):
    return name.startswith("_") and not name.startswith("__") and name not in NAMED_TUPLE


def defined_in(tree):
    """Return the names that a module defines: functions, classes, variables, own attributes."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_own(node):
            names.add(node.attr)
    return names


def is_own(node):
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def private_accesses(source):
    """Return the lines on which code reaches for another module's private names."""
    tree = ast.parse(source)
    own = defined_in(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if not is_own(node) and node.attr not in own:
                found.append((node.lineno, ast.unparse(node)))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("linkwise"):
            found += [(node.lineno, a.name) for a in node.names if is_private(a.name)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "setattr"):
            name = node.args[1]
            if isinstance(name, ast.Constant) and is_private(name.value) and name.value not in own:
                found.append((node.lineno, ast.unparse(node)))
    return found


def test_no_module_reaches_into_another():
    reaching = {
        path.relative_to(SOURCES).as_posix(): found
        for path in sorted(SOURCES.rglob("*.py"))
        if (found := private_accesses(path.read_text(encoding="utf-8")))
    }
    assert reaching == {}


@pytest.mark.parametrize(
    "source",
    [
        "def f(model):\n    return model._basis",
        "model._voted = None",
        "from linkwise.cluster.base import _secret",
        "setattr(model, '_basis', 1)",
        "import linkwise\nlinkwise._HOME",
    ],
)
def test_reaching_into_another_module_is_seen(source):
    assert len(private_accesses(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n    def f(self):\n        return self._basis",
        "class A:\n    def _f(self): ...\ndef g(a):\n    return a._f()",
        "point._replace(x=1)",
        "value.__class__",
    ],
)
def test_what_is_ones_own_may_be_used(source):
    assert private_accesses(source) == []
