import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import contextmanager

import numpy as np
import pytest

from linkwise.errors import Cancelled, InvalidInput, MissingData
from linkwise.session import Columns, Entry, Session, describe, is_session, verify_session
from linkwise.session.errors import (
    DataChanged,
    InvalidEvent,
    KeyReused,
    SessionError,
    SessionLocked,
)

N_ROWS = 60


def answer(i, j, verdict="same", key=None):
    return Entry("answer", {"i": i, "j": j, "verdict": verdict}, key=key)


def some_history(session, seed=0, n=40):
    """Say many things of every kind, undo a third of them."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        i, j = (int(row) for row in rng.choice(N_ROWS, 2, replace=False))
        kind = rng.integers(8)
        if kind < 4:
            session.answer(i, j, ["same", "different", "unsure"][kind % 3])
        elif kind == 4:
            session.label(sorted({i, j}), "ab"[int(rng.integers(2))])
        elif kind == 5 and session.seq:
            standing = [e.seq for e in session.history() if e.undone_by is None]
            session.undo(int(rng.choice(standing)))
        elif kind == 6:
            session.rename(int(rng.integers(3)), f"name {i}")
        else:
            biggest = max(session.view().clusters, key=lambda cluster: cluster.size)
            session.split(biggest.number)


def test_a_fresh_session_has_the_labels_of_the_model(session):
    view = session.view()
    assert (view.seq, view.labels.dtype, view.labels.shape) == (0, np.uint8, (N_ROWS,))
    assert [cluster.number for cluster in view.clusters] == [0, 1, 2]
    assert sum(cluster.size for cluster in view.clusters) == N_ROWS
    assert [cluster.name for cluster in view.clusters] == ["cluster 0", "cluster 1", "cluster 2"]
    assert all(len(cluster.exemplars) == 9 for cluster in view.clusters)


def test_views_cannot_be_written_to(session):
    with pytest.raises(ValueError, match="read-only"):
        session.labels()[0] = 1


def test_what_was_said_holds(session):
    a = session.view().clusters[0].exemplars[0]
    b = session.view().clusters[1].exemplars[0]
    session.answer(a, b, "same")
    assert session.labels()[a] == session.labels()[b]


def test_undo_gives_the_same_bytes_back(session):
    before = session.labels().tobytes(), session.view().margins.tobytes()
    event = session.label([0, 30, 50], "odd")
    assert session.labels().tobytes() != before[0]
    session.undo(event.seq)
    assert (session.labels().tobytes(), session.view().margins.tobytes()) == before


def test_undoing_an_undo_restores_and_undoing_twice_is_refused(session):
    said = session.answer(0, 50, "same")
    with_it = session.labels().tobytes()
    undo = session.undo(said.seq)
    with pytest.raises(InvalidEvent) as caught:
        session.undo(said.seq)
    assert str(caught.value) == (
        "event 1 is undone already. Undo the event that undid it to get it back."
    )
    session.undo(undo.seq)
    assert session.labels().tobytes() == with_it
    assert [event.undone_by for event in session.history()] == [None, 3, None]


def test_an_event_that_is_not_there_cannot_be_undone(session):
    with pytest.raises(InvalidEvent) as caught:
        session.undo(1)
    assert str(caught.value) == "there is no event 1 to undo; the last one is 0."


def test_the_same_key_is_recorded_once(session):
    first = session.answer(0, 1, "same", key="a")
    again = session.answer(0, 1, "same", key="a")
    assert (first.repeated, again.repeated) == (False, True)
    assert first.seq == again.seq == session.seq == 1
    twice = session.append([answer(2, 3, key="b"), answer(2, 3, key="b")])
    assert [event.repeated for event in twice] == [False, True]
    assert session.seq == 2


def test_a_key_that_stands_for_something_else_is_refused(session):
    session.answer(0, 1, "same", key="a")
    with pytest.raises(KeyReused) as caught:
        session.answer(0, 1, "different", key="a")
    assert str(caught.value) == (
        "the key 'a' already stands for event 1, which says something else. "
        "Give every new entry a new key."
    )


def test_a_repeated_split_is_one_event(session):
    first = session.split(0, key="a")
    again = session.split(0, key="a")
    assert again.repeated
    assert again.payload == first.payload


def test_one_wrong_entry_refuses_the_whole_batch(session):
    for wrong in (
        answer(0, 60),
        Entry("undo", {"event": 9}),
        Entry("rename", {"cluster": 9, "name": "x"}),
    ):
        with pytest.raises(InvalidEvent):
            session.append([answer(0, 1, key="k"), Entry("split", {"cluster": 0}), wrong])
    assert session.seq == 0
    assert session.append([answer(0, 1, key="k")])[0].repeated is False
    assert session.split(0).payload["new"] == 3


def test_an_event_may_be_undone_in_the_batch_that_made_it(session):
    session.append([answer(0, 1), Entry("undo", {"event": 1}), Entry("undo", {"event": 2})])
    assert [event.undone_by for event in session.history()] == [None, 3, None]


def test_nothing_to_append_is_nothing(session):
    assert session.append([]) == []


def test_a_cluster_that_is_not_there_is_refused(session):
    for call in (
        lambda: session.rename(3, "x"),
        lambda: session.merge([0, 3]),
    ):
        with pytest.raises(InvalidEvent) as caught:
            call()
        assert str(caught.value).endswith("there is no cluster 3; they are numbered 0 to 2.")


@pytest.mark.parametrize("seed", range(4))
def test_a_restart_gives_the_same_bytes_with_and_without_checkpoint(folder, seed):
    with Session.open(folder) as session:
        some_history(session, seed)
        n = session.seq
        labels, margins = session.labels().tobytes(), session.view().margins.tobytes()
        names = [(c.name, c.size, c.exemplars) for c in session.view().clusters]
        halfway = session.view(at=n // 2).labels.tobytes()
    for _ in range(2):
        with Session.open(folder) as session:
            assert session.seq == n
            assert session.labels().tobytes() == labels
            assert session.view().margins.tobytes() == margins
            assert [(c.name, c.size, c.exemplars) for c in session.view().clusters] == names
            assert session.view(at=n // 2).labels.tobytes() == halfway
        (folder / "checkpoint").unlink()


def test_a_delta_turns_earlier_labels_into_the_current_ones(session):
    some_history(session, seed=9, n=15)
    for since in range(session.seq + 1):
        labels = session.view(at=since).labels.astype(session.labels().dtype)
        rows, values = session.delta(since)
        assert rows.dtype == np.uint32
        labels[rows] = values
        assert (labels == session.labels()).all()


def test_there_is_no_state_in_the_future(session):
    with pytest.raises(InvalidEvent) as caught:
        session.view(at=1)
    assert str(caught.value) == "there is no state after 1 events; there are 0."


def test_the_guess_is_what_the_clustering_said_before(session):
    session.view()
    a, b = (session.view().clusters[c].exemplars[0] for c in (0, 1))
    assert session.answer(a, b, "same").payload["guess"] == "different"
    session.view()
    assert session.answer(a, b, "same").payload["guess"] == "same"


def test_merge_split_and_rename_act_on_the_labels(session):
    first = session.labels()
    session.merge([2, 1])
    assert set(session.labels().tolist()) == {0, 1}
    event = session.split(0)
    assert event.payload["new"] == 3
    now = session.labels()
    assert set(now[first == 0].tolist()) == {0, 3}
    session.rename(3, "  new ones ")
    assert {c.number: c.name for c in session.view().clusters}[3] == "new ones"
    session.undo(1)
    assert set(session.labels().tolist()) == {0, 1, 2, 3}


def test_a_split_by_rows_takes_them_out(session):
    members = np.flatnonzero(session.labels() == 1)
    session.split(1, members[:3].tolist())
    assert (session.labels()[members[:3]] == 3).all()
    assert (session.labels()[members] == 1).any()


def test_a_split_needs_rows_on_both_sides(session):
    members = np.flatnonzero(session.labels() == 1).tolist()
    with pytest.raises(InvalidEvent) as caught:
        session.split(1, members)
    n = len(members)
    assert str(caught.value) == (
        f"split: cluster 1 has {n} rows, of which {n} would leave. "
        "A split needs rows on both sides."
    )


def test_labelled_rows_name_their_cluster(session):
    rows = session.view().clusters[2].exemplars[:3]
    session.label(rows, "seven")
    assert session.view().clusters[2].name == "seven"
    session.rename(2, "sevens")
    assert session.view().clusters[2].name == "sevens"


def test_a_name_that_another_cluster_has_is_refused(session):
    session.rename(0, "sevens")
    with pytest.raises(InvalidEvent) as refused:
        session.rename(2, "sevens")
    assert str(refused.value) == (
        "rename: cluster 0 is called 'sevens' already, and cluster 2 is another one. Merge the "
        "two, or choose another name."
    )
    session.rename(0, "sevens")


def test_joining_clusters_keeps_the_name_that_somebody_gave(session):
    session.rename(2, "sevens")
    session.merge([0, 2])
    assert session.view().clusters[0].name == "sevens"


def test_the_name_of_a_cluster_goes_where_its_rows_go(session):
    rows = np.flatnonzero(session.labels() == 1)
    session.rename(1, "sevens")
    session.split(1, rows[: len(rows) - 2].tolist())
    names = {c.number: c.name for c in session.view().clusters}
    assert [names[label] for label in session.labels()[rows[[0, -1]]]] == ["sevens", "cluster 1"]


def test_a_label_given_after_a_rename_is_the_name(session):
    rows = session.view().clusters[2].exemplars[:3]
    session.rename(2, "sevens")
    session.label(rows, "seven")
    assert session.view().clusters[2].name == "seven"


@pytest.mark.parametrize("n", [3, 15])
def test_rows_given_the_name_of_a_renamed_cluster_go_there(session, n):
    rows = np.flatnonzero(session.labels() == 2)[:n].tolist()
    session.rename(0, "sevens")
    session.label(rows, "sevens")
    names = [(c.number, c.name) for c in session.view().clusters]
    assert [number for number, name in names if name == "sevens"] == [0]
    assert set(session.labels()[rows].tolist()) == {0}
    session.undo(1)  # the cluster is no longer called so: the name is where its rows are
    assert [c.number for c in session.view().clusters if c.name == "sevens"] == [2]


def test_rows_of_two_names_never_share_a_cluster(session):
    """The rows of one cluster, named by turns: the names part them."""
    rows = np.flatnonzero(session.labels() == 0)
    session.label(rows[::2].tolist(), "even")
    session.label(rows[1::2].tolist(), "odd")
    labels, names = session.labels(), {c.number: c.name for c in session.view().clusters}
    assert {names[label] for label in labels[rows[::2]]} == {"even"}
    assert {names[label] for label in labels[rows[1::2]]} == {"odd"}


def test_a_name_without_a_cluster_is_refused_until_there_is_one(session):
    for cluster, name in zip(session.view().clusters, "abc", strict=True):
        session.label(cluster.exemplars[:3], name)
    rows = session.view().clusters[0].exemplars[3:5]
    with pytest.raises(InvalidEvent) as refused:
        session.label(rows, "d")
    assert str(refused.value) == (
        "label: there are 3 clusters and 3 names already, so rows called 'd' would have no "
        "cluster. Split a cluster, which adds one, or use one of the names there are."
    )
    assert session.seq == 3
    session.split(0, rows)
    session.label(rows, "d")
    view = session.view()
    names = {cluster.number: cluster.name for cluster in view.clusters}
    assert sorted(names.values()) == ["a", "b", "c", "d"]
    assert {names[view.labels[row]] for row in rows} == {"d"}
    assert session.conflicts() == []


def test_a_name_that_is_taken_back_makes_room(session):
    for cluster, name in zip(session.view().clusters, "abc", strict=True):
        session.label(cluster.exemplars[:1], name)
    undo = session.undo(3)
    session.label([40], "d")
    with pytest.raises(InvalidEvent) as refused:
        session.undo(undo.seq)
    assert str(refused.value) == (
        "undo: what event 4 has undone is a name, and there would be 4 names and only 3 clusters. "
        "Split a cluster, which adds one, or undo another name first."
    )
    batch = [Entry("undo", {"event": 5}), Entry("undo", {"event": undo.seq})]
    session.append(batch)
    assert {cluster.name for cluster in session.view().clusters} == {"a", "b", "c"}


def test_clusters_of_different_names_are_not_merged(session):
    rows = [cluster.exemplars[0] for cluster in session.view().clusters]
    session.label([rows[0]], "cat")
    session.merge([0, 2])
    session.label([rows[1]], "dog")
    with pytest.raises(InvalidEvent) as refused:
        session.merge([0, 1])
    assert str(refused.value) == (
        "merge: some of these rows are called 'cat' and others 'dog', and a cluster has one name. "
        "Undo the labels of one of them first."
    )


def test_an_older_journal_with_too_many_names_opens(session, monkeypatch):
    monkeypatch.setattr("linkwise.session.journal.draft.Draft._check_name", lambda *_: None)
    for row, name in enumerate("abcde"):
        session.label([row, row + 10, row + 20][: 3 - row // 3], name)
    names = [cluster.name for cluster in session.view().clusters]
    assert sorted(names)[:3] == ["a", "b", "c"]
    assert "have no cluster of their own" in session.conflicts()[0].sentence


def test_many_threads_write_one_history(session):
    n_threads, n_each = 8, 25

    def write(who):
        for k in range(n_each):
            session.append(
                [
                    Entry(
                        "answer", {"i": who, "j": 30 + k, "verdict": "same"}, str(who), f"{who}-{k}"
                    )
                ]
            )

    threads = [threading.Thread(target=write, args=(who,)) for who in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    events = session.history()
    assert [event.seq for event in events] == list(range(1, n_threads * n_each + 1))
    for who in range(n_threads):
        said = [event.payload["j"] for event in events if event.who == str(who)]
        assert said == list(range(30, 30 + n_each))


def test_two_threads_asking_get_one_computation(session, monkeypatch):
    session.answer(0, 1, "same")
    n_calls, label = [], session._views._labeller.label
    monkeypatch.setattr(
        session._views._labeller, "label", lambda state: n_calls.append(1) or label(state)
    )
    views = []
    threads = [threading.Thread(target=lambda: views.append(session.view())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(n_calls) == 1
    assert all(view is views[0] for view in views)


def test_earlier_views_and_questions_do_not_wait_for_a_computation(session):
    session.view()
    session.answer(0, 1, "same")
    with session._views._computing:  # someone is computing
        done = []
        thread = threading.Thread(
            target=lambda: done.extend([session.view(at=0), session.query(1, fresh=False)])
        )
        thread.start()
        thread.join(5)
        assert len(done) == 2


def test_a_rename_does_not_ask_the_model_again(session, monkeypatch):
    session.answer(0, 1, "same")
    session.view()
    monkeypatch.setattr("linkwise.SequentialClustering.update", None)
    session.rename(0, "x")
    assert session.view().seq == 2


def test_listeners_hear_every_event_in_order(session):
    heard = []
    stop = session.listen(heard.extend)
    session.append([answer(0, 1), answer(2, 3)])
    session.undo(1)
    stop()
    session.answer(4, 5, "same")
    assert [(event.seq, event.kind) for event in heard] == [
        (1, "answer"),
        (2, "answer"),
        (3, "undo"),
    ]


def test_a_listener_that_fails_does_no_harm(session, caplog):
    session.listen(lambda _: 1 / 0)
    assert session.answer(0, 1, "same").seq == 1
    assert "a listener failed" in caplog.text


def test_history_is_read_in_pages(session):
    session.append([answer(0, k) for k in range(1, 11)])
    assert [event.seq for event in session.history(after=3, limit=2)] == [4, 5]
    assert [event.seq for event in session.history(after=8)] == [9, 10]
    assert session.history(after=10) == []
    assert session.history(after=99) == []
    session._history._tail.clear()
    assert [event.seq for event in session.history(after=3, limit=2)] == [4, 5]
    assert [event.seq for event in session.history(after=99)] == []


def test_questions_leave_out_what_is_answered_skipped_or_unsure(session):
    asked = set()
    for _ in range(5):
        question = session.query(1, skip=asked)[0]
        assert (question.i, question.j) not in asked
        asked.add((question.i, question.j))
    i, j = min(asked)
    session.answer(j, i, "unsure")
    assert all((q.i, q.j) != (i, j) for q in session.query(50))


def test_questions_need_not_wait_for_a_new_view(session):
    session.view()
    question = session.query(1)[0]
    session.answer(question.i, question.j, "same")
    following = session.query(1, fresh=False)[0]
    assert (following.i, following.j) != (question.i, question.j)
    assert session.latest().seq == 0


def test_an_unknown_strategy_is_refused(session):
    with pytest.raises(InvalidInput) as caught:
        session.query(1, "best")
    assert str(caught.value) == (
        "strategy is 'best', expected one of auto, disagreement, explore-consolidate, min-max, "
        "margin, cobras, random."
    )


def test_progress_counts_and_hints(session):
    assert session.progress().hint == "Too early to tell: give some 20 more answers."
    session.answer(0, 1, "unsure")
    progress = session.progress()
    assert (progress.answers, progress.unsure, progress.agreed_all) == (1, 1, None)
    session.view()
    labels = session.labels()
    pairs = [(i, j) for i in range(6) for j in range(40, 44)]
    for i, j in pairs:
        session.answer(i, j, "same" if labels[i] == labels[j] else "different")
    progress = session.progress()
    assert (progress.answers, progress.agreed_recent, progress.agreed_all) == (25, 1.0, 1.0)
    assert (progress.advice, progress.drawn) == ("more", 0)
    assert progress.hint == (
        "No random pair has been told yet; every tenth question is one. More answers pay."
    )


def test_the_recipe_gives_these_labels_again(session, tmp_path, monkeypatch):
    session.answer(0, 50, "same")
    session.split(1)
    session.merge([0, 3])
    session.undo(3)
    session.recluster(4)
    session.nowhere([7])
    session.label([1, 2], "owls")
    session.export(tmp_path / "history.jsonl", "history")
    monkeypatch.chdir(tmp_path)
    scope = {}
    exec(session.recipe(), scope)  # while the session is open
    np.testing.assert_array_equal(scope["labels"], session.labels())


def test_a_history_is_replayed_into_a_fresh_session_only(session, tmp_path):
    session.answer(0, 50, "same")
    session.export(tmp_path / "history.jsonl", "history")
    with pytest.raises(InvalidInput) as caught:
        session.replay(tmp_path / "history.jsonl")
    assert str(caught.value) == "replay: 1 events are here already; begin a new session."


@pytest.mark.parametrize("line", ['{"kind": "answer"}', "[" * 100_000 + "]" * 100_000])
def test_a_file_that_is_no_history_is_refused(session, tmp_path, line):
    (tmp_path / "wrong.jsonl").write_text(f"{line}\n")
    with pytest.raises(InvalidInput) as caught:
        session.replay(tmp_path / "wrong.jsonl")
    assert str(caught.value) == (
        "wrong.jsonl, line 1: this is not an event of a session's history."
    )


def test_a_closed_session_says_so(session):
    session.close()
    session.close()
    with pytest.raises(SessionError) as caught:
        session.answer(0, 1, "same")
    assert str(caught.value) == "the session is closed."


@pytest.mark.usefixtures("session")
def test_the_same_process_cannot_open_it_twice(folder):
    with pytest.raises(SessionLocked) as caught:
        Session.open(folder)
    assert str(caught.value) == (
        f"the session in {folder} is open already in this process ({os.getpid()})."
    )


@contextmanager
def another_process(code):
    """Run ``code`` in a process of its own, which then waits until the block is left."""
    code += "\nprint('held', flush=True)\nimport sys; sys.stdin.read()"
    holder = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout.readline() == "held\n"
        yield holder
    finally:
        holder.communicate("")


def test_a_second_process_is_told_who_holds_it(folder):
    code = f"""
