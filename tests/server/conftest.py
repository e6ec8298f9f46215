"""A service with one small session, reached without a network or through a real port."""

import logging
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import numpy as np
import pytest
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_limits

from linkwise.server.app import create_app
from linkwise.server.limits import Limits
from linkwise.session import Session

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(1, str(Path(__file__).parents[2] / "benchmarks"))

from service_client import BEARER, TOKEN, calling, serving

_LOGS = ("linkwise", "linkwise.server", "uvicorn.error", "asyncio")


@pytest.fixture(autouse=True, scope="session")
def one_thread_each():
    """Keep matrix products on one thread: tests run side by side, the matrices are tiny."""
    with threadpool_limits(1):
        yield


@pytest.fixture(autouse=True)
def logs_as_before():
    """Put the logs back as they were before a test, which may have sent them elsewhere."""
    logs = [logging.getLogger(name) for name in _LOGS]
    before = [(log.handlers, log.level, log.propagate) for log in logs]
    yield
    for log, (handlers, level, propagate) in zip(logs, before, strict=True):
        log.handlers, log.propagate = handlers, propagate
        log.setLevel(level)


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """Make a root with one session of 150 flowers; tests work on copies of it."""
    root = tmp_path_factory.mktemp("template")
    X, _ = load_iris(return_X_y=True)
    Session.create(root / "flowers", X, 3, name="flowers", n_partitions=30).close()
    return root


@pytest.fixture
def root(template, tmp_path):
    """Return a copy of the root with the flowers."""
    shutil.copytree(template, tmp_path / "root")
    return tmp_path / "root"


@pytest.fixture
def data_folder(tmp_path):
    """Make a folder with a data file, one in a folder below it, and things that are none."""
    folder = tmp_path / "data"
    (folder / "more").mkdir(parents=True)
    (folder / "people.csv").write_text("name,height,weight\na,1,5\nb,2,4\nc,9,1\nd,8,2\n")
    np.save(folder / "more" / "points.npy", np.random.RandomState(0).rand(40, 3))
    (folder / "notes.doc").write_text("not data")
    (folder / ".hidden.csv").write_text("a\n1\n")
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n3,4\n")
    (folder / "way-out.csv").symlink_to(tmp_path / "secret.csv")
    return folder


@pytest.fixture
def app(root, data_folder):
    """Make the application."""
    return create_app(root, token=TOKEN, data_folder=data_folder, limits=Limits(upload=100_000))


@pytest.fixture
def client(app):
    """Return a client that carries the token."""
    with calling(app) as client:
        yield client


@pytest.fixture
def served(root):
    """Serve the flowers at a real port."""
    with serving(root) as served:
        yield served


@pytest.fixture
def start(root, tmp_path):
    """Start ``linkwise serve`` as a process of its own."""
    (tmp_path / "token").write_text(TOKEN)
    (tmp_path / "token").chmod(0o600)
    running, clients = [], []

    def begin(*options, program=None):
        program = program or [str(Path(sys.executable).with_name("linkwise"))]
        command = [*program, "serve", "--root", str(root)]
        command += ["--port", "0", "--token-file", str(tmp_path / "token"), *options]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        running.append(process)
        said = ""
        while "token=" not in said:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            said += line
        url = re.search(r"http://[^/]+", said).group()
        client = httpx.Client(base_url=url, headers=BEARER, timeout=30)
        clients.append(client)
        return process, client

    yield begin
    for client in clients:
        client.close()
    for process in running:
        process.kill()
        process.communicate()
