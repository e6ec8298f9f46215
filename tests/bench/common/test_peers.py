import json
import sys

import numpy as np
import pytest

from linkwise import Links
from linkwise.bench.common import peers
from linkwise.bench.common.peer_program import PROGRAMS
from linkwise.bench.common.peers import PACKAGES, PEERS, PeerFailed, prepare, run_peer
from linkwise.bench.common.tasks import Oracle

ECHO = """
import sys
import numpy as np
_, name, task, answer = sys.argv
given = dict(np.load(task))
if given["seed"] == 9:
    raise SystemExit("it broke")
np.savez(answer, labels=np.arange(len(given["X"])) % given["k"], asked=given["must"],
         seconds=1.5, memory=2.5)
"""


@pytest.fixture
def calls(monkeypatch):
    """Note what would be installed; metric-learn cannot be."""
    made = []

    def call(command):
        made.append(command)
        return "no such version" if "metric-learn==0.7.0" in command else ""

    monkeypatch.setattr(peers, "_call", call)
    return made


@pytest.fixture
def ready(tmp_path, monkeypatch):
    """An environment in which the program only says what it was given."""
    program = tmp_path / "echo.py"
    program.write_text(ECHO, encoding="utf-8")
    monkeypatch.setattr(peers, "PROGRAM", program)
    monkeypatch.setattr(peers, "_python", lambda folder: sys.executable)  # noqa: ARG005
    state = dict.fromkeys(PACKAGES, "1.0") | {"cobras-ts": "failed: no such version"}
    (tmp_path / "installed.json").write_text(json.dumps(state), encoding="utf-8")
    monkeypatch.setenv(peers.PLACE, str(tmp_path))


def test_every_peer_has_a_program_and_a_package():
    assert set(PEERS) == set(PROGRAMS)
    assert {peer.package for peer in PEERS.values()} == set(PACKAGES)


def test_all_that_is_installed_is_pinned():
    for wanted in (*PACKAGES.values(), peers.BASE):
        assert all("==" in one for one in wanted)


def test_one_package_that_fails_does_not_keep_the_others_out(tmp_path, calls, monkeypatch):
    monkeypatch.setenv(peers.PLACE, "")
    said = []
    state = prepare(tmp_path / "peers", said.append)
    assert state["metric-learn"] == "failed: no such version"
    assert state["cobras-ts"] == "0.1.3"
    assert "metric-learn: failed: no such version" in said
    n_calls = len(calls)
    assert prepare(tmp_path / "peers", said.append) == state
    assert len(calls) == n_calls  # set up once


def test_a_peer_is_given_the_links_and_what_it_asked_is_remembered(ready):  # noqa: ARG001
    oracle = Oracle(np.array([0, 0, 1, 1]), 5)
    links = Links(4, must=[(0, 1)], cannot=[(2, 3)])
    answer = run_peer("PCKMeans (asc)", np.eye(4), 3, links, oracle, 0)
    assert answer.labels.tolist() == [0, 1, 2, 0]
    assert (answer.seconds, answer.memory_mb) == (1.5, 2.5)
    assert oracle.named_rows.tolist() == [0, 1]


def test_what_a_peer_breaks_over_is_told_in_a_sentence(ready):  # noqa: ARG001
    oracle = Oracle(np.zeros(4, dtype=int), 0)
    with pytest.raises(PeerFailed, match=r"^it broke$"):
        run_peer("PCKMeans (asc)", np.eye(4), 3, None, oracle, 9)
    with pytest.raises(PeerFailed, match=r"^cobras-ts could not be installed: failed: no such"):
        run_peer("COBRAS (cobras-ts)", np.eye(4), 3, None, oracle, 0)


def test_peers_that_were_not_set_up_say_so(tmp_path, monkeypatch):
    monkeypatch.setenv(peers.PLACE, str(tmp_path))
    with pytest.raises(PeerFailed, match="has not been set up: run with --peers"):
        run_peer("PCKMeans (asc)", np.eye(4), 3, None, Oracle(np.zeros(4, dtype=int), 0), 0)
