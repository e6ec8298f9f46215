"""The gate: nobody comes in, unless everything is as it should be."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from service_client import BEARER, FLOWERS, HERE, TOKEN, calling

from linkwise.server import patience
from linkwise.server.app import create_app
from linkwise.server.keys import OWNER, Keys
from linkwise.server.limits import Limits
from linkwise.server.security import LONGEST_HEAD, POLICY, cookie_name

VALUES = {
    "session": "flowers",
    "job": "j0123456789abcdef",
    "kind": "pca",
    "i": "0",
    "name": "index.js",
    "number": "0",
}
MOST_BODY = Limits().body
OPEN = {"/", "/health", "/icon.svg", "/assets/{name}"}
NO_TOKEN = "This needs the token that linkwise printed when it started."
FOREIGN_PAGE = "Pages of other sites may not use this service."
FOREIGN_HOST = "This service does not answer to that host name. See --allow-host."


def every_route(app):
    """Return the method and path of every route of the application, whatever its kind."""
    found = []
    for route in routes_below(app.routes):
        for method in sorted(route.methods or {"GET"}):
            found.append((method, route.path, route.path.format(**VALUES)))
    return found


def routes_below(routes):
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            assert route.include_context.prefix == ""
            yield from routes_below(included.routes)
        else:
            yield route


@pytest.fixture(scope="module")
def stranger(template):
    """Return a client without the token, which may try as many as it likes."""
    app = create_app(template, token=TOKEN, limits=Limits(wrong_tokens=10**9))
    with calling(app, headers={}) as client:
        yield client


def test_the_matrix_sees_every_route(stranger):
    paths = {path for _, path, _ in every_route(stranger.app)}
    assert paths > set(stranger.app.openapi()["paths"])
    assert paths >= OPEN | {"/openapi.json"}
    assert len(paths) >= 25


def test_without_a_token_only_the_shell_and_health_are_reached(stranger):
    reached = {
        path
        for method, path, url in every_route(stranger.app)
        if stranger.request(method, url).status_code != 401
    }
    assert reached == OPEN


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": TOKEN},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer \xe9".encode("latin-1")},
        {"Cookie": "linkwise-8321=wrong"},
        {"Cookie": f"linkwise-9999={TOKEN}"},
        {"Cookie": "\x01;=;;=linkwise"},
    ],
    ids=lambda headers: str(next(iter(headers.values())))[:30],
)
def test_a_wrong_token_opens_no_route(stranger, headers):
    for method, path, url in every_route(stranger.app):
        if path not in OPEN:
            refused = stranger.request(method, url, headers=headers)
            assert refused.status_code == 401, path
            if method != "HEAD":
                assert refused.json() == {"error": NO_TOKEN}


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        ({"Host": "evil.example"}, FOREIGN_HOST),
        ({"Host": "evil.example:8321"}, FOREIGN_HOST),
        ({"Host": "127.0.0.1.evil.example:8321"}, FOREIGN_HOST),
        ({"Host": ""}, FOREIGN_HOST),
        ({"Host": "127.0.0.1@evil.example"}, FOREIGN_HOST),
        ({"Host": "127.0.0.1:80@evil.example"}, FOREIGN_HOST),
        ({"Host": "127.0.0.1:evil.example"}, FOREIGN_HOST),
        ({"Host": "[::1]evil.example"}, FOREIGN_HOST),
        ({"Host": "[::1].evil.example:8321"}, FOREIGN_HOST),
        ({"Host": "localhost:8321, evil.example"}, FOREIGN_HOST),
        ({"Host": "localhost/evil.example"}, FOREIGN_HOST),
        ({"Origin": "http://evil.example"}, FOREIGN_PAGE),
        ({"Origin": "null"}, FOREIGN_PAGE),
        ({"Origin": "http://127.0.0.1:9999"}, FOREIGN_PAGE),
        ({"Origin": "http://127.0.0.1"}, FOREIGN_PAGE),
        ({"Sec-Fetch-Site": "cross-site"}, FOREIGN_PAGE),
        ({"Sec-Fetch-Site": "same-site"}, FOREIGN_PAGE),
    ],
    ids=str,
)
def test_a_foreign_host_or_page_reaches_no_route_even_with_the_token(stranger, headers, sentence):
    for method, path, url in every_route(stranger.app):
        refused = stranger.request(method, url, headers={**BEARER, **headers})
        assert refused.status_code == 403, path
        if method != "HEAD":
            assert refused.json() == {"error": sentence}


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": HERE, "Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Host": "localhost:8321"},
        {"Host": "[::1]:8321", "Origin": "http://[::1]:8321"},
    ],
    ids=str,
)
def test_our_own_page_comes_in(stranger, headers):
    assert stranger.get("/api/sessions", headers={**BEARER, **headers}).status_code == 200


def test_a_path_that_does_not_exist_needs_the_token_too(stranger):
    for path in ("/nothing", "/api/nothing", "/docs", "/redoc", "/%2e%2e/etc/passwd"):
        assert stranger.get(path).status_code == 401
        assert stranger.get(path, headers=BEARER).status_code == 404


def test_an_allowed_host_is_answered(template):
    app = create_app(template, token=TOKEN, hosts=["Studio.example"])
    with calling(app, base_url="https://studio.example") as client:
        assert client.get("/health").status_code == 200
        own = {"Origin": "https://studio.example"}
        assert client.get("/api/sessions", headers=own).status_code == 200


@pytest.mark.parametrize("path", ["/", "/health", "/api/sessions", "/nothing", "/openapi.json"])
@pytest.mark.parametrize("headers", [BEARER, {}, {"Host": "evil.example"}], ids=str)
def test_every_answer_carries_the_headers_that_bind_the_browser(stranger, path, headers):
    sent = stranger.get(path, headers=headers).headers
    assert sent["content-security-policy"] == POLICY
    assert sent["x-content-type-options"] == "nosniff"
    assert sent["x-frame-options"] == "DENY"
    assert sent["referrer-policy"] == "no-referrer"
    assert sent["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in sent


def test_the_policy_names_no_other_host():
    assert "default-src 'self'" in POLICY
    assert "http" not in POLICY
    assert "*" not in POLICY
    assert "unsafe" not in POLICY


def test_the_token_in_the_address_becomes_a_cookie_that_works(template):
    app = create_app(template, token=TOKEN)
    with calling(app, headers={}) as browser:
        admitted = browser.get("/", params={"token": TOKEN})
        assert admitted.status_code == 303
        assert admitted.headers["location"] == "/"
        kept = admitted.headers["set-cookie"]
        assert kept.startswith("linkwise-8321=")
        assert TOKEN not in kept
        assert "HttpOnly" in kept
        assert "SameSite=strict" in kept
        assert browser.get("/api/sessions").status_code == 200


@pytest.mark.parametrize("way", ["address", "header"])
def test_who_tries_many_tokens_at_once_is_told_to_come_later(template, monkeypatch, way):
    monkeypatch.setattr(patience, "_MOST_WAITING", 2)
    path, wrong = "/api/sessions", {"headers": {"Authorization": "Bearer wrong"}}
    if way == "address":
        path, wrong = "/", {"params": {"token": "wrong"}}
    app = create_app(template, token=TOKEN, limits=Limits(wrong_tokens=1))
    with calling(app, headers={}) as stranger, ThreadPoolExecutor(8) as tries:
        assert stranger.get(path, **wrong).status_code == 401
        found = list(tries.map(lambda _: stranger.get(path, **wrong).status_code, range(8)))
        assert set(found) == {401, 429}


def test_a_wrong_token_in_the_address_is_refused(stranger):
    refused = stranger.get("/", params={"token": "wrong"})
    assert refused.status_code == 401
    assert "set-cookie" not in refused.headers


@pytest.mark.parametrize("doubled", ["Host", "Authorization", "Cookie", "Origin", "Sec-Fetch-Site"])
def test_what_may_be_said_once_is_not_said_twice(stranger, doubled):
    once = {"Host": "127.0.0.1:8321", "Sec-Fetch-Site": "same-origin", "Origin": HERE, "Cookie": ""}
    headers = [*(once | BEARER).items(), (doubled, "same-origin")]
    refused = stranger.get("/api/sessions", headers=headers)
    assert refused.status_code == 400
    assert refused.json() == {"error": f"There are two headers called {doubled.lower()}."}


def test_a_head_that_is_too_long_is_refused(stranger):
    for address, headers in [
        ("/api/sessions", BEARER | {"X-Long": "x" * LONGEST_HEAD}),
        (f"/api/sessions?x={'x' * LONGEST_HEAD}", BEARER),
    ]:
        refused = stranger.get(address, headers=headers)
        assert refused.status_code == 431
        assert "longer than 32,768 bytes" in refused.json()["error"]


class TestCookie:
    """The cookie stands for a token at one name and port, for a while."""

    @pytest.fixture
    def keys(self, tmp_path):
        return Keys(TOKEN, tmp_path)

    def test_it_works_where_it_was_made_only(self, keys):
        cookie = keys.cookie(OWNER, "127.0.0.1:8321")
        assert keys.by_cookie(cookie, "127.0.0.1:8321") == OWNER
        for host in ("127.0.0.1:8322", "localhost:8321", "127.0.0.1", ""):
            assert keys.by_cookie(cookie, host) is None

    def test_it_cannot_be_changed_or_made_up(self, keys):
        mac, holder, expires = keys.cookie(OWNER, "here").split(".")
        for wrong in (
            f"{mac}.{holder}.{int(expires) + 1}",
            f"{mac}.other.{expires}",
            f"{mac[:-1]}0.{holder}.{expires}0",
            f".{holder}.{expires}",
            f"{mac}.{holder}",
            f"{mac}.{holder}.²",
            "",
            TOKEN,
            "\ud800.owner.9999999999",
        ):
            assert keys.by_cookie(wrong, "here") is None

    def test_it_ends(self, keys, monkeypatch):
        cookie = keys.cookie(OWNER, "here")
        monkeypatch.setattr("linkwise.server.keys.time.time", lambda: 9e9)
        assert keys.by_cookie(cookie, "here") is None

    def test_another_token_makes_other_cookies(self, keys, tmp_path):
        other = Keys(TOKEN + "x", tmp_path)
        assert other.by_cookie(keys.cookie(OWNER, "here"), "here") is None


def test_two_services_on_two_ports_have_two_cookies():
    assert cookie_name("127.0.0.1:8321") != cookie_name("127.0.0.1:8322")
    assert cookie_name("studio.example") == "linkwise"


def test_a_body_that_is_too_long_is_refused_before_it_is_read(client):
    announced = {"Content-Length": str(MOST_BODY + 1), "Content-Type": "application/json"}
    refused = client.post(f"{FLOWERS}/events", content=b"{}", headers=announced)
    assert refused.status_code == 413
    assert refused.json() == {"error": f"The body is longer than {MOST_BODY:,} bytes."}


def test_a_heap_of_unknown_fields_is_one_refusal(client):
    heap = {f"x{k}": k for k in range(100_000)}
    refused = client.post(f"{FLOWERS}/events", json={"events": [], **heap})
    assert refused.status_code == 422
    assert refused.json() == {"error": "the body: at most 2 fields are known here."}
    few = client.post("/api/sessions", json={"name": "a", "n_clusters": 2, "x": 1})
    assert few.json() == {"error": "source: field required. There is 1 more fault."}


def test_of_a_hundred_thousand_wrong_rows_the_first_is_told(client):
    event = {"kind": "label", "payload": {"rows": [None] * 100_000, "name": "a"}}
    refused = client.post(f"{FLOWERS}/events", json={"events": [event]})
    assert refused.status_code == 422
    assert "rows.0" in refused.json()["error"]
    assert len(refused.text) < 1_000


def test_a_body_that_turns_out_too_long_is_refused(client):
    async def endless():
        for _ in range(MOST_BODY // 2**20 + 2):
            yield b" " * 2**20

    headers = {"Content-Type": "application/json"}
    refused = client.post(f"{FLOWERS}/events", content=endless(), headers=headers)
    assert refused.status_code == 413
