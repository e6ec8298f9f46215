"""The service with TLS, its own or that of nginx set up as the guide says."""

import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from real_service import real_service
from service_client import FLOWERS, TOKEN, answer, frames, tell

from linkwise.client import Client, Unreachable
from linkwise.errors import InvalidInput

GUIDE = Path(__file__).parents[2] / "docs" / "service.md"
NAME = "studio.example"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None,
    reason="openssl is missing: install it with the system's packages",
)


def configuration(folder, port, upstream):
    """Return what the guide shows, with other ports and files, in what nginx needs around it."""
    server = re.search(r"```nginx\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)[1]
    server = server.replace("443 ssl", f"127.0.0.1:{port} ssl")
    server = server.replace("/etc/ssl/studio.example", str(folder / "own"))
    server = server.replace("127.0.0.1:8321", f"127.0.0.1:{upstream}")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder / kind};\n" for kind in kinds)
    user = "user root;\n" if Path.home() == Path("/root") else ""
    return (
        f"{user}daemon off;\nworker_processes 1;\npid {folder / 'pid'};\n"
        f"error_log {folder / 'error.log'};\nevents {{}}\n"
        f"http {{\naccess_log off;\n{places}{server}}}\n"
    )


def certify(folder, names=f"DNS:{NAME},IP:127.0.0.1"):
    """Write a certificate of its own for the name, and the key."""
    files = ["-keyout", folder / "own.key", "-out", folder / "own.pem", "-days", "1"]
    subject = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName={names}"]
    command = ["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", *files, *subject]
    subprocess.run(command, check=True, capture_output=True)


