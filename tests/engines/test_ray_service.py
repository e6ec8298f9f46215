"""The service on a cluster: killed, started again, and all is as it was."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import make_blobs

from linkwise.session import Session

ray = pytest.importorskip(
    "ray", reason="the engine on a cluster needs Ray: pip install 'ray[data]'"
)
psutil = pytest.importorskip(
    "psutil", reason="who listens where is asked of psutil: pip install it"
)

pytestmark = pytest.mark.xdist_group("ray")

TOKEN = "a-token-for-the-tests-of-a-cluster-0123456789"
PATIENCE = 180
LINKWISE = (sys.executable, "-c", "from linkwise.cli import main; main()")
WANTED = {"name": "many", "n_clusters": 3, "source": {"file": "rows/"}}


@pytest.fixture
def address(start_cluster):
    cluster = start_cluster(num_cpus=1)
    yield cluster.address
    cluster.shutdown()


@pytest.fixture
def start(tmp_path):
    """Start ``linkwise serve --ray`` as a process of its own."""
    (tmp_path / "token").write_text(TOKEN)
    (tmp_path / "token").chmod(0o600)
    running, clients = [], []

    def begin(address):
        command = [*LINKWISE, "serve", "--quiet"]
        command += ["--root", str(tmp_path / "root"), "--data", str(tmp_path / "data")]
        command += ["--port", "0", "--token-file", str(tmp_path / "token"), "--ray", address]
        with (tmp_path / "log").open("w") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        running.append(process)
        said = ""
        while "token=" not in said:
            line = process.stdout.readline()
            assert line, (tmp_path / "log").read_text()
            said += line
        url = re.search(r"http://[^/]+", said).group()
        headers = {"Authorization": f"Bearer {TOKEN}"}
        clients.append(httpx.Client(base_url=url, headers=headers, timeout=PATIENCE))
        return process, clients[-1]

    yield begin
    for client in clients:
        client.close()
    for process in running:
        process.kill()
        process.communicate()


def made(client, wanted):
    """Begin a session and return its address when it is there."""
    job = client.post("/api/sessions", json=wanted).json()["job"]
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = client.get(f"/api/jobs/{job}").json()
        if found["state"] != "running":
            assert (found["state"], found["error"]) == ("done", None)
            return f"/api/sessions/{found['result']['session']}"
        time.sleep(0.1)
    raise AssertionError(f"the job is not over: {found}")


@pytest.fixture
def rows(tmp_path):
    """A folder of two files, and what they hold."""
    X, y = make_blobs(2500, n_features=3, centers=3, cluster_std=2.0, random_state=0)
    folder = tmp_path / "data" / "rows"
    folder.mkdir(parents=True)
    for k, part in enumerate(np.split(np.arange(2500), [1000])):
        table = pa.table({f"f{j}": X[part, j] for j in range(3)})
        pq.write_table(table, folder / f"{k}.parquet")
    return folder, y


def test_the_service_finds_its_labels_again_after_it_was_killed(start, address, rows, tmp_path):
    folder, y = rows
    verdict = {"i": 0, "j": int(np.flatnonzero(y != y[0])[0]), "verdict": "different"}
    answer = {"kind": "answer", "payload": verdict}
    with Session.create(tmp_path / "here", folder, 3) as here:
        unheard = here.labels()
        here.answer(**verdict)
        expected = here.labels()

    process, client = start(address)
    session = made(client, WANTED)
    told = client.post(f"{session}/events", json={"events": [answer]})
    assert told.status_code == 200
    np.testing.assert_array_equal(labels(client, session), expected)
    (file,) = (tmp_path / "root" / ".labels").rglob("labels.npy")
    assert list((tmp_path / "root" / session.rpartition("/")[2]).rglob("labels.npy")) == []
    before = file.stat().st_mtime_ns
    os.kill(process.pid, signal.SIGKILL)
    process.wait()

    _, client = start(address)
    np.testing.assert_array_equal(labels(client, session), expected)
    undone = {"kind": "undo", "payload": {"event": 1}}
    assert client.post(f"{session}/events", json={"events": [undone]}).status_code == 200
    np.testing.assert_array_equal(labels(client, session), unheard)
    assert list((tmp_path / "root" / ".labels").rglob("labels.npy")) == [file]
    assert file.stat().st_mtime_ns == before


def test_a_service_starts_a_cluster_that_no_other_machine_reaches(start, rows, tmp_path):
    process, client = start("local")
    session = made(client, WANTED)
    with Session.create(tmp_path / "here", rows[0], 3) as here:
        np.testing.assert_array_equal(labels(client, session), here.labels())
    workers = psutil.Process(process.pid).children(recursive=True)
    found = {}
    for one in (psutil.Process(process.pid), *workers):
        with suppress(psutil.NoSuchProcess):  # one that has done its work
            found.setdefault(one.name(), set()).update(listening(one))
    assert found["raylet"] == found["gcs_server"] == {"127.0.0.1"}
    assert set.union(*found.values()) == {"127.0.0.1"}
    process.send_signal(signal.SIGTERM)
    process.wait(PATIENCE)
    assert psutil.wait_procs(workers, PATIENCE)[1] == []
    assert "SIGTERM received" not in (tmp_path / "log").read_text()  # where Ray says it crashed


def test_a_session_that_a_command_made_on_its_own_cluster_is_served_on_another(
    start, rows, tmp_path
):
    folder = tmp_path / "root" / "visits"
    command = [*LINKWISE, "session", "create", str(folder), str(rows[0]), "-k", "3"]
    made = subprocess.run([*command, "--ray", "local"], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    first, *_, last = made.stdout.splitlines()
    assert first.startswith(f"{folder}: 2,500 rows in 3 clusters of ")
    assert last == f"Now answer questions: linkwise serve --root {folder.parent} --ray local"
    (file,) = (tmp_path / "root" / ".labels").rglob("labels.npy")
    before = file.stat().st_mtime_ns

    _, client = start("local")
    with Session.create(tmp_path / "here", rows[0], 3) as here:
        np.testing.assert_array_equal(labels(client, "/api/sessions/visits"), here.labels())
    assert list((tmp_path / "root" / ".labels").rglob("labels.npy")) == [file]
    assert file.stat().st_mtime_ns == before


def listening(process):
    """Return the addresses at which a process waits for others."""
    ports = [port for port in process.net_connections("tcp") if port.status == psutil.CONN_LISTEN]
    return {port.laddr.ip.removeprefix("::ffff:") for port in ports}


def labels(client, session):
    reply = client.get(f"{session}/labels")
    assert reply.status_code == 200, reply.text
    return np.frombuffer(reply.content, np.uint8)
