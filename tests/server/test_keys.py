"""Tokens of others: what each role opens, in which session, until it is taken back."""

import json
import stat
from io import BytesIO

import httpx
import numpy as np
import pytest
from click.testing import CliRunner
from service_client import FLOWERS, TOKEN, answer, calling, tell

from linkwise.cli import main
from linkwise.errors import InvalidInput
from linkwise.server.app import create_app
from linkwise.server.keys import OWNER, Holder, TokenFile, demand

READ = [("GET", f"{FLOWERS}/labels"), ("GET", f"{FLOWERS}/history"), ("GET", "/api/sessions")]
TOLD = [("POST", f"{FLOWERS}/events"), ("POST", f"{FLOWERS}/layout/pca")]
MANAGED = [
    ("POST", "/api/sessions"),
    ("POST", "/api/uploads"),
    ("GET", "/api/files"),
    ("DELETE", FLOWERS),
    ("DELETE", "/api/jobs/j0123456789abcdef"),
    ("POST", f"{FLOWERS}/anything-new"),
    ("PUT", f"{FLOWERS}/events"),
]


@pytest.mark.parametrize(
    ("role", "opened"),
    [("look", READ), ("answer", [*READ, *TOLD]), ("manage", [*READ, *TOLD, *MANAGED])],
)
def test_a_role_opens_so_much_and_no_more(role, opened):
    holder = Holder("x", "Ada", role)
    through = [one for one in (*READ, *TOLD, *MANAGED) if holder.refusal(*one) is None]
    assert through == opened


def test_a_token_for_one_session_opens_no_other_and_makes_none():
    holder = Holder("x", "Ada", "manage", "flowers")
    assert holder.refusal("DELETE", FLOWERS) is None
    assert holder.refusal("GET", "/api/sessions") is None
    for method, path in [
        ("GET", "/api/sessions/flowers-2/labels"),
        ("GET", "/api/sessions/other"),
        ("POST", "/api/sessions"),
        ("POST", "/api/uploads"),
        ("GET", "/api/files"),
    ]:
        assert holder.refusal(method, path) is not None, path


def test_whatever_is_new_takes_somebody_who_manages():
    assert demand("POST", "/api/anything") == ("manage", None)
    assert demand("PATCH", f"{FLOWERS}/events/1") == ("manage", "flowers")


@pytest.fixture
def app(root):
    return create_app(root, token=TOKEN)


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def test_who_said_it_is_who_the_token_was_given_to(app, root):
    ada = TokenFile(root).add("Ada Lovelace", "answer")
    with calling(app) as owner:
        told = {"events": [answer(0, 1)], "who": "somebody else"}
        said = owner.post(f"{FLOWERS}/events", json=told, headers=bearer(ada))
        assert said.json()["events"][0]["who"] == "Ada Lovelace"
        (event,) = tell(owner, answer(0, 2), who="a guest of the owner")
        assert event["who"] == "a guest of the owner"


def test_rows_join_by_who_the_token_was_given_to(app, root):
    ada = TokenFile(root).add("Ada Lovelace", "manage")
    with calling(app) as owner:
        np.save(more := BytesIO(), np.ones((2, 4)))
        sent = owner.post("/api/uploads", params={"name": "x.npy"}, content=more.getvalue()).json()
        joining = {"upload": sent["upload"], "who": "somebody else"}
        joined = owner.post(f"{FLOWERS}/rows", json=joining, headers=bearer(ada))
        assert (joined.status_code, joined.json()["who"]) == (201, "Ada Lovelace")


def test_a_file_speaks_for_who_sent_it_unless_that_is_the_owner(app, root):
    ada = TokenFile(root).add("Ada", "manage")
    with calling(app) as owner:

        def take_in(rows, **options):
            said = f'9,then,Bob,together,same,"{rows}",,false\n'
            body = f"event,when,who,kind,verdict,ids,name,undone\n{said}".encode()
            sent = owner.post("/api/uploads", params={"name": "x.csv"}, content=body).json()
            told = owner.post(f"{FLOWERS}/import", json={"upload": sent["upload"]}, **options)
            return [event["who"] for event in told.json()["events"]]

        assert take_in("[0, 1]", headers=bearer(ada)) == ["Ada"]
        assert take_in("[2, 3]") == ["Bob"]


def test_questions_are_dealt_to_who_the_token_was_given_to(app, root):
    names = {"Ada": "answer", "Bob": "answer", "Eve": "look"}
    tokens = {name: TokenFile(root).add(name, role) for name, role in names.items()}
    with calling(app) as client:

        def asked(name, **options):
            options = {"n": 5, **options}
            found = client.get(f"{FLOWERS}/questions", params=options, headers=bearer(tokens[name]))
            return {(one["i"], one["j"]) for one in found.json()}

        first = asked("Eve", who="Eve")
        assert first == asked("Ada")  # who only looks takes nothing from anybody
        assert not first & asked("Bob", who="Ada", formerly="Ada")
        i, j = min(first)
        told = {"events": [answer(i, j)], "who": ""}
        client.post(f"{FLOWERS}/events", json=told, headers=bearer(tokens["Ada"]))
        assert (i, j) not in asked("Ada", who="Bob", overlap=1)  # they are their own
        assert (i, j) in asked("Bob", overlap=1)


