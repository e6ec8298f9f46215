"""linkwise bench: settings go in, a page comes out."""

import json
import sys
from types import ModuleType

import pytest

from linkwise.bench import KEEPING, PAPERS


@pytest.fixture
def asked(monkeypatch):
    """Replace a paper's experiments by a note of the settings they were given."""
    seen = []

    def run(settings):
        seen.append(settings)
        settings.say("one draw is done")
        return "the page"

    module = ModuleType("run")
    module.run = run
    for key in ("partition", "spectral"):
        monkeypatch.setitem(sys.modules, f"linkwise.bench.papers.{key}.run", module)
    return seen


def test_the_page_is_printed_and_progress_goes_to_stderr(run, asked):
    result = run("bench", "partition")
    assert result.stdout.startswith(f"# {PAPERS['partition']}\n")
    assert result.stdout.rstrip().endswith("the page")
    assert result.stderr == "one draw is done\n"
    assert (asked[0].draws, asked[0].sets, asked[0].seed) == (None, None, 0)


def test_settings_reach_the_experiments(run, asked):
    run("bench", "partition", "--draws", 3, "--sets", "iris,wine", "--seed", 7)
    assert (asked[0].draws, asked[0].sets, asked[0].seed) == (3, ("iris", "wine"), 7)


def test_the_page_goes_to_a_file(run, asked, tmp_path):  # noqa: ARG001
    result = run("bench", "partition", "--quiet", "-o", "page.md")
    assert result.stdout == "The page is in page.md.\n"
    assert result.stderr == ""
    assert (tmp_path / "page.md").read_text(encoding="utf-8").endswith("the page\n")


def test_figures_are_kept_in_a_file_and_the_page_says_who_computed_them(run, asked, tmp_path):
    line = {"commit": "1a6dfb8061", "of": ["coil100", 360, 0], "figure": 0.5}
    (tmp_path / "kept.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    result = run("bench", "spectral", "--keep", "kept.jsonl")
    assert asked[0].kept.figure(("coil100", 360, 0), lambda: 0.7) == 0.5
    assert " cores. Commit 1a6dfb8061.\n" in result.stdout


def test_a_file_of_figures_in_a_missing_folder_is_refused_before_any_work(refused, asked):
    assert refused("bench", "spectral", "--keep", "there/kept.jsonl") == (
        "there/kept.jsonl: there is no folder there. Make it first."
    )
    assert asked == []


@pytest.mark.parametrize("key", PAPERS)
def test_keeping_is_offered_where_figures_are_kept(run, key):
    assert ("--keep FILE" in run("bench", key, "--help").stdout) == (key in KEEPING)


@pytest.mark.parametrize("key", PAPERS)
def test_help_lists_every_paper(run, key):
    assert PAPERS[key] in run("bench", "--help").stdout


def test_an_unknown_paper_is_a_wrong_call(misused):
    assert misused("bench", "newton") == "Error: No such command 'newton'."


def test_a_missing_folder_is_refused_before_any_work(refused, asked):
    assert refused("bench", "partition", "-o", "there/page.md") == (
        "there/page.md: there is no folder there. Make it first."
    )
    assert asked == []


def test_no_draws_are_a_wrong_call(misused):
    assert misused("bench", "partition", "--draws", 0) == (
        "Error: Invalid value for '--draws': 0 is not in the range x>=1."
    )
