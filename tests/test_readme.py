"""The front door: what the README shows runs, and what it lists exists."""

import doctest
import re
from pathlib import Path

import pytest

import linkwise as lw
from linkwise.cluster.base import ConstrainedClusterer

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/command-line.md"]


def table_rows():
    """Return (estimator, what it reads) of every row of the table of estimators."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(\w+)` \| (\w+) \|", text, flags=re.MULTILINE)


def test_the_ten_lines_run():
    outcome = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert outcome.attempted >= 8
    assert outcome.failed == 0


def test_the_table_lists_exactly_the_exported_estimators():
    found = {name: getattr(lw, name) for name in lw.__all__}
    exported = {
        name
        for name, value in found.items()
        if isinstance(value, type) and issubclass(value, ConstrainedClusterer)
    }
    assert {name for name, _ in table_rows()} == exported


@pytest.mark.parametrize(("name", "reads"), table_rows())
def test_the_table_says_what_the_estimator_reads(name, reads):
    assert reads in (getattr(lw, name)._reads, "nothing")


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    missing = [target for target in targets if not ((ROOT / page).parent / target).exists()]
    assert missing == []


def test_the_picture_is_small_enough_for_a_repository():
    assert (ROOT / "docs" / "images" / "digits.png").stat().st_size < 200_000
