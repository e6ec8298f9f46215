"""Jobs: their progress, their end, and how many there may be."""

import logging
import threading

import pytest

from linkwise.errors import InvalidInput
from linkwise.server.live.jobs import MOST_KEPT, MOST_RUNNING, Jobs, Subject
from linkwise.server.refusals import InTheWay, NotFound


@pytest.fixture
def jobs():
    """Make a place for jobs, and end them."""
    jobs = Jobs()
    yield jobs
    jobs.close()


def finish(jobs, job):
    """Wait until everything that was started is over."""
    jobs._pool.submit(lambda: None).result(10)
    return jobs.get(job.job)


def test_a_job_tells_its_result(jobs):
    over = finish(jobs, jobs.start("a walk", lambda report, stop: "here"))  # noqa: ARG005
    assert (over.state, over.result, over.error) == ("done", {"session": "here"}, None)


def test_a_job_that_is_refused_tells_the_sentence(jobs):
    def work(report, stop):  # noqa: ARG001
        raise InvalidInput("row 3 is odd.")

    over = finish(jobs, jobs.start("a walk", work))
    assert (over.state, over.result, over.error) == ("failed", None, "row 3 is odd.")


def test_a_bug_is_logged_and_its_message_is_not_told(jobs, caplog):
    def work(report, stop):  # noqa: ARG001
        raise ZeroDivisionError("secret value")

    with caplog.at_level(logging.ERROR, "linkwise.server"):
        over = finish(jobs, jobs.start("a walk", work))
    assert (over.state, over.error) == ("failed", "A fault in linkwise. The log says where.")
    assert "ZeroDivisionError: secret value" in caplog.text


def test_a_job_is_stopped_at_its_next_report(jobs):
    begun, go = threading.Event(), threading.Event()

    def work(report, stop):  # noqa: ARG001
        begun.set()
        go.wait(10)
        report(1, 2, "halfway")
        return "too late"

    job = jobs.start("a walk", work)
    begun.wait(10)
    jobs.cancel(job.job)
    go.set()
    assert finish(jobs, job).state == "cancelled"


def test_a_job_that_waits_is_stopped_before_it_begins(jobs):
    go = threading.Event()
    jobs.start("first", lambda report, stop: go.wait(10) and "first")  # noqa: ARG005
    ran = []
    second = jobs.start("second", lambda report, stop: ran.append(1) or "second")  # noqa: ARG005
    assert (second.state, second.detail) == ("running", "waiting")
    jobs.cancel(second.job)
    go.set()
    assert finish(jobs, second).state == "cancelled"
    assert ran == []


def test_the_same_work_is_not_begun_twice(jobs):
    go = threading.Event()

    def work(report, stop):  # noqa: ARG001
        go.wait(10)
        return "x"

    first = jobs.start("map", work, about=Subject("x", "pca"))
    assert jobs.start("map", work, about=Subject("x", "pca")) is first
    assert jobs.start("map", work, about=Subject("y", "pca")) is not first
    go.set()
    finish(jobs, first)
    assert jobs.start("map", work, about=Subject("x", "pca")) is not first


def test_too_many_jobs_are_refused(jobs):
    go = threading.Event()
    for _ in range(MOST_RUNNING):
        jobs.start("a walk", lambda report, stop: go.wait(10) and "x")  # noqa: ARG005
    sentence = f"{MOST_RUNNING} jobs are waiting already. Try again when one is done."
    with pytest.raises(InTheWay, match=sentence):
        jobs.start("a walk", lambda report, stop: "x")  # noqa: ARG005
    go.set()


def test_old_jobs_are_forgotten(jobs):
    first = finish(jobs, jobs.start("a walk", lambda report, stop: "x"))  # noqa: ARG005
    for _ in range(MOST_KEPT):
        finish(jobs, jobs.start("a walk", lambda report, stop: "x"))  # noqa: ARG005
    with pytest.raises(NotFound, match=f"there is no job {first.job}."):
        jobs.get(first.job)


def test_closing_stops_what_runs():
    jobs = Jobs()
    begun = threading.Event()

    def work(report, stop):
        begun.set()
        while not stop():
            report(0, 0, "waiting for the end")
        report(0, 0, "over")
        return "x"

    job = jobs.start("a walk", work)
    begun.wait(10)
    jobs.close()
    assert job.state == "cancelled"
