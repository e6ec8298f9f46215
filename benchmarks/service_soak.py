"""Does the service grow? People answer, take back, read and listen for a while; memory is watched.

Eight clients: two answer and take back, so that the number of answers that stand stays below a
bound; one reads everything; five listen, leave and come back. The memory is what the system counts
as resident (RSS), looked at every second. It swings with what is being computed at the moment, so
the growth is from the median of the third to the fifth minute of twenty to the median of the last
three; of a shorter or longer run, the same shares of the time.

    python benchmarks/service_soak.py --minutes 1       # the short form
    python benchmarks/service_soak.py --minutes 20
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
from collections import deque
from pathlib import Path

from service_process import Client, Server, answer, make_session, place, ready, serve

READS = ("labels", "margins", "clusters", "questions?n=3", "progress", "suspects", "conflicts")


async def answering(server: Server, n_rows: int, standing: int, pause: float) -> None:
    """Answer without an end; beyond ``standing`` answers the oldest is taken back."""
    client, kept = await Client(server.port).open(), deque()
    while True:
        i, j = random.sample(range(n_rows), 2)
        event = answer(i, j, random.choice(("same", "different", "unsure")))
        _, told = await client.post(place("events"), {"events": [event], "who": "a person"})
        kept.append(told["events"][0]["seq"])
        if len(kept) > standing:
            undo = {"kind": "undo", "payload": {"event": kept.popleft()}}
            await client.post(place("events"), {"events": [undo], "who": "a person"})
        await asyncio.sleep(pause)


async def reading(server: Server, pause: float) -> None:
    """Read everything there is to read, again and again."""
    client, seq = await Client(server.port).open(), 0
    while True:
        for what in (*READS, f"labels?since={seq}", f"rows?rows={random.randrange(1000)}"):
            _, headers, _ = await client.get(place(what))
            seq = int(headers.get("x-linkwise-seq", seq))
        await asyncio.sleep(pause)


async def listening(server: Server) -> None:
    """Listen for some events, leave, and come back."""
    while True:
        client = await Client(server.port).open()
        heard = 0
        async for _ in client.listen(place("stream?after=0")):
            heard += 1
            if heard == 100:
                break
        client.close()


async def watch(server: Server, minutes: float, n_rows: int, standing: int, pause: float) -> None:
    await ready(server.port)
    work = [answering(server, n_rows, standing, pause) for _ in range(2)]
    work += [reading(server, 5 * pause), *[listening(server) for _ in range(5)]]
    tasks = [asyncio.create_task(one) for one in work]
    started, seen = time.monotonic(), []
    while (elapsed := time.monotonic() - started) < 60 * minutes:
        await asyncio.sleep(1.0)
        seen.append((elapsed / (60 * minutes), server.memory()))
        for task in tasks:
            if task.done():
                task.result()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    client = await Client(server.port).open()
    _, _, body = await client.get(place("history?limit=1"))
    report(minutes, json.loads(body)["seq"], seen)


def report(minutes: float, n_events: int, seen: list[tuple[float, float]]) -> None:
    """Compare the time after warming up with the end; ``seen`` are (share of the time, MB)."""
    early = [megabytes for share, megabytes in seen if 0.10 <= share < 0.25]
    late = [megabytes for share, megabytes in seen if share >= 0.85]
    first, last = statistics.median(early), statistics.median(late)
    print(f"{minutes:g} minutes, {n_events:,} events accepted")
    for when, values, middle in (("after warming up", early, first), ("at the end", late, last)):
        spread = f"least {min(values):.1f}, most {max(values):.1f}"
        print(f"memory {when}: median {middle:.1f} MB ({spread})")
    per_event = 2**20 * (last - first) / (0.75 * n_events)  # between the middles of both times
    print(f"growth {100 * (last - first) / first:+.1f} %, {per_event:+,.0f} bytes an event")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--standing", type=int, default=100, help="answers that are kept")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds between answers")
    options = parser.parse_args()
    random.seed(0)
    with tempfile.TemporaryDirectory() as folder:
        make_session(Path(folder), options.rows)
        server = serve(Path(folder))
        try:
            asyncio.run(
                watch(server, options.minutes, options.rows, options.standing, options.pause)
            )
        finally:
            server.stop()


if __name__ == "__main__":
    main()
