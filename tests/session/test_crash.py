"""Short forms of the long experiments, each in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def run(script, *args):
    command = [sys.executable, str(BENCHMARKS / script), *args]
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_nothing_acknowledged_is_lost_when_the_process_is_killed():
    printed = run("session_crash.py", "--rounds", "10")
    assert "acknowledged and lost: 0, recorded twice: 0, gaps: 0" in printed


def test_nothing_acknowledged_is_lost_when_the_disk_fails():
    printed = run("session_faults.py", "--rounds", "8")
    assert "acknowledged and lost: 0, recorded twice: 0, gaps: 0" in printed
