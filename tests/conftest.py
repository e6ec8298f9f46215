"""A PostgreSQL server, if there is one, and a last line that says what was skipped."""

import functools
import inspect
import os
import re
import shutil
import subprocess
import tempfile
import uuid
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings

if "mix_stderr" in inspect.signature(CliRunner).parameters:  # click before 8.2
    CliRunner.__init__ = functools.partialmethod(CliRunner.__init__, mix_stderr=False)


# Nothing here may depend on how busy the machine is.
settings.register_profile("linkwise", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("linkwise")

MISSING = pytest.StashKey[str]()
#: What packages are installed as, where that is not what they are imported as.
INSTALLED_AS = {"PIL": "pillow", "skimage": "scikit-image", "yaml": "pyyaml"}


def pytest_terminal_summary(terminalreporter):
    """Gather what tests went without: reasons of the form "what is missing: how to get it"."""
    reasons = Counter(
        _reason(report.longrepr[2].removeprefix("Skipped: "))
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    wants = [
        f"{reason} ({n} {'test' if n == 1 else 'tests'})"
        for reason, n in reasons.items()
        if ": " in reason
    ]
    last = f"Skipped. {'; '.join(wants)}" if wants else "Nothing was skipped that could be had."
    terminalreporter.config.stash[MISSING] = last


def _reason(said):
    """Return why a test was skipped; of a package that is not there, how to get it."""
    if absent := re.match(r"could not import '(\w+)", said):
        package = INSTALLED_AS.get(absent[1], absent[1])
        return f"{absent[1]} is missing: pip install {package}"
    return said


def pytest_unconfigure(config):
    """Say it in the last line."""
    if (last := config.stash.get(MISSING, None)) is not None:
        print(last)  # noqa: T201


@pytest.fixture(scope="session")
def postgres_server():
    """The address of a PostgreSQL server of our own; skips, loudly, where none can be started."""
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not binaries:
        pytest.skip("PostgreSQL's journal needs a server: apt-get install postgresql")
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
