import logging
import shutil

import pytest

from linkwise.session import Session
from linkwise.session.state import history as history_module


def said(session):
    session.answer(0, 50, "same")
    session.label([1, 2], "a")
    session.split(0)
    session.undo(1)
    return session.labels().tobytes()


@pytest.fixture
def closed(folder):
    """A session with four events, closed; its folder, and its labels."""
    with Session.open(folder) as session:
        labels = said(session)
    return folder, labels


def test_a_checkpoint_makes_replay_and_computing_needless(closed, monkeypatch):
    folder, labels = closed
    monkeypatch.setattr("linkwise.session.journal.log.Log.extend", None)
    monkeypatch.setattr("linkwise.session.state.labelling.Labeller.label", None)
    with Session.open(folder) as session:
        assert session.labels().tobytes() == labels
        assert session.view().clusters[0].name == "a"


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.99])
def test_a_truncated_checkpoint_is_ignored_with_a_warning(closed, share, caplog):
    folder, labels = closed
    path = folder / "checkpoint"
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with caplog.at_level(logging.WARNING), Session.open(folder) as session:
        assert session.seq == 4
        assert session.labels().tobytes() == labels
    assert "the journal is replayed instead" in caplog.text


def test_a_single_changed_byte_is_noticed(closed, caplog):
    folder, labels = closed
    path = folder / "checkpoint"
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    with Session.open(folder) as session:
        assert session.labels().tobytes() == labels
    assert "its part margins is damaged" in caplog.text


def test_a_flipped_bit_anywhere_in_the_header_is_noticed(closed, caplog):
    folder, labels = closed
    path = folder / "checkpoint"
    whole = path.read_bytes()
    header = whole.index(b"\n", whole.index(b"\n") + 1)
    for at in range(0, header, 41):
        content = bytearray(whole)
        content[at] ^= 1 << at % 8
        path.write_bytes(content)
        caplog.clear()
        with Session.open(folder) as session:
            assert session.seq == 4
            assert session.labels().tobytes() == labels
        assert "the journal is replayed instead" in caplog.text


def test_a_checkpoint_of_another_session_is_ignored(closed, blobs, tmp_path, caplog):
    folder, labels = closed
    other = tmp_path / "other"
    with Session.create(other, blobs, 3, n_partitions=5) as session:
        session.answer(0, 1, "different")
    (folder / "checkpoint").write_bytes((other / "checkpoint").read_bytes())
    with Session.open(folder) as session:
        assert session.labels().tobytes() == labels
    assert "it belongs to another session" in caplog.text


def test_a_checkpoint_of_another_history_of_the_session_is_ignored(template, tmp_path, caplog):
    folders = [shutil.copytree(template, tmp_path / name) for name in "ab"]
    for row, folder in enumerate(folders, 1):
        with Session.open(folder) as session:
            session.answer(0, row, "different")
            session.answer(30, 31, "same")
            labels = session.labels().tobytes()
    shutil.copy(tmp_path / "a" / "checkpoint", tmp_path / "b" / "checkpoint")
    with Session.open(tmp_path / "b") as session:
        assert session.labels().tobytes() == labels
        assert session.history()[0].payload["j"] == 2
    assert "the journal is another one" in caplog.text


def test_labels_of_another_version_of_linkwise_are_computed_again(closed, monkeypatch):
    folder, labels = closed
    monkeypatch.setattr("linkwise.__version__", "0.0.0")
    with Session.open(folder) as session:
        assert session.latest() is None
        assert session.labels().tobytes() == labels


def test_a_checkpoint_is_written_now_and_then(folder, monkeypatch):
    monkeypatch.setattr(history_module, "CHECKPOINT_EVERY", 3)
    with Session.open(folder) as session:
        for row in range(1, 3):
            session.answer(0, row, "same")
        assert not (folder / "checkpoint").exists()
        session.answer(0, 5, "same")
        session.answer(0, 6, "same")  # the writer has finished with the one before
        assert (folder / "checkpoint").exists()


def test_a_checkpoint_that_cannot_be_written_does_no_harm(folder, caplog):
    (folder / "checkpoint.new").mkdir()
    with Session.open(folder) as session:
        labels = said(session)
    assert "no checkpoint could be written" in caplog.text
    with Session.open(folder) as session:
        assert session.labels().tobytes() == labels
