"""Folders that cannot be written."""

import errno
import os
import stat

import numpy as np
import pytest

from linkwise.errors import LinkwiseError
from linkwise.session import Session
from linkwise.session.data.file import read_data
from linkwise.session.errors import DataChanged, SessionError, StorageTrouble


@pytest.mark.parametrize(
    ("number", "why"),
    [(errno.EROFS, "read-only file system"), (errno.EACCES, "permission denied")],
)
def test_a_folder_that_cannot_be_written_is_told(folder, monkeypatch, number, why):
    def refuse(lock, **_):
        raise OSError(number, os.strerror(number), lock.lock_file)

    monkeypatch.setattr("linkwise.session.journal.lock.FileLock.acquire", refuse)
    with pytest.raises(SessionError) as caught:
        Session.open(folder)
    assert str(caught.value) == (
        f"the session in {folder} cannot be opened for writing: {why}. "
        "A session needs to write its journal there."
    )


def test_no_session_is_made_where_nothing_can_be_written(tmp_path, blobs):
    (tmp_path / "file").write_text("")
    with pytest.raises(SessionError) as caught:
        Session.create(tmp_path / "file" / "s", blobs, 3)
    assert str(caught.value) == f"no session can be made in {tmp_path / 'file'}: file exists."


@pytest.mark.parametrize(
    "name", ["model/model.json", "model/ensemble/labels.npy", "model/_basis.rows.npy"]
)
def test_a_truncated_model_is_told_and_the_lock_is_released(folder, name):
    path = folder / name
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(LinkwiseError) as caught:
        Session.open(folder)
    assert str(path.parent) in str(caught.value)
    path.write_bytes(content)
    Session.open(folder).close()


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_that_fills_up_while_a_session_is_made_leaves_nothing(tmp_path, blobs, monkeypatch):
    monkeypatch.setattr("linkwise.cluster.sequential.model_file.np.save", full)
    with pytest.raises(StorageTrouble) as caught:
        Session.create(tmp_path / "home" / "s", blobs, 3, n_partitions=5)
    assert str(caught.value) == (
        f"the session in {tmp_path / 'home' / 's'} could not be made: no space left on device. "
        "Nothing was left behind."
    )
    assert list((tmp_path / "home").iterdir()) == []


def test_a_layout_that_cannot_be_kept_is_shown_all_the_same(session, folder, monkeypatch, caplog):
    (folder / "layout-pca.npy").unlink()
    monkeypatch.setattr("linkwise.session.data.layout_file.write_layout", full)
    assert session.layout().shape == (60, 2)
    assert "could not be kept" in caplog.text


def test_data_that_change_while_they_are_read_are_refused(tmp_path, blobs, monkeypatch):
    path = tmp_path / "data.npy"
    np.save(path, blobs)

    def read_and_spoil(*args):
        table = read_data(*args)
        np.save(path, blobs + 1)
        return table

    monkeypatch.setattr("linkwise.session.create.read_data", read_and_spoil)
    with pytest.raises(DataChanged):
        Session.create(tmp_path / "s", path, 3, n_partitions=5)
    assert not (tmp_path / "s").exists()


def test_what_a_session_writes_is_for_its_owner_alone(tmp_path, blobs):
    before = os.umask(0o022)
    try:
        with Session.create(tmp_path / "s", blobs, 2, n_partitions=5) as session:
            session.labels()
            session.answer(0, 1, "same")
            session.labels()
            session.extend(blobs[:3] + 1)
            session.layout("neighbours")
            session.labels()
    finally:
        os.umask(before)
    found = [tmp_path / "s", *(tmp_path / "s").rglob("*")]
    assert {"checkpoint", "layout-neighbours.npy", "moved.json"} <= {path.name for path in found}
    for path in found:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path
