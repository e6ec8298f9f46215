"""Labels in a file that somebody cuts while they are read: seen from a process of its own."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from linkwise.ensemble import LabelMatrix, build_ensemble, holding, store
from linkwise.errors import InvalidInput

N_ROWS = 50_000

#: Reads all labels, one partition after the other, while the other side cuts the file.
READER = """
import sys
import numpy as np
from linkwise.ensemble import LabelMatrix, holding, store
from linkwise.errors import InvalidInput

if "without" in sys.argv:
    holding._lease = lambda file: False
    store.PART_ROWS = 10_000
matrix = LabelMatrix.load(sys.argv[1])
try:
    with matrix.parts() as parts:
        total = 0
        for k, part in enumerate(parts):
            if k == 0:
                print("reading", flush=True)
                sys.stdin.readline()
            total += sum(int(partition.sum()) for partition in part)
        print("whole", total, flush=True)
    sys.stdin.readline()
    matrix.rows([0])
except InvalidInput as error:
    print(error, flush=True)
"""


@pytest.fixture
def saved(tmp_path):
    labels = np.random.default_rng(0).integers(256, size=(5, N_ROWS), dtype=np.uint8)
    matrix = LabelMatrix.empty(5, N_ROWS)
    matrix.write(0, labels)
    matrix.save(tmp_path / "labels")
    return tmp_path / "labels", labels


def start(code, *words):
    """Start a process that says where it stands when it is aborted."""
    command = [sys.executable, "-X", "faulthandler", "-c", code, *map(str, words)]
    ways = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(command, text=True, **ways)


def begin(folder, *words):
    reader = start(READER, folder, *words)
    assert reader.stdout.readline() == "reading\n"
    return reader


def heard(process, last_words=""):
    """Return what a process says until it ends; of one that does not, where it stands."""
    try:
        said, _ = process.communicate(last_words, timeout=300)
    except subprocess.TimeoutExpired:
        place = Path(f"/proc/{process.pid}")
        waits = [(place / name).read_text() for name in ("stat", "wchan") if place.exists()]
        process.send_signal(signal.SIGABRT)
        said, _ = process.communicate(timeout=60)
        pytest.fail(f"it did not end: {waits}, {said}")
    assert process.returncode == 0, said
    return said


def go_on(reader):
    reader.stdin.write("\n")
    reader.stdin.flush()


def cut(path):
    with open(path, "r+b") as file:
        file.truncate(200)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lends leases")
def test_who_cuts_a_file_waits_until_it_was_read(saved):
    folder, labels = saved
    reader = begin(folder)
    cutting = Thread(target=cut, args=(folder / "labels.npy",))
    cutting.start()
    cutting.join(1)
    assert cutting.is_alive()
    go_on(reader)
    assert reader.stdout.readline() == f"whole {int(labels.sum(dtype=int))}\n"
    cutting.join(60)
    assert (folder / "labels.npy").stat().st_size == 200
    assert "was cut short while it was in use" in heard(reader, "\n")


def test_without_a_lease_a_cut_is_told_and_kills_nobody(saved):
    folder, _ = saved
    reader = begin(folder, "without")
    cut(folder / "labels.npy")
    assert "was cut short while it was in use" in heard(reader, "\n")


#: Does one thing with labels again and again, until it is told that they were cut.
USER = """
import sys
import numpy as np
from linkwise.ensemble import Ensemble, LabelMatrix
from linkwise.errors import LinkwiseError

folder, other, what = sys.argv[1:]
matrix = LabelMatrix.load(folder)
new = np.zeros((matrix.n_partitions, 1), np.uint8)
work = {
    "count": lambda: matrix.each(matrix.n_rows, np.sum),
    "copy": lambda: matrix.save(other),
    "grow": lambda: matrix.borrowed().append(new),
    "read": lambda: LabelMatrix.load(folder, mmap=False),
    "open": lambda: Ensemble.load(folder),
}[what]
print("reading", flush=True)
try:
    while True:
        work()
