import csv
import json
import re
from pathlib import Path

import pytest

from linkwise.cli.session_commands import ask

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def people_session(run, people):
    """A session about twelve people in two groups, by height."""
    run("session", "create", "s", people, "-k", 2, "--id", "name", "--partitions", 20, "-q")
    return "s"


def events(run, session):
    return json.loads(run("session", "history", session, "--json").stdout)


def test_create_tells_the_sizes_and_what_to_do_next(run, people):
    printed = run("session", "create", "s", people, "-k", 2, "--id", "name", "--partitions", 20)
    first, second, third = printed.stdout.splitlines()
    assert first.startswith("s: 12 rows in 2 clusters of ")
    assert second == (
        "Grouped by height and weight (numbers). Left out: town (every row has the same value, "
        '"Oslo").'
    )
    assert third == "Now answer questions: linkwise session ask s"


def test_create_prints_json(run, people):
    printed = run("session", "create", "s", people, "-k", 2, "--partitions", 20, "--json").stdout
    made = json.loads(printed)
    assert (made["n_rows"], made["n_clusters"], sum(made["sizes"])) == (12, 2, 12)


def test_create_refuses_what_it_cannot_use(refused, misused, people):
    assert refused("session", "create", "s", "none.csv", "-k", 2).endswith("none.csv.")
    assert (
        refused("session", "create", "s", people, "-k", 20)
        == "12 rows cannot make 20 clusters. Ask for fewer clusters."
    )
    assert misused("session", "create", "s", people, "-k", 2, "--image-shape", "big") == (
        "Error: Invalid value for '--image-shape': 'big' is not a shape such as 28x28 or 32x32x3."
    )
    assert (
        misused(
            "session", "create", "s", people, "-k", 2, "--features", "height", "--drop", "weight"
        )
        == "Error: --by and --drop exclude each other: give one of them."
    )


def test_create_takes_texts_and_tells_which_rows_say_nothing(run, write):
    words = ("parcel late lost", "login password reset")
    lines = [f"k{k};{words[k % 2]} {k % 5}" for k in range(12)]
    lines[3] = "k3;"
    write("notes.csv", "key;note", *lines)
    call = ("session", "create", "s", "notes.csv", "-k", 2, "--id", "key", "--partitions", 20)
    told = json.loads(run(*call, "--by", "note", "--as", "note=text", "--json").stdout)
    assert told["grouped_by"] == "note (text)"
    assert told["unusable"] == ["k3"]
    assert sum(told["sizes"]) == 11
    shown = run("session", "create", "t", *call[3:], "--by", "note").stdout
    assert "1 row has nothing to group by: k3.\n" in shown
    write("more.csv", "key;note", "k20;parcel lost again", "k21;", "k22; ")
    assert run("session", "extend", "s", "more.csv").stdout == (
        "Event 1 recorded; 3 rows joined. 2 rows have nothing to group by: k21, k22.\n"
    )
    assert "3 rows join, 2 with nothing to group by" in run("session", "history", "s").stdout


def test_everything_that_can_be_said_becomes_an_event(run, people_session):
    printed = run("session", "answer", people_session, "a", "b", "same", "--who", "ann").stdout
    assert printed.startswith("Event 1 recorded; ")
    run("session", "label", people_session, "small", "a", "c")
    run("session", "together", people_session, "g", "h", "i")
    run("session", "undo", people_session, 1)
    run("session", "rename", people_session, 0, "tall ones")
    run("session", "merge", people_session, 0, 1)
    run("session", "split", people_session, 0, "a", "b")
    run("session", "recluster", people_session, 4)
    run("session", "nowhere", people_session, "a", "b")
    found = events(run, people_session)
    kinds = ["answer", "label", "together", "undo", "rename", "merge", "split"]
    kinds += ["recluster", "nowhere"]
    assert [event["kind"] for event in found] == kinds
    assert (found[0]["who"], found[0]["undone_by"]) == ("ann", 4)
    assert found[2]["payload"] == {"rows": [6, 7, 8]}


def test_what_contradicts_an_answer_is_told_with_it(run, people_session, write):
    again = "This cannot all be true: a and b were said to be different (event 2), but these pairs "
    answer = ("session", "answer", people_session)
    assert "cannot all" not in run(*answer, "a", "b", "same").stdout
    printed = run(*answer, "a", "b", "different").stdout.splitlines()
    assert printed[1] == f"{again}were said to be the same: a and b (event 1)."
    assert printed[2:] == ["To settle it: linkwise session conflicts s"]
    assert "cannot all" not in run(*answer, "c", "d", "same").stdout
    named = ("session", "label", people_session)
    assert "cannot all" not in run(*named, "small", "e", "f").stdout
    assert "\nThis cannot all be true: e was labelled 'large' and 'small'" in (
        run(*named, "large", "e").stdout
    )
    write("many.csv", "g,h,same", "h,i,same", "g,i,different")
    assert "\nThis cannot all be true: g and i were said" in run(*answer, "many.csv").stdout


