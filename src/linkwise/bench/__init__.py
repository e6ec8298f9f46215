"""Reproductions: what a paper claims, what we got, how far apart.

Each folder of :mod:`linkwise.bench.papers` is one paper: ``run.py`` holds the experiments,
``expected.toml`` the paper's own numbers.
"""

from __future__ import annotations

from linkwise.bench.kept import Kept
from linkwise.bench.report import KEEPING, PAPERS, Settings, run_paper

__all__ = ["KEEPING", "PAPERS", "Kept", "Settings", "run_paper"]
