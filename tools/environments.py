"""Run the suite in environments of their own: oldest versions allowed, and every Python.

    python tools/environments.py lowest            the oldest versions pyproject.toml allows
    python tools/environments.py matrix            each Python in PYTHONS, with the newest versions
    python tools/environments.py lowest matrix --short    a few minutes of it, for every change

Environments lie in `.venvs`, made by uv, which fetches a Python that is not here. One that cannot
be had is skipped, and the last line says so.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from uv import find_uv_bin

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venvs"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
EXTRAS = ("files", "notebook", "plot", "postgres", "studio", "tables")
#: What versions break first: sparse graphs, data frames, files, options of commands, compiled code.
SHORT = (
    "tests/constraints/test_argument.py",
    "tests/constraints/test_closure.py",
    "tests/constraints/test_frames.py",
    "tests/constraints/test_repair.py",
    "tests/cli/test_check.py",
    "tests/cli/test_cluster.py",
    "tests/features/test_images.py",
    "tests/files",
    "tests/scores",
    "tests/tables/test_csv_file.py",
)
#: The browser is the same in every environment: it is enough that one has tried it.
LEFT_OUT = ("--ignore=tests/studio", "--ignore=tests/test_types.py")


def main() -> None:
    """Run what is asked for; exit 1 if a test failed anywhere."""
    asked = [word for word in sys.argv[1:] if word != "--short"]
    if not asked or not set(asked) <= {"lowest", "matrix"}:
        raise SystemExit(f"python tools/environments.py takes lowest, matrix or both, got {asked}.")
    short = "--short" in sys.argv
    told: dict[str, str] = {}
    if "lowest" in asked:
        told["oldest versions"] = _outcome("lowest", PYTHONS[0], short, lowest=True)
    if "matrix" in asked:
        here = f"{sys.version_info.major}.{sys.version_info.minor}"
        for python in PYTHONS:
            if short and python == here:
                continue  # `make test` has just run all of it
            told[f"Python {python}"] = _outcome(f"python-{python}", python, short)
    print(". ".join(f"{name}: {outcome}" for name, outcome in told.items()) + ".")  # noqa: T201
    if "failed" in told.values():
        raise SystemExit(1)


def _outcome(name: str, python: str, short: bool, *, lowest: bool = False) -> str:
    folder = HOME / name
    if not _uv("venv", "--quiet", "--clear", "--python", python, str(folder), may_fail=True):
        return (
            "skipped, as it is neither here nor can be fetched (uv python install " + python + ")"
        )
    group = "short" if short else "test"
    wanted = [f"--python={folder}", "--editable", f".[{','.join(EXTRAS)}]", "--group", group]
    _uv("pip", "install", "--quiet", *wanted, *(["--resolution=lowest-direct"] if lowest else []))
    # Old packages beside new ones call what is deprecated; that is theirs to mend, and was mended.
    options = ["-W", "ignore::DeprecationWarning"] if lowest else []
    pytest = [folder / "bin" / "python", "-m", "pytest", "-q", "-n", "auto"]
    done = subprocess.run(
        [*pytest, "-p", "no:cacheprovider", *options, *(SHORT if short else LEFT_OUT)],
        cwd=ROOT,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "compiled")},
        check=False,
    )
    return "passed" if done.returncode == 0 else "failed"


def _uv(*words: str, may_fail: bool = False) -> bool:
    done = subprocess.run([find_uv_bin(), *words], cwd=ROOT, env=_environment(), check=False)
    if done.returncode != 0 and not may_fail:
        raise SystemExit(f"Failed: uv {' '.join(words)}")
    return done.returncode == 0


def _environment() -> dict[str, str]:
    """Let uv see the Pythons of pyenv, whose shims stand in front of them."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders = [str(path) for path in sorted(root.glob("versions/3.*/bin"), reverse=True)]
    shims = str(root / "shims")
    rest = [path for path in os.environ["PATH"].split(os.pathsep) if path != shims]
    return {**os.environ, "PATH": os.pathsep.join([*folders, *rest]), "UV_HTTP_RETRIES": "1"}


if __name__ == "__main__":
    main()
