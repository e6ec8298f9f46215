"""Let the disk fail while eight clients write; count what was lost.

Three ways to fail, in turn: SQLite is told that the file may not grow (its own SQLITE_FULL path),
the system refuses to write beyond a file size (a failing write, which SQLite reports as an I/O
error), and, where a small file system can be mounted (as root), the disk really is full (ENOSPC).
Clients whose answer is refused send it again with the same key until it is taken.

    python benchmarks/session_faults.py --rounds 100
"""

from __future__ import annotations

import argparse
import os
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


def main() -> None:
    """Run the rounds and print one line per finding."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, small_disk(Path(home, "disk")) as disk:
        template = Path(home, "template")
        X = np.random.default_rng(0).normal(size=(N_ROWS, 4))
        Session.create(template, X, 3, n_partitions=5).close()
        ways = [page_limit, size_limit] + ([full_disk] if disk else [])
        total: Counter[str] = Counter()
        for k in range(args.rounds):
            way = ways[k % len(ways)]
            folder = Path(disk if way is full_disk else home, "session")
            shutil.copytree(template, folder)
            total += one_round(folder, way)
            total[f"rounds: {way.__name__}"] += 1
            shutil.rmtree(folder)
    for name in (n for n in sorted(total) if n.startswith("rounds")):
        print(f"{name}: {total[name]}")
    print(
        f"{total['acknowledged']} answers acknowledged, {total['refused']} of them refused at first"
    )
    print(
        f"acknowledged and lost: {total['lost']}, recorded twice: {total['twice']}, "
        f"gaps: {total['gaps']}"
    )
    bad = total["lost"] + total["twice"] + total["gaps"]
    sys.exit(1 if bad or not total["refused"] else 0)


def one_round(folder: Path, way: Any) -> Counter[str]:
    """Let clients write through one failure."""
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
        failing.set()
        for thread in threads:
            thread.join()
        n = session.seq
    with Session.open(folder) as session:
        events = session.history()
        keys = Counter(event.key for event in events)
        return Counter(
            {
                "acknowledged": len(acknowledged),
                "refused": len(set(refused)),
                "lost": sum(1 for key in acknowledged if keys[key] == 0) + (n != len(events)),
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
    connection = session._history._journal._connection  # type: ignore[attr-defined]
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
