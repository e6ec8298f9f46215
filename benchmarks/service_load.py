"""How fast the service is under load: acknowledgements, news to many listeners, new labels.

The server is a process of its own; all clients share another one, so the two cores of a small
machine are both busy. Every answer is on the disk before it is acknowledged, and the labels are
recomputed all the while.

    python benchmarks/service_load.py                       # the short form, about a minute
    python benchmarks/service_load.py --seconds 20 --rows 1000000
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from pathlib import Path

from service_process import (
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


def verdict() -> str:
    return random.choice(("same", "different"))


async def acknowledge(
    server: Server, n_rows: int, clients: int, batch: int, seconds: float
) -> float:
    """Let clients send answers as fast as they are acknowledged; returns how many a second."""
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
    return rate


async def hear(
    server: Server, n_rows: int, listeners: int, per_second: float, seconds: float
) -> None:
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


async def recolour(server: Server, n_rows: int, answers: int) -> None:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--what", default="acknowledge,hear,recolour")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each load")
    parser.add_argument(
        "--clients", default="1x1,1x20,1x100,8x20,64x1", help="clients x answers a request"
    )
    parser.add_argument("--small", type=int, default=20_000, help="rows for the first two")
    parser.add_argument("--listeners", type=int, default=200)
    parser.add_argument("--per-second", type=float, default=5.0)
    parser.add_argument("--rows", type=int, default=100_000, help="rows for the labels")
    parser.add_argument("--answers", type=int, default=20)
    options = parser.parse_args()
    random.seed(0)
    for what in options.what.split(","):
        n_rows = options.rows if what == "recolour" else options.small
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            make_session(Path(folder), n_rows)
            print(
                f"{what}: {n_rows:,} rows, made in {time.monotonic() - started:.1f} s", flush=True
            )
            server = serve(Path(folder))
            try:
                asyncio.run(ready(server.port))
                if what == "acknowledge":
                    for pair in options.clients.split(","):
                        clients, batch = map(int, pair.split("x"))
                        asyncio.run(acknowledge(server, n_rows, clients, batch, options.seconds))
                elif what == "hear":
                    asyncio.run(
                        hear(
                            server,
                            n_rows,
                            options.listeners,
                            options.per_second,
                            options.seconds,
                        )
                    )
                else:
                    asyncio.run(recolour(server, n_rows, options.answers))
            finally:
                server.stop()


if __name__ == "__main__":
    main()