def test_a_key_makes_a_repeated_call_one_event(run, people_session):
    call = ("session", "answer", people_session, "a", "b", "same", "--key", "k1")
    run(*call)
    assert run(*call).stdout == "Event 1 was recorded before; 0 rows moved.\n"
    assert json.loads(run(*call, "--json").stdout)["event"]["repeated"] is True
    assert len(events(run, people_session)) == 1


def test_refusals_are_one_line(refused, people_session):
    assert (
        refused("session", "answer", people_session, "a", "zoe", "same")
        == "no row is called 'zoe'."
    )
    assert (
        refused("session", "undo", people_session, 3)
        == "there is no event 3 to undo; the last one is 0."
    )
    assert refused("session", "show", "nowhere").endswith("nowhere: session.json is missing.")
    assert refused("session", "query", people_session, "--strategy", "best") == (
        "strategy is 'best', expected one of auto, disagreement, explore-consolidate, min-max, "
        "margin, cobras, random."
    )


def test_history_speaks_in_words(run, people_session):
    run("session", "answer", people_session, "a", "b", "different", "--who", "ann")
    run("session", "label", people_session, "small", *"abcdef")
    run("session", "undo", people_session, 2)
    lines = [
        line.split("\t")[2]
        for line in run("session", "history", people_session).stdout.splitlines()
    ]
    assert lines == [
        " ann: a and b: different",
        " a, b, c, d, e and 1 more: small (undone by 3)",
        " undo event 2",
    ]


def test_labels_and_export_agree(run, people_session, tmp_path):
    run("session", "rename", people_session, 0, "zero")
    lines = [
        line.split("\t") for line in run("session", "labels", people_session).stdout.splitlines()
    ]
    assert run("session", "export", people_session, "-o", "out.csv").stdout == "Wrote out.csv.\n"
    with (tmp_path / "out.csv").open(newline="") as file:
        assert list(csv.reader(file)) == lines
    assert [line[0] for line in lines] == ["id", *"abcdefghijkl"]
    as_json = json.loads(run("session", "labels", people_session, "--at", 0, "--json").stdout)
    assert as_json["seq"] == 0
    assert [row["cluster"] for row in as_json["labels"]] == [int(line[1]) for line in lines[1:]]


def test_export_writes_answers(run, people_session, tmp_path):
    run("session", "answer", people_session, "a", "b", "same")
    run("session", "export", people_session, "-o", "said.csv", "--what", "answers")
    assert '"[""a"", ""b""]"' in (tmp_path / "said.csv").read_text()


def test_show_lists_the_clusters(run, people_session):
    run("session", "rename", people_session, 1, "small ones")
    lines = run("session", "show", people_session).stdout.splitlines()
    assert lines[0] == "s: 12 rows, 1 event, 0 answers."
    assert lines[2].endswith("small ones")
    assert lines[-1] == "Too early to tell: give some 20 more answers."
    found = json.loads(run("session", "show", people_session, "--json").stdout)
    assert [cluster["number"] for cluster in found["clusters"]] == [0, 1]


def test_query_prints_pairs(run, people_session):
    first, second, _ = run("session", "query", people_session).stdout.rstrip("\n").split("\t")
    assert {first, second} < set("abcdefghijkl")
    found = json.loads(run("session", "query", people_session, "-n", 3, "--json").stdout)
    assert found[0]["rows"] == [first, second]


def test_conflicts_are_told_and_set_the_exit_code(run, people_session):
    quiet = run("session", "conflicts", people_session)
    assert quiet.stdout == "What was said does not contradict itself.\n"
    run("session", "answer", people_session, "a", "b", "same")
    run("session", "answer", people_session, "a", "b", "different")
    loud = run("session", "conflicts", people_session, code=1).stdout.splitlines()
    assert loud[0].startswith("a and b were said to be different (event 2)")
    assert loud[1] == "  Proposal: linkwise session undo s 2"
    run("session", "undo", people_session, 2)
    assert json.loads(run("session", "conflicts", people_session, "--json").stdout) == []


