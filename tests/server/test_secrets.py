"""Secrets stay secret: private files, and no database that only a folder speaks of."""

import json
import socket
import stat
from threading import Thread

import pytest
from real_service import real_service
from service_client import FLOWERS, TOKEN, calling

from linkwise.errors import InvalidInput
from linkwise.server.app import create_app


@pytest.fixture
def database():
    """Listen where a database is said to be; nobody may come."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        yield listener


def move_journal(root, listener, secret="s3cret"):
    """Let the session say that its journal is in a database."""
    path = root / "flowers" / "session.json"
    about = json.loads(path.read_text())
    port = listener.getsockname()[1]
    about["journal"] = f"postgresql://ann@127.0.0.1:{port}/work?password={secret}"
    path.write_text(json.dumps(about))
    return about["journal"]


def test_a_folder_from_somewhere_connects_to_nothing(root, database):
    move_journal(root, database)
    with calling(create_app(root, token=TOKEN)) as client:
        assert len(client.get("/api/sessions").json()) == 1
        refused = client.get(f"{FLOWERS}/labels")
    assert refused.status_code == 409
    assert "s3cret" not in refused.text
    assert "was not told to trust" in refused.json()["error"]
    with pytest.raises(TimeoutError):
        database.accept()


def test_a_database_that_was_named_is_connected_to(root, database):
    address = move_journal(root, database)
    trusted = address.replace("?password=s3cret", "?connect_timeout=2")
    with calling(create_app(root, token=TOKEN, databases=[trusted])) as client:
        database.settimeout(20)
        refused = []

        def ask():
            refused.append(client.get(f"{FLOWERS}/labels"))

        asking = Thread(target=ask)
        asking.start()
        connection, _ = database.accept()
        connection.close()
        asking.join()
    assert refused[0].status_code in (409, 503)
    assert "s3cret" not in refused[0].text


def test_an_address_that_cannot_be_read_is_not_repeated(root):
    with pytest.raises(InvalidInput) as refused:
        create_app(root, token=TOKEN, databases=["postgresql://a:s3cret@b@c/d"])
    assert "s3cret" not in str(refused.value)


def test_what_the_service_writes_is_for_its_owner_alone(tmp_path):
    root = tmp_path / "root"
    with real_service(root, "-q") as service, service.client() as client:
        sent = client.post("/api/uploads", params={"name": "x.csv"}, content=b"a,b\n1,2\n3,4\n")
        assert sent.status_code == 201
        found = [root, *root.rglob("*")]
        assert len(found) >= 5
        for path in found:
            private = 0o700 if path.is_dir() else 0o600
            assert stat.S_IMODE(path.stat().st_mode) == private, path
