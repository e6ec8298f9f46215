"""The client: one method for every operation of the service."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linkwise.client import calls
from linkwise.client.calls import MOST_EVENTS, Call, RowName, T
from linkwise.client.messages import (
    Around,
    Array,
    Change,
    Cluster,
    ClusterPage,
    ColumnValues,
    DataFile,
    Event,
    File,
    Health,
    History,
    Job,
    NewEvent,
    Number,
    People,
    Progress,
    Question,
    Row,
    SessionDetail,
    SessionSummary,
    Suspicion,
    Trouble,
    Upload,
)
from linkwise.client.sending import (
    LATER,
    SILENCE,
    Patience,
    check_address,
    import_httpx,
    refusal,
    trust,
    unreachable,
)
from linkwise.client.streams import Ear, Heard


class Client:
    """Talks to a service.

    Methods have the names of the OpenAPI document's operations. A request that got no answer, or
    "later", is sent again after a while; every event has a key, so it is stored once all the same.
    What the service refuses is a :class:`ServiceError` with its sentence.

    Parameters
    ----------
    url : str
        Address of the service, such as ``http://127.0.0.1:8321``.
    token : str
        What it printed when it started, or what its token file holds.
    timeout : float, default=60
        Seconds to wait for an answer.
    tries : int, default=5
        How often a request is sent before it fails.
    certificate : path or None, default=None
        File (PEM) of the certificate that an HTTPS service must show, or of the authority that
        signed it, where that is none of the usual ones.

    See Also
    --------
    AsyncClient : The same without blocking.
    linkwise.session.Session : A session in this process, without a service.

    Examples
    --------
    >>> from linkwise.client import Client
    >>> client = Client("http://127.0.0.1:8321/", token="a-token-of-16-letters-or-more")
    >>> client.url
    'http://127.0.0.1:8321'
    >>> client.close()
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 60.0,
        tries: int = 5,
        certificate: str | os.PathLike[str] | None = None,
    ) -> None:
        httpx = import_httpx()
        self.url = check_address(url, token)
        self._patience = Patience(tries)
        self._trouble: type[Exception] = httpx.TransportError
        self._never_sent: tuple[type[Exception], ...] = (httpx.ConnectError, httpx.ConnectTimeout)
        self._silence = httpx.Timeout(timeout, read=SILENCE)
        self._http = httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=timeout,
            follow_redirects=False,
            trust_env=False,
            verify=trust(self.url, certificate),
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _do(self, call: Call[T]) -> T:
        """Send a request, again if need be, and read its answer."""
        failures = 0
        while True:
            failures += 1
            last = failures >= self._patience.tries
            told = None
            try:
                reply = self._http.request(
                    call.method,
                    call.path,
                    params=call.params,
                    json=call.json,
                    content=call.content,
                )
            except self._trouble as error:
                if last or not (call.repeatable or isinstance(error, self._never_sent)):
                    raise unreachable(self.url, error) from error
            else:
                if reply.is_success:
                    return call.read(reply)
                if last or reply.status_code not in LATER:
                    raise refusal(reply)
                told = reply.headers
            time.sleep(self._patience.wait(failures, told))

    # The service

    def health(self) -> Health:
        """Say that the service is up."""
        return self._do(calls.health())

    def list_files(self) -> list[str]:
        """List the data files below the folder the service was given."""
        return self._do(calls.list_files())

    def upload_file(self, name: str, content: bytes, *, encoding: str | None = None) -> Upload:
        """Send a data file; returns what its columns look like being for."""
        return self._do(calls.upload_file(name, content, encoding=encoding))

    def describe_file(self, file: str, *, encoding: str | None = None) -> DataFile:
        """Describe a data file of the service's folder: its columns and what they are."""
        return self._do(calls.describe_file(file, encoding=encoding))

    def list_sessions(self) -> list[SessionSummary]:
        """List the sessions, the latest first."""
        return self._do(calls.list_sessions())

    def begin_session(
        self,
        name: str,
        n_clusters: int,
        *,
        upload: str | None = None,
        bundled: str | None = None,
        file: str | None = None,
        columns: Mapping[str, Any] | None = None,
        standardise: bool | None = None,
    ) -> str:
        """Begin a session of an upload, of bundled data or of a file; returns the job's name."""
        call = calls.begin_session(
            name,
            n_clusters,
            upload=upload,
            bundled=bundled,
            file=file,
            columns=columns,
            standardise=standardise,
        )
        return self._do(call)

    def get_session(self, session: str) -> SessionDetail:
        """Describe a session."""
        return self._do(calls.get_session(session))

    def remove_session(self, session: str) -> None:
        """Put a session away; nothing is deleted."""
        self._do(calls.remove_session(session))

    def get_job(self, job: str) -> Job:
        """Say how far a job is."""
        return self._do(calls.get_job(job))

    def cancel_job(self, job: str) -> Job:
        """Ask a job to stop."""
        return self._do(calls.cancel_job(job))

    def wait_for(self, job: str, seconds: float = 600.0) -> Job:
        """Return a job once it is over, or as it is after so long."""
        until = time.monotonic() + seconds
        while True:
            found = self.get_job(job)
            if found.state != "running" or time.monotonic() >= until:
                return found
            time.sleep(0.2)

    # What people say

    def tell(self, session: str, events: Sequence[NewEvent], *, who: str = "") -> list[Event]:
        """Store events, all or none; returns when they are on the disk."""
        if not events:
            return []
        return self._do(calls.tell(session, events, who))

    def say(
        self,
        session: str,
        kind: str,
        payload: dict[str, Any],
        *,
        who: str = "",
        key: str | None = None,
    ) -> Event:
        """Store one event of any kind."""
        return (self.tell(session, [NewEvent(kind, payload, key)], who=who))[0]

    def answer(
        self,
        session: str,
        i: RowName,
        j: RowName,
        verdict: str,
        *,
        who: str = "",
        key: str | None = None,
    ) -> Event:
        """Say that two rows are the "same", "different", or that you are "unsure"."""
        payload = {"i": i, "j": j, "verdict": verdict}
        return self.say(session, "answer", payload, who=who, key=key)

    def answer_many(
        self,
        session: str,
        answers: Sequence[tuple[RowName, RowName, str]],
        *,
        who: str = "",
    ) -> list[Event]:
        """Give any number of answers, a thousand to a request; each thousand is all or none."""
        new = [NewEvent("answer", {"i": i, "j": j, "verdict": v}) for i, j, v in answers]
        told: list[Event] = []
        for start in range(0, len(new), MOST_EVENTS):
            told += self.tell(session, new[start : start + MOST_EVENTS], who=who)
        return told

    def undo(self, session: str, event: int, *, who: str = "", key: str | None = None) -> Event:
        """Take back any earlier event."""
        return self.say(session, "undo", {"event": event}, who=who, key=key)

    def history(self, session: str, after: int = 0, limit: int = 200) -> History:
        """Read up to ``limit`` events that follow event ``after``, oldest first."""
        return self._do(calls.history(session, after, limit))

    def stream(self, session: str, after: int | None = None) -> Iterator[Heard]:
        """Yield events and news of labels as they come, without an end.

        Parameters
        ----------
        session : str
            Which session.
        after : int or None
            Begin with what follows this event; None: from now on.

        Notes
        -----
        Where the connection breaks, the stream resumes behind the last event that was heard: no
        event is told twice or left out. The latest :class:`News` is told again.
        """
        ear, failures, path = Ear(after), 0, calls.stream_path(session)
        while True:
            ear.begin_again()
            problem: Exception = ConnectionError("the service ended the stream")
            try:
                with self._http.stream(
                    "GET", path, headers=ear.headers, timeout=self._silence
                ) as reply:
                    if not reply.is_success and reply.status_code not in LATER:
                        reply.read()
                        raise refusal(reply)
                    for line in reply.iter_lines():
                        heard = ear.hear(line)
                        if heard is not None:
                            failures = 0
                            yield heard
            except self._trouble as error:
                problem = error
            failures += 1
            if failures >= self._patience.tries:
                raise unreachable(self.url, problem) from problem
            time.sleep(self._patience.wait(failures))

    # What follows from it

    def labels(self, session: str, at_least: int | None = None) -> Array:
        """Return the cluster of every row."""
        found = self._do(calls.labels(session, None, at_least))
        assert isinstance(found, Array)
        return found

    def changed_labels(
        self, session: str, since: int, at_least: int | None = None
    ) -> Array | Change:
        """Return the rows that moved after event ``since``; all rows if it is not there yet."""
        return self._do(calls.labels(session, since, at_least))

    def margins(self, session: str, at_least: int | None = None) -> Array:
        """Return how far each row's cluster leads, 0 to 1."""
        return self._do(calls.margins(session, at_least))

    def clusters(self, session: str, at_least: int | None = None) -> list[Cluster]:
        """Return the clusters with their names, sizes and exemplars."""
        return self._do(calls.clusters(session, at_least))

    def layout(self, session: str, kind: str = "pca") -> NDArray[np.float32]:
        """Return where each row is on the map, (n_rows, 2); of very many rows, some: `on_map`."""
        return self._do(calls.layout(session, kind))

    def on_map(self, session: str) -> NDArray[np.uint32]:
        """Return the rows that layouts have a place for, in their order."""
        return self._do(calls.on_map(session))

    def begin_layout(self, session: str, kind: str) -> str:
        """Begin to compute a layout; returns the job's name."""
        return self._do(calls.begin_layout(session, kind))

    def rows(
        self,
        session: str,
        rows: Sequence[int] = (),
        *,
        id: Sequence[str] = (),
        fresh: bool = True,
    ) -> list[Row]:
        """Return rows for showing, by number and by id, in the order asked for; 200 at most."""
        return self._do(calls.rows(session, rows, id, fresh))

    def join_rows(
        self, session: str, upload: str, *, who: str = "", key: str | None = None
    ) -> Event:
        """Let the rows of an uploaded file join the session. They stay."""
        return self._do(calls.join_rows(session, upload, who, key))

    def search(self, session: str, text: str, limit: int = 200) -> list[int]:
        """Return the first rows whose id, text or any field holds some text."""
        return self._do(calls.search(session, text, limit))

    def column(self, session: str, name: str) -> ColumnValues:
        """Return one column of all rows as small numbers, for colours."""
        return self._do(calls.column(session, name))

    def around(self, session: str, row: int) -> Around:
        """Return the rows most like one, and why it is in its cluster."""
        return self._do(calls.around(session, row))

    def describe_cluster(self, session: str, number: int, after: int = 0) -> ClusterPage:
        """Return one cluster: rows, examples unlike each other, and what sets it apart.

        A thousand rows come at once, the surest first, those behind the first ``after``.
        """
        return self._do(calls.describe_cluster(session, number, after))

    def import_knowledge(self, session: str, upload: str, *, who: str = "") -> list[Event]:
        """Take in links, labels or answers of an uploaded file; what is known adds nothing."""
        return self._do(calls.import_knowledge(session, upload, who))

    def image(self, session: str, row: int) -> File:
        """Return the picture of a row."""
        return self._do(calls.image(session, row))

    def questions(
        self,
        session: str,
        n: int = 1,
        *,
        strategy: str = "auto",
        skip: Sequence[tuple[int, int]] = (),
        fresh: bool = True,
        who: str | None = None,
        overlap: float = 0.0,
        kind: str = "pair",
        asked: int | None = None,
        formerly: str | None = None,
    ) -> list[Question]:
        """Return what is worth asking; with ``who``, others do not get it meanwhile."""
        of = (who, overlap, kind, asked, formerly)
        call = calls.questions(session, n, strategy, skip, fresh, *of)
        return self._do(call)

    def conflicts(self, session: str) -> list[Trouble]:
        """Return answers that contradict each other."""
        return self._do(calls.conflicts(session))

    def suspects(self, session: str) -> list[Suspicion]:
        """Return answers that may be wrong."""
        return self._do(calls.suspects(session))

    def progress(self, session: str) -> Progress:
        """Say what the answers changed and whether more of them pay."""
        return self._do(calls.progress(session))

    def people(self, session: str) -> People:
        """Say who answered, and how far they agree."""
        return self._do(calls.people(session))

    def number(self, session: str) -> Number:
        """Say how many clusters there are, and whether the answers speak for another number."""
        return self._do(calls.number(session))

    def outliers(self, session: str, share: float = 0.01) -> list[int]:
        """Return rows that are far from everything, the farthest first."""
        return self._do(calls.outliers(session, share))

    def recipe(self, session: str) -> str:
        """Return the lines of Python that give the same labels."""
        return self._do(calls.recipe(session))

    def export(
        self,
        session: str,
        what: str = "labels",
        format: str = "csv",
        *,
        raw: bool = False,
        at: int | None = None,
    ) -> File:
        """Return "labels", "table", "answers", "links" or "names" as a CSV or Parquet file.

        Links and names may be "json" too; "history" is every event, as JSON lines.

        In CSV, text that a spreadsheet would run gets an apostrophe in front; not if ``raw``.
        Labels may be those after ``at`` events.
        """
        return self._do(calls.export(session, what, format, raw, at))
