import json
import sys

import numpy as np
import pytest

from linkwise import Links
from linkwise.bench.common import peers
from linkwise.bench.common.peer_program import PROGRAMS
from linkwise.bench.common.peers import (
    PACKAGES,
    PEERS,
    PeerFailed,
    PeerMissing,
    is_installed,
    prepare,
    run_peer,
)
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


@pytest.mark.usefixtures("calls")
def test_one_package_that_fails_does_not_keep_the_others_out(tmp_path, monkeypatch):
    monkeypatch.setenv(peers.PLACE, "")
    said = []
    state = prepare(tmp_path / "peers", said.append)
    assert state["metric-learn"] == "failed: no such version"
    assert state["cobras-ts"] == "0.1.3"
    assert "metric-learn: failed: no such version" in said
    assert not is_installed("ITML + k-means (metric-learn)", tmp_path / "peers")
    assert is_installed("COBRAS (cobras-ts)", tmp_path / "peers")


def test_what_could_not_be_installed_is_tried_again_and_the_rest_is_not(
    tmp_path, calls, monkeypatch
):
    monkeypatch.setenv(peers.PLACE, "")
    prepare(tmp_path / "peers", lambda line: None)  # noqa: ARG005
    calls.clear()
    prepare(tmp_path / "peers", lambda line: None)  # noqa: ARG005
    assert any("metric-learn==0.7.0" in command for command in calls)
    assert not any("cobras-ts==0.1.3" in command for command in calls)
    monkeypatch.setattr(peers, "_call", lambda command: "")  # noqa: ARG005
    assert prepare(tmp_path / "peers", lambda line: None)["metric-learn"] == "0.7.0"  # noqa: ARG005
    monkeypatch.setattr(peers, "_call", pytest.fail)
    prepare(tmp_path / "peers", lambda line: None)  # noqa: ARG005  # all there: nothing is called


def test_a_complaint_is_the_first_error_or_the_last_line():
    def said(words, code):
        return peers._call(
            [sys.executable, "-c", f"import sys; sys.stderr.write({words!r}); {code}"]
        )

    assert said("WARNING: w\nERROR: No a.\nERROR: Resolution\n", "sys.exit(1)") == "No a."
    assert said("Traceback:\n  x\nValueError: y\n", "sys.exit(1)") == "ValueError: y"
    assert said("ERROR: but it went well\n", "") == ""
    assert said("", "sys.exit(1)") == "no reason was given"


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
    with pytest.raises(PeerMissing, match=r"^cobras-ts could not be installed: no such v"):
        run_peer("COBRAS (cobras-ts)", np.eye(4), 3, None, oracle, 0)


def test_peers_that_were_not_set_up_say_so(tmp_path, monkeypatch):
    monkeypatch.setenv(peers.PLACE, str(tmp_path))
    with pytest.raises(PeerMissing, match="has not been set up: run with --peers"):
        run_peer("PCKMeans (asc)", np.eye(4), 3, None, Oracle(np.zeros(4, dtype=int), 0), 0)
