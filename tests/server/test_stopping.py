"""Stopping: a service that is computing ends within seconds, and has lost nothing."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from service_client import answer

from linkwise.server.refusals import Stopping
from linkwise.session import Session

FLOOD = 30
AT_ONCE = 1000


@pytest.fixture
def crowd(root):
    """Add a session in which the labels of a flood of answers take minutes."""
    X = np.random.RandomState(0).rand(3000, 4)
    Session.create(root / "crowd", X, 8, n_partitions=20).close()
    return root / "crowd"


def test_a_service_that_computes_labels_ends_within_seconds(start, crowd):
    process, client = start()
    rng = np.random.RandomState(0)
    place = "/api/sessions/crowd"
    for _ in range(FLOOD):
        pairs = (rng.choice(3000, 2, replace=False).tolist() for _ in range(AT_ONCE))
        events = [answer(i, j, "same" if rng.rand() < 0.5 else "different") for i, j in pairs]
        assert client.post(f"{place}/events", json={"events": events}).status_code == 200
    known = client.get(f"{place}/labels?at_least=0").headers["X-Linkwise-Seq"]
    assert int(known) < FLOOD * AT_ONCE  # they are still being computed
    with ThreadPoolExecutor() as asking:
        told = asking.submit(client.get, f"{place}/conflicts")  # it waits for them, too
        time.sleep(1)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) in (0, -signal.SIGTERM)
        assert time.monotonic() - began < 15
    assert told.result().status_code == 503
    assert told.result().json() == {"error": str(Stopping())}
    with Session.open(crowd) as session:
        assert session.seq == FLOOD * AT_ONCE
        assert len(session.history(limit=AT_ONCE)) == AT_ONCE
