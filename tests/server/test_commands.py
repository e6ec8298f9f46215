"""``linkwise serve`` and ``linkwise studio``: what they start, and what they say."""

import html
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import webbrowser
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest
from click.testing import CliRunner

from linkwise.cli import main
from linkwise.cli.announcement import FILE
from linkwise.server import running
from linkwise.server.keys import OWNER
from linkwise.server.running import bind
from linkwise.session import Session


@pytest.fixture
def started(monkeypatch):
    """Let the commands do everything but serve; collects the applications."""
    apps = []

    def serve_nobody(app, listener, when_ready, https=None, when_over=None):  # noqa: ARG001
        apps.append(app)
        when_ready()

    monkeypatch.setattr(running, "run", serve_nobody)
    return apps


@pytest.fixture
def opened(monkeypatch):
    """Collect the addresses that a browser would be sent to, by a file that nobody else reads."""
    addresses = []

    def follow(given):
        assert "token=" not in given  # everybody can see it
        path = Path(url2pathname(urlparse(given).path))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        found = re.search(r'content="0; url=([^"]+)"', path.read_text())
        addresses.append(html.unescape(found.group(1)))

    monkeypatch.setattr(webbrowser, "open", follow)
    return addresses


def run(*args, code=0):
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    assert result.exit_code == code, (result.output, result.exception)
    return result


@pytest.fixture
def people(tmp_path):
    """Write a small table."""
    path = tmp_path / "people.csv"
    path.write_text("name,height\n" + "".join(f"p{k},{k % 7}\n" for k in range(30)))
    return path


def test_serve_prints_the_address_with_the_token(started, tmp_path):
    said = run("serve", "--root", tmp_path / "root", "--port", 0, "-q").stdout
    token = said.partition("/?token=")[2].strip()
    assert started[0].state.keys.by_token(token) == OWNER
    assert said.startswith(f"linkwise is serving {tmp_path / 'root'} at\n\n    http://127.0.0.1:")


@pytest.mark.usefixtures("started")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5"])
def test_serve_does_not_speak_openly_to_other_machines_unasked(tmp_path, host, monkeypatch):
    serve = ("serve", "--root", tmp_path / "root", "--port", 0, "-q", "--host", host)
    refused = run(*serve, code=1).stderr
    assert refused.startswith(f"--host {host} can be reached from other machines, and without")
    monkeypatch.setattr(running, "bind", lambda host, port: bind("127.0.0.1", port))  # noqa: ARG005
    assert "http://127" in run(*serve, "--plain-http").stdout
    assert "https://127" in run(*serve, "--cert", tmp_path / "cert.pem").stdout


@pytest.mark.usefixtures("started")
def test_every_start_has_a_new_token_unless_a_file_keeps_it(tmp_path):
    def token(*more):
        said = run("serve", "--root", tmp_path / "root", "--port", 0, "-q", *more).stdout
        return said.partition("token=")[2].split()[0]

    assert token() != token()
    kept = ("--token-file", tmp_path / "token")
    assert token(*kept) == token(*kept)


def test_serve_takes_the_cluster_that_large_sessions_live_on(started, tmp_path, monkeypatch):
    pytest.importorskip("ray", reason="the engine on a cluster needs Ray: pip install 'ray[data]'")
    connected = []
    monkeypatch.setattr("linkwise.engines.ray.Ray.connect", lambda one: connected.append(one))
    run("serve", "--root", tmp_path / "root", "--port", 0, "-q", "--ray", "10.0.0.7:6379")
    engine = started[0].state.service.shelf.engine
    assert connected == [engine]
    assert engine.address == "10.0.0.7:6379"
    assert engine.storage == tmp_path / "root" / ".labels"
    run("serve", "--root", tmp_path / "root", "--port", 0, "-q")
    assert started[-1].state.service.shelf.engine is None


def test_a_cluster_that_is_not_there_is_a_sentence_and_code_1(started, tmp_path):
    pytest.importorskip("ray", reason="the engine on a cluster needs Ray: pip install 'ray[data]'")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        refused = run("serve", "--root", tmp_path / "root", "--port", 0, "--ray", where, code=1)
    said = refused.stderr.splitlines()
    assert said[0] == f"connecting to Ray, {where}"
    assert said[1].startswith(f"there is no Ray cluster at {where} (ConnectionRefusedError")
    assert started == []


def test_serve_offers_the_data_folder_and_answers_to_the_names_it_is_given(started, data_folder):
    run("serve", "--root", data_folder.parent / "root", "--port", 0, "-q", "--data", data_folder)
    assert "people.csv" in started[0].state.service.files.names()


@pytest.mark.usefixtures("started")
def test_a_data_folder_that_is_not_there_is_one_line_and_code_1(tmp_path):
    gone = tmp_path / "gone"
    refused = run("serve", "--root", tmp_path / "root", "--port", 0, "--data", gone, code=1)
    assert refused.stderr == f"{gone}: no such file or directory.\n"


@pytest.mark.usefixtures("started")
def test_a_port_in_use_is_one_line_and_code_1(tmp_path):
    with running.bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        refused = run("serve", "--root", tmp_path / "root", "--port", port, "-q", code=1)
    taken = f"port {port} of 127.0.0.1: address already in use. Choose another with --port.\n"
    assert refused.stderr == taken


