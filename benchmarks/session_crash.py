"""Kill a writing process with ``kill -9``, again and again; count what was lost.

Each round, a child process opens the session and eight threads send answers with keys of their own,
noting every acknowledgement in a pipe. The parent kills it at a random moment. Afterwards every
acknowledged answer must be in the journal, no answer twice, and the numbers without a gap. The next
round's clients begin by repeating the answer that was not acknowledged.

    python benchmarks/session_crash.py --rounds 300
    python benchmarks/session_crash.py --rounds 300 --journal postgresql://...
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import numpy as np

from linkwise.session import Entry, Session
from linkwise.session.data.description import read_description
from linkwise.session.errors import SessionLocked
from linkwise.session.journal.journal import open_journal

N_CLIENTS = 8
N_ROWS = 60


def main() -> None:
    """Run the rounds and print one line per finding."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--journal", help="a PostgreSQL address; SQLite without")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "session")
        X = rng.normal(size=(N_ROWS, 4))
        Session.create(folder, X, 3, n_partitions=5, journal=args.journal).close()
        acknowledged: set[str] = set()
        progress = [0] * N_CLIENTS
        started = time.perf_counter()
        for _ in range(args.rounds):
            told = one_round(folder, args.journal, progress, float(rng.uniform(0.0, 0.08)))
            acknowledged |= told
            for key in told:
                client, k = (int(part) for part in key.split("-"))
                progress[client] = max(progress[client], k + 1)
        seconds = time.perf_counter() - started
        lost, twice, gaps, n_events = audit(folder, args.journal, acknowledged)
    print(f"{args.rounds} rounds of kill -9 under {N_CLIENTS} writing clients, {seconds:.0f} s")
    print(f"{len(acknowledged)} answers acknowledged, {n_events} in the journal")
    print(f"acknowledged and lost: {lost}, recorded twice: {twice}, gaps: {gaps}")
    sys.exit(1 if lost or twice or gaps or not acknowledged else 0)


def one_round(folder: Path, url: str | None, progress: list[int], life: float) -> set[str]:
    """Let a child write for ``life`` seconds once it is ready; return what was acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            write(folder, url, progress, writing)
        finally:
            os._exit(1)
    os.close(writing)
    heard = os.read(reading, 1)  # ready
    assert heard == b"\n", "the child could not open the session"
    time.sleep(life)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    text = b""
    while part := os.read(reading, 1 << 16):
        text += part
    os.close(reading)
    lines = text.decode().split("\n")
    return set(lines[:-1])  # a line that was cut off was not heard


def write(folder: Path, url: str | None, progress: list[int], pipe: int) -> None:
    """Open the session and write until killed."""
    session = open_patiently(folder, url)
    os.write(pipe, b"\n")

    def client(who: int) -> None:
        k = progress[who]
        while True:
            key = f"{who}-{k}"
            payload = {"i": who, "j": N_CLIENTS + k % (N_ROWS - N_CLIENTS), "verdict": "same"}
            session.append([Entry("answer", payload, str(who), key)])
            os.write(pipe, f"{key}\n".encode())
            k += 1

    threads = [threading.Thread(target=client, args=(who,)) for who in range(N_CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def open_patiently(folder: Path, url: str | None) -> Session:
    """Open the session; a database server may need a moment to notice that its client is gone."""
    for _ in range(100):
        try:
            return Session.open(folder, url)
        except SessionLocked:
            time.sleep(0.05)
    return Session.open(folder, url)


def audit(folder: Path, url: str | None, acknowledged: set[str]) -> tuple[int, int, int, int]:
    """Return how many answers were lost, how many are there twice, gaps, and all events."""
    journal = open_journal(folder, url, read_description(folder).id)
    records = [record for page in journal.pages() for record in page]
    journal.close()
    times = Counter((record.who, record.key) for record in records)
    lost = sum(1 for key in acknowledged if times[key.split("-")[0], key] == 0)
    twice = sum(1 for n in times.values() if n > 1)
    gaps = sum(1 for at, record in enumerate(records, 1) if record.seq != at)
    with Session.open(folder, url) as session:  # it opens, and says the same
        assert session.seq == len(records)
        session.labels()
    return lost, twice, gaps, len(records)


if __name__ == "__main__":
    main()
