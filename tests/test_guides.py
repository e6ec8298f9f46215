"""The guides to sessions, the service and the studio: all code on them runs, as it stands there."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pandas as pd
import pytest
from click.testing import CliRunner

from linkwise.cli import main
from linkwise.cli.session_commands import ask
from linkwise.datasets import write_example
from linkwise.query import STRATEGIES
from linkwise.session import KINDS

DOCS = Path(__file__).parents[1] / "docs"
PLACEHOLDER = "http://127.0.0.1:8321/?token=fE3..."
COMMAND = [sys.executable, "-c", "from linkwise.cli import main; main()"]


def page(name):
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def blocks(name, language):
    """Return the code of one language on a page."""
    return re.findall(rf"```{language}\n(.*?)```", page(name), flags=re.DOTALL)


def commands(name):
    """Return the calls of linkwise on a page, as lists of arguments."""
    return [
        shlex.split(line, comments=True)[2:]
        for console in blocks(name, "console")
        for line in console.splitlines()
        if line.startswith("$ linkwise ")
    ]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder to work in, with the examples that ship; home is there, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("people", "flowers"):
        write_example(name)
    return tmp_path


@contextmanager
def started(arguments, folder):
    """Run a command that serves, at a free port; yields its first words and its address."""
    process = subprocess.Popen(
        [*COMMAND, *arguments, "--port", "0", "--quiet"],
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
    )
    watch = threading.Timer(120, process.kill)
    watch.start()
    try:
        said = [process.stdout.readline() for _ in range(3)]
        yield said[0].strip(), said[2].strip()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        watch.cancel()


@pytest.mark.parametrize(
    ("name", "languages"),
    [
        ("session", ["python", "console", "python", "console"]),
        ("client", ["python"]),
        ("service", ["console", "bash", "python", "console", "console", "nginx"]),
        ("studio", ["console"]),
    ],
)
def test_no_block_of_code_is_left_out_here(name, languages):
    assert re.findall(r"```(\w+)\n", page(name)) == languages


def test_the_python_of_the_session_page_runs(place, capsys):
    first, in_and_out = blocks("session", "python")
    scope = {}
    exec(first, scope)
    assert "Row(row=" in capsys.readouterr().out
    exec(in_and_out, scope)
    assert len(pd.read_csv(place / "links.csv")) == 3
    assert (place / "model" / "model.json").is_file()
    assert len(pd.read_csv(place / "clusters.csv")) == 30
    assert (place / "people" / "journal.sqlite").is_file()


def test_the_commands_of_the_session_page_run(place, monkeypatch):
    keys = iter("sq")
    monkeypatch.setattr(ask.click, "getchar", lambda: next(keys))
    ran = []
    for arguments in commands("session"):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
        ran.append(arguments[1])
    assert ran == ["create", "ask", "undo", "export", "backup", "verify", "repair"]
    assert len(pd.read_csv(place / "clusters.csv")) == 30


@pytest.mark.parametrize("name", ["session", "service"])
def test_the_tables_of_events_list_every_kind_and_its_fields(name):
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| [^|]+ \|$", page(name), flags=re.MULTILINE)
    listed = {kind: re.findall(r"`(\w+)`", fields) for kind, fields in rows if kind in KINDS}
    assert list(listed) == list(KINDS)
    for kind, fields in listed.items():
        n_fields = len(KINDS[kind].fields)
        assert fields[:n_fields] == list(KINDS[kind].fields)


def test_the_session_page_names_every_strategy():
    for strategy in STRATEGIES:
        assert f"`{strategy}`" in page("session")


def test_the_commands_of_the_service_page_run(place):
    if not (shutil.which("curl") and shutil.which("jq")):
        pytest.skip("The session by curl needs curl and jq: apt-get install curl jq")
    (console, *_), (bash,) = blocks("service", "console"), blocks("service", "bash")
    example, arguments, *_ = commands("service")
    assert CliRunner().invoke(main, example).exit_code == 0
    with started(arguments, place) as (words, address):
        assert words in console
        assert PLACEHOLDER in console
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=\S+", address)
        base, _, token = address.partition("/?token=")
        script = bash.replace("fE3...", token).replace("http://127.0.0.1:8321", base)
        script = f"set -euo pipefail\n{script}\necho $F > session.txt\n"
        result = subprocess.run(
            ["bash", "-c", script], cwd=place, capture_output=True, text=True, timeout=120
        )
        assert result.returncode == 0, result.stderr
        session = (place / "session.txt").read_text().strip()
        labels = labels_by_python(session, token)
    assert '"who":"Ada"' in result.stdout
    assert (place / "labels.bin").read_bytes() == labels.tobytes()
    assert (place / "stream.txt").read_text().startswith("retry: ")
    exported = pd.read_csv(place / "labels.csv")
    assert exported["cluster"].tolist() == labels.tolist()


def test_the_commands_about_tokens_and_other_machines_run(place):
    _, _, *tokens, behind = commands("service")
    said = [CliRunner().invoke(main, arguments) for arguments in tokens]
    assert [result.exit_code for result in said] == [0] * 4
    assert [line.partition(":")[0] for line in said[2].stdout.splitlines()] == ["Ada", "Bob"]
    with started(behind, place) as (_, address):
        request = Request(address.partition("?")[0] + "health", headers={"Host": "studio.example"})
        with urlopen(request) as reply:
            assert reply.status == 200


def labels_by_python(session, token):
    """Run the Python of the service page."""
    (python,) = blocks("service", "python")
    scope = {"session": session, "token": token}
    exec(python, scope)
    return scope["labels"]


def test_the_python_of_the_client_page_runs(place, capsys):
    (python,) = blocks("client", "python")
    with started(["serve", "--root", "sessions"], place) as (_, address):
        base, _, token = address.partition("/?token=")
        scope = {"token": token}
        exec(python.replace("http://127.0.0.1:8321", base), scope)
    assert capsys.readouterr().out == "answer same\n"
    assert len(scope["labels"].values) == 1797


@pytest.mark.parametrize("arguments", commands("studio"), ids=" ".join)
def test_the_commands_of_the_studio_page_run(place, arguments):
    (console,) = blocks("studio", "console")
    with started([*arguments, "--no-browser"], place) as (words, address):
        assert words in console
        base, _, rest = address.partition("/?token=")
        with urlopen(f"{base}/health") as reply:
            assert reply.status == 200
    stem = Path(arguments[1]).stem if len(arguments) > 1 else "digits"
    assert re.fullmatch(rf"\S+#/s/{stem}(-\w+)?-k\d+", rest)


@pytest.mark.parametrize(
    "arguments",
    [
        words
        for words in commands("command-line") + commands("guide/several-people")
        if words[0] in ("studio", "serve")
    ],
    ids=" ".join,
)
def test_the_commands_of_other_pages_that_serve_run(place, arguments):
    write_example("flowers", place / "tables")
    quietly = ["--no-browser"] if arguments[0] == "studio" else []
    with (
        started([*arguments, *quietly], place) as (_, address),
        urlopen(address.partition("/?token=")[0] + "/health") as reply,
    ):
        assert reply.status == 200


#: What is run with the Python beside it in tests/cli/test_guide.py, or serves and is run above.
ELSEWHERE = re.compile(
    r"^\$ linkwise (cluster|check|session|demo|bench partition|studio|serve) ", flags=re.MULTILINE
)


@pytest.mark.parametrize(
    "console",
    [block for block in blocks("command-line", "console") if not ELSEWHERE.search(block)],
    ids=lambda block: " ".join(block.split()[1:4]),
)
def test_all_other_commands_of_the_command_line_page_run_as_printed(tmp_path, console):
    called = " ".join(map(shlex.quote, COMMAND))
    script = [f'set -e; linkwise() {{ {called} "$@"; }}; python() {{ {sys.executable} "$@"; }}']
    script += [line.removeprefix("$ ") for line in console.splitlines()]
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout or any(tmp_path.iterdir())


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_links_between_pages_lead_somewhere(path):
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []
