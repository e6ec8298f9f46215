"""Where the time of new labels goes: the model's update, the vote over all rows, and the rest.

Everything is processor time of one process, which says the same on a busy machine as on a quiet
one; the vote spreads its own over all cores. The rest is what a session adds: reading the events,
naming clusters, counting what moved, and telling it. BLAS has one thread, as in the service.

    python benchmarks/service_split.py --rows 1000000
"""

from __future__ import annotations

import argparse
import copy
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import linkwise as lw
from linkwise.ensemble.blas import one_blas_thread
from linkwise.session import Session
from service_process import NAME, make_session


def spent(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what ``work`` returns and the processor time it took, in milliseconds."""
    began = time.process_time()
    result = work()
    return result, 1000 * (time.process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--answers", type=int, default=10)
    options = parser.parse_args()
    random.seed(0)
    totals, updates, votes = [], [], []
    with tempfile.TemporaryDirectory() as folder, one_blas_thread():
        make_session(Path(folder), options.rows)
        silent: Any = lw.load(Path(folder) / NAME / "model")
        with Session.open(Path(folder) / NAME) as session:
            session.view()
            for _ in range(options.answers):
                i, j = random.sample(range(options.rows), 2)
                session.answer(i, j, random.choice(("same", "different")))
                totals.append(spent(session.view)[1])
                links, model = session.model.links_, copy.copy(silent)
                with lw.run_options(quiet=True):
                    updates.append(spent(lambda: model.update(links))[1])  # noqa: B023
                votes.append(spent(lambda: model.labels_)[1])  # noqa: B023
    rest = [t - u - v for t, u, v in zip(totals, updates, votes, strict=True)]
    print(
        f"{options.rows:,} rows, medians of {options.answers} answers: model update "
        f"{median(updates):.0f} ms + vote {median(votes):.0f} ms + service {median(rest):.0f} ms "
        f"= {median(totals):.0f} ms of processor time"
    )


if __name__ == "__main__":
    main()
