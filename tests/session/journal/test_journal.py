"""The same laws for both journals."""

import shutil
import sqlite3

import pytest

from linkwise.session.errors import SessionError, StorageTrouble
from linkwise.session.journal.journal import Record, create_journal, open_journal


def records(first, last, keyed=True):
    return [
        Record(seq, "answer", f'{{"i":{seq}}}', "ann", "now", f"k{seq}" if keyed else None)
        for seq in range(first, last + 1)
    ]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    return None if request.param == "sqlite" else request.getfixturevalue("postgres")


@pytest.fixture
def journal(url, tmp_path):
    create_journal(tmp_path, url, "one")
    opened = open_journal(tmp_path, url, "one")
    yield opened
    opened.close()


def test_a_new_journal_is_empty(journal):
    assert journal.last() == 0
    assert journal.read(0, 10) == []
    assert list(journal.pages()) == []


def test_what_was_appended_is_read_back_in_order(journal):
    journal.append(records(1, 3))
    journal.append(records(4, 5, keyed=False))
    assert journal.last() == 5
    assert journal.read(0, 100) == records(1, 3) + records(4, 5, keyed=False)
    assert [record.seq for record in journal.read(1, 2)] == [2, 3]


def test_records_are_found_by_their_keys(journal):
    journal.append(records(1, 5))
    found = journal.by_key({"k2", "k4", "unknown"})
    assert {key: record.seq for key, record in found.items()} == {"k2": 2, "k4": 4}
    assert journal.by_key(set()) == {}


def test_an_append_that_fails_leaves_nothing(journal):
    journal.append(records(1, 2))
    with pytest.raises(StorageTrouble):
        journal.append([*records(3, 4), *records(2, 2)])
    assert journal.last() == 2
    journal.append(records(3, 3))
    assert journal.last() == 3


def test_a_key_cannot_be_written_twice(journal):
    journal.append(records(1, 1))
    with pytest.raises(StorageTrouble):
        journal.append([records(1, 1)[0]._replace(seq=2)])
    assert journal.last() == 1


def test_what_was_appended_survives_closing(journal, url, tmp_path):
    journal.append(records(1, 3))
    journal.close()
    again = open_journal(tmp_path, url, "one")
    assert again.read(0, 10) == records(1, 3)
    again.close()


def test_a_closed_journal_can_be_opened_before_the_server_hears(postgres, tmp_path, monkeypatch):
    create_journal(tmp_path, postgres, "one")
    closed = open_journal(tmp_path, postgres, "one")
    with monkeypatch.context() as late:
        late.setattr(closed._store._connection, "close", lambda: None)
        closed.close()
    open_journal(tmp_path, postgres, "one").close()
    closed._store._connection.close()


def test_odd_text_comes_back_unchanged(journal):
    odd = Record(1, "label", '{"name":"\'; DROP TABLE events; --"}', "Ω 猫 \u202e", "now", "%s ?")
    journal.append([odd])
    assert journal.read(0, 1) == [odd]
    assert journal.by_key({"%s ?"}) == {"%s ?": odd}


def test_a_sqlite_journal_of_a_newer_version_is_left_alone(tmp_path):
    create_journal(tmp_path, None, "one")
    path = tmp_path / "journal.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE about SET value = '3' WHERE name = 'version'")
    connection.close()
    with pytest.raises(SessionError) as caught:
        open_journal(tmp_path, None, "one")
    assert str(caught.value) == (
        f"{path} was written by a newer linkwise (journal version 3, this one reads up to 2). "
        "It was left alone; use the newer linkwise."
    )


def test_the_sqlite_journal_of_another_session_is_refused(tmp_path):
    create_journal(tmp_path, None, "one")
    with pytest.raises(SessionError) as caught:
        open_journal(tmp_path, None, "two")
    path = tmp_path / "journal.sqlite"
    assert str(caught.value) == f"{path} is the journal of another session. Put the right one back."


def test_a_missing_sqlite_journal_is_told(tmp_path):
    with pytest.raises(SessionError) as caught:
        open_journal(tmp_path, None, "one")
    assert str(caught.value) == (
        f"the journal is missing: there is no {tmp_path / 'journal.sqlite'}."
    )


@pytest.mark.parametrize("n_bytes", [0, 10, 5000])
def test_a_truncated_sqlite_journal_is_told_and_left_alone(tmp_path, n_bytes):
    create_journal(tmp_path, None, "one")
    path = tmp_path / "journal.sqlite"
    path.write_bytes(path.read_bytes()[:n_bytes])
    with pytest.raises(SessionError) as caught:
        open_journal(tmp_path, None, "one")
    assert str(caught.value).startswith(f"{path} cannot be opened: the file is damaged")
    assert path.stat().st_size == n_bytes


def test_a_sqlite_journal_whose_log_was_half_moved_into_it_is_whole(tmp_path):
    create_journal(tmp_path, None, "one")
    journal = open_journal(tmp_path, None, "one")
    journal._store._connection.execute("PRAGMA wal_autocheckpoint = 10000")
    for seq in range(1, 201):
        journal.append(records(seq, seq))
    (tmp_path / "after").mkdir()
    for name in ("journal.sqlite", "journal.sqlite-wal", "journal.mark"):
        shutil.copy(tmp_path / name, tmp_path / "after" / name)
    journal.close()  # moves all pages; the copy gets the first of them only
    with (tmp_path / "after" / "journal.sqlite").open("r+b") as file:
        file.write((tmp_path / "journal.sqlite").read_bytes()[:4096])
    again = open_journal(tmp_path / "after", None, "one")
    assert again.read(0, 1000) == records(1, 200)
    again.close()


def test_a_full_disk_refuses_the_append_and_goes_on_when_there_is_room(tmp_path):
    create_journal(tmp_path, None, "one")
    journal = open_journal(tmp_path, None, "one")
    connection = journal._store._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 2}")  # SQLite's own way to be full
    n = 0

    def fill():
        nonlocal n
        for n in range(50):
            journal.append([Record(n + 1, "label", "x" * 3000, "", "", None)])

    with pytest.raises(StorageTrouble) as caught:
        fill()
    assert str(caught.value) == (
        f"the disk with {tmp_path / 'journal.sqlite'} is full. Nothing of this call was recorded; "
        "make room and send it again."
    )
    assert journal.last() == n > 0
    connection.execute("PRAGMA max_page_count = 1000000")
    journal.append([Record(n + 1, "label", "x" * 3000, "", "", None)])
    assert journal.last() == n + 1
    journal.close()
