"""A small session, made once and copied for every test, and a PostgreSQL server if there is one."""

import os
import shutil
import subprocess
import tempfile
import uuid
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


@pytest.fixture(scope="session")
def postgres_server():
    """The address of a PostgreSQL server of our own; skips, loudly, where none can be started."""
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not binaries:
        pytest.skip("NO POSTGRESQL SERVER in /usr/lib/postgresql: its journal is not tested here")
    home = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    as_user = []
    if os.getuid() == 0:  # the server refuses to run as root
        shutil.chown(home, "postgres", "postgres")
        as_user = ["/usr/sbin/runuser", "-u", "postgres", "--"]
    control = [*as_user, str(binaries[-1] / "pg_ctl"), "-D", str(home / "data"), "-s"]
    options = f"-k {home} -c listen_addresses='' -c fsync=off"
    run = {"check": True, "capture_output": True, "cwd": home}
    subprocess.run([*control, "-o", "-A trust -U linkwise", "init"], **run)
    subprocess.run([*control, "-w", "-l", str(home / "log"), "-o", options, "start"], **run)
    yield f"postgresql://linkwise@/postgres?host={home}"
    subprocess.run([*control, "-m", "immediate", "stop"], check=True, cwd=home)
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def postgres(postgres_server):
    """The address of an empty database."""
    psycopg = pytest.importorskip("psycopg")
    name = f"t{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres_server.replace("/postgres?", f"/{name}?")