def test_suspects_say_so_when_there_are_none(run, people_session):
    assert run("session", "suspects", people_session).stdout == "No answer looks wrong.\n"


def test_ask_takes_one_key_per_answer(run, people_session, monkeypatch):
    keys = iter("u" + "x" + "s" + "d" + "u" + "c" + "q")
    monkeypatch.setattr(ask.click, "getchar", lambda: next(keys))
    printed = run("session", "ask", people_session, "--who", "ann").stdout
    assert "2 answers given." in printed
    assert "Took the last answer back." in printed
    assert [(e["kind"], e["payload"].get("verdict")) for e in events(run, people_session)] == [
        ("answer", "same"),
        ("answer", "different"),
        ("undo", None),
        ("answer", "unsure"),
    ]


def test_ask_says_what_is_asked_and_what_its_marks_mean(run, people_session, monkeypatch):
    keys = iter("cq")
    monkeypatch.setattr(ask.click, "getchar", lambda: next(keys))
    said = run("session", "ask", people_session).stdout.splitlines()
    assert said[0] == "Do the two rows belong together? A * marks where they differ. Press a key:"
    assert any(line.startswith("cannot tell; the clustering thought ") for line in said)
    assert said[-1].startswith("1 answer given. ")


def test_ask_has_the_keys_of_the_studio(run, people_session, monkeypatch):
    monkeypatch.setattr(ask.click, "getchar", lambda: "q")
    shown = run("session", "ask", people_session).stdout.splitlines()[1]
    in_the_terminal = dict(reversed(each.split(" ", 1)) for each in shown.split("   "))
    source = REPOSITORY / "web" / "src"
    page = (source / "ask" / "Question.svelte").read_text("utf-8")
    first = (source / "state" / "keys.svelte.ts").read_text("utf-8").partition("FIRST")[2]
    key_of = dict(re.findall(r'(\w+): "(.)"', first.partition("}")[0]))
    words_of = dict(re.findall(r'"([^"]+)", of\.(\w+), verdict', page))
    words_of |= re.findall(r'(Undo) <kbd aria-hidden="true">{keys.of.(undo)}</kbd>', page)
    on_the_page = {words: key_of[deed] for words, deed in words_of.items()}
    assert len(on_the_page) == 4
    assert in_the_terminal == {
        **{words.lower(): key.lower() for words, key in on_the_page.items()},
        "quit": "q",
    }


def test_ask_needs_a_terminal(run, people_session, monkeypatch):
    def nowhere():
        raise OSError(6, "No such device or address", "/dev/tty")

    monkeypatch.setattr(ask.click, "getchar", nowhere)
    assert run("session", "ask", people_session, code=1).stderr == (
        "Keys are read from a terminal, and there is none here. linkwise session answer takes "
        "answers from programs.\n"
    )


def test_ask_stops_after_the_answers_asked_for(run, people_session, monkeypatch):
    monkeypatch.setattr(ask.click, "getchar", lambda: "s")
    assert "3 answers given." in run("session", "ask", people_session, "-n", 3).stdout
    assert len(events(run, people_session)) == 3


def test_the_number_of_clusters_is_told_and_can_be_found(run, people, people_session):
    assert run("session", "number", people_session).stdout.splitlines() == [
        "2 clusters.",
        "No answers speak for another number.",
    ]
    found = json.loads(run("session", "number", people_session, "--json").stdout)
    assert found == {"n_clusters": 2, "proposal": None}
    made = json.loads(run("session", "create", "own", people, "-k", "auto", "--json").stdout)
    assert made["n_clusters"] == 2


def test_rows_in_no_cluster_are_listed_and_shown_as_minus_one(run, people_session):
    (far,) = json.loads(run("session", "outliers", people_session, "--json").stdout)
    assert run("session", "outliers", people_session).stdout == f"{far}\n"
    run("session", "nowhere", people_session, far)
    lines = run("session", "labels", people_session).stdout.splitlines()
    assert [line for line in lines if "nowhere" in line] == [f"{far}\t-1\tnowhere\t0.0"]
    shown = json.loads(run("session", "labels", people_session, "--json").stdout)["labels"]
    assert [row["id"] for row in shown if row["cluster"] == -1] == [far]
    told = json.loads(run("session", "show", people_session, "--json").stdout)["clusters"]
    assert [(c["number"], c["name"]) for c in told if c["size"] == 1] == [(-1, "nowhere")]
    lines = run("session", "show", people_session).stdout.splitlines()
    assert [line.split() for line in lines if line.endswith("nowhere")] == [
        ["-1", "1", "row", "nowhere"]
    ]
