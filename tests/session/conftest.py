"""A small session, made once and copied for every test."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from linkwise.session import Session

N_ROWS = 60


@pytest.fixture(autouse=True, scope="session")
def one_thread_each():
    """Keep matrix products on one thread: tests run side by side, the matrices are tiny."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="session")
def blobs():
    """Three groups of twenty rows; the third overlaps the second a little."""
    rng = np.random.default_rng(0)
    centres = [[0.0] * 8, [6.0] * 4 + [0.0] * 4, [6.0] * 4 + [3.0] * 4]
    return np.repeat(centres, N_ROWS // 3, axis=0) + rng.normal(size=(N_ROWS, 8))


@pytest.fixture(scope="session")
def template(blobs, tmp_path_factory):
    """The folder of a fresh session."""
    folder = tmp_path_factory.mktemp("template") / "session"
    Session.create(folder, blobs, 3, n_partitions=20).close()
    return folder


@pytest.fixture
def folder(template, tmp_path):
    """A copy of the fresh session."""
    return Path(shutil.copytree(template, tmp_path / "session"))


@pytest.fixture
def session(folder):
    """The copy, open."""
    with Session.open(folder) as opened:
        yield opened
