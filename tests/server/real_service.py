"""``linkwise serve`` as a process of its own, for what can only be seen from outside."""

import re
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import httpx
from service_client import BEARER, TOKEN


@dataclass
class RealService:
    """A running process; ``logged`` are the lines of its log so far."""

    process: subprocess.Popen
    url: str
    logged: list = field(default_factory=list)

    @property
    def port(self):
        return int(self.url.rpartition(":")[2])

    def client(self, headers=BEARER, **options):
        """Return a client, by default with the token."""
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, **options)

    def lives(self):
        """Tell whether it is the same process still, and answers."""
        with self.client({}) as stranger:
            return self.process.poll() is None and stranger.get("/health").status_code == 200

    def peak_memory(self):
        """Return the most memory it has held, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status).group(1))


@contextmanager
def real_service(root, *options, token=TOKEN, descriptors=1024):
    """Serve ``root`` until the block ends; the process gets few file descriptors, as usual."""
    kept = Path(root).parent / "token-of-the-service"
    kept.write_text(token)
    kept.chmod(0o600)
    command = [str(Path(sys.executable).with_name("linkwise")), "serve", "--root", str(root)]
    command += ["--port", "0", "--token-file", str(kept), *options]
    command = ["sh", "-c", f'ulimit -n {descriptors}; exec "$0" "$@"', *command]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        said = ""
        while not (found := re.search(r"https?://[\d.]+:\d+", said)):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            said += line
        service = RealService(process, found.group())
        reader = Thread(target=lambda: service.logged.extend(process.stderr), daemon=True)
        reader.start()
        yield service
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()
        reader.join(60)
        process.stderr.close()
