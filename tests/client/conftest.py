"""A service with one small session at a real port, and clients of it."""

import sys
from pathlib import Path

import pytest
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_limits

from linkwise.client import Client
from linkwise.session import Session

sys.path.insert(0, str(Path(__file__).parents[1] / "server"))

from service_client import TOKEN, serving


@pytest.fixture(autouse=True, scope="session")
def one_thread_each():
    """Keep matrix products on one thread: tests run side by side, the matrices are tiny."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Make a root with one session of 150 flowers."""
    root = tmp_path_factory.mktemp("root")
    X, _ = load_iris(return_X_y=True)
    Session.create(root / "flowers", X, 3, name="flowers", n_partitions=10).close()
    return root


@pytest.fixture(scope="module")
def served(root):
    """Serve the flowers."""
    with serving(root) as served:
        yield served


@pytest.fixture
def client(served):
    """Return a client of the service."""
    with Client(served.url, TOKEN) as client:
        yield client
