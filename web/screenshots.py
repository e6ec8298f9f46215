"""Take the pictures of the guide anew: docs/images/studio-*.png.

Sessions of the digits and of the iris flowers are made in a temporary folder, served on this
machine, and used by a browser without a window the way a person would. Run it with
`python web/screenshots.py` after `python web/build.py`.
"""

from __future__ import annotations

import contextlib
import csv
import math
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright
from sklearn.datasets import load_digits, load_iris

from linkwise.session import Columns, Session

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
TOKEN = "a-token-for-the-pictures-only-0123456789"
SIZE = {"width": 1360, "height": 850}
PHONE = {"width": 390, "height": 844}
PATIENCE = 60_000  # milliseconds, for a crowded machine


def make_sessions(root: Path) -> None:
    """Make a session of pictures and one of table rows, with both layouts."""
    table = root / "flowers.csv"
    flowers = load_iris()
    with table.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(
            ["plant", "sepal length", "sepal width", "petal length", "petal width", "soil"]
        )
        for i, (row, kind) in enumerate(zip(flowers.data, flowers.target, strict=True)):
            rows.writerow([f"plant-{i:03d}", *row, ("sand", "loam", "clay")[kind]])
    pictures = Columns(image_shape=(8, 8))
    digits = Session.create(
        root / "digits", load_digits().data, 10, name="Handwritten digits", columns=pictures
    )
    plants = Session.create(root / "plants", table, 3, name="Plants", columns=Columns(id="plant"))
    for session in (digits, plants):
        session.layout("neighbours")
        session.close()


