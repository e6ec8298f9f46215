"""A service that is killed comes back with everything it acknowledged."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from service_client import BEARER, FLOWERS, TOKEN, answer, tell


@pytest.fixture
def start(root, tmp_path):
    """Start ``linkwise serve`` as a process of its own."""
    (tmp_path / "token").write_text(TOKEN)
    (tmp_path / "token").chmod(0o600)
    running = []

    def begin():
        command = [str(Path(sys.executable).with_name("linkwise")), "serve", "--root", str(root)]
        command += ["--port", "0", "--token-file", str(tmp_path / "token")]
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
        return process, httpx.Client(base_url=url, headers=BEARER, timeout=30)

    yield begin
    for process in running:
        process.kill()
        process.communicate()


def state(client):
    labels = client.get(f"{FLOWERS}/labels")
    history = client.get(f"{FLOWERS}/history").json()
    return history, labels.headers["x-linkwise-seq"], labels.content


def test_a_killed_service_comes_back_and_one_told_to_stop_ends_well(start):
    process, client = start()
    with client:
        tell(client, *[answer(k, k + 100, "different", key=f"k{k}") for k in range(10)], who="Ada")
        tell(client, {"kind": "undo", "payload": {"event": 3}})
        tell(client, {"kind": "split", "payload": {"cluster": 0, "rows": None}})
        before = state(client)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process, client = start()
    with client:
        assert state(client) == before
        (again,) = tell(client, answer(0, 100, "different", key="k0"), who="Ada")
        assert (again["seq"], again["repeated"]) == (1, True)
        printed, logged = stop(process, client)
    assert "token=" not in printed  # the address was printed once, before
    check_log(logged)


def stop(process, client):
    """Do what must not be seen in the log, listen, and tell the service to stop."""
    tell(client, {"kind": "rename", "payload": {"cluster": 0, "name": "a-secret"}}, who="me-myself")
    client.get("/?token=not-the-token-at-all")
    client.get(f"{FLOWERS}/rows", params={"rows": "0,77777"})
    client.get("/api/sessions/some-odd-name")
    with client.stream("GET", f"{FLOWERS}/stream") as response:
        lines = response.iter_lines()
        next(lines)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        list(lines)  # the stream ends
        said = process.communicate(timeout=60)
    assert time.monotonic() - began < 30  # the stream did not hold it up
    assert process.returncode in (0, -signal.SIGTERM)
    return said


def check_log(logged):
    """See that the log tells what happened, and no data."""
    found = [json.loads(line) for line in logged.splitlines()]
    assert all({"time", "level", "event"} <= set(line) for line in found)
    assert found[-1]["event"] == "session closed"
    requests = [(line["route"], line["status"]) for line in found if line["event"] == "request"]
    assert ("/api/sessions/{session}/events", 200) in requests
    for secret in ("a-secret", "me-myself", "not-the-token", TOKEN, "77777", "some-odd-name"):
        assert secret not in logged
