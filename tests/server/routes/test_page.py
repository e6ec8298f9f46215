"""The page: the built studio where it is, a sentence where it is not."""

import pytest
from service_client import TOKEN, calling

import linkwise
from linkwise.server.app import create_app
from linkwise.server.routes import page


@pytest.fixture
def browser(tmp_path):
    """Return a client without the token."""
    with calling(create_app(tmp_path / "root", token=TOKEN), headers={}) as client:
        yield client


@pytest.fixture
def built(tmp_path, monkeypatch):
    """Put a small page where the studio would be built to."""
    studio = tmp_path / "studio"
    (studio / "assets").mkdir(parents=True)
    (studio / "index.html").write_text("<!doctype html><title>studio</title>")
    (studio / "icon.svg").write_text("<svg/>")
    (studio / "assets" / "index-abc.js").write_text("1")
    (tmp_path / "secret.txt").write_text("secret")
    monkeypatch.setattr(page, "STUDIO", studio)


def test_health_says_ok_without_a_token(browser):
    assert browser.get("/health").json() == {"status": "ok", "version": linkwise.__version__}


def test_a_page_that_was_not_built_says_how_to_build_it(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(page, "STUDIO", tmp_path / "nothing")
    found = browser.get("/")
    assert found.status_code == 200
    assert "make studio" in found.text


@pytest.mark.usefixtures("built")
def test_the_built_page_and_its_parts_are_sent(browser):
    found = browser.get("/")
    assert "studio" in found.text
    assert found.headers["content-type"].startswith("text/html")
    assert found.headers["cache-control"] == "no-cache"
    part = browser.get("/assets/index-abc.js")
    assert part.headers["content-type"].startswith("text/javascript")
    assert "immutable" in part.headers["cache-control"]
    assert browser.get("/icon.svg").headers["content-type"].startswith("image/svg")


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    "path",
    [
        "/assets/gone.js",
        "/assets/..%2f..%2fsecret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "/assets/a%00b",
        "/assets/.",
    ],
)
def test_nothing_outside_the_page_is_sent(browser, path):
    found = browser.get(path)
    assert found.status_code in (401, 404)
    assert "secret" not in found.text
