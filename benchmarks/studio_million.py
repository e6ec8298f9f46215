"""A million rows in the studio, in a browser without a GPU: first paint, recolouring, panning.

A session of Gaussian clusters is made in a temporary folder, served on this machine and opened in
chromium without a window. Times are taken by the page itself (User Timing marks):

- first paint: from the start of the navigation until all points are on the screen, once with a
  server that was just started and once with one that has the session open;
- recolour: from the key press of an answer until the points are drawn in their new colours;
- panning: frames drawn per second while the mouse drags the map.

Run it with `python benchmarks/studio_million.py`; the page must have been built (web/build.py).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page, expect, sync_playwright

from linkwise.session import Session

TOKEN = "a-token-for-the-benchmark-only-0123456789"


def make_session(root: Path, n_rows: int, n_clusters: int, n_partitions: int) -> None:
    """Make a session of overlapping Gaussian clusters, with both layouts."""
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=2.2, size=(n_clusters, 8))
    truth = rng.integers(n_clusters, size=n_rows)
    X = centres[truth] + rng.normal(size=(n_rows, 8))
    np.save(root / "truth.npy", truth)
    with Session.create(
        root / "million", X.astype(np.float32), n_clusters, n_partitions=n_partitions
    ) as session:
        session.layout("neighbours")


@contextlib.contextmanager
def served(root: Path) -> Iterator[str]:
    """Serve the folder; give the address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (root / "token").write_text(TOKEN)
    (root / "token").chmod(0o600)
    command = [sys.executable, "-c", "from linkwise.cli import main; main()", "serve", "--quiet"]
    command += ["--root", str(root), "--port", str(port), "--token-file", str(root / "token")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(address)
            yield address
        finally:
            process.terminate()


def wait_for(address: str) -> None:
    """Return when the service answers."""
    for _ in range(600):
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/health", timeout=1):
            return
        time.sleep(0.1)
    raise SystemExit(f"{address} does not answer.")


def mark(page: Page, name: str, count: int = 1, timeout: float = 120) -> float:
    """Wait for the count-th mark of that name; return its time in seconds."""
    entries = f"performance.getEntriesByName('linkwise:{name}').map(entry => entry.startTime)"
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        times = page.evaluate(entries)
        if len(times) >= count:
            return times[count - 1] / 1000
        page.wait_for_timeout(60)
    raise SystemExit(f"The page did not reach '{name}' within {timeout:.0f} s.")


def first_paint(page: Page, address: str) -> float:
    """Open the session; return the seconds until the points are there."""
    page.goto("about:blank")
    page.goto(f"{address}/?token={TOKEN}#/s/million")
    return mark(page, "first-paint")


def recolour(page: Page, answers: int, truth: NDArray[np.int64]) -> list[float]:
    """Answer truthfully, by key; return the seconds each took to show."""
    times = []
    for k in range(answers):
        expect(page.get_by_role("button", name="Same")).to_be_enabled(timeout=60_000)
        marks = page.evaluate("performance.getEntriesByName('linkwise:recolour').length")
        i, j = (int(row) for row in page.locator("section thead th").all_inner_texts())
        page.keyboard.press("s" if truth[i] == truth[j] else "d")
        start = mark(page, "answer", k + 1)
        times.append(mark(page, "recolour", marks + 1) - start)
        page.wait_for_timeout(300)
    return times


def panning(page: Page, seconds: float) -> float:
    """Drag the map about; return the frames drawn per second."""
    stage = page.get_by_test_id("map")
    box = stage.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    frames = int(stage.get_attribute("data-frames") or 0)
    start = time.monotonic()
    while (elapsed := time.monotonic() - start) < seconds:
        page.mouse.move(x + 150 * np.sin(3 * elapsed), y + 100 * np.sin(4.1 * elapsed))
    frames = int(stage.get_attribute("data-frames") or 0) - frames
    page.mouse.up()
    return frames / elapsed


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--clusters", type=int, default=12)
    parser.add_argument("--partitions", type=int, default=50)
    parser.add_argument("--answers", type=int, default=15)
    parser.add_argument("--root", type=Path, help="folder that keeps the session for another run")
    parser.add_argument("--screenshot", type=Path)
    arguments = parser.parse_args()

    root = Path(tempfile.mkdtemp())
    made = arguments.root or root / "made"
    made.mkdir(parents=True, exist_ok=True)
    if not (made / "million").exists():
        start = time.monotonic()
        make_session(made, arguments.rows, arguments.clusters, arguments.partitions)
        print(f"session made                 {time.monotonic() - start:8.1f} s")
    shutil.copytree(made / "million", root / "million")
    print(f"cores, load at the start     {os.cpu_count()}, {os.getloadavg()[0]:.1f}")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with served(root) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script("localStorage.setItem('linkwise.questions', 'pair')")
        print(f"first paint, server started  {first_paint(page, address):8.2f} s    (<= 5)")
        print(f"first paint, session open    {first_paint(page, address):8.2f} s    (<= 5)")
        expect(page.get_by_test_id("map")).to_have_attribute(
            "data-layout", "neighbours", timeout=60_000
        )
        page.wait_for_timeout(2000)
        times = recolour(page, arguments.answers, np.load(made / "truth.npy"))
        print(f"recolour, p50                {statistics.median(times):8.3f} s    (<= 0.5)")
        print(f"recolour, slowest            {max(times):8.3f} s")
        print(f"panning                      {panning(page, 5):8.1f} frames/s    (>= 20)")
        renderer = page.get_by_test_id("map").get_attribute("data-renderer")
        print(f"drawn by the {renderer} renderer")
        if arguments.screenshot:
            page.screenshot(path=arguments.screenshot)
        browser.close()
    shutil.rmtree(root)


if __name__ == "__main__":
    main()
