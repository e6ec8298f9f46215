"""What the library says fits a call in Python: it names no flag of the command line."""

import ast
import re
from pathlib import Path

import linkwise

SOURCES = Path(linkwise.__file__).parent
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
#: Rooms that speak to who typed a command or started a service with one, and pages of experiments.
OF_COMMANDS = ("bench", "cli", "server")


def sentences(tree):
    """Return every text of a module but its docstrings, with its line."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def flags(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [(line, text) for line, text in sentences(tree) if FLAG.search(text)]


def test_errors_of_the_library_name_no_flag():
    named = {
        str(path.relative_to(SOURCES)): found
        for path in SOURCES.rglob("*.py")
        if path.relative_to(SOURCES).parts[0] not in OF_COMMANDS and (found := flags(path))
    }
    assert named == {}


def test_a_flag_would_be_found(tmp_path):
    path = tmp_path / "module.py"
    path.write_text('"""About --this."""\nraise ValueError(f"{1} is odd. Give --that.")\n')
    assert flags(path) == [(2, " is odd. Give --that.")]
