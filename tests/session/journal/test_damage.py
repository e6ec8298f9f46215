"""A journal that lost or changed what was acknowledged is never opened in silence."""

import json
import random
import shutil
import sqlite3

import psycopg
import pytest

from linkwise.errors import LinkwiseError
from linkwise.session import Session
from linkwise.session.errors import JournalDamaged
from linkwise.session.journal import journal as journal_module
from linkwise.session.journal.journal import Record, create_journal, open_journal

N = 60


def records(first, last):
    return [
        Record(k, "answer", json.dumps({"i": k, "verdict": "same"}), "ann", "now", f"key {k}")
        for k in range(first, last + 1)
    ]


def everything(folder, url=None):
    """Return all records, by number and by key; read twice, as reading may find what opening did
    not."""
    journal = open_journal(folder, url, "one")
    try:
        found = [record for page in journal.pages() for record in page]
        keyed = journal.by_key([record.key for record in records(1, N)])
    finally:
        journal.close()
    assert sorted(keyed.values()) == found
    return found


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The files of a journal whose process was killed: all records are in the log still."""
    folder = tmp_path_factory.mktemp("journal")
    create_journal(folder, None, "one")
    journal = open_journal(folder, None, "one")
    journal._store._connection.execute("PRAGMA wal_autocheckpoint = 100000")
    for k in range(1, N + 1):
        journal.append(records(k, k))
    left = {path.name: path.read_bytes() for path in folder.iterdir() if "shm" not in path.name}
    journal.close()
    assert len(left["journal.sqlite-wal"]) > 100_000
    return left


@pytest.fixture(scope="module")
def closed(killed, tmp_path_factory):
    """The files of the same journal, closed in order."""
    folder = tmp_path_factory.mktemp("journal")
    put(folder, killed)
    open_journal(folder, None, "one").close()
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def put(folder, files, flipped=None, bit=0):
    """Write the files of a journal, with one bit of one of them flipped."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in files.items():
        changed = bytearray(content)
        if name == flipped:
            changed[bit // 8] ^= 1 << bit % 8
        (folder / name).write_bytes(changed)


def outcomes(folder, files, name, n, seed):
    """Flip one bit after the other; return how often all was there and what was said if not."""
    rng, n_whole, said = random.Random(seed), 0, []
    for _ in range(n):
        put(folder, files, name, rng.randrange(8 * len(files[name])))
        try:
            found = everything(folder)
        except LinkwiseError as error:
            said.append(str(error))
        else:
            assert found == records(1, N)
            n_whole += 1
    assert all(sentence.endswith(".") for sentence in said)
    return n_whole, said


def test_a_flipped_bit_in_the_write_ahead_log_never_opens_a_short_journal(killed, tmp_path):
    _, said = outcomes(tmp_path / "j", killed, "journal.sqlite-wal", 40, seed=0)
    short = [sentence for sentence in said if f"but {N} were acknowledged" in sentence]
    assert len(short) > 20


def test_a_refused_journal_is_left_as_it_is(killed, tmp_path):
    log = "journal.sqlite-wal"
    put(tmp_path / "j", killed, log, 4 * len(killed[log]))
    before = {name: (tmp_path / "j" / name).read_bytes() for name in killed}
    with pytest.raises(JournalDamaged):
        open_journal(tmp_path / "j", None, "one")
    assert {name: (tmp_path / "j" / name).read_bytes() for name in killed} == before


def test_a_write_ahead_log_that_is_gone_never_opens_a_short_journal(killed, tmp_path):
    put(tmp_path / "j", {name: killed[name] for name in ("journal.sqlite", "journal.mark")})
    with pytest.raises(JournalDamaged) as caught:
        open_journal(tmp_path / "j", None, "one")
    folder = tmp_path / "j"
    assert str(caught.value) == (
        f"{folder / 'journal.sqlite'} is damaged: it ends at event 0, but {N} were acknowledged, "
        f"so {N} are missing. It was left as it is. `linkwise session verify {folder}` tells what "
        f"is whole, and `linkwise session repair {folder}` puts it together again, from a backup "
        f"where it must."
    )


@pytest.mark.parametrize("whole", [25_000, 0], ids=["whole", "when read"])
def test_a_flipped_bit_in_the_file_never_changes_history(closed, tmp_path, monkeypatch, whole):
    monkeypatch.setattr(journal_module, "WHOLE", whole)
    n_whole, said = outcomes(tmp_path / "j", closed, "journal.sqlite", 150, seed=whole)
    assert n_whole < 150  # unused bytes may be flipped without harm
    assert any("is not what was recorded" in sentence for sentence in said)


def test_a_flipped_bit_in_the_mark_is_told_or_harmless(closed, tmp_path):
    n_whole, said = outcomes(tmp_path / "j", closed, "journal.mark", 30, seed=1)
    assert n_whole == 30  # the other place of the mark is whole
    assert said == []


@pytest.mark.parametrize(("content", "state"), [(None, "is missing"), (b"x", "cannot be read")])
def test_a_journal_without_its_mark_is_not_opened(closed, tmp_path, content, state):
    put(tmp_path / "j", closed)
    (tmp_path / "j" / "journal.mark").unlink()
    if content is not None:
        (tmp_path / "j" / "journal.mark").write_bytes(content)
    with pytest.raises(JournalDamaged) as caught:
        open_journal(tmp_path / "j", None, "one")
    assert f"journal.mark, which tells how far it went, {state}" in str(caught.value)


def test_an_older_journal_that_was_put_back_is_not_taken_for_the_newer_one(folder, tmp_path):
    with Session.open(folder) as session:
        session.answer(0, 50, "same")
    shutil.copy(folder / "journal.sqlite", tmp_path / "copy")
    with Session.open(folder) as session:
        session.answer(1, 2, "same")
    shutil.copy(tmp_path / "copy", folder / "journal.sqlite")
    with pytest.raises(JournalDamaged) as caught:
        Session.open(folder)
    assert "it ends at event 1, but 2 were acknowledged, so 1 is missing" in str(caught.value)


def test_a_session_with_a_flipped_bit_has_its_whole_history_or_says_so(folder, monkeypatch):
    with Session.open(folder) as session:
        for k in range(1, 30):
            session.answer(0, 20 + k, "different", who="ann")
        history, labels = session.history(), session.labels().tobytes()
    monkeypatch.setattr(journal_module, "WHOLE", 0)
    path = folder / "journal.sqlite"
    content, rng, said = path.read_bytes(), random.Random(2), []
    for _ in range(25):
        changed = bytearray(content)
        bit = rng.randrange(8 * len(content))
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        try:
            with Session.open(folder) as session:
                assert session.labels().tobytes() == labels
                assert session.history() == history
        except LinkwiseError as error:
            said.append(str(error))
        path.write_bytes(content)
    assert said


OLD_SQLITE = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, payload TEXT NOT NULL,
    who TEXT NOT NULL, at TEXT NOT NULL, key TEXT);