@contextmanager
def proxied(folder, upstream):
    """Run nginx before the service; yields a client of it without a token."""
    certify(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "nginx.conf").write_text(configuration(folder, port, upstream))
    command = [NGINX, "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with socket.socket() as trial:
                if trial.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        transport = Named(verify=ssl.create_default_context(cafile=folder / "own.pem"), port=port)
        with httpx.Client(transport=transport, base_url=f"https://{NAME}", timeout=60) as client:
            yield client
    finally:
        process.terminate()
        process.wait(30)


class Named(httpx.HTTPTransport):
    """Finds the name on this machine, at the port of the proxy."""

    def __init__(self, *, port, **options):
        super().__init__(**options)
        self._port = port

    def handle_request(self, request):
        url = request.url.copy_with(host="127.0.0.1", port=self._port)
        named = request.extensions | {"sni_hostname": NAME}
        options = {"headers": request.headers, "stream": request.stream, "extensions": named}
        return super().handle_request(httpx.Request(request.method, url, **options))


def https_by_itself(folder, **names):
    """Return the options of a service with a certificate of its own, and who trusts that."""
    certify(folder, **names)
    own = ["--cert", str(folder / "own.pem"), "--cert-key", str(folder / "own.key")]
    return own, ssl.create_default_context(cafile=folder / "own.pem")


def test_the_service_speaks_https_by_itself(root, tmp_path):
    own, trusted = https_by_itself(tmp_path)
    with real_service(root, *own) as service, service.client({}, verify=trusted) as client:
        assert service.url.startswith("https://")
        assert client.get(FLOWERS).status_code == 401
        cookie = client.get("/", params={"token": TOKEN}).headers["set-cookie"]
        assert "Secure" in cookie
        tell(client, answer(0, 1))
        assert client.get(FLOWERS).json()["seq"] == 1
        with pytest.raises(httpx.HTTPError):
            httpx.get(service.url.replace("https", "http"), timeout=10)


def test_who_never_shakes_hands_does_not_lock_the_owner_out(root, tmp_path):
    own, trusted = https_by_itself(tmp_path)
    limits = ("head_seconds=2", "strangers=60", "strangers_per_address=40")
    own += [word for one in limits for word in ("--limit", one)]
    with real_service(root, *own, descriptors=300) as service, ExitStack() as held:

        def knock():
            place = ("127.0.0.1", service.port)
            return held.enter_context(socket.create_connection(place, timeout=30))

        for _ in range(500):
            knock()
        with service.client(verify=trusted) as owner:
            owner.timeout = 20
            tell(owner, answer(0, 1))
            assert owner.get(FLOWERS).json()["seq"] == 1
        half = knock()
        half.sendall(b"\x16\x03\x01\x02\x00")  # as a handshake begins
        half.settimeout(20)
        with suppress(ConnectionResetError):
            assert half.recv(100) == b""
        assert service.process.poll() is None
    assert len(service.logged) < 30


def test_a_request_that_comes_with_the_end_of_the_handshake_is_answered(root, tmp_path):
    """What comes before anybody asked for it must wait, and not be lost."""
    own, trusted = https_by_itself(tmp_path)
    asked = f"GET {FLOWERS} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    with real_service(root, *own) as service:
        for _ in range(20):
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            client = trusted.wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
            with socket.create_connection(("127.0.0.1", service.port), timeout=30) as wire:
                while True:
                    try:
                        client.do_handshake()
                        break
                    except ssl.SSLWantReadError:
                        wire.sendall(outgoing.read())
                        incoming.write(wire.recv(2**16))
                client.write(asked.encode())
                wire.sendall(outgoing.read())  # the last word of the handshake, and the request
                said = b""
                while not said:
                    piece = wire.recv(2**16)
                    assert piece
                    incoming.write(piece)
                    with suppress(ssl.SSLWantReadError):
                        said = client.read(100)
                assert said.startswith(b"HTTP/1.1 200")


def test_a_certificate_that_is_none_is_one_line(root, tmp_path):
    (tmp_path / "own.pem").write_text("nothing of the kind")
    command = [str(Path(sys.executable).with_name("linkwise")), "serve", "--root", str(root)]
    command += ["--port", "0", "--cert", str(tmp_path / "own.pem")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "own.pem: expected a certificate and its private key" in ended.stderr


def test_the_client_and_commands_trust_the_certificate_that_was_named(root, tmp_path):
    own, _ = https_by_itself(tmp_path, names=f"DNS:{NAME}")
    with real_service(root, *own) as service:
        with Client(service.url, TOKEN, certificate=tmp_path / "own.pem") as client:
            assert client.answer("flowers", 0, 1, "same").seq == 1
        with Client(service.url, TOKEN, tries=1) as client, pytest.raises(Unreachable):
            client.get_session("flowers")
        (tmp_path / "other").mkdir()
        certify(tmp_path / "other")
        other = tmp_path / "other" / "own.pem"
        deceived = Client(service.url, TOKEN, tries=1, certificate=other)
        with deceived as client, pytest.raises(Unreachable, match="certificate"):
            client.get_session("flowers")
        command = [str(Path(sys.executable).with_name("linkwise")), "session", "answer"]
        said = subprocess.check_output([*command, str(root / "flowers"), "0", "60", "different"])
        assert said.startswith(b"Event 2 recorded")
    with pytest.raises(InvalidInput, match="is no certificate in PEM form"):
        Client("https://127.0.0.1:1", TOKEN, certificate=tmp_path / "own.key")


@pytest.mark.skipif(NGINX is None, reason="nginx is missing: install it with the system's packages")
def test_behind_a_proxy_people_come_in_by_cookie_and_hear_the_news(root, tmp_path):
    (tmp_path / "nginx").mkdir()
    with (
        real_service(root, "--allow-host", NAME) as service,
        proxied(tmp_path / "nginx", service.port) as client,
    ):
        assert client.get("/health").status_code == 200
        assert client.get(FLOWERS).status_code == 401
        entered = client.get("/", params={"token": TOKEN})
        assert entered.status_code == 303
        cookie = entered.headers["set-cookie"]
        assert TOKEN not in cookie
        assert "HttpOnly" in cookie
        assert "Secure" in cookie
        assert client.get(FLOWERS).json()["n_rows"] == 150
        page = {"Origin": f"https://{NAME}", "Sec-Fetch-Site": "same-origin"}
        assert client.get(FLOWERS, headers=page).status_code == 200
        assert client.get(FLOWERS, headers={"Origin": "https://evil"}).status_code == 403
        assert client.get(FLOWERS, headers={"Host": "evil"}).status_code == 403
        with client.stream("GET", f"{FLOWERS}/stream") as stream:
            heard = frames(stream.iter_lines())
            assert next(heard)["id"] == "0"
            tell(client, answer(0, 1))
            assert next(f["id"] for f in heard if f.get("event") == "journal") == "1"
        assert client.request("PUT", FLOWERS).status_code == 403