def test_a_refusal_says_what_the_token_may_do(app, root):
    look = TokenFile(root).add("Bob", "look", "flowers")
    with calling(app, headers=bearer(look)) as client:
        assert client.get(f"{FLOWERS}/history").status_code == 200
        refused = client.post(f"{FLOWERS}/events", json={"events": [answer(0, 1)]})
        assert refused.status_code == 403
        assert refused.json() == {"error": "This token may look; it takes one that may answer."}


def test_only_sessions_that_the_token_opens_are_listed(app, root):
    other = TokenFile(root).add("Bob", "look", "other")
    with calling(app, headers=bearer(other)) as client:
        assert client.get("/api/sessions").json() == []
        assert client.get(FLOWERS).status_code == 403


def test_a_token_and_its_cookie_are_void_once_it_is_taken_back(app, root):
    tokens = TokenFile(root)
    given = tokens.add("Bob", "look")
    with calling(app, headers={}) as browser:
        assert browser.get("/", params={"token": given}).status_code == 303
        assert browser.get("/api/sessions").status_code == 200
        tokens.revoke("Bob")
        assert browser.get("/api/sessions").status_code == 401
        assert browser.get("/api/sessions", headers=bearer(given)).status_code == 401
        tokens.add("Bob", "look")
        assert browser.get("/api/sessions").status_code == 401


def test_the_file_holds_no_token_and_is_for_its_owner(root):
    token = TokenFile(root).add("Bob", "look")
    path = root / ".tokens.json"
    assert token not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["", " Bob", "a\nb", "x" * 61, "a\x1b[31m"])
def test_a_name_is_a_short_line(root, name):
    with pytest.raises(InvalidInput, match="is not a name of 1 to 60 characters"):
        TokenFile(root).add(name, "look")


def test_a_damaged_file_opens_nothing_but_the_owner_comes_in(app, root):
    TokenFile(root).add("Bob", "manage")
    path = root / ".tokens.json"
    for damage in ('{"format": "linkwise tokens", "version": 1, "tokens": [{"a": 1}]}', "[" * 9999):
        path.write_text(damage)
        with calling(app, headers={}) as client:
            assert client.get("/api/sessions", headers=bearer("x" * 43)).status_code == 401
            assert client.get("/api/sessions", headers=bearer(TOKEN)).status_code == 200


def test_who_did_what_is_written_down(app, root):
    ada, bob = (TokenFile(root).add(name, "look") for name in ("Ada", "Bob"))
    with calling(app) as owner:
        owner.get("/api/sessions", headers=bearer(ada))
        owner.delete(FLOWERS, headers=bearer(bob))
        tell(owner, answer(0, 1))
        owner.delete(FLOWERS)
    path = root / ".audit.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    noted = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["who"], line["role"], line["did"], line["status"]) for line in noted] == [
        ("Bob", "look", f"DELETE {FLOWERS}", 403),
        ("owner", "manage", f"DELETE {FLOWERS}", 204),
    ]


def test_the_command_gives_lists_and_takes_back(tmp_path):
    def run(*args, code=0):
        result = CliRunner().invoke(main, ["token", *args, "--root", str(tmp_path)])
        assert result.exit_code == code, result.output
        return result

    token = run("add", "Ada", "--role", "answer", "--session", "flowers").stdout.strip()
    assert len(token) >= 43
    again = run("add", "Ada", "--role", "look", code=1).stderr
    assert again == "Ada has a token already. Revoke it first, or choose a name.\n"
    assert run("list").stdout.startswith("Ada: may answer in flowers, since 20")
    (listed,) = json.loads(run("list", "--json").stdout)
    assert (listed["name"], listed["role"], listed["session"]) == ("Ada", "answer", "flowers")
    assert token not in run("list", "--json").stdout
    run("revoke", "Ada")
    nobody = run("list")
    assert nobody.stdout == ""
    assert nobody.stderr == (
        f"Nobody has been given a token of {tmp_path}: linkwise token add --help\n"
    )
    assert run("revoke", "Ada", code=1).stderr == "nobody called Ada has a token.\n"


def test_the_owner_may_do_everything():
    assert all(OWNER.refusal(*one) is None for one in (*READ, *TOLD, *MANAGED))


def test_an_open_stream_ends_with_its_token_and_no_other_does(served, root):
    tokens = TokenFile(root)
    given = {name: tokens.add(name, "look") for name in ("Ada", "Bob")}

    def listening(name):
        headers = {"Authorization": f"Bearer {given[name]}"}
        return client.stream("GET", f"{FLOWERS}/stream", headers=headers)

    with served.client() as client, listening("Ada") as ada, listening("Bob") as bob:
        heard = {"Ada": ada.iter_raw(), "Bob": bob.iter_raw()}
        for news in heard.values():
            assert next(news).startswith(b"retry")
        tokens.revoke("Ada")
        with pytest.raises(httpx.RemoteProtocolError):
            list(heard["Ada"])
        while b'"kind":"answer"' not in next(heard["Bob"]):
            tell(client, answer(0, 1))
