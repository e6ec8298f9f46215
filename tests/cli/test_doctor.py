"""linkwise doctor: what is installed, and whether it works."""

import json
import sys

import linkwise as lw
from linkwise.cli import doctor


def test_a_sound_installation_is_told_so(run):
    shown = run("doctor").stdout
    assert f"{lw.__version__} in " in shown
    assert "fine  numpy " in shown
    assert "fine  a small clustering  heard its link" in shown
    assert "BAD" not in shown


def test_json_holds_every_finding(run):
    found = {one["what"]: one for one in json.loads(run("doctor", "--json").stdout)}
    assert found["scikit-learn"]["fine"] is True
    assert {f"[{name}]" for name in doctor.EXTRAS} < set(found)


def test_an_extra_that_is_missing_is_no_illness(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert '[plot]              not installed: pip install "linkwise[plot]"' in run("doctor").stdout


def test_what_every_installation_needs_is_an_illness(run, monkeypatch):
    monkeypatch.setattr(doctor, "required_names", lambda: ["numpy", "nowhere-to-be-found"])
    shown = run("doctor", code=1).stdout
    assert "BAD   nowhere-to-be-found  missing: pip install nowhere-to-be-found" in shown


def test_a_clustering_that_breaks_is_an_illness(run, monkeypatch):
    def broken(*args, **options):  # noqa: ARG001
        raise RuntimeError("cannot cache function")

    monkeypatch.setattr(lw.PCKMeans, "fit_predict", broken)
    shown = run("doctor", code=1).stdout
    assert "BAD   a small clustering  RuntimeError: cannot cache function" in shown
