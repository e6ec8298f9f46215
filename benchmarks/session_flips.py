"""Flip single bits of a journal and of its write-ahead log; count what a session makes of it.

Of every flipped bit one of these must come: the whole history, unchanged, to which more can be
added; or a sentence. Sessions refused for their log are repaired from nothing but their own files.

    python benchmarks/session_flips.py --flips 500
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from linkwise.errors import LinkwiseError
from linkwise.session import Entry, Session, repair_session
from linkwise.session.journal import journal, writer

N_ROWS = 60
N_EVENTS = 300
FILE, LOG = "journal.sqlite", "journal.sqlite-wal"


def main() -> None:
    """Run both experiments and print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flips", type=int, default=500, help="in the file, and in its log")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    writer.QUIET_SECONDS = 3600.0  # the log is left as it is
    with tempfile.TemporaryDirectory() as home:
        killed, closed, said = make(Path(home))
        rng = random.Random(args.seed)
        in_log = [outcome(killed, LOG, rng, said, Path(home)) for _ in range(args.flips)]
        whole, when_read = [], []
        for found, limit in ((whole, journal.WHOLE), (when_read, 0)):
            journal.WHOLE = limit
            found += [outcome(closed, FILE, rng, said, Path(home)) for _ in range(args.flips // 2)]
    for name, found in (
        ("write-ahead log", in_log),
        ("file, compared when opened", whole),
        ("file, compared when read", when_read),
    ):
        counted = ", ".join(f"{what}: {n}" for what, n in sorted(Counter(found).items()))
        print(f"{len(found)} bits flipped in the {name}: {counted}")
    sys.exit(1 if "changed" in (*in_log, *whole, *when_read) else 0)


def make(home: Path) -> tuple[Path, Path, list[object]]:
    """Return the folder of a session as a killed process leaves it, closed, and its history."""
    X = np.random.default_rng(0).normal(size=(N_ROWS, 4))
    with Session.create(home / "closed", X, 3, n_partitions=5) as session:
        session.label([1, 2], "left")
        for k in range(2, N_EVENTS + 1):
            if k % 7:
                row = {"i": k % 20, "j": 20 + k % 40, "verdict": "different"}
                session.append([Entry("answer", row, "ann", f"k{k}")])
            else:
                session.undo(k - 1, key=f"k{k}")
        shutil.copytree(home / "closed", home / "killed", ignore=shutil.ignore_patterns("*-shm"))
        said: list[object] = list(session.history())
    return home / "killed", home / "closed", said


def outcome(folder: Path, name: str, rng: random.Random, said: list[object], home: Path) -> str:
    """Flip one bit of one file of a copy, use it, and tell what came of it."""
    copy = home / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    content = bytearray((copy / name).read_bytes())
    bit = rng.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    (copy / name).write_bytes(content)
    try:
        with Session.open(copy) as session:
            if session.history() != said:
                return "changed"
            session.answer(3, 59, "different")
            more = session.history()
        with Session.open(copy) as session:
            return "whole" if session.history() == more else "changed"
    except LinkwiseError:
        if name != LOG:
            return "refused"
    if repair_session(copy).missing:
        return "refused, not all could be repaired"
    with Session.open(copy) as session:
        return "refused and repaired" if session.history() == said else "changed"


if __name__ == "__main__":
    main()
