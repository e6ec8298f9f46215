"""Backup, verification and repair."""

import json
import random
import shutil
import subprocess
import sys
import threading

import psycopg
import pytest
from click.testing import CliRunner

from linkwise.cli import main
from linkwise.errors import InvalidInput, LinkwiseError, MissingData
from linkwise.session import Session, back_up, repair_session, verify_session
from linkwise.session.errors import DataChanged, JournalDamaged, SessionLocked
from linkwise.session.journal import writer as writer_module


def run(*args, code=0):
    result = CliRunner().invoke(main, ["session", *(str(arg) for arg in args)])
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def answer_all(session, first, last):
    for k in range(first, last + 1):
        session.answer(k % 20, 20 + k % 40, "different", who="ann", key=f"k{k}")


@pytest.fixture
def told(folder):
    """A session with 40 events, closed, and its labels."""
    with Session.open(folder) as session:
        answer_all(session, 1, 40)
        labels = session.labels().tobytes()
    return folder, labels


@pytest.fixture
def killed(folder, tmp_path, monkeypatch):
    """The folder of a session with 40 events as it was when its process was killed."""
    monkeypatch.setattr(writer_module, "QUIET_SECONDS", 60)
    with Session.open(folder) as session:
        session._journal._store._connection.execute("PRAGMA wal_autocheckpoint = 100000")
        answer_all(session, 1, 40)
        left = shutil.copytree(folder, tmp_path / "killed", ignore=shutil.ignore_patterns("*-shm"))
    return left


def flip(path, bit):
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def damage(folder, text=b'"j":27,', by=b'"j":28,'):
    """Change what one event says."""
    path = folder / "journal.sqlite"
    content = path.read_bytes()
    assert content.count(text) == 1
    path.write_bytes(content.replace(text, by, 1))


def test_a_backup_opens_by_itself_and_says_the_same(told, tmp_path):
    folder, labels = told
    assert back_up(folder, tmp_path / "copy") == 40
    shutil.rmtree(folder)
    with Session.open(tmp_path / "copy") as session:
        assert session.seq == 40
        assert session.labels().tobytes() == labels
        assert session.answer(1, 21, "different", who="ann", key="k1").repeated
        assert session.layouts == ["pca"]


@pytest.fixture
def grown(folder, blobs):
    """A session whose rows and clusters became more and less, closed, and its labels."""
    with Session.open(folder) as session:
        session.answer(0, 25, "different", who="ann")
        session.extend(blobs[:3] + 0.1, who="ann")
        session.recluster(4, who="ann")
        session.nowhere([7, 62], who="ann")
        session.undo(session.recluster(2).seq)
        labels = session.labels().tobytes()
    return folder, labels


def test_every_kind_of_event_is_chained_backed_up_and_verified(grown, tmp_path):
    folder, labels = grown
    assert verify_session(folder).troubles == []
    assert back_up(folder, tmp_path / "copy") == 6
    for place in (folder, tmp_path / "copy"):
        (place / "checkpoint").unlink(missing_ok=True)
        with Session.open(place) as session:
            assert session.n_rows == 63
            assert session.labels().tobytes() == labels
        found = verify_session(place)
        assert (found.n_whole, found.n_acknowledged, found.troubles) == (6, 6, [])


@pytest.mark.parametrize(
    ("seq", "text", "by"),
    [(2, b'"n_rows":3', b'"n_rows":2'), (3, b'"n_clusters":4', b'"n_clusters":5')]
    + [(4, b'"rows":[7,62]', b'"rows":[8,62]')],
)
def test_no_kind_of_event_is_changed_in_silence(grown, seq, text, by, tmp_path):
    folder, labels = grown
    back_up(folder, tmp_path / "copy")
    damage(folder, text, by)
    with pytest.raises(JournalDamaged, match=f"event {seq} is not what was recorded"):
        Session.open(folder)
    assert verify_session(folder).n_whole == seq - 1
    assert repair_session(folder, [tmp_path / "copy"]).n_whole == 6
    with Session.open(folder) as session:
        assert session.labels().tobytes() == labels


