"""How fast the service is under load: acknowledgements, news to listeners, new labels, opening.

The server is a process of its own; all clients share another one, so the two cores of a small
machine are both busy. Every answer is on the disk before it is acknowledged, and the labels are
recomputed all the while. At the end stands what was measured beside what is wanted.

    python benchmarks/service_load.py                       # the short form, about two minutes
    python benchmarks/service_load.py --full                # a million rows, a million events
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from service_process import (
    NAME,
    Client,
    Others,
    Server,
    answer,
    make_session,
    percentile,
    place,
    ready,
    serve,
)
from session_replay import fill

MILLION = 1_000_000


class Figure(NamedTuple):
    """Something that was measured; ``most`` tells whether less is better than what is wanted."""

    what: str
    value: float
    unit: str
    wanted: float | None = None
    most: bool = True

    def __str__(self) -> str:
        found = f"{self.what:<48} {self.value:>10,.1f} {self.unit}"
        if self.wanted is None:
            return found
        kept = self.value <= self.wanted if self.most else self.value >= self.wanted
        sign = "<=" if self.most else ">="
        return f"{found:<66} wanted {sign} {self.wanted:,g}: {'yes' if kept else 'NO'}"


#: What is wanted of loads, by clients and answers a request: so many a second, or p99 in ms.
A_SECOND = {(1, 1): 500, (64, 1): 1_000, (1, 20): 6_000}
P99 = {8: 50}


def verdict() -> str:
    return random.choice(("same", "different"))


async def acknowledge(
    server: Server, n_rows: int, clients: int, batch: int, seconds: float
) -> list[Figure]:
    """Let clients send answers as fast as they are acknowledged."""
    port, waits, others = server.port, [], Others(server)
    started, cpu = time.monotonic(), server.cpu_seconds()
    end = started + seconds

    async def write(name: int) -> None:
        client = await Client(port).open()
        k = 0
        while time.monotonic() < end:
            events = []
            for _ in range(batch):
                i, j = random.sample(range(n_rows), 2)
                events.append(answer(i, j, verdict(), key=f"{name}-{started}-{k}"))
                k += 1
            sent = time.monotonic()
            status, told = await client.post(place("events"), {"events": events, "who": "x"})
            waits.append(time.monotonic() - sent)
            assert status == 200, told
        client.close()

    await asyncio.gather(*[write(name) for name in range(clients)])
    cpu = server.cpu_seconds() - cpu
    used = cpu / (time.monotonic() - started)
    rate = batch * len(waits) / (time.monotonic() - started)
    print(
        f"{clients:>8} clients, {batch:>3} per request: {rate:>8,.0f} acknowledged/s, "
        f"p50 {percentile(waits, 0.5):>6.1f} ms, p99 {percentile(waits, 0.99):>6.1f} ms, "
        f"{used:.1f} cores for the server, {1e6 * cpu / (batch * len(waits)):.0f} us of them each; "
        f"others used {others.cores():.1f} cores",
        flush=True,
    )
    who = f"{clients} client{'s' * (clients > 1)}, {batch} a request"
    rates = Figure(f"{who}: acknowledged", rate, "/s", A_SECOND.get((clients, batch)), most=False)
    late = percentile(waits, 0.99)
    return [rates, Figure(f"{who}: acknowledged, p99", late, "ms", P99.get(clients))]


async def hear(
    server: Server, n_rows: int, listeners: int, per_second: float, seconds: float
) -> list[Figure]:
    """Measure how long after sending an answer every listener has heard of it."""
    port, others = server.port, Others(server)
    sent: dict[str, float] = {}
    delays: list[float] = []

    async def follow() -> None:
        client = await Client(port).open()
        async for _, data in client.listen(place("stream")):
            key = json.loads(data)["key"]
            if key in sent:
                delays.append(time.monotonic() - sent[key])

    followers = [asyncio.create_task(follow()) for _ in range(listeners)]
    await asyncio.sleep(2)
    writer = await Client(port).open()
    n = int(seconds * per_second)
    for k in range(n):
        key = f"heard-{k}"
        i, j = random.sample(range(n_rows), 2)
        sent[key] = time.monotonic()
        await writer.post(place("events"), {"events": [answer(i, j, verdict(), key)]})
        await asyncio.sleep(1 / per_second)
    await asyncio.sleep(1)
    for follower in followers:
        follower.cancel()
    await asyncio.gather(*followers, return_exceptions=True)
    print(
        f"{listeners:>8} listeners, {per_second:g} answers/s: {len(delays):,} of {n * listeners:,} "
        f"heard, p50 {percentile(delays, 0.5):.1f} ms, p99 {percentile(delays, 0.99):.1f} ms; "
        f"others used {others.cores():.1f} cores",
        flush=True,
    )
    heard = 100 * len(delays) / (n * listeners)
    return [
        Figure(f"{listeners} listeners: of all news heard", heard, "%", 100.0, most=False),
        Figure(f"{listeners} listeners: heard, p99", percentile(delays, 0.99), "ms"),
    ]


async def recolour(server: Server, n_rows: int, answers: int) -> list[Figure]:
    """Measure from sending an answer to holding the new labels of all rows, and without it."""
    waits, stored, again, others = [], [], [], Others(server)
    client = await Client(server.port).open()
    for k in range(answers):
        i, j = random.sample(range(n_rows), 2)
        started = time.monotonic()
        _, told = await client.post(place("events"), {"events": [answer(i, j, verdict(), f"c{k}")]})
        stored.append(time.monotonic() - started)
        seq = told["events"][0]["seq"]
        _, headers, body = await client.get(place(f"labels?at_least={seq}"))
        waits.append(time.monotonic() - started)
        assert int(headers["x-linkwise-seq"]) >= seq
        assert len(body) == n_rows
        started = time.monotonic()
        await client.get(place("labels"))
        again.append(time.monotonic() - started)
        await asyncio.sleep(0.3)
    print(
        f"{n_rows:>10,} rows: answer acknowledged p50 {percentile(stored, 0.5):.0f} ms, new labels "
        f"read p50 {percentile(waits, 0.5):.0f} ms, p99 {percentile(waits, 0.99):.0f} ms, "
        f"labels that are ready p50 {percentile(again, 0.5):.1f} ms, "
        f"p99 {percentile(again, 0.99):.1f} ms; others used {others.cores():.1f} cores",
        flush=True,
    )
    ready_p50 = percentile(again, 0.5)
    return [
        Figure(f"labels of {n_rows:,} rows, ready: p50", ready_p50, "ms", 100.0),
        Figure(f"labels of {n_rows:,} rows, new: p50", percentile(waits, 0.5), "ms", 100.0),
    ]


async def first_answer(server: Server) -> float:
    """Return the seconds until a service that was just started has opened the session."""
    client = await Client(server.port).open()
    await client.get("/api/sessions")  # the service itself is there
    started = time.monotonic()
    status, _, body = await client.get(place("history?limit=1"))
    seconds = time.monotonic() - started
    assert status == 200, body
    client.close()
    return seconds


def reopen(root: Path, n_rows: int, n_events: int) -> list[Figure]:
    """Measure the first request to a session of very many events, after a kill and after a stop."""
    rng = np.random.default_rng(0)
    fill(root / NAME, rng.integers(10, size=n_rows), n_events, rng)
    found = []
    for ended in ("by its journal alone", "with a checkpoint"):
        server = serve(root)
        try:
            time.sleep(5)  # what the first session needs is loaded meanwhile
            seconds = asyncio.run(first_answer(server))
        finally:
            server.stop()
        print(f"{n_events:>10,} events, {ended}: opened in {seconds:.2f} s", flush=True)
        found.append(Figure(f"open with {n_events:,} events, {ended}", seconds, "s", 2.0))
    return found


def measure(what: str, root: Path, options: argparse.Namespace) -> list[Figure]:
    """Run one of the experiments on a session of its own."""
    n_rows = options.rows if what == "recolour" else options.small
    started = time.monotonic()
    make_session(root, n_rows)
    print(f"{what}: {n_rows:,} rows, made in {time.monotonic() - started:.1f} s", flush=True)
    if what == "open":
        return reopen(root, n_rows, options.events)
    server = serve(root)
    try:
        asyncio.run(ready(server.port))
        if what == "recolour":
            return asyncio.run(recolour(server, n_rows, options.answers))
        if what == "hear":
            load = options.listeners, options.per_second, options.seconds
            return asyncio.run(hear(server, n_rows, *load))
        figures = []
        for pair in options.clients.split(","):
            clients, batch = map(int, pair.split("x"))
            figures += asyncio.run(acknowledge(server, n_rows, clients, batch, options.seconds))
        return figures
    finally:
        server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--what", default="acknowledge,hear,recolour,open")
    parser.add_argument("--full", action="store_true", help="a million rows and events")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each load")
    parser.add_argument(
        "--clients", default="1x1,64x1,1x20,1x100,8x1,8x20", help="clients x answers a request"
    )
    parser.add_argument("--small", type=int, default=20_000, help="rows where no labels are read")
    parser.add_argument("--listeners", type=int, default=200)
    parser.add_argument("--per-second", type=float, default=5.0)
    parser.add_argument("--rows", type=int, default=100_000, help="rows for the labels")
    parser.add_argument("--answers", type=int, default=20)
    parser.add_argument("--events", type=int, default=100_000, help="events to open")
    options = parser.parse_args()
    if options.full:
        options.rows = options.events = MILLION
    random.seed(0)
    figures = []
    for what in options.what.split(","):
        with tempfile.TemporaryDirectory() as folder:
            figures += measure(what, Path(folder), options)
    print(*figures, sep="\n")


if __name__ == "__main__":
    main()
