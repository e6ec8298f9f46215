"""Make a release and check it, without publishing anything.

    python tools/release_check.py

Builds the source distribution and the wheel twice, which must give the same bytes; has twine read
what they say of themselves; installs each into an empty environment, the source distribution where
no Node can be found; imports everything public with the required packages only, and lets
`linkwise doctor` and a small clustering run there. What was checked stays in `dist`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from news import version
from uv import find_uv_bin

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
PAGE_IS_THERE = (
    "from pathlib import Path; import linkwise; home = Path(linkwise.__file__).parent; "
    "assert (home / 'server' / 'studio' / 'index.html').exists(); "
    "assert (home / 'notebook' / 'page' / 'widget.js').exists()"
)
IMPORT_ALL = "import linkwise as lw; [getattr(lw, name) for name in lw.__all__]"


def main() -> None:
    """Check one thing after the other; the first that fails ends it with a sentence."""
    with tempfile.TemporaryDirectory(prefix="linkwise-release-") as scratch:
        home = Path(scratch)
        _say("building twice")
        first, second = _build(home / "first"), _build(home / "second")
        if _sums(first) != _sums(second):
            raise SystemExit(f"Two builds differ: {_sums(first)} and {_sums(second)}.")
        _say("reading what it says of itself")
        _run([sys.executable, "-m", "twine", "check", "--strict", *map(str, first)])
        for file in first:
            _say(f"installing {file.name} into an empty environment")
            _try(file, home / f"env-{file.suffix.strip('.')}")
        shutil.rmtree(DIST, ignore_errors=True)
        shutil.copytree(home / "first", DIST)
    names = ", ".join(path.name for path in sorted(DIST.iterdir()))
    _say(f"linkwise {version()} could be released: {names} in dist/")


def _build(folder: Path) -> list[Path]:
    """Build both; the wheel comes from the source distribution, as it does for others."""
    epoch = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    _run(
        [sys.executable, "-m", "build", "--installer=uv", "--outdir", str(folder), str(ROOT)],
        SOURCE_DATE_EPOCH=epoch.stdout.strip() or "1700000000",
        PATH=os.pathsep.join([str(Path(find_uv_bin()).parent), os.environ["PATH"]]),
    )
    return sorted(folder.glob("linkwise-*"))


def _sums(files: list[Path]) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in files}


def _try(file: Path, folder: Path) -> None:
    """Install ``file`` with what it requires and nothing else, without Node, and use it."""
    uv = find_uv_bin()
    _run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
    no_node = {"PATH": os.pathsep.join([str(folder / "bin"), "/usr/sbin"])}
    _run([uv, "pip", "install", "--quiet", f"--python={folder}", str(file)], **no_node)
    away = {**no_node, "HOME": str(folder / "no-home")}
    python = str(folder / "bin" / "python")
    _run([python, "-c", IMPORT_ALL], cwd=folder, **away)
    _run([python, "-c", PAGE_IS_THERE], cwd=folder, **away)
    _run([str(folder / "bin" / "linkwise"), "doctor"], cwd=folder, **away)


def _run(command: list[str], cwd: Path = ROOT, **environment: str) -> None:
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, check=False)
    if done.returncode != 0:
        raise SystemExit(f"Failed: {' '.join(command)}")


def _say(words: str) -> None:
    print(words, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