except LinkwiseError as error:
    print(error, flush=True)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built") / "labels"
    X = np.random.default_rng(0).normal(size=(300_000, 2)).astype(np.float32)
    build_ensemble(X, 2, n_partitions=30, seed=0).save(folder)
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lends leases")
@pytest.mark.parametrize("what", ["count", "copy", "grow", "read", "open"])
def test_whatever_is_done_with_labels_a_cut_kills_nobody(built, tmp_path, what):
    shutil.copytree(built, tmp_path / "labels")
    user = start(USER, tmp_path / "labels", tmp_path / "other", what)
    assert user.stdout.readline() == "reading\n"
    time.sleep(0.2)
    cut(tmp_path / "labels" / "labels.npy")
    assert "labels.npy" in heard(user)


@pytest.mark.parametrize("mmap", [True, False])
@pytest.mark.parametrize("moment", ["before it is mapped", "after it was mapped"])
def test_a_cut_while_the_file_is_opened_is_told(saved, monkeypatch, mmap, moment):
    folder, _ = saved
    real = np.memmap

    def cut_in_between(*given):
        if moment == "before it is mapped":
            cut(folder / "labels.npy")
        mapped = real(*given)
        cut(folder / "labels.npy")
        return mapped

    monkeypatch.setattr(store.np, "memmap", cut_in_between)
    with pytest.raises(InvalidInput, match="was cut short while it was in use"):
        LabelMatrix.load(folder, mmap).rows([0])


@pytest.mark.parametrize("has_lease", [True, False])
def test_the_labels_are_the_same_however_they_are_read(saved, has_lease, monkeypatch):
    folder, labels = saved
    if not has_lease:
        monkeypatch.setattr(holding, "_lease", lambda _: False)
    monkeypatch.setattr(store, "PART_ROWS", 20_000)
    matrix = LabelMatrix.load(folder)
    for n_rows in (N_ROWS, 20_000, 31_234, 1):
        with matrix.parts(n_rows) as parts:
            found = np.concatenate([part.copy() for part in parts], axis=1)
        np.testing.assert_array_equal(found, labels[:, :n_rows])
    np.testing.assert_array_equal(matrix.rows([N_ROWS - 1, 0, 7]), labels[:, [N_ROWS - 1, 0, 7]].T)
    lent = matrix.borrowed(30_000)
    with matrix.parts() as _, lent.parts() as parts:  # two may hold it at once
        assert sum(part.shape[1] for part in parts) == 30_000


@pytest.mark.parametrize("has_lease", [True, False])
def test_labels_put_in_place_of_others_while_they_are_opened_are_not_mixed(
    saved, has_lease, monkeypatch
):
    """Who grows labels in a folder puts the larger file in the place of the smaller one."""
    folder, labels = saved
    other = LabelMatrix.empty(5, 2 * N_ROWS, folder.parent / "other")
    other.write(0, np.full((5, 2 * N_ROWS), 7))
    opened = store.HeldFile

    def replaced_in_between(path):
        held = opened(path)
        os.replace(folder.parent / "other" / "labels.npy", path)
        return held

    def reads(*given):
        """Fail instead of reading the end of a file for ever."""
        n_read = preadv(*given)
        assert n_read
        return n_read

    preadv = os.preadv
    monkeypatch.setattr(holding.os, "preadv", reads)
    monkeypatch.setattr(store, "HeldFile", replaced_in_between)
    if not has_lease:
        monkeypatch.setattr(holding, "_lease", lambda _: False)
    matrix = LabelMatrix.load(folder)
    np.testing.assert_array_equal(matrix.rows(np.arange(N_ROWS)), labels.T)


def test_who_finds_the_end_of_a_file_that_is_whole_again_does_not_wait(saved, monkeypatch):
    folder, _ = saved
    monkeypatch.setattr(holding, "_lease", lambda _: False)
    matrix = LabelMatrix.load(folder)
    monkeypatch.setattr(holding.os, "preadv", lambda *_: 0)  # cut, and whole by the next look
    with pytest.raises(InvalidInput, match="was cut short while it was in use"):
        matrix.rows([0])
