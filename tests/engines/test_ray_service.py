"""The service on a cluster: killed, started again, and all is as it was."""

import os
import re
import signal
import subprocess
import sys
import time

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

pytestmark = pytest.mark.xdist_group("ray")

TOKEN = "a-token-for-the-tests-of-a-cluster-0123456789"
PATIENCE = 180


@pytest.fixture
def address():
    from ray.cluster_utils import Cluster

    machine = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=machine)
    yield cluster.address
    cluster.shutdown()


@pytest.fixture
def start(address, tmp_path):
    """Start ``linkwise serve --ray`` as a process of its own."""
    (tmp_path / "token").write_text(TOKEN)
    (tmp_path / "token").chmod(0o600)
    running, clients = [], []

    def begin():
        command = [
            sys.executable,
            "-c",
            "from linkwise.cli import main; main()",
            "serve",
            "--quiet",
        ]
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


def test_the_service_finds_its_labels_again_after_it_was_killed(start, tmp_path):
    X, y = make_blobs(2500, n_features=3, centers=3, cluster_std=2.0, random_state=0)
    (tmp_path / "data" / "rows").mkdir(parents=True)
    for k, part in enumerate(np.split(np.arange(2500), [1000])):
        table = pa.table({f"f{j}": X[part, j] for j in range(3)})
        pq.write_table(table, tmp_path / "data" / "rows" / f"{k}.parquet")
    verdict = {"i": 0, "j": int(np.flatnonzero(y != y[0])[0]), "verdict": "different"}
    answer = {"kind": "answer", "payload": verdict}
    with Session.create(tmp_path / "here", tmp_path / "data" / "rows", 3) as here:
        unheard = here.labels()
        here.answer(**verdict)
        expected = here.labels()

    process, client = start()
    session = made(client, {"name": "many", "n_clusters": 3, "source": {"file": "rows/"}})
    told = client.post(f"{session}/events", json={"events": [answer]})
    assert told.status_code == 200
    np.testing.assert_array_equal(labels(client, session), expected)
    (file,) = (tmp_path / "root" / ".labels").rglob("labels.npy")
    assert list((tmp_path / "root" / session.rpartition("/")[2]).rglob("labels.npy")) == []
    before = file.stat().st_mtime_ns
    os.kill(process.pid, signal.SIGKILL)
    process.wait()

    _, client = start()
    np.testing.assert_array_equal(labels(client, session), expected)
    undone = {"kind": "undo", "payload": {"event": 1}}
    assert client.post(f"{session}/events", json={"events": [undone]}).status_code == 200
    np.testing.assert_array_equal(labels(client, session), unheard)
    assert list((tmp_path / "root" / ".labels").rglob("labels.npy")) == [file]
    assert file.stat().st_mtime_ns == before


def labels(client, session):
    reply = client.get(f"{session}/labels")
    assert reply.status_code == 200, reply.text
    return np.frombuffer(reply.content, np.uint8)
