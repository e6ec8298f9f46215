"""What a small reply waits for: the same service on a socket made for TCP and on one made without.

asyncio switches off the delay of small packets only where the listening socket names its protocol.
Both services run in turns in one go, so that the ratio means something on a busy machine too. Last
comes the time from starting the process to its first answer.

    python benchmarks/service_delay.py                      # about a minute
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service_load import acknowledge
from service_process import TOKEN, Client, Server, make_session, ready, serve

N_ROWS = 20_000


def serve_here(root: Path, protocol: int) -> None:
    """Serve from a socket of that protocol; runs in a process of its own."""
    from linkwise.server import running
    from linkwise.server.app import create_app

    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    listener.bind(("127.0.0.1", 0))
    listener.listen(1024)
    port = listener.getsockname()[1]
    running.run(create_app(root, token=TOKEN), listener, lambda: print(port, flush=True))


@contextmanager
def serving(root: Path, protocol: int) -> Iterator[Server]:
    command = [sys.executable, __file__, "--serve", str(root), "--protocol", str(protocol)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=os.getcwd())
    try:
        port = int(process.stdout.readline())  # type: ignore[union-attr]
        asyncio.run(ready(port))
        yield Server(process, port)
    finally:
        process.terminate()
        process.wait(30)


def compare(root: Path, clients: str, seconds: float, rounds: int) -> None:
    """Print acknowledgements a second of both services, and their ratio."""
    for pair in clients.split(","):
        n, batch = map(int, pair.split("x"))
        rates: dict[int, list[float]] = {0: [], socket.IPPROTO_TCP: []}
        for _ in range(rounds):
            for protocol, found in rates.items():
                with serving(root, protocol) as server:
                    loaded = asyncio.run(acknowledge(server, N_ROWS, n, batch, seconds))
                    found.append(loaded[0].value)  # acknowledged a second
        before, after = (statistics.median(found) for found in rates.values())
        print(f"{n} x {batch}: {before:,.0f}/s before, {after:,.0f}/s after, {after / before:.1f}x")


def start_up(root: Path, rounds: int) -> None:
    """Print the time from starting ``linkwise serve`` to its first answer."""

    async def first_answer(port: int) -> None:
        client = await Client(port).open()
        await client.get("/api/sessions")
        client.close()

    taken = []
    for _ in range(rounds):
        started = time.monotonic()
        server = serve(root)
        asyncio.run(first_answer(server.port))
        taken.append(time.monotonic() - started)
        server.stop()
    print(f"start to first answer: median {statistics.median(taken):.2f} s of {rounds}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", default="1x1,1x20", help="clients x answers a request")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each load")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--protocol", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        serve_here(options.serve, options.protocol)
        return
    with tempfile.TemporaryDirectory() as folder:
        make_session(Path(folder), N_ROWS)
        compare(Path(folder), options.clients, options.seconds, options.rounds)
        start_up(Path(folder), options.rounds)


if __name__ == "__main__":
    main()
