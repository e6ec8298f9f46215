import subprocess
import time

import psycopg
import pytest

from linkwise.session import Entry, Session
from linkwise.session.errors import SessionError, SessionLocked, StorageTrouble
from linkwise.session.journal import postgres as postgres_module
from linkwise.session.journal.chain import chained, origin
from linkwise.session.journal.journal import Record, create_journal, open_journal
from linkwise.session.journal.postgres import PostgresStore


def record(seq):
    return Record(seq, "answer", "{}", "", "", f"k{seq}")


@pytest.fixture
def journal(postgres, tmp_path):
    create_journal(tmp_path, postgres, "one")
    opened = open_journal(tmp_path, postgres, "one")
    yield opened
    opened.close()


def test_a_lost_connection_is_made_anew_and_nothing_is_lost(journal, postgres):
    journal.append([record(1)])
    with psycopg.connect(postgres, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND datname = current_database()"
        )
    with pytest.raises(StorageTrouble) as caught:
        journal.append([record(2)])
    sentence = str(caught.value)
    assert sentence.startswith("the journal in the database cannot be written: ")
    assert sentence.endswith("Send it again with the same keys: it is recorded once.")
    journal.append([record(2)])
    assert [r.seq for r in journal.read(0, 10)] == [1, 2]


def test_two_processes_cannot_hold_one_journal(journal, postgres):
    other = PostgresStore(postgres, "one")
    with pytest.raises(SessionLocked) as caught:
        other.take()
    other.close()
    assert str(caught.value) == (
        "the journal in the database is held by another process, maybe on another machine."
    )
    journal.append([record(1)])


def test_two_sessions_share_a_database(journal, postgres):
    other = PostgresStore.create(postgres, "two")
    journal.append([record(1)])
    other.append(chained(origin("two"), [record(1), record(2)]))
    assert (journal.last(), other.last()) == (1, 2)
    other.close()


def test_an_unknown_session_is_told(postgres):
    sentence = (
        "the journal is missing: the database does not know this session. Is it the right database?"
    )
    for _ in range(2):  # without tables, and with them
        with pytest.raises(SessionError) as caught:
            PostgresStore(postgres, "none")
        assert str(caught.value) == sentence
        PostgresStore.create(postgres, f"some{_}").close()


def test_a_newer_version_is_left_alone(postgres):
    PostgresStore.create(postgres, "one").close()
    with psycopg.connect(postgres) as connection:
        connection.execute("UPDATE linkwise_sessions SET version = 3")
    with pytest.raises(SessionError) as caught:
        PostgresStore(postgres, "one")
    assert str(caught.value) == (
        "the journal in the database was written by a newer linkwise (version 3, this one reads "
        "up to 2). It was left alone; use the newer linkwise."
    )


def test_a_server_that_is_not_there_is_told(tmp_path):
    with pytest.raises(StorageTrouble) as caught:
        PostgresStore(f"postgresql://nobody@/none?host={tmp_path}", "one")
    assert str(caught.value).startswith("the journal in the database cannot be opened: ")


def test_a_session_lives_in_a_database(postgres, blobs, tmp_path):
    with_password = postgres.replace("linkwise@", "linkwise:secret@")
    session = Session.create(tmp_path / "s", blobs, 3, n_partitions=20, journal=with_password)
    session.append([Entry("answer", {"i": 0, "j": 50, "verdict": "same"}, "ann", "k")])
    assert session.answer(0, 50, "same", key="k").repeated
    labels = session.labels().tobytes()
    session.close()
    assert "secret" not in (tmp_path / "s" / "session.json").read_text()
    assert not (tmp_path / "s" / "journal.sqlite").exists()
    (tmp_path / "s" / "checkpoint").unlink()
    with Session.open(tmp_path / "s") as again:
        assert again.seq == 1
        assert again.labels().tobytes() == labels


@pytest.fixture
def stopped(journal, monkeypatch):
    """The journal of which the server's process is stopped, in the middle of its life."""
    for name, seconds in {"ANSWER_SECONDS": 0.6, "REST_SECONDS": 0.3}.items():
        monkeypatch.setattr(postgres_module, name, seconds)
    journal.append([record(1)])
    pid = journal._store._connection.info.backend_pid
    stop = subprocess.run(["kill", "-STOP", str(pid)], capture_output=True)
    if stop.returncode:
        pytest.skip("the server belongs to somebody else and cannot be stopped here")
    yield journal
    subprocess.run(["kill", "-CONT", str(pid)])


def test_a_server_that_stops_answering_is_given_up(stopped):
    began = time.monotonic()
    with pytest.raises(StorageTrouble) as caught:
        stopped.append([record(2)])
    assert time.monotonic() - began < 3
    assert str(caught.value) == (
        "the journal in the database cannot be written: the server did not answer within 0.6 s. "
        "Send it again with the same keys: it is recorded once."
    )
    assert stopped.trouble == str(caught.value)
    with pytest.raises(StorageTrouble) as caught:  # a moment later nobody waits
        stopped.append([record(2)])
    assert str(caught.value) == stopped.trouble
    time.sleep(0.4)
    with pytest.raises(StorageTrouble, match="was lost still holds the session there"):
        stopped.append([record(2)])


def test_a_lock_that_nobody_gives_back_is_not_waited_for(journal, postgres):
    journal.append([record(1)])
    journal._store._connection.execute("SET lock_timeout = '200ms'")
    with psycopg.connect(postgres) as other:
        other.execute("LOCK TABLE linkwise_events")
        with pytest.raises(StorageTrouble, match="canceling statement due to lock timeout"):
            journal.append([record(2)])
    journal.append([record(2)])
    assert journal.trouble is None
