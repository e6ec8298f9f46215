"""A PostgreSQL server, if there is one."""

import os
import shutil
import subprocess
import tempfile
import uuid
from pathlib import Path

import pytest


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
