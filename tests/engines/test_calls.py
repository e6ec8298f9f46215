"""Asking workers that die, without a cluster: Ray's answers are played."""

import socket

import pytest

from linkwise import SequentialClustering
from linkwise.engines import Ray
from linkwise.engines.on_ray import calls
from linkwise.errors import InvalidInput, LinkwiseError

ray = pytest.importorskip(
    "ray", reason="the engine on a cluster needs Ray: pip install 'ray[data]'"
)
errors = pytest.importorskip("ray.exceptions")


class Work:
    """Counts how often it is asked for."""

    def __init__(self):
        self.n_asked = 0

    def remote(self, *_):
        self.n_asked += 1
        return self.n_asked


@pytest.fixture
def played(monkeypatch):
    """Let a list of answers be what Ray says; returns the list, and the pauses that were made."""
    answers, pauses = [], []

    def get(_, timeout=None):  # noqa: ARG001
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(ray, "get", get)
    monkeypatch.setattr(calls.time, "sleep", pauses.append)
    return answers, pauses


def unreachable():
    return errors.ActorUnavailableError("a machine is silent", b"0" * 16)


def lost():
    return errors.ObjectLostError("0" * 56, None, "")


def test_a_machine_that_is_silent_is_waited_for(played):
    answers, pauses = played
    work = Work()
    answers += [unreachable(), lost(), unreachable(), "done"]
    assert calls.Call(work).result() == "done"
    assert work.n_asked == 4
    assert pauses == [1.0, 4.0, 16.0]
    assert sum(calls.PAUSES) > 60  # Ray may need that long to see that it is dead


def test_a_machine_that_stays_silent_is_given_up(played):
    answers, pauses = played
    answers.append(unreachable())
    with pytest.raises(
        LinkwiseError, match=r"died again and again \(ActorUnavailableError: .*shards"
    ):
        calls.Call(Work()).result()
    assert pauses == list(calls.PAUSES)


@pytest.mark.parametrize(
    "died",
    [
        errors.OutOfMemoryError("the worker used 9 GB"),
        errors.WorkerCrashedError(),
        errors.NodeDiedError("a machine is gone"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_worker_that_dies_is_replaced_and_one_that_always_dies_is_given_up(played, died):
    answers, pauses = played
    answers += [died, "done"]
    assert calls.Call(Work()).result() == "done"
    assert pauses == [1.0]
    answers[:] = [died]
    with pytest.raises(LinkwiseError, match=rf"{type(died).__name__}: .*too little memory"):
        calls.Call(Work()).result()
    assert pauses[1:] == list(calls.PAUSES)


def test_workers_that_died_together_are_replaced_together(played):
    """The second call is asked for again while the first is, not when its turn comes."""
    answers, _ = played
    works = [Work() for _ in range(3)]
    asked = calls.in_order([calls.Call(work) for work in works])
    answers += [errors.WorkerCrashedError(), errors.WorkerCrashedError()]  # the first, the second
    answers += [errors.GetTimeoutError("the third is working"), "one"]
    assert next(asked) == "one"
    assert [work.n_asked for work in works] == [2, 2, 1]
    answers[:] = ["two", "three"]
    assert list(asked) == ["two", "three"]
    assert [work.n_asked for work in works] == [2, 2, 1]


@pytest.mark.parametrize(
    ("address", "asked", "where"),
    [
        (None, "local", "on this machine"),
        ("local", "local", "on this machine"),
        ("10.0.0.7:6379", "10.0.0.7:6379", "at 10.0.0.7:6379"),
    ],
)
def test_a_cluster_that_is_not_there_is_a_sentence(monkeypatch, address, asked, where):
    def fail(wanted, **options):
        assert wanted == asked
        assert options["log_to_driver"] is False
        raise Exception("the node timed out during startup.\nmore")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", fail)
    monkeypatch.setattr(socket, "create_connection", lambda *_: socket.socket())
    model = SequentialClustering(2, n_partitions=2, engine=Ray(address))
    with pytest.raises(LinkwiseError) as caught:
        model.fit([[0.0], [1.0], [8.0], [9.0]])
    assert str(caught.value) == (
        f"there is no Ray cluster {where} (Exception: the node timed out during startup.). A "
        "machine that is busy may need another try; nothing was begun."
    )


def test_an_address_at_which_nobody_listens_is_said_at_once():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(LinkwiseError, match=f"no Ray cluster at {address} .*refused"):
            Ray(address).connect()


@pytest.mark.parametrize(
    ("cause", "sentence"),
    [
        (
            MemoryError("Unable to allocate 9 GiB"),
            r"too little memory \(Unable to allocate 9 GiB\)",
        ),
        (OSError(28, "No space left on device"), "could not read or write: .*No space left on dev"),
    ],
)
def test_what_a_worker_lacks_is_a_sentence(played, cause, sentence):
    answers, pauses = played
    answers.append(errors.RayTaskError("write", "the traceback of there", cause))
    with pytest.raises(LinkwiseError, match=sentence):
        calls.Call(Work()).result()
    assert pauses == []


def test_what_nobody_foresaw_is_raised_as_it_is(played):
    answers, _ = played
    answers.append(errors.RayTaskError("label", "the traceback of there", ZeroDivisionError("x")))
    with pytest.raises(errors.RayTaskError):
        calls.Call(Work()).result()


def test_what_was_refused_there_is_refused_here(played):
    answers, _ = played
    cause = InvalidInput("X[3, 0] is NaN.")
    answers.append(errors.RayTaskError("label", "the traceback of there", cause))
    with pytest.raises(InvalidInput) as caught:
        calls.Call(Work()).result()
    assert caught.value is cause
