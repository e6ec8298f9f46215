"""Logs: a line of JSON each, with the place of a fault and without its words."""

import io
import json
import logging
import warnings

import pytest

from linkwise.server.logs import log_to, log_warnings


@pytest.fixture
def lines():
    """Send the log to a text."""
    stream = io.StringIO()
    log_to(stream)
    return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_holds_known_fields_only(lines):
    logging.getLogger("linkwise.server").info("request", extra={"status": 200, "who": "Ada"})
    (line,) = lines()
    assert line.pop("time").endswith("Z")
    assert line == {"level": "info", "event": "request", "status": 200}


def test_a_fault_is_a_type_and_places_without_its_words(lines):
    try:
        int("a secret")
    except ValueError as error:
        logging.getLogger("linkwise.server").error("a fault", exc_info=error)
    (line,) = lines()
    assert line["error"] == "ValueError"
    assert line["places"][0].startswith("test_logs.py:")
    assert "secret" not in json.dumps(line)


def test_line_breaks_cannot_forge_a_line(lines):
    logging.getLogger("uvicorn.error").warning('x"}\n{"event": "forged"}')
    assert [line["level"] for line in lines()] == ["warning"]


def test_what_sessions_and_libraries_have_to_say_are_lines_too(lines):
    logging.getLogger("linkwise.session.journal.checkpoint").warning("%s is not used", "it")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        log_warnings()
        for place in (1, 2):
            warnings.warn_explicit(f"a secret {place}", RuntimeWarning, "/a/path/b.py", place)
    told, *warned = lines()
    assert (told["level"], told["event"]) == ("warning", "it is not used")
    assert [line["places"] for line in warned] == [["b.py:1"], ["b.py:2"]]
    assert {(line["event"], line["error"]) for line in warned} == {("a warning", "RuntimeWarning")}
    assert "secret" not in json.dumps(warned)


def test_what_repeats_is_told_once_a_minute_with_how_often(lines, monkeypatch):
    log = logging.getLogger("linkwise.server")

    def at(seconds, times=1):
        monkeypatch.setattr("logging.time.time", lambda: seconds)
        monkeypatch.setattr("logging.time.time_ns", lambda: int(seconds * 1e9), raising=False)
        for _ in range(times):
            log.info("request", extra={"status": 401})
            log.warning("a session cannot be read", extra={"session": "a"})

    at(0.0, times=1000)
    at(59.0)
    assert [line["event"] for line in lines()] == ["request", "a session cannot be read"]
    log.warning("a session cannot be read", extra={"session": "b"})
    log.info("request", extra={"status": 200})
    log.info("request", extra={"status": 200})
    assert len(lines()) == 5
    at(61.0)
    assert [line["times"] for line in lines()[5:]] == [1001, 1001]
