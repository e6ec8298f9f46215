"""How long a restart takes, and whether it gives the same bytes.

    python benchmarks/session_replay.py                     restart with 1,000,000 events
    python benchmarks/session_replay.py --histories 300     random histories of up to 2,000 events

The million: answers about random pairs of 20,000 rows, one in twenty wrong, one in a hundred
undone. The restart is timed from the journal alone and from a checkpoint, up to readable labels.

Histories: answers, labels, sets, undos (of undos too), renames, merges and splits at random. The
labels and margins at two moments of the live session are compared, byte by byte, with those of a
replay from the journal alone; and after every history one more event is made and undone, which must
give the same bytes back.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from linkwise.session import Entry, Event, Session
from linkwise.session.data.description import read_description
from linkwise.session.errors import InvalidEvent
from linkwise.session.events.event import encode
from linkwise.session.journal.journal import PAGE, Record, open_journal

N_ROWS = 60
BATCH = 40


def main() -> None:
    """Run one of the two experiments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--histories", type=int, default=0)
    parser.add_argument("--longest", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        if args.histories:
            sys.exit(histories(Path(home), args.histories, args.longest, args.seed))
        million(Path(home, "session"), args.events, args.rows, args.seed)


def million(folder: Path, n_events: int, n_rows: int, seed: int) -> None:
    """Fill a journal, then open it with and without a checkpoint."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(10, size=n_rows)
    X = rng.normal(size=(10, 16))[truth] * 3 + rng.normal(size=(n_rows, 16))
    Session.create(folder, X, 10).close()
    started = time.perf_counter()
    fill(folder, truth, n_events, rng)
    print(f"{n_events} events written in {time.perf_counter() - started:.1f} s")
    started = time.process_time()
    session, seconds = timed(lambda: Session.open(folder))
    cpu = time.process_time() - started
    print(f"open from the journal alone: {seconds:.2f} s, {cpu:.2f} s of CPU")
    started = time.process_time()
    view, seconds = timed(session.view)
    cpu = time.process_time() - started
    labels = view.labels.tobytes()
    n_links = view.labelling.model.links_.n_links
    print(f"first labels ({n_links} links stand): {seconds:.2f} s, {cpu:.2f} s of CPU")
    event, seconds = timed(lambda: session.answer(0, 1, "same"))
    _, more = timed(session.view)
    print(f"one more answer: {1000 * seconds:.1f} ms to be durable, {more:.2f} s to new labels")
    session.undo(event.seq)
    _, seconds = timed(session.view)
    print(f"undone: {seconds:.2f} s, the same bytes: {session.labels().tobytes() == labels}")
    _, seconds = timed(session.close)
    print(f"close, with a checkpoint: {seconds:.2f} s")
    started, cpu = time.perf_counter(), time.process_time()
    session = Session.open(folder)
    same = session.labels().tobytes() == labels
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    print(f"restart from the checkpoint, to labels: {seconds:.2f} s, {cpu:.2f} s of CPU, ", end="")
    print(f"the same bytes: {same}; limit 2 s")
    session.close()


def fill(folder: Path, truth: Any, n_events: int, rng: np.random.Generator) -> None:
    """Write events straight into the journal, as a session would have."""
    journal = open_journal(folder, None, read_description(folder).id)
    pairs = rng.integers(len(truth), size=(n_events, 2))
    pairs[:, 1] = np.where(pairs[:, 0] == pairs[:, 1], (pairs[:, 1] + 1) % len(truth), pairs[:, 1])
    same = (truth[pairs[:, 0]] == truth[pairs[:, 1]]) ^ (rng.random(n_events) < 0.05)
    undo = rng.random(n_events) < 0.01
    undone: set[int] = set()
    page: list[Record] = []
    for at, ((i, j), agreed) in enumerate(zip(pairs.tolist(), same.tolist(), strict=True)):
        kind, payload = "answer", {"i": i, "j": j, "verdict": "same" if agreed else "different"}
        target = int(rng.integers(at)) + 1 if undo[at] and at else 0
        if target and target not in undone:
            undone.add(target)
            kind, payload = "undo", {"event": target}
        when = "2026-01-01T00:00:00.000+00:00"
        page.append(Record(at + 1, kind, encode(payload), "someone", when, f"key-{at}"))
        if len(page) == PAGE or at + 1 == n_events:
            journal.append(page)
            page = []
    journal.close()


def histories(home: Path, n: int, longest: int, seed: int) -> int:
    """Compare live sessions with their replays; return the exit code."""
    rng = np.random.default_rng(seed)
    centres = np.repeat(rng.normal(size=(3, 8)) * 4, N_ROWS // 3, axis=0)
    Session.create(
        home / "template", centres + rng.normal(size=(N_ROWS, 8)), 3, n_partitions=20
    ).close()
    started = time.perf_counter()
    n_events = n_compared = differ = not_undone = 0
    for k in range(n):
        folder = Path(shutil.copytree(home / "template", home / f"s{k}"))
        with Session.open(folder) as session:
            moments = live(session, int(rng.integers(1, longest + 1)), rng)
            before = bytes_of(session, session.seq)
            session.undo(say(session, rng, 1)[0].seq)
            not_undone += bytes_of(session, session.seq) != before
            n_events += session.seq
        (folder / "checkpoint").unlink()
        with Session.open(folder) as session:
            for seq, expected in moments.items():
                n_compared += 1
                differ += bytes_of(session, seq) != expected
        shutil.rmtree(folder)
        if (k + 1) % 25 == 0:
            print(f"  {k + 1} histories, {time.perf_counter() - started:.0f} s", flush=True)
    print(f"{n} random histories of {n_events} events, {time.perf_counter() - started:.0f} s")
    print(f"states compared with their replay: {n_compared}, different: {differ}")
    print(f"undone events that left a trace: {not_undone}")
    return 1 if differ or not_undone else 0


def live(session: Session, n: int, rng: np.random.Generator) -> dict[int, tuple[bytes, bytes]]:
    """Say ``n`` things, a few at a time; return labels and margins at two moments."""
    moments = {}
    for stop in sorted({int(rng.integers(1, n + 1)), n}):
        while session.seq < stop:
            say(session, rng, min(BATCH, stop - session.seq))
        moments[session.seq] = bytes_of(session, session.seq)
    return moments


def say(session: Session, rng: np.random.Generator, n: int) -> list[Event]:
    """Record ``n`` things at random."""
    log = session._history.log
    standing = (np.flatnonzero(log.standing(log.n)) + 1).tolist()
    rng.shuffle(standing)
    entries = [something(session, rng, standing) for _ in range(n)]
    try:
        return session.append(entries)
    except InvalidEvent:  # an undo of an undo let another event of the batch fall
        return session.append([entry for entry in entries if entry.kind != "undo"] or entries[:1])


def something(session: Session, rng: np.random.Generator, standing: list[int]) -> Entry:
    """Make up an entry; events to undo are taken from ``standing``."""
    i, j = (int(row) for row in rng.choice(N_ROWS, 2, replace=False))
    rows = sorted(int(row) for row in rng.choice(N_ROWS, int(rng.integers(2, 6)), replace=False))
    luck = rng.random()
    if luck < 0.15 and standing:
        return Entry("undo", {"event": standing.pop()})
    if luck < 0.17:
        return Entry("rename", {"cluster": i % session.n_clusters, "name": f"name {j}"})
    if luck < 0.175:
        return Entry("merge", {"clusters": [0, 1 + i % (session.n_clusters - 1)]})
    if luck < 0.176:
        biggest = max(session.view().clusters, key=lambda cluster: cluster.size)
        if biggest.size > 1:
            return Entry("split", {"cluster": biggest.number, "rows": None})
    if luck < 0.22:
        return Entry("label", {"rows": rows, "name": "abc"[i % 3]})
    if luck < 0.24:
        return Entry("together", {"rows": rows})
    verdict = ["same", "different", "different", "unsure"][int(rng.integers(4))]
    return Entry("answer", {"i": i, "j": j, "verdict": verdict})


def bytes_of(session: Session, seq: int) -> tuple[bytes, bytes]:
    """Return labels and margins after ``seq`` events."""
    view = session.view(at=seq)
    return view.labels.tobytes(), view.margins.tobytes()


def timed(call: Any) -> tuple[Any, float]:
    """Return what a call returns, and how long it took."""
    started = time.perf_counter()
    result = call()
    return result, time.perf_counter() - started


if __name__ == "__main__":
    main()
