"""On what, and with what, figures were made."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

import linkwise

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


def commit() -> str:
    """Return the commit of the sources, or the version where they are not in a repository.

    Sources that differ from their commit say so: ``1a6dfb8061-changed``.
    """
    here = Path(linkwise.__file__).parent
    try:
        asked = subprocess.run(
            ["git", "describe", "--always", "--abbrev=10", "--exclude=*", "--dirty=-changed"],
            cwd=here, capture_output=True, text=True, timeout=10, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return linkwise.__version__
    return asked.stdout.strip()


def versions() -> str:
    """Return the versions of Python and of the libraries that compute."""
    listed = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"linkwise {linkwise.__version__}, Python {platform.python_version()}, {listed}"


def hardware() -> str:
    """Return the processor and the number of cores."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
