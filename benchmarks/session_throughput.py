"""How many answers a second become durable, and how long a caller waits for it.

python benchmarks/session_throughput.py --clients 64
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from linkwise.session import Entry, Session
from linkwise.session.journal import mark

N_ROWS = 1_000


def main() -> None:
    """Let clients write, each waiting for its acknowledgement, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--answers", type=int, default=100, help="per client")
    parser.add_argument("--journal", help="a PostgreSQL address; SQLite without")
    parser.add_argument("--mark-every", type=float, help="seconds; 0 is with each commit")
    args = parser.parse_args()
    if args.mark_every is not None:
        mark.SYNC_EVERY = args.mark_every
    waits: list[float] = []
    with tempfile.TemporaryDirectory() as home:
        X = np.random.default_rng(0).normal(size=(N_ROWS, 4))
        folder = Path(home, "session")
        session = Session.create(folder, X, 3, n_partitions=5, journal=args.journal)

        def client(who: int) -> None:
            rng = np.random.default_rng(who)
            for k in range(args.answers):
                i, j = (int(row) for row in rng.choice(N_ROWS, 2, replace=False))
                entry = Entry("answer", {"i": i, "j": j, "verdict": "same"}, "", f"{who}-{k}")
                started = time.perf_counter()
                session.append([entry])
                waits.append(time.perf_counter() - started)

        threads = [threading.Thread(target=client, args=(who,)) for who in range(args.clients)]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - started
        assert session.seq == len(waits)
        session.close()
    median, late = np.percentile(waits, [50, 99]) * 1000
    print(f"{args.clients} clients, {len(waits)} answers in {seconds:.1f} s")
    print(f"{len(waits) / seconds:.0f} durable acknowledgements a second")
    print(f"a caller waits {median:.0f} ms (median), {late:.0f} ms (99 of 100)")


if __name__ == "__main__":
    main()
