"""What makes an afternoon with the command line pleasant: completion, suggestions, voice."""

import os
import shutil
import subprocess
import sys

import pytest

from linkwise.cli import main
from linkwise.cli.group import COMMANDS

CODE = "from linkwise.cli import main; main(prog_name='linkwise')"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_every_shell_is_printed(run, shell):
    script = run("completion", shell).stdout
    assert "_LINKWISE_COMPLETE" in script
    assert "linkwise" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True, timeout=60)


def test_the_shell_in_use_is_the_default(run, misused, monkeypatch):
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert run("completion").stdout == run("completion", "fish").stdout
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert misused("completion") == "Error: Say which shell: bash, zsh, fish."


def completed(*words):
    told = {"_LINKWISE_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["linkwise", *words])}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**os.environ, **told, "COMP_CWORD": str(len(words))},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return [line.split(",")[-1] for line in done.stdout.splitlines()]


def test_commands_and_options_are_completed():
    assert completed("c") == ["cluster", "check", "completion"]
    assert completed("check", "--li") == ["--link-columns"]


def test_commands_are_completed_without_loading_them(monkeypatch):
    monkeypatch.setattr(main, "get_command", lambda *_: pytest.fail("a command was loaded"))
    items = main.shell_complete(main.make_context("linkwise", [], resilient_parsing=True), "")
    assert [item.value for item in items if not item.value.startswith("-")] == list(COMMANDS)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["clutser"], "Error: No such command 'clutser'. Did you mean 'cluster'?"),
        (["Session"], "Error: No such command 'Session'. Did you mean 'session'?"),
        (["frobnicate"], "Error: No such command 'frobnicate'."),
        (["session", "anwser"], "Did you mean 'answer'"),
        (["token", "ad"], "Did you mean 'add'"),
        (["cluster", "--lnks", "x"], "No such option '--lnks'. Did you mean '--links'?"),
        (["cluster", "--link", "x"], "No such option '--link'. Did you mean '--links'?"),
        (["bench", "common", "--set", "x"], "No such option '--set'. Did you mean '--sets'?"),
        (["cluster", "x.csv", "--method", "landmark"], "Did you mean 'landmark-spectral'?"),
    ],
    ids=" ".join,
)
def test_what_was_meant_is_suggested(misused, words, complaint):
    assert complaint in misused(*words)


def test_verbose_says_what_is_done_and_where_something_was_refused(run, people):
    call = ["cluster", people, "-k", 2, "--id", "name", "-o", "c.csv"]
    told = run(*call, "--verbose").stderr
    assert "training partitions: " in told
    assert "clustering: " in told
    assert run(*call).stderr == ""
    result = run("cluster", "nothing.csv", "-k", 2, "-o", "c.csv", "-v", code=1)
    assert "Traceback" in result.stderr
    result = run("cluster", "nothing.csv", "-k", 2, "-o", "c.csv", code=1)
    assert "Traceback" not in result.stderr


def test_quiet_leaves_notes_out(run, write):
    write("said.csv", "i,j,kind", "0,1,same", "0,2,unsure")
    told = run("check", "said.csv")
    assert told.stderr == "Note: said.csv: 1 of 2 entries is unsure and was skipped.\n"
    assert run("check", "said.csv", "--quiet").stderr == ""
    assert run("check", "said.csv", "--quiet").stdout == told.stdout


def test_quiet_and_verbose_exclude_each_other(misused, write):
    write("said.csv", "i,j,kind", "0,1,same")
    assert misused("check", "said.csv", "-q", "-v") == (
        "Error: --quiet and --verbose exclude each other: give one of them."
    )
