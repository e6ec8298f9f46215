"""The OpenAPI document is true: whatever is sent, the service answers as it says."""

import json
import shutil
from pathlib import Path

import pytest
from service_client import TOKEN, answer, serving, tell

from linkwise.server import creation
from linkwise.server.app import create_app
from linkwise.session import KINDS
from service_files import HARMFUL
from service_fuzz import STREAM, UPLOADS, contract, experiments, try_out

REPOSITORY = Path(__file__).parents[2]


def names():
    """Return the names of all experiments."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("linkwise.server.app.Uploads", lambda *args: None)  # noqa: ARG005
        document = create_app(Path(__file__).parent, token=TOKEN).openapi()
    return [name for name, *_ in experiments(contract(document, "http://here", "flowers"), TOKEN)]


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
def by_name(served):
    """Return the experiments with this service."""
    schema = contract(served.app.openapi(), served.url, "flowers")
    return {experiment[0]: experiment for experiment in experiments(schema, TOKEN)}


@pytest.mark.parametrize("name", names())
def test_the_service_does_what_the_document_says(by_name, name):
    assert sum(try_out(by_name[name], examples=3, number=0).values()) >= 1


def test_every_operation_is_tried_in_every_way(served, by_name):
    for path, methods in served.app.openapi()["paths"].items():
        for method, operation in methods.items():
            assert f"{method.upper()} {path}, positive" in by_name
            if "parameters" in operation:
                assert f"{method.upper()} {path}, negative" in by_name


@pytest.mark.parametrize("file", HARMFUL, ids=lambda file: file.name)
def test_a_file_that_could_do_harm_is_taken_or_refused_in_good_order(served, file):
    with served.client() as client:
        found = client.post(UPLOADS, params={"name": file.name}, content=file.content)
    assert found.status_code in (201, 422)
    assert ("error" in found.json()) == (found.status_code == 422)


def test_the_stream_is_documented_as_what_it_is(served):
    stream = served.app.openapi()["paths"][STREAM]["get"]
    (kind, content), *others = stream["responses"]["200"]["content"].items()
    assert (kind, others) == ("text/event-stream", [])
    kinds = [frame["properties"]["event"]["const"] for frame in content["schema"]["oneOf"]]
    assert kinds == ["journal", "view"]


def test_every_kind_of_event_can_be_told(served):
    events = served.app.openapi()["components"]["schemas"]["NewEvents"]["properties"]["events"]
    assert set(events["items"]["discriminator"]["mapping"]) == set(KINDS)


def test_the_document_in_the_repository_is_the_one_of_this_service(served):
    kept = json.loads((REPOSITORY / "web" / "openapi.json").read_text("utf-8"))
    assert kept == served.app.openapi(), "python -m linkwise.server.openapi > web/openapi.json"
