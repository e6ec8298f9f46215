"""Send the service what its OpenAPI document allows and what it forbids; it must do as it says.

Schemathesis draws requests for every operation, rightly shaped and wrongly shaped, and checks each
answer: no server error, a documented status, body and headers as described, wrong requests refused.
Of the stream the first frame is read, and compared with the document as well. Uploads are sent
twice: as the document describes them, and as files of every format, rightly made (which must be
taken) and wrongly made. At the end one file of each format becomes a session.

    python benchmarks/service_fuzz.py --examples 20     # the short form
    python benchmarks/service_fuzz.py --examples 300
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import requests
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import positive_data_acceptance

from service_files import (
    FORMATS,
    DataFile,
    Rows,
    inconsistent_files,
    right_files,
    write,
    wrong_files,
)
from service_process import NAME, TOKEN, Server, answer, make_session, place, serve

STREAM = "/api/sessions/{session}/stream"
UPLOADS = "/api/uploads"
#: Where a message of the right shape may still say something that cannot be, such as row 999.
DEPENDS_ON_THE_DATA = (
    UPLOADS,
    "/api/sessions/{session}/events",
    "/api/sessions/{session}/rows",
)
Check = Callable[[schemathesis.Case], int]
Experiment = tuple[str, st.SearchStrategy[schemathesis.Case], Check]


def contract(document: dict[str, Any], url: str, session: str) -> schemathesis.BaseSchema:
    """Return the document; where a session is named, the one that exists is tried."""
    document = json.loads(json.dumps(document))
    del document["security"]  # the token is sent with every request
    for methods in document["paths"].values():
        for method, operation in methods.items():
            for parameter in operation.get("parameters", ()):
                if parameter["name"] == "session" and method != "delete":
                    parameter["schema"] = {"enum": [session]}
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=url)
    schema.config.max_stream_events = 1
    return schema


def experiments(schema: schemathesis.BaseSchema, token: str) -> Iterator[Experiment]:
    """Yield what there is to try: its name, the requests to draw, and how to check one."""
    headers = {"Authorization": f"Bearer {token}"}

    def check(case: schemathesis.Case) -> int:
        left_out = [positive_data_acceptance] if case.path in DEPENDS_ON_THE_DATA else []
        response = case.call(headers=headers, timeout=60)
        case.validate_response(response, headers=headers, excluded_checks=left_out)
        return response.status_code

    for found in schema.get_all_operations():
        operation = found.ok()
        for mode in GenerationMode:
            if mode == GenerationMode.POSITIVE or can_be_wrong(operation.definition.raw):
                name = f"{operation.label}, {mode.value}"
                yield name, operation.as_strategy(generation_mode=mode), check
    behind = schema[STREAM]["get"].as_strategy(query={"after": 0}, headers={})
    yield f"{STREAM} from the start", behind, check
    for suffix in FORMATS:
        cases = uploads(schema, right_files(suffix))
        yield f"a right {suffix} file", cases, lambda case: must_be(201, check(case))
    yield "wrong files", uploads(schema, wrong_files()), check
    yield "inconsistent files", uploads(schema, inconsistent_files()), check


def can_be_wrong(operation: dict[str, Any]) -> bool:
    """Tell whether a request has anything that could be wrong."""
    return "parameters" in operation or "requestBody" in operation


def uploads(
    schema: schemathesis.BaseSchema, files: st.SearchStrategy[DataFile]
) -> st.SearchStrategy[schemathesis.Case]:
    """Return the strategy of uploads of these files."""
    operation = schema[UPLOADS]["post"]

    def case(file: DataFile) -> schemathesis.Case:
        kind = "application/octet-stream"
        return operation.Case(query={"name": file.name}, body=file.content, media_type=kind)

    return files.map(case)


def must_be(wanted: int, status: int) -> int:
    """Return the status if it is the one that is wanted."""
    assert status == wanted, f"status {status} instead of {wanted}"
    return status


def try_out(experiment: Experiment, examples: int, number: int) -> Counter[int]:
    """Draw requests and check the answers; returns how often each status came."""
    _, cases, check = experiment
    statuses: Counter[int] = Counter()

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def one(case: schemathesis.Case) -> None:
        statuses[check(case)] += 1

    seed(number)(one)()
    return statuses


def sessions_of_files(client: httpx.Client) -> list[str]:
    """Make a session of a file of each format; returns what went wrong."""
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    drawn, faults = Rows(X, [f"row {k}" for k in range(len(X))]), []
    for suffix in FORMATS:
        file = write(suffix, drawn)
        taken = client.post(UPLOADS, params={"name": file.name}, content=file.content)
        wanted = {"name": "x", "n_clusters": 2, "source": {"upload": taken.json()["upload"]}}
        job = client.post("/api/sessions", json=wanted).json()["job"]
        while (found := client.get(f"/api/jobs/{job}").json())["state"] == "running":
            time.sleep(0.05)
        if found["state"] != "done":
            faults.append(f"no session of a {suffix} file: {found['error']}")
    return faults


def run(server: Server, options: argparse.Namespace) -> int:
    url = f"http://127.0.0.1:{server.port}"
    with httpx.Client(
        base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60
    ) as client:
        client.post(place("events"), json={"events": [answer(0, k) for k in range(1, 6)]})
        schema = contract(client.get("/openapi.json").json(), url, NAME)
        statuses, broken, tried = Counter[int](), [], 0
        for experiment in experiments(schema, TOKEN):
            if time.monotonic() > options.end:
                break
            try:
                statuses += try_out(experiment, options.examples, options.seed)
            except (BaseExceptionGroup, AssertionError, requests.RequestException) as error:
                broken.append(f"{experiment[0]}: {error}")
            tried += 1
        broken += sessions_of_files(client)
    return report(schema, tried, statuses, broken)


def report(
    schema: schemathesis.BaseSchema, tried: int, statuses: Counter[int], broken: list[str]
) -> int:
    """Print what was found; returns the number of faults."""
    n_operations = sum(1 for _ in schema.get_all_operations())
    print(f"{n_operations} operations, {tried} experiments, {sum(statuses.values()):,} requests")
    print("answers by status:", ", ".join(f"{k}: {n:,}" for k, n in sorted(statuses.items())))
    server_errors = sum(n for status, n in statuses.items() if status >= 500)
    print(f"{server_errors} server errors, {len(broken)} breaks of the contract")
    for sentence in broken:
        print(sentence)
    return server_errors + len(broken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=20, help="per experiment")
    parser.add_argument("--most-seconds", type=float, default=900, help="stop after so long")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.end = time.monotonic() + options.most_seconds
    with tempfile.TemporaryDirectory() as folder:
        make_session(Path(folder), 500, n_clusters=3, n_partitions=30)
        server = serve(Path(folder))
        try:
            faults = run(server, options)
        finally:
            server.stop()
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
