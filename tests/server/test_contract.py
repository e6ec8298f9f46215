"""The OpenAPI document is true: whatever is sent, the service answers as it says."""

import json
import shutil
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import positive_data_acceptance
from service_client import BEARER, TOKEN, answer, serving, tell

from linkwise.server import creation
from linkwise.server.app import create_app

ENDLESS = "/api/sessions/{session}/stream"
#: Where a message of the right shape may still say something that cannot be, such as row 999.
DEPENDS_ON_THE_DATA = (
    "/api/uploads",
    "/api/sessions/{session}/events",
    "/api/sessions/{session}/rows",
)
REPOSITORY = Path(__file__).parents[2]


def operations():
    """Return every operation that comes to an end, to be used rightly and, if possible, wrongly."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("linkwise.server.app.Uploads", lambda *args: None)  # noqa: ARG005
        document = create_app(Path(__file__).parent, token=TOKEN).openapi()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if path != ENDLESS:
                yield method, path, GenerationMode.POSITIVE
                if "parameters" in operation or "requestBody" in operation:
                    yield method, path, GenerationMode.NEGATIVE


@pytest.fixture(scope="module")
def served(template, tmp_path_factory):
    """Serve the flowers with a few events, where sessions are begun without work."""
    root = tmp_path_factory.mktemp("contract") / "root"
    shutil.copytree(template, root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(creation, "create_session", lambda *args, **options: None)  # noqa: ARG005
        with serving(root) as served, served.client() as client:
            tell(client, answer(0, 1), answer(0, 60, "different"))
            yield served


@pytest.fixture(scope="module")
def contract(served):
    """Return the document; where a session is named, the one that exists is tried."""
    document = json.loads(json.dumps(served.app.openapi()))
    del document["security"]  # who comes in without the token is the matter of another test
    for methods in document["paths"].values():
        for method, operation in methods.items():
            for parameter in operation.get("parameters", ()):
                if parameter["name"] == "session" and method != "delete":
                    parameter["schema"] = {"enum": ["flowers"]}
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=served.url)
    return schema


@pytest.mark.parametrize(("method", "path", "mode"), list(operations()))
def test_the_service_does_what_the_document_says(contract, method, path, mode):
    operation = contract[path][method]

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=3,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def check(case):
        left_out = [positive_data_acceptance] if path in DEPENDS_ON_THE_DATA else []
        case.call_and_validate(headers=BEARER, excluded_checks=left_out)

    check()


def test_the_stream_is_documented_as_what_it_is(served):
    stream = served.app.openapi()["paths"][ENDLESS]["get"]
    assert list(stream["responses"]["200"]["content"]) == ["text/event-stream"]


def test_the_document_in_the_repository_is_the_one_of_this_service(served):
    kept = json.loads((REPOSITORY / "web" / "openapi.json").read_text("utf-8"))
    assert kept == served.app.openapi(), "python -m linkwise.server.openapi > web/openapi.json"
