"""Nearly every name that is exported is shown at work."""

import inspect
from importlib import import_module

import linkwise as lw

ROOMS = ("datasets", "errors", "metric", "plot", "query", "scores")


def exported():
    """Return all public names with what they stand for; values without a docstring are left out."""
    found = {f"linkwise.{name}": getattr(lw, name) for name in lw.__all__}
    for room in ROOMS:
        module = import_module(f"linkwise.{room}")
        listed = getattr(module, "__all__", [name for name in vars(module) if name[0].isupper()])
        found |= {f"linkwise.{room}.{name}": getattr(module, name) for name in listed}
    documented = (inspect.isclass, inspect.isfunction, inspect.ismodule)
    return {name: value for name, value in found.items() if any(is_a(value) for is_a in documented)}


def test_nine_of_ten_exported_names_have_a_doctest():
    names = exported()
    silent = [name for name, value in names.items() if ">>>" not in (value.__doc__ or "")]
    assert len(names) >= 45
    assert len(silent) <= len(names) / 10, f"no example: {', '.join(silent)}"
