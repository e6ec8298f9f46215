"""What strangers can do to a real process from outside: nothing that its owner would notice."""

import shutil
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from real_service import real_service
from service_client import BEARER, FLOWERS, TOKEN, answer, tell


@pytest.fixture(scope="module")
def service(template, tmp_path_factory):
    root = tmp_path_factory.mktemp("outside") / "root"
    shutil.copytree(template, root)
    limits = ("head_seconds=2", "body_seconds=2", "strangers=60", "strangers_per_address=40")
    options = [word for one in limits for word in ("--limit", one)]
    with real_service(root, *options, descriptors=300) as running:
        running.root = root
        yield running


def knock(service):
    return socket.create_connection(("127.0.0.1", service.port), timeout=30)


def is_cut(connection, seconds=20):
    """Wait until the other side has ended a connection."""
    connection.settimeout(seconds)
    try:
        while connection.recv(4096):
            pass
    except ConnectionResetError:
        return True
    return True


def test_a_thousand_silent_connections_do_not_lock_the_owner_out(service):
    with ExitStack() as held, service.client() as owner:
        assert owner.get("/api/sessions").status_code == 200
        for _ in range(1100):
            held.enter_context(knock(service))
        tell(owner, answer(0, 1))  # over the connection that was there before
        with service.client() as again:  # and over a new one
            tell(again, answer(0, 60, "different"))
        for _ in range(300):
            stranger = held.enter_context(knock(service))
            stranger.sendall(b"GET /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        with service.client() as again:
            assert len(again.get(f"{FLOWERS}/history").json()["events"]) == 2
    assert service.lives()
    assert len(service.logged) < 30


def test_a_head_that_never_ends_is_cut(service):
    with knock(service) as silent, knock(service) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        began = time.monotonic()
        assert is_cut(silent)
        assert is_cut(slow)
        assert time.monotonic() - began < 20


def test_a_body_that_stops_is_cut_and_one_that_goes_on_is_not(service):
    head = f"POST {FLOWERS}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n"
    head += f"Authorization: {BEARER['Authorization']}\r\nContent-Type: application/json\r\n\r\n"
    with knock(service) as stops, knock(service) as goes_on:
        for connection in (stops, goes_on):
            connection.sendall(head.encode() + b"{")
        for _ in range(8):
            time.sleep(0.6)
            goes_on.sendall(b" ")
        assert is_cut(stops)
        goes_on.sendall(b" " * 91)
        assert goes_on.recv(100).startswith(b"HTTP/1.1 4")


@pytest.mark.parametrize("n_bytes", [40_000, 300_000, 3_000_000])
def test_a_head_that_is_too_long_does_not_come_in(service, n_bytes):
    head = f"GET /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nX: {'x' * n_bytes}\r\n"
    with knock(service) as connection:
        try:
            connection.sendall(f"{head}Authorization: {BEARER['Authorization']}\r\n\r\n".encode())
            said = connection.recv(100)
        except ConnectionError:  # it was cut while we still sent
            said = b""
    assert said[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400", b"")
    assert service.lives()


def test_wrong_tokens_wait_and_right_ones_do_not(service):
    wrong = {"Authorization": "Bearer wrong"}
    with service.client(wrong) as stranger, service.client() as owner:
        for _ in range(12):
            assert stranger.get("/api/sessions").status_code == 401
        began = time.monotonic()
        assert stranger.get("/api/sessions").status_code == 401
        held = time.monotonic() - began
        assert held > 0.3
        assert owner.get("/api/sessions").status_code == 200
    refused = [line for line in service.logged if '"status": 401' in line]
    assert len(refused) <= 2


def test_a_heap_of_json_is_refused_while_others_are_served(service):
    heap = b'{"events": [], ' + b",".join(b'"x%d": 0' % k for k in range(10**6)) + b"}"
    assert len(heap) > 12 * 10**6
    with service.client() as owner:
        headers = {"Content-Type": "application/json"}
        refused = owner.post(f"{FLOWERS}/events", content=heap, headers=headers)
        assert refused.status_code == 413
    assert service.lives()


@pytest.mark.parametrize(
    "lines",
    [
        ["Host: 127.0.0.1@evil"],
        ["Host: [::1]evil"],
        ["Host: evil"],
        ["Host: 127.0.0.1", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"],
        ["Host: 127.0.0.1", "Origin: http://evil"],
    ],
)
def test_pages_and_names_of_others_do_not_come_in(service, lines):
    head = ["GET /api/sessions HTTP/1.1", *lines, f"Authorization: Bearer {TOKEN}"]
    with knock(service) as connection:
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        assert connection.recv(100)[:12] in (b"HTTP/1.1 403", b"HTTP/1.1 400")


def test_a_browser_gets_a_cookie_that_is_not_the_token(service):
    with service.client({}) as browser:
        browser.get("/", params={"token": TOKEN})
        (cookie,) = browser.cookies.jar
        assert TOKEN not in cookie.value
        assert browser.get("/api/sessions").status_code == 200


def test_a_token_opens_what_its_role_may_until_it_is_taken_back(service):
    def token(*words):
        command = [str(Path(sys.executable).with_name("linkwise")), "token", *words]
        return subprocess.check_output([*command, "--root", str(service.root)], text=True)

    said = token("add", "Ada", "--role", "look")
    (given,) = [word for word in said.split() if len(word) > 30 and "/" not in word]
    with service.client({"Authorization": f"Bearer {given}"}) as ada:
        assert ada.get(f"{FLOWERS}/history").status_code == 200
        tell(ada, answer(3, 4), code=403)
        assert ada.delete(FLOWERS).status_code == 403
        token("revoke", "Ada")
        assert ada.get(f"{FLOWERS}/history").status_code == 401


def test_a_long_chain_of_undos_is_no_burden(service):
    with service.client() as owner:
        (said,) = tell(owner, answer(5, 6))
        last = said["seq"]
        for first in range(last, last + 8000, 1000):
            chain = [{"kind": "undo", "payload": {"event": k}} for k in range(first, first + 1000)]
            tell(owner, *chain)
        began = time.monotonic()
        assert owner.get(f"{FLOWERS}/labels").status_code == 200
        assert time.monotonic() - began < 20
        event = owner.get(f"{FLOWERS}/history", params={"after": last - 1, "limit": 1}).json()
        assert event["events"][0]["undone_by"] is None  # an even number of them


def test_names_and_clusters_without_end_are_refused(template, tmp_path):
    root = shutil.copytree(template, tmp_path / "root")
    with real_service(root, "--limit", "clusters=40") as service, service.client() as owner:
        for first in range(0, 3000, 1000):
            names = [{"rows": [k % 150], "name": f"name {k}"} for k in range(first, first + 1000)]
            told = [{"kind": "label", "payload": name} for name in names]
            assert "would have no cluster" in tell(owner, *told, code=422)
        split = {"kind": "split", "payload": {"cluster": 0, "rows": None}}
        statuses = [
            owner.post(f"{FLOWERS}/events", json={"events": [split] * 10}).status_code
            for _ in range(10)
        ]
        assert statuses == [200] * 3 + [422] * 7
        assert owner.get(FLOWERS).json()["seq"] == 30
        assert service.lives()


def test_many_who_look_back_hold_up_nobody_else(template, tmp_path):
    root = shutil.copytree(template, tmp_path / "root")
    with real_service(root) as service, service.client() as owner:
        tell(owner, *[answer(k % 150, (7 * k + 1) % 150, "different") for k in range(60)])
        assert owner.get(f"{FLOWERS}/labels").status_code == 200

        def look_back(seq):
            with service.client() as looker:
                return looker.get(f"{FLOWERS}/labels", params={"since": seq}).status_code

        with ThreadPoolExecutor(45) as lookers:
            found = [lookers.submit(look_back, seq) for seq in range(5, 60)]
            for path in ("history", "questions", "rows?rows=1", "progress"):
                assert owner.get(f"{FLOWERS}/{path}").status_code == 200
            tell(owner, answer(0, 60, "different"))
            assert not all(one.done() for one in found)
            assert [one.result() for one in found] == [200] * 55


def test_a_spreadsheet_runs_nothing_of_what_is_exported(service):
    with service.client() as owner:
        told = {"rows": [0], "name": "=cmd|' /C calc'!A0"}
        (said,) = tell(owner, {"kind": "label", "payload": told})
        table = owner.get(f"{FLOWERS}/export", params={"what": "labels", "format": "csv"}).text
        raw = {"what": "labels", "format": "csv", "raw": "true"}
        assert "'=cmd" in table
        assert ",=cmd" not in table
        assert "'=cmd" not in owner.get(f"{FLOWERS}/export", params=raw).text
        tell(owner, {"kind": "undo", "payload": {"event": said["seq"]}})


def test_many_listeners_that_connect_in_one_moment_all_hear(template, tmp_path):
    """All connect before anybody has said a word, more of them than may stay without a token."""
    root = shutil.copytree(template, tmp_path / "root")
    with real_service(root) as service, ExitStack() as held, service.client() as owner:
        tell(owner, answer(0, 1))  # the session is open
        listeners = [held.enter_context(knock(service)) for _ in range(200)]
        head = f"GET {FLOWERS}/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for listener in listeners:
            listener.sendall(f"{head}Authorization: {BEARER['Authorization']}\r\n\r\n".encode())
        for listener in listeners:
            assert listener.recv(4096).startswith(b"HTTP/1.1 200")
        tell(owner, answer(0, 60, "different"))
        for listener in listeners:
            heard = b""
            while b"id: 2\n" not in heard:
                said = listener.recv(4096)
                assert said
                heard += said


def test_silent_connections_of_one_address_are_few_after_a_second(template, tmp_path):
    root = shutil.copytree(template, tmp_path / "root")
    with real_service(root) as service, ExitStack() as held:
        silent = [held.enter_context(knock(service)) for _ in range(150)]
        began = time.monotonic()
        assert all(is_cut(one) for one in silent[:22])
        assert time.monotonic() - began < 8  # long before a head must be complete
        silent[-1].sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert silent[-1].recv(100).startswith(b"HTTP/1.1 200")
