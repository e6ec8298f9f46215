"""Send the service what its OpenAPI document allows and what it forbids; it must do as it says.

Schemathesis draws requests for every operation that comes to an end (all but the stream), rightly
shaped and wrongly shaped, and checks each answer: no server error, a documented status, body and
headers as described, wrong requests refused.

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
from pathlib import Path

import httpx
import requests
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import positive_data_acceptance

from service_process import NAME, TOKEN, Server, make_session, serve

ENDLESS = "/api/sessions/{session}/stream"
#: Where a message of the right shape may still say something that cannot be, such as row 999.
DEPENDS_ON_THE_DATA = (
    "/api/uploads",
    "/api/sessions/{session}/events",
    "/api/sessions/{session}/rows",
)
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def load(url: str) -> schemathesis.BaseSchema:
    """Return the document; where a session is named, the one that exists is tried."""
    document = httpx.get(f"{url}/openapi.json", headers=BEARER).json()
    del document["security"]  # the token is sent with every request
    for methods in document["paths"].values():
        for method, operation in methods.items():
            for parameter in operation.get("parameters", ()):
                if parameter["name"] == "session" and method != "delete":
                    parameter["schema"] = {"enum": [NAME]}
    schema = schemathesis.openapi.from_dict(json.loads(json.dumps(document)))
    schema.config.update(base_url=url)
    return schema


def fuzz(operation, mode: GenerationMode, examples: int, statuses: Counter, number: int) -> None:
    """Try one operation; raises what was wrong with an answer."""
    path = operation.path
    left_out = [positive_data_acceptance] if path in DEPENDS_ON_THE_DATA else []

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def check(case) -> None:
        response = case.call(headers=BEARER)
        statuses[response.status_code] += 1
        case.validate_response(response, headers=BEARER, excluded_checks=left_out)

    seed(number)(check)()


def run(server: Server, options: argparse.Namespace) -> int:
    schema = load(f"http://127.0.0.1:{server.port}")
    statuses: Counter[int] = Counter()
    broken, tried = [], 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path == ENDLESS or time.monotonic() > options.end:
            continue
        for mode in GenerationMode:
            try:
                fuzz(operation, mode, options.examples, statuses, options.seed)
            except Unsatisfiable:  # nothing about it can be wrong
                continue
            except (BaseExceptionGroup, requests.RequestException) as error:
                broken.append(f"{operation.label} {mode.value}: {error}")
        tried += 1
    print(f"{tried} operations, {sum(statuses.values()):,} requests")
    print("answers by status:", ", ".join(f"{k}: {n:,}" for k, n in sorted(statuses.items())))
    server_errors = sum(n for status, n in statuses.items() if status >= 500)
    print(f"{server_errors} server errors, {len(broken)} breaks of the contract")
    for sentence in broken:
        print(sentence)
    return server_errors + len(broken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=20, help="per operation and direction")
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
