"""Everything against everybody: all estimators on all data sets, in one table.

One cell is a method on a set with some knowledge and a seed; it becomes one line of JSON. Pages are
written from the lines that are there.
"""

from __future__ import annotations

from linkwise.bench.common.running import Plan, run_cells
from linkwise.bench.common.writing import write_report

__all__ = ["Plan", "run_cells", "write_report"]