from pathlib import Path
from linkwise.session.journal.lock import FolderLock
lock = FolderLock(Path({str(folder)!r}))
"""
    with another_process(code) as holder:
        with pytest.raises(SessionLocked) as caught:
            Session.open(folder)
        assert str(caught.value) == (
            f"the session in {folder} is held by process {holder.pid}. "
            "Close it there, or send your answers to it."
        )
        holder.kill()
        holder.wait()
        Session.open(folder).close()


def test_the_lock_of_a_process_that_does_not_say_its_number_is_respected(folder):
    code = f"""
import fcntl
file = open({str(folder / "lock")!r}, "w")
fcntl.flock(file, fcntl.LOCK_EX)
"""
    with another_process(code):
        (folder / "lock.holder").unlink(missing_ok=True)
        with pytest.raises(SessionLocked) as caught:
            Session.open(folder)
        assert str(caught.value) == (
            f"the session in {folder} is held by another process. "
            "Close it there, or send your answers to it."
        )
    Session.open(folder).close()


def test_describe_looks_without_opening(session, folder):
    session.answer(0, 1, "same")
    assert is_session(folder)
    assert not is_session(folder.parent)
    assert describe(folder) == session.summary()


def test_a_folder_without_session_is_told(tmp_path):
    with pytest.raises(MissingData) as caught:
        Session.open(tmp_path)
    assert str(caught.value) == f"there is no session in {tmp_path}: session.json is missing."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            '{"format":',
            " line 1: not valid JSON (Expecting value). It was left alone, and so was the journal.",
        ),
        (
            "[1]",
            ': expected a JSON object with "format": "linkwise session". '
            "It was left alone, and so was the journal.",
        ),
        (
            '{"format": "linkwise session", "version": 2}',
            ": version 2 is unknown; this linkwise reads version 1. A newer linkwise may open it. "
            "It was left alone, and so was the journal.",
        ),
        (
            '{"format": "linkwise session", "version": 1}',
            " is damaged: id is missing. Put a copy back; the journal is untouched.",
        ),
    ],
)
def test_a_damaged_description_is_told(folder, text, sentence):
    path = folder / "session.json"
    path.write_text(text)
    with pytest.raises(SessionError) as caught:
        Session.open(folder)
    assert str(caught.value) == f"{path}{sentence}"


def test_a_folder_that_is_in_use_is_left_alone(folder, blobs):
    with pytest.raises(InvalidInput) as caught:
        Session.create(folder, blobs, 3)
    assert str(caught.value) == f"{folder} exists already and is not empty; it was left alone."


def test_a_creation_that_fails_leaves_nothing(tmp_path, blobs):
    home = tmp_path / "home"
    home.mkdir()
    with pytest.raises(InvalidInput) as caught:
        Session.create(home / "s", blobs, 61, n_partitions=20)
    assert str(caught.value) == "60 rows cannot make 61 clusters. Ask for fewer clusters."
    with pytest.raises(Cancelled):
        Session.create(home / "s", blobs, 3, n_partitions=20, cancel=lambda: True)
    assert list(home.iterdir()) == []


def test_a_single_row_makes_a_session(tmp_path):
    with Session.create(tmp_path / "s", np.array([[1.0, 2.0]]), 1, n_partitions=5) as session:
        assert session.labels().tolist() == [0]
        assert session.view().margins.tolist() == [1.0]
        assert session.layout().tolist() == [[0.0, 0.0]]
        assert session.query(1) == []


def test_a_changed_data_file_is_refused_and_the_right_one_accepted(tmp_path, blobs):
    path = tmp_path / "data.csv"
    np.savetxt(path, blobs, delimiter=",", header="a,b,c,d,e,f,g,h", comments="")
    Session.create(tmp_path / "s", path, 3, n_partitions=20).close()
    content = path.read_bytes()
    path.write_bytes(content.replace(b"1", b"2", 1))
    with pytest.raises(DataChanged) as caught:
        Session.open(tmp_path / "s")
    assert str(caught.value) == (
        f"{path} has changed since the session was made, so its rows may not be the ones the "
        "answers are about. Put the file back as it was, or make a new session."
    )
    path.unlink()
    with pytest.raises(MissingData) as caught:
        Session.open(tmp_path / "s")
    assert str(caught.value) == (
        f"the data of this session are not there: {path} cannot be found. Put the file back."
    )
    path.write_bytes(content)
    Session.open(tmp_path / "s").close()


def test_a_session_can_be_moved_with_its_copied_data(folder, tmp_path):
    with Session.open(folder) as session:
        session.answer(0, 50, "same")
        labels = session.labels().tobytes()
    moved = shutil.move(folder, tmp_path / "elsewhere")
    with Session.open(moved) as session:
        assert session.labels().tobytes() == labels
        assert session.rows([0])[0].fields.keys() == set("01234567")


def test_columns_say_what_they_are(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "name,x,y,note\n" + "".join(f"r{k},{k % 3},{k % 2},hello {k}\n" for k in range(20))
    )
    columns = Columns(id="name", text="note")
    with Session.create(tmp_path / "s", path, 2, columns=columns, n_partitions=5) as session:
        assert session.columns == [
            {"name": "name", "type": "id"},
            {"name": "x", "type": "number"},
            {"name": "y", "type": "number"},
            {"name": "note", "type": "text"},
        ]
        assert (session.has_text, session.has_images) == (True, False)
        assert session.row_of("r7") == 7


def test_a_session_of_the_first_version_opens_and_is_chained(folder):
    with Session.open(folder) as session:
        session.answer(0, 50, "same", key="a")
        session.label([1, 2], "left")
        history, labels = session.history(), session.labels().tobytes()
    connection = sqlite3.connect(folder / "journal.sqlite")
    connection.execute("ALTER TABLE events DROP COLUMN hash")
    connection.execute("UPDATE about SET value = '1' WHERE name = 'version'")
    connection.commit()
    connection.close()
    (folder / "journal.mark").unlink()
    for _ in range(2):
        with Session.open(folder) as session:
            assert session.history() == history
            assert session.labels().tobytes() == labels
            assert session.answer(0, 50, "same", key="a").repeated
    assert verify_session(folder).troubles == []
