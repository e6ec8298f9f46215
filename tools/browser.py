"""Get a browser for the studio's tests: Debian's as root, Playwright's own elsewhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SYSTEM = Path(__file__).resolve().parent.parent / ".ci" / "system-packages"


def main() -> None:
    """Fetch one where none is found; without one, the tests that need it are skipped."""
    if _on_path():
        return
    if shutil.which("apt-get"):
        subprocess.run(["bash", str(SYSTEM)], check=False)
    if not _on_path():
        fetch = [sys.executable, "-m", "playwright", "install", "chromium"]
        subprocess.run(fetch, check=False, stdout=subprocess.DEVNULL)


def _on_path() -> bool:
    return any(map(shutil.which, ("chromium", "chromium-browser")))


if __name__ == "__main__":
    main()
