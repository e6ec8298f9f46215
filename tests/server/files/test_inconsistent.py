"""Well-formed files that say what cannot be true: taken in good order or refused in a sentence."""

import threading

import pytest
from hypothesis import HealthCheck, given, settings
from service_client import TOKEN, calling

from linkwise.errors import InvalidInput
from linkwise.server.app import create_app
from service_files import inconsistent_files


@pytest.fixture(scope="module")
def taking(tmp_path_factory):
    """Run a service that takes uploads."""
    root = tmp_path_factory.mktemp("inconsistent")
    with calling(create_app(root, token=TOKEN)) as client:
        yield client


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(inconsistent_files())
def test_whatever_comes_is_taken_or_refused_in_a_sentence(taking, file):
    got = taking.post("/api/uploads", params={"name": file.name}, content=file.content)
    assert got.status_code in (201, 422), got.text
    if got.status_code == 422:
        assert got.json()["error"].endswith(".")
        assert "ends the program" not in got.json()["error"], file


def test_two_are_read_at_a_time_and_nobody_is_forgotten(taking):
    statuses = []

    def send(k):
        got = taking.post("/api/uploads", params={"name": "x.csv"}, content=b"a,b\n1,2\n%d,4\n" % k)
        statuses.append(got.status_code)

    senders = [threading.Thread(target=send, args=(k,)) for k in range(12)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert statuses == [201] * 12


def test_many_who_upload_hold_up_nobody_else(taking, monkeypatch):
    go, statuses = threading.Event(), []

    def slowly(path, encoding):  # noqa: ARG001
        assert go.wait(60)
        raise InvalidInput("it was slow.")

    monkeypatch.setattr(taking.app.state.service.uploads, "inspect", slowly)

    def send():
        sent = taking.post("/api/uploads", params={"name": "x.csv"}, content=b"a\n1\n")
        statuses.append(sent.status_code)

    senders = [threading.Thread(target=send) for _ in range(45)]
    for sender in senders:
        sender.start()
    try:
        assert taking.get("/api/sessions").status_code == 200
        assert statuses == []
    finally:
        go.set()
        for sender in senders:
            sender.join()
    assert statuses == [422] * 45
