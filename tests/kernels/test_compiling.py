"""Kernels compile where nothing can be kept, and who waits for it is told once."""

import errno
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest

import linkwise
from linkwise.kernels import compiling

PACKAGE = Path(linkwise.__file__).parent
SCRIPT = """
import numpy as np
from linkwise.kernels import compiling
from linkwise.kernels.nearest import largest
best, label = np.empty(2, np.float32), np.empty(2, np.int32)
largest(np.float32([[1, 5], [3, 4]]), np.zeros(2, np.float32), best, label)
print(label.tolist(), compiling.announcer.kept, sep="")
"""


def test_kernels_work_where_no_folder_can_be_written(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__", "server", "session", "*.nb?")
    copied = shutil.copytree(PACKAGE, tmp_path / "linkwise", ignore=ignored)
    for folder in [copied, *(path for path in copied.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").write_text("a file, so no folder of this name can be made")
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null", "PYTHONPATH": str(tmp_path)}
    kept = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH") if key in os.environ}
    done = subprocess.run(
        [sys.executable, "-B", "-c", SCRIPT],
        env=kept | nowhere,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[1, 0] in every process: no folder can be written")
    assert done.stderr == ""  # nobody looks on


def compiled(module):
    """An event as numba sends it when a function of this module is compiled."""

    def function():
        pass

    function.__module__ = module
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function)})


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_compiling_is_said_once_to_who_looks_on(monkeypatch):
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    announcer = compiling.Announcer()
    announcer.on_start(compiled("somebody.else"))
    assert shown.getvalue() == ""
    for _ in range(3):
        announcer.on_start(compiled("linkwise.kernels.nearest"))
    assert shown.getvalue() == (
        "linkwise compiles its inner loops for this processor, which can take half a minute and is "
        "kept for the next time.\n"
    )


def test_nothing_is_written_where_nobody_looks_on(monkeypatch, caplog):
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.delattr(sys, "ps1", raising=False)
    with caplog.at_level("INFO"):
        compiling.Announcer().on_start(compiled("linkwise.kernels.nearest"))
    assert shown.getvalue() == ""
    assert "for this processor" in caplog.text


def test_kernels_work_where_the_disk_is_full(monkeypatch, caplog):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(numba.core.caching.IndexDataCacheFile, "save", full)
    monkeypatch.setattr(compiling, "announcer", compiling.Announcer())
    double = compiling.njit()(twice)
    assert (double(21), double(1.5)) == (42, 3.0)
    said = ["what was compiled is not kept for the next time: [Errno 28] No space left on device"]
    assert caplog.messages == said


def twice(number):
    return 2 * number


def test_other_failures_of_the_compiler_are_not_hidden(monkeypatch):
    def fail(**_):
        raise RuntimeError("no compiler")

    monkeypatch.setattr(compiling.numba, "njit", fail)
    with pytest.raises(RuntimeError, match="no compiler"):
        compiling.njit()(len)


def test_every_kernel_is_compiled_this_way():
    directly = re.compile(r"^from numba import .*\bn?jit\b|numba\.n?jit\b", re.MULTILINE)
    found = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if path.name != "compiling.py" and directly.search(path.read_text(encoding="utf-8"))
    ]
    assert not found, f"take njit from linkwise.kernels.compiling in {', '.join(found)}"
