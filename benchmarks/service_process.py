"""What the benchmarks of the service share: a server as a process of its own, and a lean client."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from linkwise.session import Session

TOKEN = "benchmark-token-0123456789abcdef"
NAME = "bench"


def make_session(root: Path, n_rows: int, n_clusters: int = 10, n_partitions: int = 200) -> None:
    """Make a session of ``n_rows`` rows drawn around ``n_clusters`` centres."""
    rng = np.random.RandomState(0)
    centres = rng.normal(0, 4, (n_clusters, 8))
    X = centres[rng.randint(n_clusters, size=n_rows)] + rng.normal(0, 2, (n_rows, 8))
    data = X.astype(np.float32)
    Session.create(root / NAME, data, n_clusters, n_partitions=n_partitions).close()


@dataclass
class Server:
    """A running ``linkwise serve``."""

    process: subprocess.Popen[str]
    port: int

    def kill(self) -> None:
        """End it as a power failure would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()  # type: ignore[union-attr]

    def stop(self) -> None:
        """Ask it to end."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        self.process.stdout.close()  # type: ignore[union-attr]

    def memory(self) -> float:
        """Return the memory it holds, in MB."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def cpu_seconds(self) -> float:
        """Return the processor time it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Others:
    """How many cores everybody else kept busy since this was made; nan where nobody tells."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._began = time.monotonic(), self._busy()

    def cores(self) -> float:
        elapsed = time.monotonic() - self._began[0]
        return max(0.0, (self._busy() - self._began[1]) / elapsed)

    def _busy(self) -> float:
        try:
            told = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
        except OSError:
            return float("nan")
        user, nice, system, _, _, interrupt, soft, stolen = map(int, told[:8])
        ticks = user + nice + system + interrupt + soft + stolen
        ours = self._server.cpu_seconds() + sum(os.times()[:2])
        return ticks / os.sysconf("SC_CLK_TCK") - ours


def serve(root: Path) -> Server:
    """Start a server and wait until it listens."""
    token = root / "token"
    if not token.exists():
        token.write_text(TOKEN)
        token.chmod(0o600)
    command = [str(Path(sys.executable).with_name("linkwise")), "serve", "--root", str(root)]
    command += ["--port", "0", "--token-file", str(token), "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    said = ""
    while "token=" not in said:
        line = process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            raise RuntimeError("the server ended before it listened.")
        said += line
    found = re.search(r":(\d+)/", said)
    return Server(process, int(found.group(1)))  # type: ignore[union-attr]


class Client:
    """One connection that is kept open; as little work per request as can be."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._head = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\n"

    async def open(self) -> Client:
        self.reader, self.writer = await asyncio.open_connection(
            "127.0.0.1", self.port, limit=2**24
        )
        return self

    def close(self) -> None:
        self.writer.close()

    async def post(self, path: str, body: Any) -> tuple[int, Any]:
        """Send JSON; returns the status and what came back."""
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\n{self._head}Content-Type: application/json\r\n"
        self.writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        status, _, content = await self._answer()
        return status, json.loads(content)

    async def get(self, path: str) -> tuple[int, dict[str, str], bytes]:
        """Fetch; returns the status, the headers and the body."""
        self.writer.write(f"GET {path} HTTP/1.1\r\n{self._head}\r\n".encode())
        return await self._answer()

    async def listen(self, path: str) -> AsyncIterator[tuple[int, bytes]]:
        """Yield the id and the data of journal events as they come."""
        self.writer.write(f"GET {path} HTTP/1.1\r\n{self._head}\r\n".encode())
        await self.reader.readuntil(b"\r\n\r\n")
        number, journal = 0, False
        while line := await self.reader.readline():
            if line.startswith(b"id: "):
                number = int(line[4:])
            elif line.startswith(b"event: "):
                journal = line.startswith(b"event: journal")
            elif line.startswith(b"data: ") and journal:
                yield number, line[6:]

    async def _answer(self) -> tuple[int, dict[str, str], bytes]:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines)}
        length = int(headers.get("content-length", 0))
        return int(first.split()[1]), headers, await self.reader.readexactly(length)


def place(what: str) -> str:
    """Return the path of a route of the session."""
    return f"/api/sessions/{NAME}/{what}"


def answer(i: int, j: int, verdict: str = "same", key: str | None = None) -> dict[str, Any]:
    """Return an event."""
    return {"kind": "answer", "payload": {"i": i, "j": j, "verdict": verdict}, "key": key}


async def ready(port: int, seconds: float = 120.0) -> None:
    """Wait until the first labels are there."""
    client = await Client(port).open()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        status, _, _ = await client.get(place("labels"))
        if status == 200:
            break
    client.close()


def percentile(values: list[float], share: float) -> float:
    """Return the value below which that share of the values lies, in milliseconds."""
    return 1000 * float(np.percentile(values, 100 * share)) if values else float("nan")
