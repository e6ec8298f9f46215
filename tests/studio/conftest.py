"""A running service with small sessions, and a browser that looks at it."""

import csv
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import load_digits, load_iris
from threadpoolctl import threadpool_limits

import linkwise.server
from linkwise.session import Columns, Session

sys.path.insert(0, str(Path(__file__).parent))

from studio_page import StudioPage

PAGE = Path(linkwise.server.__file__).parent / "studio" / "index.html"


def chromium():
    """Return the browser: the system's, else Playwright's own, else None."""
    for name in ("chromium", "chromium-browser"):
        if found := shutil.which(name):
            return found
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as driver:
        path = driver.chromium.executable_path
    return path if Path(path).exists() else None


CHROMIUM = chromium()
PATIENCE = 60_000  # milliseconds; a crowded machine is slow, and nothing here waits in vain
TOKEN = "a-token-for-the-browser-tests-only-0123456789"


def pytest_collection_modifyitems(items):
    """Skip, with the reason, what cannot run here."""
    reason = None
    if CHROMIUM is None:
        reason = "The studio's tests need chromium: make browser"
    elif not PAGE.exists():
        reason = "The studio's page is not built: python web/build.py"
    here = Path(__file__).parent
    for item in items:
        if reason and here in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True, scope="session")
def one_thread_each():
    """Keep matrix products on one thread: tests run side by side, the matrices are tiny."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory):
    """Make the files the tests bring: tables with ids, texts and pictures, and poor ones."""
    folder = tmp_path_factory.mktemp("data")
    flowers = load_iris()
    with (folder / "flowers.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["plant", "sepal length", "petal length", "petal width", "soil"])
        for i, (row, kind) in enumerate(zip(flowers.data, flowers.target, strict=True)):
            soil = ("sand", "loam", "clay")[kind]
            table.writerow([f"plant-{i:03d}", row[0], row[2], row[3], soil])
    with (folder / "meadow.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["plant", "length of its sepals", "length of its petals", "soil"])
        for i, (row, kind) in enumerate(zip(flowers.data, flowers.target, strict=True)):
            soil = ("sandy loam over old limestone", "heavy clay near the river", "peat")[kind]
            name = f"plant-{i:03d} from the meadow behind the mill"
            table.writerow([name, row[0], row[2], soil])
    with (folder / "letters.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["sender", "length", "words", "body"])
        for i in range(40):
            body = ("All work and no play. " * 300)[:5000] if i % 2 else f"Short letter {i}."
            table.writerow([f"sender-{i}", len(body) + i, len(body.split()), body])
    with (folder / "complaints.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["ticket", "message"])
        kinds = ("parcel courier", "invoice charged", "password login", "battery broken",
                 "size exchange", "thanks great")  # fmt: skip
        rng = np.random.default_rng(0)
        for i in range(72):
            words = rng.permutation(12 * kinds[i % 6].split() + [f"and{k % 7}" for k in range(40)])
            table.writerow([f"T-{i}", " ".join(words)])
    with (folder / "parcels.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["parcel", "weight", "paid", "insured", "sent", "damages"])
        for i in range(1400):
            dear = "yes" if i % 2 else "no"
            sent = f"2021-03-05 08:{i % 60:02d}"  # all of one day
            damages = i % 100 if i < 14 else 0  # of nearly none
            table.writerow([f"P-{i}", 50 * (i % 2) + i % 7, dear, dear, sent, damages])
    with (folder / "gauges.csv").open("w", newline="") as file:
        table = csv.writer(file)
        beside, about = [f"drift {k}" for k in range(9)], [f"pressure {k}" for k in range(9)]
        table.writerow(["gauge", *beside, *about])
        rng = np.random.default_rng(0)
        for i in range(90):
            drift, pressure = rng.normal(size=9), rng.normal(size=9) + 8 * (i % 3)
            table.writerow([f"gauge-{i}", *drift, *pressure])
    with (folder / "scans.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["scan", "picture", "ink", "left"])
        for i, picture in enumerate(load_digits().images[:40]):
            table.writerow([f"scan-{i}", f"{i}.png", picture.sum(), picture[:, :4].sum()])
            (folder / f"{i}.png").write_text("this is not a picture")
    (folder / "rows").mkdir()
    for k in range(2):
        rows = np.random.default_rng(k).normal(size=(65_000, 2))
        table = pa.table({"east": rows[:, 0], "north": 3 * rows[:, 1]})
        pq.write_table(table, folder / "rows" / f"{k}.parquet")
    (folder / "empty.csv").write_text("height,weight\n")
    (folder / "one.csv").write_text("height,weight\n1,2\n")
    return folder


@pytest.fixture(scope="session")
def templates(tmp_path_factory, data_folder):
    """Make one fresh session of each kind; tests work on copies of them."""
    root = tmp_path_factory.mktemp("templates")
    digits = load_digits().data[:240]
    many = np.random.default_rng(0).normal(size=(300, 4))
    middles = np.array([[0, 0], [0, 9], [9, 0], [9, 9]])[np.arange(120) % 4]
    heaps = middles + np.random.default_rng(1).normal(size=(120, 2))
    pictures = Columns(image_shape=(8, 8))
    fresh = {
        "digits": lambda at: Session.create(at, digits, 10, columns=pictures, n_partitions=20),
        "flowers": lambda at: Session.create(
            at, data_folder / "flowers.csv", 3, columns=Columns(id="plant"), n_partitions=20
        ),
        "meadow": lambda at: Session.create(
            at, data_folder / "meadow.csv", 3, columns=Columns(id="plant"), n_partitions=20
        ),
        "letters": lambda at: Session.create(
            at,
            data_folder / "letters.csv",
            2,
            columns=Columns(id="sender", text="body"),
            n_partitions=5,
        ),
        "complaints": lambda at: Session.create(
            at,
            data_folder / "complaints.csv",
            6,
            columns=Columns(id="ticket", text="message"),
            n_partitions=20,
        ),
        "parcels": lambda at: Session.create(
            at,
            data_folder / "parcels.csv",
            2,
            columns=Columns(id="parcel", drop=("sent", "damages")),
            n_partitions=5,
        ),
        "gauges": lambda at: Session.create(
            at, data_folder / "gauges.csv", 3, columns=Columns(id="gauge"), n_partitions=20
        ),
        "scans": lambda at: Session.create(
            at,
            data_folder / "scans.csv",
            4,
            columns=Columns(id="scan", image="picture"),
            n_partitions=5,
        ),
        "too-few": lambda at: Session.create(at, heaps, 2, n_partitions=20),
        "too-many": lambda at: Session.create(at, heaps, 7, n_partitions=20),
        "useless": lambda at: Session.create(at, many[:120], 4, n_partitions=20),
        "unplaced": lambda at: Session.create(at, digits[:100], 3, n_partitions=5),
        "one": lambda at: Session.create(at, data_folder / "one.csv", 1, n_partitions=2),
        "sampled": lambda at: Session.create(at, data_folder / "rows", 2, n_partitions=3),
        "many": lambda at: Session.create(at, many, 200, n_partitions=3),
    }

    def template(kind):
        if not (root / kind).exists():
            with fresh[kind](root / kind) as session:
                if kind != "unplaced":
                    session.layout("neighbours")
        return root / kind

    return template


class Service:
    """`linkwise serve` as its own process; it can be killed and started again."""

    token = TOKEN

    def __init__(self, root, data, templates):
        self.root, self.data, self._templates = root, data, templates
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self._process = None
        self._made = 0
        (root / "token").write_text(TOKEN)
        (root / "token").chmod(0o600)

    def start(self):
        command = [sys.executable, "-c", "from linkwise.cli import main; main()", "serve"]
        command += ["--root", str(self.root), "--data", str(self.data), "--port", str(self.port)]
        command += ["--token-file", str(self.root / "token"), "--quiet"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._wait()

    def _wait(self):
        for _ in range(1200):
            try:
                with urllib.request.urlopen(f"{self.address}/health", timeout=1):
                    return
            except OSError:
                assert self._process.poll() is None, "the service ended while it started"
                time.sleep(0.1)
        raise AssertionError("the service did not answer within two minutes")

    def kill(self):
        """End it without warning, as a power cut would."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def session(self, kind):
        """Return the name of a fresh session of that kind."""
        self._made += 1
        name = f"{kind}-{self._made}"
        shutil.copytree(self._templates(kind), self.root / name)
        return name


@pytest.fixture(scope="session")
def new_service(tmp_path_factory, data_folder, templates):
    """Return a function that serves an empty root."""
    services = []

    def served():
        services.append(Service(tmp_path_factory.mktemp("root"), data_folder, templates))
        services[-1].start()
        return services[-1]

    yield served
    for each in services:
        each.kill()


@pytest.fixture(scope="session")
def service(new_service):
    """Serve an empty root for all tests, which fill it."""
    return new_service()


@pytest.fixture(scope="session")
def browser():
    """Start chromium without a window."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, service):
    """Return a function that opens the studio in a browser of its own."""
    contexts, pages = [], []

    def opened(kind=None, *, session=None, who="", questions="pair", script="", **settings):
        context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}} | settings)
        context.add_init_script(script)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        if kind is not None:
            session = service.session(kind)
        pages.append(StudioPage(context, service, TOKEN, session, who, questions))
        return pages[-1]

    yield opened
    for page in pages:
        page.check_manners()
    for context in contexts:
        context.close()