CREATE UNIQUE INDEX events_by_key ON events (key) WHERE key IS NOT NULL;
INSERT INTO about VALUES ('version', '1'), ('session', 'one');
"""
OLD_POSTGRES = """
CREATE TABLE linkwise_sessions (session text PRIMARY KEY, version integer NOT NULL);
CREATE TABLE linkwise_events (
    session text NOT NULL REFERENCES linkwise_sessions, seq bigint NOT NULL, kind text NOT NULL,
    payload text NOT NULL, who text NOT NULL, at text NOT NULL, key text,
    PRIMARY KEY (session, seq), UNIQUE (session, key)
);
INSERT INTO linkwise_sessions VALUES ('one', 1);
"""


def write_old(folder, url):
    """Write a journal as the first version of linkwise did."""
    if url is None:
        connection = sqlite3.connect(folder / "journal.sqlite")
        connection.executescript(OLD_SQLITE)
        connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", records(1, N))
        connection.commit()
    else:
        connection = psycopg.connect(url)
        connection.execute(OLD_POSTGRES)
        insert = "INSERT INTO linkwise_events VALUES ('one', %s, %s, %s, %s, %s, %s)"
        connection.cursor().executemany(insert, records(1, N))
        connection.commit()
    connection.close()


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    return None if request.param == "sqlite" else request.getfixturevalue("postgres")


def test_a_journal_without_hashes_is_given_them(url, tmp_path):
    write_old(tmp_path, url)
    assert everything(tmp_path, url) == records(1, N)
    journal = open_journal(tmp_path, url, "one")
    journal.append(records(N + 1, N + 1))
    assert journal.link(N + 1).seq == N + 1
    journal.close()
    journal = open_journal(tmp_path, url, "one")
    assert journal.read(0, 1000) == records(1, N + 1)
    journal.close()


def test_a_journal_killed_while_it_is_given_hashes_is_given_them_again(url, tmp_path, monkeypatch):
    write_old(tmp_path, url)

    def die(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:  # the mark is there, the hashes are not
        dying.setattr(journal_module.Mark, "sync", die)
        with pytest.raises(KeyboardInterrupt):
            open_journal(tmp_path, url, "one")
    assert (tmp_path / "journal.mark").exists()
    assert everything(tmp_path, url) == records(1, N)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("DELETE FROM linkwise_events WHERE seq > 50", "but 60 were acknowledged, so 10 are"),
        ("DELETE FROM linkwise_events WHERE seq = 7", "event 7 is missing"),
        (
            "UPDATE linkwise_events SET who = 'eve' WHERE seq = 7",
            "event 7 is not what was recorded",
        ),
        ("UPDATE linkwise_events SET hash = '' WHERE seq = 60", "60 is not the one that was ack"),
    ],
)
def test_a_database_that_lost_or_changed_something_is_refused(postgres, tmp_path, change, found):
    create_journal(tmp_path, postgres, "one")
    journal = open_journal(tmp_path, postgres, "one")
    journal.append(records(1, N))
    journal.close()
    with psycopg.connect(postgres) as connection:
        connection.execute(change)
    with pytest.raises(JournalDamaged, match=found):
        open_journal(tmp_path, postgres, "one")


def test_records_lost_while_the_journal_is_open_are_told_when_read(postgres, tmp_path):
    create_journal(tmp_path, postgres, "one")
    journal = open_journal(tmp_path, postgres, "one")
    journal.append(records(1, N))
    with psycopg.connect(postgres) as connection:
        connection.execute("DELETE FROM linkwise_events WHERE seq > 50")
    with pytest.raises(JournalDamaged, match="event 51 is missing"):
        journal.read(0, 1000)
    journal.close()
