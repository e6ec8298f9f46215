"""Kill the service again and again while people write: what was acknowledged must be there.

Eight clients send answers with idempotency keys and repeat whatever was not acknowledged; two
listeners follow the stream and resume with the last id they heard. The server is killed with
SIGKILL at a random moment of every round and started again. At the end the journal is read.

    python benchmarks/service_crash.py --rounds 20      # the short form
    python benchmarks/service_crash.py --rounds 300
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import random
import socket
import sys
import tempfile
import time
from pathlib import Path

from service_process import TOKEN, Client, answer, make_session, place

N_ROWS = 2000
LOST_CONNECTION = (OSError, asyncio.IncompleteReadError)


def run_server(root: str, port: int) -> None:
    """Be the server, in a process that was forked from a warm one."""
    from linkwise.server.app import create_app
    from linkwise.server.running import bind, run

    run(create_app(root, token=TOKEN), bind("127.0.0.1", port))


class People:
    """Those who write and those who listen, whatever becomes of the server."""

    def __init__(self, port: int, n_writers: int) -> None:
        self.port = port
        self.acknowledged: dict[str, tuple[int, dict]] = {}
        self.repeated = 0
        self.heard: list[list[int]] = [[], []]
        self.over = False
        self.tasks = [asyncio.create_task(self.write(name)) for name in range(n_writers)]
        self.followers = [asyncio.create_task(self.follow(name)) for name in range(2)]

    async def connect(self) -> Client:
        while True:
            try:
                return await Client(self.port).open()
            except OSError:
                await asyncio.sleep(0.01)

    async def write(self, name: int) -> None:
        rng = random.Random(name)
        k = 0
        client = await self.connect()
        while not self.over:
            events = []
            for _ in range(rng.choice((1, 1, 3))):
                i, j = rng.sample(range(N_ROWS), 2)
                events.append(answer(i, j, rng.choice(("same", "different")), f"{name}-{k}"))
                k += 1
            client = await self.send(client, events)
            await asyncio.sleep(rng.random() * 0.02)

    async def send(self, client: Client, events: list[dict]) -> Client:
        """Send until it is acknowledged; returns the connection that worked."""
        while True:
            try:
                status, told = await client.post(place("events"), {"events": events})
            except LOST_CONNECTION:
                client = await self.connect()
                continue
            if status != 200:  # the session may still be locked for a moment
                await asyncio.sleep(0.01)
                continue
            for event in told["events"]:
                self.acknowledged[event["key"]] = (event["seq"], event["payload"])
                self.repeated += event["repeated"]
            return client

    async def follow(self, name: int) -> None:
        heard = self.heard[name]
        while True:
            client = await self.connect()
            last = heard[-1] if heard else 0
            try:
                async for seq, _ in client.listen(place(f"stream?after={last}")):
                    heard.append(seq)
            except LOST_CONNECTION:
                pass
            await asyncio.sleep(0.01)


async def history(port: int) -> list[dict]:
    """Read the whole journal."""
    client, events = await Client(port).open(), []
    while True:
        _, _, body = await client.get(place(f"history?after={len(events)}&limit=5000"))
        page = json.loads(body)["events"]
        if not page:
            return events
        events += page


async def rounds(root: Path, options: argparse.Namespace) -> bool:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["linkwise.server.app", "linkwise.server.running"])

    def start() -> multiprocessing.process.BaseProcess:
        server = context.Process(target=run_server, args=(str(root), port), daemon=True)
        server.start()
        return server

    server = start()
    people = People(port, options.clients)
    rng, started, kills = random.Random(options.seed), time.monotonic(), 0
    while len(people.acknowledged) == 0:
        await asyncio.sleep(0.01)
    while kills < options.rounds and time.monotonic() - started < options.most_seconds:
        before = len(people.acknowledged)
        await asyncio.sleep(rng.uniform(0.05, 0.6))
        while len(people.acknowledged) == before:  # kill a server that is at work
            await asyncio.sleep(0.01)
        server.kill()
        await asyncio.to_thread(server.join)
        kills += 1
        server = start()
    people.over = True
    await asyncio.gather(*people.tasks)
    events = await history(port)
    while any(heard[-1] < len(events) for heard in people.heard):
        await asyncio.sleep(0.05)
    for follower in people.followers:
        follower.cancel()
    server.kill()
    return report(people, events, kills, time.monotonic() - started)


def report(people: People, events: list[dict], kills: int, seconds: float) -> bool:
    """Print what became of the answers; returns whether all is well."""
    stored = {event["key"]: (event["seq"], event["payload"]) for event in events}
    acknowledged = people.acknowledged
    lost = sum(key not in stored for key in acknowledged)
    changed = sum(stored.get(key, told) != told for key, told in acknowledged.items())
    duplicates = len(events) - len(stored)
    gaps = sum(event["seq"] != k for k, event in enumerate(events, 1))
    misheard = sum(heard != list(range(1, len(events) + 1)) for heard in people.heard)
    print(f"{kills} rounds of kill -9 in {seconds:.0f} s, {len(people.tasks)} writing clients")
    print(f"{len(acknowledged):,} answers acknowledged, {len(events):,} in the journal")
    print(f"{people.repeated:,} were stored by a request whose acknowledgement was lost")
    print(f"{lost} acknowledged lost, {changed} changed, {duplicates} duplicates, {gaps} gaps")
    print(f"{misheard} of {len(people.heard)} listeners missed an event or heard one twice")
    return lost == changed == duplicates == gaps == misheard == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--most-seconds", type=float, default=900, help="stop after so long")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make_session(Path(folder), N_ROWS, n_partitions=30)
        fine = asyncio.run(rounds(Path(folder), options))
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
