"""Let the disk fail while eight clients write; count what was lost.

Four ways to fail, in turn: SQLite is told that the file may not grow (its own SQLITE_FULL path),
the system refuses to write beyond a file size (a failing write, which SQLite reports as an I/O
error), where a small file system can be mounted (as root) the disk really is full (ENOSPC), and
where there is a C compiler syncs fail now and then (EIO) and lose what they were about. Clients
whose answer is refused send it again with the same key until it is taken.

With a compiler, the power fails too, in the middle of every round: of what was written and not yet
synced any half is gone. What was acknowledged before must be in what is left.

    python benchmarks/session_faults.py --rounds 100
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from linkwise.session import Entry, Session
from linkwise.session.errors import StorageTrouble

N_CLIENTS = 8
N_ROWS = 60
N_ANSWERS = 25
LIBRARY = "LINKWISE_FORGETFUL_DISK"


def main() -> None:
    """Run the rounds and print one line per finding."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100)
    args = parser.parse_args()
    if LIBRARY not in os.environ:
        sys.exit(run_with_forgetful_disk())
    forgetful = forgetful_disk()
    with tempfile.TemporaryDirectory() as home, small_disk(Path(home, "disk")) as disk:
        template = Path(home, "template")
        X = np.random.default_rng(0).normal(size=(N_ROWS, 4))
        Session.create(template, X, 3, n_partitions=5).close()
        ways = [page_limit, size_limit]
        ways += [full_disk] if disk else []
        ways += [failing_sync] if forgetful else []
        total: Counter[str] = Counter()
        for k in range(args.rounds):
            way = ways[k % len(ways)]
            folder = Path(disk if way is full_disk else home, "session")
            shutil.copytree(template, folder)
            if forgetful:
                forgetful.forget_files(k)
            total += one_round(folder, way, Path(home, "after") if forgetful else None)
            total[f"rounds: {way.__name__}"] += 1
            shutil.rmtree(folder)
        failed_syncs = forgetful.failed_syncs() if forgetful else 0
    for name in (n for n in sorted(total) if n.startswith("rounds")):
        print(f"{name}: {total[name]}")
    print(f"syncs that failed: {failed_syncs}, power failures: {total['power failures']}")
    print(
        f"{total['acknowledged']} answers acknowledged, {total['refused']} of them refused at first"
    )
    print(
        f"acknowledged and lost: {total['lost']}, recorded twice: {total['twice']}, "
        f"gaps: {total['gaps']}"
    )
    bad = total["lost"] + total["twice"] + total["gaps"]
    sys.exit(1 if bad or not total["refused"] else 0)


def one_round(folder: Path, way: Any, after: Path | None) -> Counter[str]:
    """Let clients write through one failure; the power fails before it is over.

    ``after`` is where to put what the disk holds then, None without a forgetful disk.
    """
    acknowledged: list[str] = []
    refused: list[str] = []
    with Session.open(folder) as session:
        failing = threading.Event()
        threads = [
            threading.Thread(target=client, args=(session, who, acknowledged, refused, failing))
            for who in range(N_CLIENTS)
        ]
        with way(session, folder):
            for thread in threads:
                thread.start()
            deadline = time.monotonic() + 5
            while not refused and time.monotonic() < deadline:
                time.sleep(0.002)
            time.sleep(0.02)
            before = list(acknowledged)
            if after is not None:
                power_failure(folder, after)
        failing.set()
        for thread in threads:
            thread.join()
        n = session.seq
    found = Counter({"acknowledged": len(acknowledged), "refused": len(set(refused))})
    found += audit(folder, acknowledged, n)
    if after is not None:
        found += audit(after, before) + Counter({"power failures": 1})
        shutil.rmtree(after)
    return found


def audit(folder: Path, acknowledged: list[str], n: int | None = None) -> Counter[str]:
    """Open a session again and count what is wrong; ``n`` is how many events it must have."""
    with Session.open(folder) as session:
        events = session.history()
    keys = Counter(event.key for event in events)
    lost = sum(1 for key in acknowledged if keys[key] == 0)
    return Counter(
        {
            "lost": lost + (n is not None and n != len(events)),
            "twice": sum(1 for times in keys.values() if times > 1),
            "gaps": sum(1 for at, event in enumerate(events, 1) if event.seq != at),
        }
    )


