import psycopg
import pytest

from linkwise.session import Entry, Session
from linkwise.session.errors import SessionError, SessionLocked, StorageTrouble
from linkwise.session.journal.journal import Record
from linkwise.session.journal.postgres import PostgresJournal


def record(seq):
    return Record(seq, "answer", "{}", "", "", f"k{seq}")


@pytest.fixture
def journal(postgres):
    opened = PostgresJournal.create(postgres, "one")
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
    with pytest.raises(SessionLocked) as caught:
        PostgresJournal(postgres, "one")
    assert str(caught.value) == (
        "the journal in the database is held by another process, maybe on another machine."
    )
    journal.append([record(1)])


def test_two_sessions_share_a_database(journal, postgres):
    other = PostgresJournal.create(postgres, "two")
    journal.append([record(1)])
    other.append([record(1), record(2)])
    assert (journal.last(), other.last()) == (1, 2)
    other.close()


def test_an_unknown_session_is_told(postgres):
    sentence = (
        "the journal is missing: the database does not know this session. Is it the right database?"
    )
    for _ in range(2):  # without tables, and with them
        with pytest.raises(SessionError) as caught:
            PostgresJournal(postgres, "none")
        assert str(caught.value) == sentence
        PostgresJournal.create(postgres, f"some{_}").close()


def test_a_newer_version_is_left_alone(postgres):
    PostgresJournal.create(postgres, "one").close()
    with psycopg.connect(postgres) as connection:
        connection.execute("UPDATE linkwise_sessions SET version = 2")
    with pytest.raises(SessionError) as caught:
        PostgresJournal(postgres, "one")
    assert str(caught.value) == (
        "the journal in the database was written by a newer linkwise (version 2, this one reads "
        "up to 1). It was left alone; use the newer linkwise."
    )


def test_a_server_that_is_not_there_is_told(tmp_path):
    with pytest.raises(StorageTrouble) as caught:
        PostgresJournal(f"postgresql://nobody@/none?host={tmp_path}", "one")
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
