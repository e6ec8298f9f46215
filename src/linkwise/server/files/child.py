"""Work on files of strangers, in a child process with limits on memory and time.

A reader that is led astray by a file made for that purpose, dies of it, or asks for all the memory
takes nobody with it: the caller hears a sentence about the file.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any, TypeVar

from linkwise import errors
from linkwise.errors import Advice, InvalidFile, InvalidInput, LinkwiseError, Remedy
from linkwise.server.files.nursery import LENGTH, outcome

Result = TypeVar("Result")

MEMORY = 4 * 2**30
SECONDS = 120.0
#: Children that may work side by side; others wait.
AT_ONCE = 2
MOST_RESULT = 2**26


class Unforeseen(RuntimeError):
    """What a reader raised that nobody foresaw: the type of the error and where it was raised."""


def in_child(
    function: Callable[..., Result],
    *args: object,
    memory: int = MEMORY,
    seconds: float = SECONDS,
) -> Result:
    """Return ``function(*args)``, computed by a child process.

    Parameters
    ----------
    function : callable
        A function of a module, found by its name. What it returns must be plain data: what JSON
        can hold. A :class:`~linkwise.errors.LinkwiseError` it raises is raised here.
    *args : plain data or Path
        What it is called with. The first path is the file that sentences are about.
    memory : int
        Bytes it may take.
    seconds : float
        How long it may take.
    """
    name = f"{function.__module__}:{function.__qualname__}"
    if not hasattr(os, "fork"):  # there is no way to be safe here
        said = outcome(name, list(args))
    else:
        said = _NURSERY.ask({"function": name, "args": args, "memory": memory}, seconds)
    if "result" in said:
        result: Result = said["result"]
        return result
    file = next((arg.name for arg in args if isinstance(arg, Path)), "it")
    raise _refusal(file, said, memory, seconds)


class Nursery:
    """The process that forks the children; started when it is first needed."""

    def __init__(self) -> None:
        self._lock, self._places = Lock(), BoundedSemaphore(AT_ONCE)
        self._process: subprocess.Popen[bytes] | None = None
        self._wire: socket.socket | None = None

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Let a child do it; returns what it said, or how it failed to say anything."""
        body = json.dumps({**request, "seconds": seconds}, default=_plain).encode()
        with self._places:
            reading, writing = os.pipe()
            try:
                try:
                    pid = self._begin(body, writing)
                finally:
                    os.close(writing)
                return _listen(reading, pid, time.monotonic() + seconds)
            finally:
                os.close(reading)

    def _begin(self, body: bytes, writing: int) -> int:
        """Return the number of the child that has begun."""
        with self._lock:
            try:
                return self._send(body, writing)
            except OSError:  # the nursery has died, or was never born
                self._start()
                return self._send(body, writing)

    def _send(self, body: bytes, writing: int) -> int:
        if self._wire is None:
            raise BrokenPipeError
        socket.send_fds(self._wire, [LENGTH.pack(len(body))], [writing])
        self._wire.sendall(body)
        answer = self._wire.recv(LENGTH.size)
        if len(answer) < LENGTH.size:
            raise BrokenPipeError
        pid: int = LENGTH.unpack(answer)[0]
        return pid

    def close(self) -> None:
        """Let the process end; the next request starts another one."""
        if self._wire is not None and self._process is not None:
            self._wire.close()
            self._process.wait()
            self._wire = None

    def _start(self) -> None:
        self.close()
        self._wire, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "linkwise.server.files.nursery"]
        path = os.pathsep.join(entry for entry in sys.path if entry)
        self._process = subprocess.Popen(
            [*command, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # what the terminal sends to us is not for it
            env={**os.environ, "PYTHONPATH": path, "ARROW_DEFAULT_MEMORY_POOL": "system"},
        )
        theirs.close()


_NURSERY = Nursery()
atexit.register(_NURSERY.close)


def _plain(value: object) -> dict[str, str]:
    if isinstance(value, Path):
        return {"path": str(value)}
    raise TypeError(f"{type(value).__name__} cannot be sent to a child.")


def _listen(reading: int, pid: int, end: float) -> dict[str, Any]:
    """Return what a child says before ``end``; one that is late, or says too much, is ended."""
    said = bytearray()
    while True:
        ready, _, _ = select.select([reading], [], [], max(0.0, end - time.monotonic()))
        if not ready or len(said) > MOST_RESULT:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            return {"failed": "time" if not ready else "death"}
        piece = os.read(reading, 1 << 16)
        if not piece:
            break
        said += piece
    try:
        found: dict[str, Any] = json.loads(said)
        return found
    except ValueError:  # it died before or while it spoke
        return {"failed": "death"}


def _refusal(file: str, said: dict[str, Any], memory: int, seconds: float) -> Exception:
    """Return what the child raised, or a sentence about what became of it."""
    words = said.get("args", [])
    if said.get("refused") == "InvalidFile":
        advice = [Advice(Remedy[remedy], name) for remedy, name in words[2]]
        return InvalidFile(words[0], words[1], *advice)
    if "refused" in said:
        kind = getattr(errors, said["refused"], InvalidInput)
        return kind(*words) if kind in _PLAIN else InvalidInput(*words)
    match said["failed"]:
        case "memory":
            return InvalidFile(file, f" cannot be read within {memory >> 20:,} MB of memory.")
        case "time":
            return InvalidFile(file, f" cannot be read within {seconds:g} seconds.")
        case "machine":
            return OSError(*words)
        case "fault":
            return Unforeseen(", ".join(words))
    return InvalidFile(file, " ends the program that reads it. It is damaged, or made to do harm.")


_PLAIN: tuple[type[LinkwiseError], ...] = (LinkwiseError, InvalidInput, errors.MissingData)