def test_the_file_of_rows_that_joined_is_verified_and_copied_only_as_it_was(grown, tmp_path):
    folder, _ = grown
    (file,) = folder.glob("added-*")
    flip(file, 8 * (file.stat().st_size - 1))
    assert "3 rows that joined" in verify_session(folder).troubles[0]
    with pytest.raises(DataChanged, match="3 rows that joined"):
        back_up(folder, tmp_path / "copies" / "one")
    assert list((tmp_path / "copies").iterdir()) == []


def test_a_backup_is_made_while_answers_come_in_and_holds_all_acknowledged_before(folder, tmp_path):
    over, acknowledged = threading.Event(), []
    with Session.open(folder) as session:

        def work():
            k = 0
            while not over.is_set():
                k += 1
                acknowledged.append(session.answer(k % 20, 20 + k % 40, "different").seq)

        worker = threading.Thread(target=work)
        worker.start()
        for n in range(3):
            before = len(acknowledged)
            if n == 0:  # another process, as by cron
                script = "import sys; from linkwise.cli import main; main(sys.argv[1:])"
                command = [sys.executable, "-c", script, "session", "backup"]
                subprocess.run([*command, folder, tmp_path / "0"], check=True)
            else:
                session.backup(tmp_path / str(n))
            with Session.open(tmp_path / str(n)) as copy:  # restored
                assert copy.seq >= before
                assert copy.history() == session.history(limit=copy.seq)
                copy.answer(0, 59, "different")
        over.set()
        worker.join()
        assert session.seq == len(acknowledged)
    assert verify_session(folder).troubles == []


def test_a_backup_goes_nowhere_where_something_is(told):
    folder, _ = told
    with pytest.raises(InvalidInput, match="exists already and is not empty"):
        back_up(folder, folder.parent)


def test_no_backup_is_made_of_a_damaged_journal(told, tmp_path):
    folder, _ = told
    damage(folder)
    with pytest.raises(JournalDamaged, match=r"event 7 is not what was recorded.*No backup"):
        back_up(folder, tmp_path / "copies" / "one")
    assert list((tmp_path / "copies").iterdir()) == []


def test_a_session_in_a_database_is_backed_up_to_a_file(postgres, blobs, tmp_path):
    with Session.create(tmp_path / "s", blobs, 3, n_partitions=20, journal=postgres) as session:
        answer_all(session, 1, 10)
        session.backup(tmp_path / "copy")
        labels = session.labels().tobytes()
    with psycopg.connect(postgres) as connection:
        connection.execute("DROP TABLE linkwise_events, linkwise_sessions")
    with Session.open(tmp_path / "copy") as copy:
        assert copy.seq == 10
        assert copy.labels().tobytes() == labels


def test_a_whole_session_is_verified_open_or_not(told):
    folder, _ = told
    assert run("verify", folder) == "40 events, all as they were recorded.\n"
    with Session.open(folder):
        assert run("verify", folder) == "40 events, all as they were recorded.\n"


def test_verify_tells_what_is_wrong_and_changes_nothing(told):
    folder, _ = told
    damage(folder)
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    said = run("verify", folder, code=1)
    assert "event 7 is not what was recorded (its hash does not fit)." in said
    assert "40 events were acknowledged, 6 are whole." in said
    assert said.endswith("Whole: 6 events.\n")
    assert all(path.read_bytes() == content for path, content in before.items())
    found = json.loads(run("verify", folder, "--json", code=1))
    assert (found["n_whole"], found["n_acknowledged"]) == (6, 40)


def test_verify_looks_at_the_model_and_the_data_too(told):
    folder, _ = told
    flip(folder / "data.npy", 8 * 2000)
    (folder / "model" / "model.json").write_text("{")
    troubles = verify_session(folder).troubles
    assert any("data.npy has changed" in line for line in troubles)
    assert any("model.json" in line for line in troubles)


