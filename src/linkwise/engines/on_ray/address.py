"""Where a cluster is: one of one's own, for this machine alone, or one that answers."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from linkwise.engines.on_ray.calls import import_ray

#: The address of a cluster of one's own.
LOCAL = "local"
#: Seconds within which a machine answers.
PATIENCE = 10.0


def start_here() -> None:
    """Start a cluster that nobody is let into without a token, and that no other machine reaches.

    Ray gives its processes 30 seconds to start. A machine that is busy then has most of what they
    read in memory, so that a second try is quicker.
    """
    ray = import_ray()
    with _for_this_machine_alone():
        try:
            ray.init(LOCAL, include_dashboard=False, log_to_driver=False)
        except Exception:  # Ray raises plain ones
            ray.shutdown()
            ray.init(LOCAL, include_dashboard=False, log_to_driver=False)


@contextmanager
def _for_this_machine_alone() -> Iterator[None]:
    """Have a cluster that is started meanwhile open its ports on 127.0.0.1 alone.

    Ray does so by itself where it makes no clusters of several machines, on Windows and macOS. On
    Linux nothing that ``ray.init`` takes says it: 127.0.0.1 is replaced by the machine's address.
    """
    from ray._private import ray_constants as constants  # there is no public way yet

    usual = constants.ENABLE_RAY_CLUSTER
    constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = usual


def require_answer(address: str) -> None:
    """Raise an OSError where nobody listens at HOST:PORT; Ray would try for 14 minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
