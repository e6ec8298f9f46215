"""The commands talk to a running service that holds the session."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from linkwise.cli.announcement import FILE, announced, find_service
from linkwise.errors import InvalidInput
from linkwise.session import Session

sys.path.insert(0, str(Path(__file__).parents[1] / "server"))

from service_client import TOKEN, serving


@pytest.fixture
def held(run, people, tmp_path):
    """A session about twelve people that a service holds, with a token file."""
    (tmp_path / "root").mkdir()
    folder = tmp_path / "root" / "s"
    run("session", "create", folder, people, "-k", 2, "--id", "name", "--partitions", 10, "-q")
    token = tmp_path / "token"
    token.touch(mode=0o600)
    token.write_text(TOKEN)
    with serving(tmp_path / "root") as service, announced(tmp_path / "root", service.url, token):
        with service.client() as client:
            client.get("/api/sessions/s")  # it holds the session from here on
        yield folder


def out(run, *args):
    return json.loads(run("session", *args, "--json").stdout)


def test_commands_reach_a_session_that_a_service_holds(run, held, tmp_path):
    printed = run("session", "answer", held, "a", "b", "same", "--who", "ann").stdout
    assert re.fullmatch(r"Event 1 recorded; \d+ rows? moved\.\n", printed)
    run("session", "label", held, "small", "a", "c")
    run("session", "together", held, "g", "h", "i")
    run("session", "rename", held, 0, "these")
    run("session", "undo", held, 3)
    run("session", "split", held, 1)
    events = out(run, "history", held)
    assert [e["kind"] for e in events] == [
        "answer",
        "label",
        "together",
        "rename",
        "undo",
        "split",
    ]
    assert out(run, "history", held) == events
    assert "ann: a and b: same" in run("session", "history", held).stdout
    shown = out(run, "show", held)
    assert (shown["n_rows"], shown["seq"], shown["progress"]["answers"]) == (12, 6, 1)
    assert [row["id"] for row in out(run, "labels", held)["labels"]] == list("abcdefghijkl")
    assert len(out(run, "query", held)) == 1
    assert out(run, "people", held)["people"][0]["who"] == "ann"
    run("session", "conflicts", held)
    run("session", "suspects", held)
    run("session", "export", held, "-o", "links.csv", "--what", "links")
    assert (tmp_path / "links.csv").read_text().startswith("i,j,kind,weight\na,b,must,1.0\n")


@pytest.mark.parametrize("what", ["labels", "answers", "links", "names"])
@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_exports_are_the_same_through_a_service(run, refused, held, tmp_path, what, ending):
    run("session", "answer", held, "a", "b", "same", "--who", "ann")
    run("session", "label", held, "small", "a", "c")
    with Session.open(shutil.copytree(held, tmp_path / "copy")) as session:
        if ending == "json" and what in ("labels", "answers"):
            said = refused("session", "export", held, "-o", "out.json", "--what", what)
            with pytest.raises(InvalidInput) as caught:
                session.export(tmp_path / "out.json", what)
            assert said.partition(".json: ")[2] == str(caught.value).partition(".json: ")[2] != ""
            return
        session.export(tmp_path / f"own.{ending}", what)
    run("session", "export", held, "-o", f"out.{ending}", "--what", what)
    own, sent = (tmp_path / f"{name}.{ending}" for name in ("own", "out"))
    assert sent.read_bytes() == own.read_bytes()


def test_many_answers_and_imports_go_to_the_service_too(run, held, tmp_path):
    (tmp_path / "answers.csv").write_text("i,j,verdict\na,b,same\n\nc,l,different\n")
    assert run("session", "answer", held, "answers.csv").stdout.startswith("2 events recorded; ")
    (tmp_path / "links.csv").write_text("i,j,kind\nd,e,must\n")
    assert run("session", "import", held, "links.csv").stdout.startswith("1 event recorded; ")
    again = run("session", "import", held, "links.csv").stdout
    assert again == "0 events recorded, 1 recorded before; 0 rows moved.\n"


def test_of_thousands_of_answers_none_goes_to_the_service_if_one_is_wrong(
    run, refused, held, tmp_path
):
    good = ["a,b,unsure"] * 1500
    for wrong, said in [
        ("C,nobody,same", "no row is called 'C' (like 'c') or 'nobody'."),
        ("a,a,same", "answer: i and j are both 0. An answer is about two different rows."),
    ]:
        (tmp_path / "answers.csv").write_text("\n".join([*good, wrong]))
        assert refused("session", "answer", held, "answers.csv") == said
    assert out(run, "history", held) == []
    (tmp_path / "answers.csv").write_text("\n".join(good))
    told = run("session", "answer", held, "answers.csv").stdout
    assert told.startswith("1500 events recorded; ")


def test_it_is_told_how_many_of_thousands_were_recorded_before_the_service_refused(
    refused, held, tmp_path, monkeypatch
):
    from linkwise.client import Client, ServiceError

    tell, calls = Client.tell, []

    def tell_once(*args, **options):
        calls.append(args)
        if len(calls) > 1:
            raise ServiceError("the disk is full.", 503)
        return tell(*args, **options)

    monkeypatch.setattr(Client, "tell", tell_once)
    (tmp_path / "answers.csv").write_text("a,b,unsure\n" * 1500)
    assert refused("session", "answer", held, "answers.csv") == (
        "the disk is full. The first 1,000 of 1,500 had been recorded by then."
    )


def test_rows_join_through_the_service(run, held, tmp_path):
    (tmp_path / "more.csv").write_text("name,height,weight\nm,1.5,5\nn,180,80\n")
    assert run("session", "extend", held, "more.csv").stdout == "Event 1 recorded; 2 rows joined.\n"
    assert out(run, "show", held)["n_rows"] == 14
    run("session", "answer", held, "a", "n", "different")
    assert [row["id"] for row in out(run, "labels", held)["labels"]][-2:] == ["m", "n"]


def test_earlier_labels_are_told_through_a_service_as_without_one(run, refused, held, tmp_path):
    run("session", "label", held, "small", "a", "c")
    run("session", "nowhere", held, "d")
    run("session", "split", held, 0)
    (tmp_path / "more.csv").write_text("name,height,weight\nm,1.5,5\nn,180,80\n")
    run("session", "extend", held, "more.csv")
    copy = shutil.copytree(held, tmp_path / "copy")
    for at in range(5):
        told = out(run, "labels", held, "--at", at)
        assert told == out(run, "labels", copy, "--at", at)
        assert (told["seq"], len(told["labels"])) == (at, 12 if at < 4 else 14)
    future = refused("session", "labels", held, "--at", 9)
    assert future == refused("session", "labels", copy, "--at", 9)


def test_refusals_of_the_service_are_one_line(refused, held):
    assert refused("session", "answer", held, "a", "nobody", "same") == (
        "no row is called 'nobody'."
    )


def test_without_the_token_the_command_says_what_to_do(refused, held, tmp_path):
    (tmp_path / "token").unlink()
    line = refused("session", "show", held)
    assert "is held by process" in line or "is open already in this process" in line
    assert line.endswith("put its token into LINKWISE_TOKEN, or start it with --token-file.")


def test_the_token_may_come_from_the_environment(run, held, monkeypatch, tmp_path):
    (tmp_path / "token").unlink()
    monkeypatch.setenv("LINKWISE_TOKEN", TOKEN)
    assert out(run, "show", held)["n_rows"] == 12


def test_a_service_that_is_gone_is_not_waited_for(run, people, tmp_path):
    (tmp_path / "root").mkdir()
    folder = tmp_path / "root" / "s"
    run("session", "create", folder, people, "-k", 2, "--partitions", 10, "-q")
    token = tmp_path / "token"
    token.touch(mode=0o600)
    token.write_text(TOKEN)
    with announced(tmp_path / "root", "http://127.0.0.1:1", token):
        assert out(run, "show", folder)["n_rows"] == 12


@pytest.mark.skipif(os.name == "nt", reason="files have no owner's mode there")
def test_an_announcement_is_private_and_believed_only_so(tmp_path):
    path, token = tmp_path / FILE, tmp_path / "token"
    token.touch(mode=0o600)
    token.write_text(TOKEN)
    with announced(tmp_path, "http://127.0.0.1:8000", token):
        assert path.stat().st_mode & 0o777 == 0o600
        assert find_service(tmp_path / "s").token == TOKEN
        token.chmod(0o644)
        assert find_service(tmp_path / "s").token is None
        path.chmod(0o644)
        assert find_service(tmp_path / "s") is None
        path.chmod(0o600)
    assert not path.exists()
    with announced(tmp_path, "http://elsewhere.example:8000", token):
        assert find_service(tmp_path / "s") is None
    path.write_text("[1]")
    path.chmod(0o600)
    assert find_service(tmp_path / "s") is None


def test_of_two_services_the_one_that_holds_the_session_is_asked(run, held, tmp_path):
    root, own = held.parent, find_service(held).url
    other = json.loads((root / FILE).read_text())
    other |= {"process": os.getppid(), "url": "http://127.0.0.1:1"}
    (root / FILE).write_text(json.dumps(other))
    left = root / ".service-99999999.json"  # of one that was killed
    left.touch(mode=0o600)
    left.write_text(json.dumps(other | {"process": 99999999}))
    with announced(root, own, tmp_path / "token"):
        assert not left.exists()
        assert json.loads((root / FILE).read_text()) == other
        os.utime(root / FILE, (2**32, 2**32))  # it is the latest
        assert find_service(root / "any").url == other["url"]
        assert find_service(held).url == own
        assert out(run, "show", held)["n_rows"] == 12
    assert [path.name for path in root.glob(".service*")] == [FILE]


def test_serve_announces_itself_and_takes_that_back(tmp_path):
    token = tmp_path / "token"
    token.touch(mode=0o600)
    token.write_text(TOKEN)
    command = [sys.executable, "-c", "from linkwise.cli import main; main()", "serve"]
    options = ["--root", str(tmp_path / "root"), "--port", "0", "--token-file", str(token), "-q"]
    process = subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = ""
        while "token=" not in said:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            said += line
        found = find_service(tmp_path / "root" / "any")
        assert found.url in said
        assert found.token == TOKEN
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert not (tmp_path / "root" / FILE).exists()
    finally:
        process.kill()
        process.communicate()


# Many answers, without a service


def test_many_answers_are_all_recorded_or_none(run, refused, people, tmp_path):
    run("session", "create", "s", people, "-k", 2, "--id", "name", "--partitions", 10, "-q")
    (tmp_path / "wrong.tsv").write_text("a\tb\tsame\na\tc\tperhaps\n")
    assert refused("session", "answer", "s", "wrong.tsv") == (
        "wrong.tsv line 2: 'a,c,perhaps' is not two rows and a verdict, such as a,b,same. "
        "Nothing was recorded."
    )
    (tmp_path / "unknown.csv").write_text("a,b,same\nC,nobody,same\n")
    assert refused("session", "answer", "s", "unknown.csv") == (
        "no row is called 'C' (like 'c') or 'nobody'."
    )
    with Session.open("s") as session:
        assert session.seq == 0


def test_answers_come_from_standard_input(people, run):
    from click.testing import CliRunner

    from linkwise.cli import main

    run("session", "create", "s", people, "-k", 2, "--id", "name", "--partitions", 10, "-q")
    args = ["session", "answer", "s", "-", "--who", "ann", "--key", "once", "--json"]
    for repeated in (False, True):
        result = CliRunner().invoke(main, args, input="a,b,same\nc,l,different\nd,e,unsure\n")
        assert result.exit_code == 0, result.output
        events = json.loads(result.stdout)["events"]
        assert [e["payload"]["verdict"] for e in events] == ["same", "different", "unsure"]
        assert {e["repeated"] for e in events} == {repeated}


def test_an_answer_without_a_verdict_is_a_wrong_call(run, misused, people):
    run("session", "create", "s", people, "-k", 2, "--id", "name", "--partitions", 10, "-q")
    sentence = "Error: Say two rows and one of same, different, unsure, or name one file of"
    assert misused("session", "answer", "s", "a", "b").startswith(sentence)
    assert misused("session", "answer", "s", "a", "b", "maybe").startswith(sentence)


def test_people_are_shown(run, people):
    run("session", "create", "s", people, "-k", 2, "--id", "name", "--partitions", 10, "-q")
    run("session", "answer", "s", "a", "b", "same", "--who", "ann")
    run("session", "answer", "s", "a", "b", "different", "--who", "bob")
    assert run("session", "people", "s").stdout.splitlines() == [
        "ann: 1 pair, 0 unsure, 0 of 1 as others, weight 0.54",
        "bob: 1 pair, 0 unsure, 0 of 1 as others, weight 0.54",
        "ann and bob agree on 0 of 1 pair",
    ]