def test_repair_takes_what_is_damaged_from_a_backup(told, tmp_path):
    folder, labels = told
    back_up(folder, tmp_path / "copy")
    damage(folder)
    alone = run("repair", folder, code=1)
    assert alone == (
        "events 1 to 6: whole, from journal.sqlite.\n"
        "event 7: missing.\n"
        "events 8 to 40: whole, from journal.sqlite, but after a missing one.\n"
        "Nothing was changed. Give a copy that holds what is missing with --from, or go on without "
        "it with --accept-loss.\n"
    )
    with pytest.raises(JournalDamaged):
        Session.open(folder)
    said = run("repair", folder, "--from", tmp_path / "copy")
    assert f"event 7: whole, from {tmp_path / 'copy'}.\n" in said
    assert "The journal now holds 40 events. The files as they were are in " in said
    assert verify_session(folder).troubles == []
    with Session.open(folder) as session:
        assert session.seq == 40
        assert session.labels().tobytes() == labels
    (kept,) = folder.glob("damaged-*")
    assert (kept / "journal.sqlite").is_file()


def test_a_loss_that_is_accepted_is_kept_aside(told):
    folder, _ = told
    damage(folder)
    run("repair", folder, "--accept-loss")
    with Session.open(folder) as session:
        assert session.seq == 6
        session.answer(0, 1, "same")
    (kept,) = folder.glob("damaged-*")
    later = [json.loads(line) for line in (kept / "later.jsonl").read_text().splitlines()]
    assert [event["seq"] for event in later] == list(range(8, 41))
    assert later[0]["payload"]["i"] == 8
    for path in (kept, kept / "later.jsonl", folder / "journal.sqlite"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_repair_reads_the_write_ahead_log_beyond_a_flipped_bit(killed, tmp_path):
    log = killed / "journal.sqlite-wal"
    rng, n_refused, n_whole = random.Random(0), 0, 0
    for k in range(12):
        folder = shutil.copytree(killed, tmp_path / f"trial-{k}")
        flip(folder / log.name, rng.randrange(8 * 32, 8 * log.stat().st_size))
        try:
            Session.open(folder).close()
            continue
        except LinkwiseError:
            n_refused += 1
        found = repair_session(folder)
        if not found.missing:
            n_whole += 1
            with Session.open(folder) as session:
                assert session.seq == 40
        else:  # the flipped bit is in the newest version of a page: one event is damaged
            assert sum(part.last - part.first + 1 for part in found.missing) <= 2
    assert n_refused >= 8
    assert n_whole >= n_refused - 3


def test_a_mark_that_is_gone_is_written_anew(told):
    folder, labels = told
    (folder / "journal.mark").unlink()
    run("repair", folder)
    with Session.open(folder) as session:
        assert session.labels().tobytes() == labels


def test_a_damaged_database_is_repaired_from_a_backup(postgres, blobs, tmp_path):
    folder = tmp_path / "s"
    with Session.create(folder, blobs, 3, n_partitions=20, journal=postgres) as session:
        answer_all(session, 1, 10)
        session.backup(tmp_path / "copy")
    with psycopg.connect(postgres) as connection:
        connection.execute("DELETE FROM linkwise_events WHERE seq IN (4, 10)")
        connection.execute("UPDATE linkwise_events SET payload = '{}' WHERE seq = 6")
    with pytest.raises(JournalDamaged):
        Session.open(folder)
    assert verify_session(folder).n_whole == 3
    found = repair_session(folder, [tmp_path / "copy"])
    assert [(part.first, part.last) for part in found.parts if part.source != "the database"] == [
        (4, 4),
        (6, 6),
        (10, 10),
    ]
    with Session.open(folder) as session:
        assert session.seq == 10


def test_a_session_in_use_is_not_repaired(told):
    folder, _ = told
    with Session.open(folder), pytest.raises(SessionLocked):
        repair_session(folder)


def test_a_copy_that_is_not_there_is_told(told, tmp_path):
    folder, _ = told
    with pytest.raises(MissingData, match="no journal to take events from"):
        repair_session(folder, [tmp_path / "none"])
