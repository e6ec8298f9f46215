"""The nursery: a small process that has loaded the readers of files and forks a child per file.

It is started by :mod:`linkwise.server.files.child` and ends with the service. It has read nothing
itself and runs one thread, so its children are clean copies that begin within milliseconds. What
goes back and forth is JSON; nothing a child says is believed to be more than text.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from linkwise.errors import InvalidFile, LinkwiseError

#: What children need: loaded once, here. pyarrow loads pandas by itself where there is one.
LOADED_BEFORE = (
    "linkwise.server.files.inspection",
    "linkwise.server.files.knowledge",
    "linkwise.constraints.formats",
    "pyarrow.compute",
    "pyarrow.csv",
    "pyarrow.json",
    "pyarrow.parquet",
    "pandas",
)
LENGTH = struct.Struct("!I")
#: Seconds after which a child ends itself, beyond those its caller waits.
GRACE = 2


def main() -> None:
    """Fork a child for every request that comes, until the service is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they ended
    wire = socket.socket(fileno=int(sys.argv[1]))
    for module in LOADED_BEFORE:
        with suppress(ImportError):
            import_module(module)
    while request := _receive(wire):
        asked, out = request
        pid = os.fork()
        if pid == 0:
            wire.close()
            _live(asked, out)
        os.close(out)
        wire.sendall(LENGTH.pack(pid))


def _receive(wire: socket.socket) -> tuple[dict[str, Any], int] | None:
    """Return the next request and where its answer goes; None when there will be no more."""
    head, descriptors, _, _ = socket.recv_fds(wire, LENGTH.size, 1)
    if len(head) < LENGTH.size:
        return None
    (left,) = LENGTH.unpack(head)
    body = bytearray()
    while left > len(body):
        piece = wire.recv(left - len(body))
        if not piece:
            return None
        body += piece
    return json.loads(body, object_hook=_with_paths), descriptors[0]


def _with_paths(values: dict[str, Any]) -> object:
    return Path(values["path"]) if set(values) == {"path"} else values


def _live(asked: dict[str, Any], out: int) -> None:
    """Do what was asked, say what came of it, and end."""
    try:
        _bind(asked["memory"], asked["seconds"])
        with os.fdopen(out, "wb") as file:
            file.write(json.dumps(outcome(asked["function"], asked["args"])).encode())
    finally:
        os.kill(os.getpid(), signal.SIGKILL)  # at once: nothing of the copy is to be tidied up


def _bind(memory: int, seconds: float) -> None:
    """Limit what this process may take, beyond what it began with."""
    import resource

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    statm = Path("/proc/self/statm")
    if statm.exists():
        held = int(statm.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + memory, held + memory))
    os.nice(5)


def outcome(function: str, args: list[Any]) -> dict[str, Any]:
    """Call a function by its name; returns its result or its refusal as plain data."""
    module, _, name = function.partition(":")
    try:
        called: Callable[..., Any] = getattr(import_module(module), name)
        return {"result": called(*args)}
    except InvalidFile as error:
        advice = [(one.remedy.name, one.name) for one in error.advice]
        return {"refused": "InvalidFile", "args": [error.file, error.found, advice]}
    except LinkwiseError as error:
        return {"refused": type(error).__name__, "args": [str(error)]}
    except MemoryError:
        return {"failed": "memory"}
    except OSError as error:
        if error.errno is not None:
            return {"failed": "machine", "args": [error.errno, error.strerror]}
        return {"failed": "fault", "args": _fault(error)}
    except Exception as error:  # what damaged files make their readers raise is past listing
        return {"failed": "fault", "args": _fault(error)}


def _fault(error: Exception) -> list[str]:
    """Return the type of an error and where it was raised, which is all a log may hold."""
    frames = traceback.extract_tb(error.__traceback__)[-5:]
    return [type(error).__name__, *(f"{Path(f.filename).name}:{f.lineno}" for f in frames)]


if __name__ == "__main__":
    main()