@pytest.mark.usefixtures("started", "opened")
def test_studio_removes_the_way_in_of_one_that_was_killed_but_not_of_one_that_just_began(
    people, tmp_path
):
    root = tmp_path / "root"
    root.mkdir()
    old, new = root / ".way-in-old.html", root / ".way-in-new.html"
    for path in (old, new):
        path.write_text("http://127.0.0.1:8321/?token=a-token-of-16-letters-or-more")
    os.utime(old, (time.time() - 61,) * 2)
    run("studio", people, "-k", 2, "--root", root, "--port", 0)
    assert list(root.glob(".way-in*")) == [new]


@pytest.mark.usefixtures("started")
def test_studio_opens_the_page_of_a_session_of_the_data(people, tmp_path, opened):
    root = tmp_path / "root"
    said = run("studio", people, "-k", 2, "--root", root, "--port", 0).stdout
    (address,) = opened
    assert address in said
    session = address.partition("#/s/")[2]
    assert session.startswith("people-")
    assert list(root.glob(".way-in*")) == []
    with Session.open(root / session) as made:
        assert (made.name, made.n_rows, made.n_clusters) == ("people", 30, 2)


@pytest.mark.skipif(os.name == "nt", reason="there it is ended in another way")
def test_a_studio_that_is_told_to_end_takes_its_word_and_its_way_in_back(people, tmp_path):
    root, code = tmp_path / "root", "from linkwise.cli import main; main()"
    call = ["studio", str(people), "-k", "2", "--root", str(root), "--port", "0"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *call],
        env={**os.environ, "BROWSER": "true"},  # the command, which opens nothing
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        while "Ctrl-C" not in (line := process.stdout.readline()):
            assert line or process.poll() is None
        while not list(root.glob(".way-in*")):
            assert process.poll() is None
            time.sleep(0.01)
        assert (root / FILE).exists()
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        assert not list(root.glob(".way-in*"))
        assert not (root / FILE).exists()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.usefixtures("started")
def test_studio_goes_on_with_the_session_of_the_same_data(people, tmp_path, opened):
    root = tmp_path / "root"

    def session(*more):
        run("studio", people, "--root", root, "--port", 0, *more)
        return opened[-1].partition("#/s/")[2]

    first = session("-k", 2)
    assert session("-k", 2) == session() == first
    assert session("-k", 3) != first
    assert len(list(root.glob("people-*"))) == 2


@pytest.mark.usefixtures("started")
def test_studio_finds_how_many_clusters_where_nobody_says_it(people, tmp_path, opened):
    root = tmp_path / "root"
    for more in ((), ("-k", "auto")):
        run("studio", people, "--root", root, "--port", 0, *more)
        name = opened[-1].partition("#/s/")[2]
        assert name.endswith("-kauto")
    with Session.open(root / name) as made:
        assert made.follows
    assert "'few' is neither" in run("studio", people, "-k", "few", code=2).stderr


@pytest.mark.usefixtures("started")
def test_studio_says_what_it_groups_by_and_groups_by_what_it_is_told(people, tmp_path, opened):
    root = tmp_path / "root"
    call = ("studio", people, "-k", 2, "--root", root, "--port", 0)
    said = run(*call).stderr
    assert said.startswith("Grouped by ")
    with_wish = run(*call, "--by", "height", "--as", "height=category").stderr
    assert with_wish == "Grouped by height (category).\n"
    assert opened[0].partition("#")[2] != opened[1].partition("#")[2]
    assert run(*call, "--by", "height", "--as", "height=category").stderr == ""
    assert opened[1].partition("#")[2] == opened[2].partition("#")[2]


@pytest.mark.usefixtures("started")
def test_studio_keeps_its_token_in_the_root(people, tmp_path, opened):
    for _ in range(2):
        run("studio", people, "-k", 2, "--root", tmp_path / "root", "--port", 0)
    first, second = (address.partition("token=")[2] for address in opened)
    assert first == second
    assert first.partition("#")[0] == (tmp_path / "root" / ".token").read_text().strip()


@pytest.mark.usefixtures("started")
def test_studio_without_data_shows_the_digits(tmp_path, opened, monkeypatch):
    made = []

    def quick(folder, data, n_clusters, **options):  # noqa: ARG001
        made.append((folder.name, data, n_clusters))

    monkeypatch.setattr("linkwise.server.creation.create_session", quick)
    run("studio", "--root", tmp_path / "root", "--port", 0, "--no-browser")
    ((name, data, n_clusters),) = made
    assert (data, n_clusters) == ("digits", 10)
    assert name.startswith("digits-")
    assert opened == []


@pytest.mark.usefixtures("started", "opened")
def test_studio_refuses_a_file_that_is_not_there(tmp_path):
    gone = tmp_path / "gone.csv"
    refused = run("studio", gone, "--root", tmp_path / "root", "--port", 0, code=1)
    assert refused.stderr == f"{gone}: no such file or directory.\n"


def test_without_a_home_one_is_asked_where_to_keep_sessions(started, tmp_path, monkeypatch):
    def nobody():
        raise RuntimeError("Could not determine home directory.")

    asked = "cannot be written: name a folder for sessions with --root."
    monkeypatch.setenv("HOME", "/dev/null")
    for command in (["serve"], ["studio"], ["token", "list"]):
        assert f"Error: /dev/null/.linkwise {asked}" in run(*command, code=2).stderr
    monkeypatch.setattr(Path, "home", nobody)
    assert f"Error: ~/.linkwise {asked}" in run("studio", "--no-browser", code=2).stderr
    assert started == []
    run("serve", "--root", tmp_path / "root", "--port", 0, "-q")
    assert len(started) == 1
    assert "~/.linkwise" in run("studio", "--help").stdout
