"""Long work: done in a thread of its own, watched by its progress, stopped on request."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import NamedTuple

from linkwise.errors import Cancelled, LinkwiseError
from linkwise.server.live.memory import give_back
from linkwise.server.refusals import InTheWay, NotFound

logger = logging.getLogger("linkwise.server")

Report = Callable[[int, int, str], None]
#: Gets the progress to report to and the question whether to stop; returns the session's id.
Work = Callable[[Report, Callable[[], bool]], str]

MOST_RUNNING = 8
MOST_KEPT = 200


class Subject(NamedTuple):
    """What a job is about: a session, and which part of it."""

    session: str
    part: str


@dataclass
class Job:
    """One piece of work and how far it is."""

    job: str
    what: str
    about: Subject | None = None
    state: str = "running"
    done: int = 0
    total: int = 0
    detail: str = "waiting"
    session: str | None = None
    error: str | None = None
    stop: Event = field(default_factory=Event)

    @property
    def result(self) -> dict[str, str] | None:
        """What came out, once it is there."""
        return {"session": self.session} if self.state == "done" and self.session else None

    def report(self, done: int, total: int, what: str) -> None:
        """Note how far the work is; ends it when it is to be stopped."""
        if self.stop.is_set():
            raise Cancelled("stopped on request.")
        self.done, self.total, self.detail = int(done), int(total), what


class Jobs:
    """The jobs of a service: ``at_once`` work, the others wait their turn."""

    def __init__(self, at_once: int = 1) -> None:
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="linkwise-job")
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()

    def start(self, what: str, work: Work, about: Subject | None = None) -> Job:
        """Begin ``work``, or let it wait until those before it are done.

        Work ``about`` the same thing is not begun twice: the job that runs is returned.
        """
        with self._lock:
            running = [job for job in self._jobs.values() if job.state == "running"]
            for job in running:
                if about is not None and job.about == about:
                    return job
            if len(running) >= MOST_RUNNING:
                raise InTheWay(
                    f"{len(running)} jobs are waiting already. Try again when one is done."
                )
            job = Job(f"j{secrets.token_hex(8)}", what, about)
            self._jobs[job.job] = job
            self._forget_old()
        self._pool.submit(self._run, job, work)
        return job

    def get(self, job: str) -> Job:
        """Return the job of that name."""
        if job not in self._jobs:
            raise NotFound(f"there is no job {job}.")
        return self._jobs[job]

    def sessions(self) -> set[str]:
        """Return the sessions that the jobs that run or wait are about."""
        with self._lock:
            running = [job for job in self._jobs.values() if job.state == "running"]
        return {job.about.session for job in running if job.about is not None}

    def cancel(self, job: str) -> Job:
        """Ask a job to stop; one that is over stays as it is."""
        found = self.get(job)
        found.stop.set()
        return found

    def close(self) -> None:
        """Stop all jobs and wait for them."""
        for job in list(self._jobs.values()):
            job.stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Job, work: Work) -> None:
        try:
            job.report(0, 0, "starting")
            job.session = work(job.report, job.stop.is_set)
            job.state = "done"
        except Cancelled:
            job.state = "cancelled"
        except LinkwiseError as error:
            job.error, job.state = str(error), "failed"
        except Exception as error:
            logger.error("a job failed", exc_info=error, extra={"job": job.job})
            job.error = "A fault in linkwise. The log says where."
            job.state = "failed"
        give_back()
        logger.info("job over", extra={"job": job.job, "state": job.state})

    def _forget_old(self) -> None:
        """Keep the latest jobs only; running ones are never forgotten."""
        over = [name for name, job in self._jobs.items() if job.state != "running"]
        for name in over[: max(0, len(self._jobs) - MOST_KEPT)]:
            del self._jobs[name]
