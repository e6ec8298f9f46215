"""Running: the port, the address, the token in a file."""

import re
import socket
import stat
import subprocess
import sys

import pytest

from linkwise.errors import InvalidInput
from linkwise.server.refusals import InTheWay
from linkwise.server.running import address, bind, read_token


def test_any_free_port_can_be_taken():
    with bind("127.0.0.1", 0) as listener:
        assert re.fullmatch(r"http://127\.0\.0\.1:[1-9]\d+", address(listener))


def test_the_address_of_all_interfaces_is_the_one_for_this_machine():
    with bind("0.0.0.0", 0) as listener:
        assert address(listener).startswith("http://127.0.0.1:")


def test_a_port_that_is_taken_is_told():
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        sentence = f"port {port} of 127.0.0.1: address already in use. Choose another with --port."
        with pytest.raises(InTheWay) as refused:
            bind("127.0.0.1", port)
        assert str(refused.value) == sentence


def test_small_replies_are_sent_at_once(served):
    with served.client() as client:
        client.get("/health")
        (connection,) = served.server.server_state.connections
        accepted = connection.transport.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_every_token_is_new_and_long():
    first, second = read_token(None), read_token(None)
    assert first != second
    assert len(first) >= 43


def test_a_token_file_is_made_for_its_owner_and_read_again(tmp_path):
    path = tmp_path / "token"
    token = read_token(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_token(path) == token


@pytest.mark.parametrize("content", ["", "short", "ü" * 40, "a\x07" * 20])
def test_a_file_without_a_token_is_refused(tmp_path, content):
    path = tmp_path / "token"
    path.write_text(content, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(InvalidInput, match="does not hold a token"):
        read_token(path)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602, 0o666])
def test_a_token_that_others_can_read_is_refused(tmp_path, mode):
    path = tmp_path / "token"
    path.write_text("x" * 43)
    path.chmod(mode)
    with pytest.raises(InvalidInput) as refused:
        read_token(path)
    assert str(refused.value) == (
        f"{path} can be read or written by others, so what is in it is no secret. Take their "
        f"rights away (chmod 600 {path}), or remove the file for a new token."
    )


def test_a_service_starts_without_what_only_sessions_need():
    code = "import sys, linkwise.server.app, linkwise.server.running; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    late = {"sklearn", "numba", "pandas", "pyarrow", "linkwise.session.session"}
    assert late & set(loaded.stdout.split()) == set()
    assert loaded.returncode == 0