def client(
    session: Session, who: int, acknowledged: list[str], refused: list[str], over: threading.Event
) -> None:
    """Send answers, each until it is taken."""
    name = str(who) + "x" * 150  # long enough to fill a page soon
    for k in range(N_ANSWERS):
        key = f"{who}-{k}"
        entry = Entry("answer", {"i": who, "j": N_CLIENTS + k, "verdict": "same"}, name, key)
        while True:
            try:
                session.append([entry])
                acknowledged.append(key)
                break
            except StorageTrouble:
                refused.append(key)
                over.wait(0.01)


@contextmanager
def page_limit(session: Session, folder: Path) -> Iterator[None]:  # noqa: ARG001
    """Tell SQLite that the file may not grow."""
    connection = session._history._journal._store._connection  # type: ignore[attr-defined]
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    yield
    connection.execute("PRAGMA max_page_count = 1000000000")


@contextmanager
def size_limit(session: Session, folder: Path) -> Iterator[None]:  # noqa: ARG001
    """Let the system refuse writes beyond a file size; Python ignores the signal about it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def full_disk(session: Session, folder: Path) -> Iterator[None]:  # noqa: ARG001
    """Fill the small disk but for a few pages."""
    ballast = folder.parent / "ballast"
    free = shutil.disk_usage(folder.parent).free
    ballast.write_bytes(b"x" * max(free - 24_000, 0))
    try:
        yield
    finally:
        ballast.unlink()


@contextmanager
def failing_sync(session: Session, folder: Path) -> Iterator[None]:  # noqa: ARG001
    """Let syncs fail now and then, those of SQLite's checkpoints too."""
    connection = session._history._journal._store._connection  # type: ignore[attr-defined]
    connection.execute("PRAGMA wal_autocheckpoint = 20")
    disk, over = forgetful_disk(), threading.Event()

    def change() -> None:
        while not over.wait(0.003):
            disk.fail_syncs(random.random() < 0.5)
        disk.fail_syncs(0)

    changing = threading.Thread(target=change)
    changing.start()
    try:
        yield
    finally:
        over.set()
        changing.join()


def power_failure(folder: Path, after: Path) -> None:
    """Put what the disk holds for certain at this moment into the folder ``after``."""
    left_out = shutil.ignore_patterns("journal.sqlite*", "checkpoint*")
    shutil.copytree(folder, after, ignore=left_out)
    journal = (folder / "journal.sqlite", after / "journal.sqlite")
    forgetful_disk().save_durable(*(os.fsencode(path) for path in journal))


def forgetful_disk() -> Any:
    """Return the library this process was started with, None without."""
    return ctypes.CDLL(None) if os.environ[LIBRARY] else None


def run_with_forgetful_disk() -> int:
    """Run this script again with the library in front of the C library, if it can be made."""
    with tempfile.TemporaryDirectory() as home:
        library = Path(home, "disk.so")
        if compile_disk(library):
            env = os.environ | {LIBRARY: str(library), "LD_PRELOAD": str(library)}
        else:
            print("no C compiler here: syncs do not fail and the power does not either")
            env = os.environ | {LIBRARY: ""}
        return subprocess.run([sys.executable, *sys.argv], env=env).returncode


def compile_disk(library: Path) -> bool:
    """Make the library, if there is a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return False
    source = Path(__file__).with_name("session_disk.c")
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"]
    return subprocess.run(command, capture_output=True).returncode == 0


@contextmanager
def small_disk(where: Path) -> Iterator[Path | None]:
    """Mount a file system of 4 MB, if that is allowed."""
    where.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(where)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        print("no small disk can be mounted here: ENOSPC by SQLite's page limit only")
        yield None
        return
    try:
        yield where
    finally:
        subprocess.run(["umount", "--lazy", str(where)], check=True)  # mapped files may linger


if __name__ == "__main__":
    main()