@contextlib.contextmanager
def served(root: Path) -> Iterator[str]:
    """Serve the folder; give the address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe.getsockname()[1]}"
    (root / "token").write_text(TOKEN)
    (root / "token").chmod(0o600)
    command = [sys.executable, "-c", "from linkwise.cli import main; main()", "serve", "--quiet"]
    command += ["--root", str(root), "--port", address.rsplit(":")[-1]]
    command += ["--token-file", str(root / "token")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        for _ in range(600):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/health"):
                break
            time.sleep(0.1)
        try:
            yield address
        finally:
            process.terminate()


def opened(
    browser: Browser,
    address: str,
    fragment: str,
    scheme: str,
    questions: str = "pair",
    size: dict[str, int] = SIZE,
) -> Page:
    """Open the studio in a window of its own."""
    context = browser.new_context(viewport=size, color_scheme=scheme)
    context.set_default_timeout(PATIENCE)
    context.add_init_script(f"localStorage.setItem('linkwise.questions', '{questions}')")
    page = context.new_page()
    page.goto(f"{address}/?token={TOKEN}{fragment}")
    if fragment.startswith("#/s/"):
        expect(page.get_by_test_id("map")).to_have_attribute(
            "data-layout", "neighbours", timeout=PATIENCE
        )
        page.wait_for_timeout(1500)
    return page


def answer(page: Page, n: int) -> None:
    """Answer n questions about digits truthfully."""
    truth = load_digits().target
    for _ in range(n):
        expect(page.get_by_role("button", name="Same")).to_be_enabled(timeout=PATIENCE)
        i, j = map(int, page.locator("section figure figcaption").all_inner_texts())
        page.keyboard.press("s" if truth[i] == truth[j] else "d")
        page.wait_for_timeout(150)
    expect(page.get_by_text("Working out what moves.")).to_have_count(0, timeout=PATIENCE)
    page.wait_for_timeout(1500)


def name_clusters(page: Page) -> None:
    """Call each cluster by the digit most of its rows show."""
    names = ["zeros", "ones", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights"]
    path = "/api/sessions/digits/labels"
    labels = page.evaluate(
        f"fetch('{path}').then(r => r.arrayBuffer()).then(b => [...new Uint8Array(b)])"
    )
    for cluster in sorted(set(labels)):
        digits = load_digits().target[np.array(labels) == cluster]
        field = page.get_by_label(f"Name of cluster {cluster + 1}", exact=True)
        field.fill([*names, "nines"][np.bincount(digits).argmax()])
        field.press("Enter")
    page.wait_for_timeout(800)


def contradict(page: Page) -> None:
    """Let somebody else say three things of which one must be wrong."""
    pairs = [(4, 14, "same"), (14, 24, "same"), (4, 24, "different")]
    events = [
        {"kind": "answer", "payload": {"i": i, "j": j, "verdict": verdict}}
        for i, j, verdict in pairs
    ]
    page.evaluate(
        """events => fetch("/api/sessions/digits/events", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ events, who: "Bo" }),
        })""",
        events,
    )
    expect(page.get_by_text("These cannot all be right")).to_be_visible(timeout=PATIENCE)
    page.wait_for_timeout(2500)


def draw_loop(page: Page, x: float, y: float, reach: float) -> None:
    """Draw a lasso around a place, given as shares of the map."""
    box = page.get_by_test_id("map").bounding_box()
    assert box is not None
    page.get_by_role("button", name="Lasso").click()
    for step in range(25):
        angle = 2 * math.pi * step / 24
        page.mouse.move(
            box["x"] + box["width"] * x + reach * math.cos(angle),
            box["y"] + box["height"] * y + reach * math.sin(angle),
        )
        if step == 0:
            page.mouse.down()
    page.mouse.up()
    page.wait_for_timeout(500)


def keep(page: Page, name: str) -> None:
    """Save the window with 256 colours: a third of the size, and nobody sees it."""
    path = IMAGES / f"studio-{name}.png"
    page.mouse.move(0, 0)
    page.evaluate("document.querySelector('.clusters')?.scrollTo(0, 0)")
    page.wait_for_timeout(200)
    page.screenshot(path=path)
    few = Image.open(path).convert("RGB").quantize(256, method=Image.Quantize.FASTOCTREE)
    few.save(path, optimize=True)
    sys.stdout.write(f"{path.name}: {path.stat().st_size // 1024} kB\n")


def take(browser: Browser, address: str, root: Path) -> None:
    """Walk through the main states."""
    page = opened(browser, address, "#/s/digits", "light", "auto")
    expect(page.get_by_role("heading", name="Is this one")).to_be_visible(timeout=PATIENCE)
    page.wait_for_timeout(1500)
    keep(page, "groups")
    page.close()

    page = opened(browser, address, "#/s/digits", "light", "auto", PHONE)
    expect(page.get_by_role("heading", name="Is this one")).to_be_visible(timeout=PATIENCE)
    page.wait_for_timeout(1500)
    keep(page, "phone-light")
    page.close()

    page = opened(browser, address, "#/s/digits", "light")
    answer(page, 40)
    name_clusters(page)
    answer(page, 3)
    keep(page, "map")
    page.get_by_role("tab", name="Second look").click()
    contradict(page)
    keep(page, "second-look")

    page = opened(browser, address, "#/s/digits", "dark")
    page.get_by_role("tab", name="History").click()
    draw_loop(page, 0.5, 0.5, 120)
    keep(page, "lasso")
    page.close()

    page = opened(browser, address, "#/s/digits", "dark", "choice", PHONE)
    keep(page, "phone")
    page.close()

    page = opened(browser, address, "#/s/plants", "light")
    keep(page, "table")

    page = opened(browser, address, "#/new", "light")
    page.locator("input[type=file]").set_input_files(root / "flowers.csv")
    expect(page.get_by_label("How many clusters")).to_be_visible(timeout=PATIENCE)
    keep(page, "new")


def main() -> None:
    """Make the sessions, serve them, take the pictures."""
    root = Path(tempfile.mkdtemp())
    make_sessions(root)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with served(root) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        take(browser, address, root)
        browser.close()
    shutil.rmtree(root)


if __name__ == "__main__":
    main()
