"""What the tests of the service share: a token, a service at a real port, short calls."""

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, partialmethod

import httpx
from anyio.from_thread import start_blocking_portal

from linkwise.server.app import create_app
from linkwise.server.running import Server, address, bind

TOKEN = "a-token-for-the-tests-0123456789"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
HERE = "http://127.0.0.1:8321"
FLOWERS = "/api/sessions/flowers"


class Caller:
    """Calls an application in this process; ``app`` is what it calls."""

    def __init__(self, portal, client, app):
        self._portal, self._client, self.app = portal, client, app

    def request(self, method, url, **options):
        """Send a request and return the whole answer."""
        return self._portal.call(partial(self._client.request, method, url, **options))

    get = partialmethod(request, "GET")
    post = partialmethod(request, "POST")
    delete = partialmethod(request, "DELETE")

    @property
    def flowers(self):
        """Return the session behind the service."""
        return self.app.state.service.shelf._open["flowers"].session


@contextmanager
def calling(app, headers=BEARER, base_url=HERE):
    """Run an application without a port until the block ends."""
    with start_blocking_portal() as portal:
        lifespan = app.router.lifespan_context(app)
        with portal.wrap_async_context_manager(lifespan):
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            client = httpx.AsyncClient(transport=transport, base_url=base_url, headers=headers)
            yield Caller(portal, client, app)
            portal.call(client.aclose)


@dataclass
class Served:
    """A service at a real port."""

    url: str
    app: object
    server: Server

    def client(self, **options):
        """Return a client that carries the token."""
        return httpx.Client(base_url=self.url, headers=BEARER, timeout=30, **options)


@contextmanager
def serving(root, **options):
    """Serve ``root`` in a thread until the block ends."""
    app = create_app(root, token=TOKEN, **options)
    listener = bind("127.0.0.1", 0)
    server = Server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.005)
    try:
        yield Served(address(listener), app, server)
    finally:
        server.should_exit = True
        thread.join(60)
        listener.close()


def answer(i, j, verdict="same", key=None):
    """Return the event that rows ``i`` and ``j`` are the same or different."""
    return {"kind": "answer", "payload": {"i": i, "j": j, "verdict": verdict}, "key": key}


def tell(client, *events, who="", code=200):
    """Send events to the flowers; returns those that were stored, or the refusal."""
    told = client.post(f"{FLOWERS}/events", json={"events": list(events), "who": who})
    assert told.status_code == code, told.text
    return told.json()["events"] if code == 200 else told.json()["error"]


def wait_for(client, job, seconds=30):
    """Return a job when it is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = client.get(f"/api/jobs/{job}").json()
        if found["state"] != "running":
            return found
        time.sleep(0.02)
    raise AssertionError(f"the job is not over: {found}")


def frames(lines):
    """Yield the server-sent events of a stream of lines as dictionaries."""
    frame = {}
    for line in lines:
        if not line and frame:
            yield frame
            frame = {}
        elif line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            frame[name] = value
