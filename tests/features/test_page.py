"""The page on features: what it shows runs, as it stands there."""

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "features.md"


def test_the_page_runs():
    pytest.importorskip("skrub")
    outcome = doctest.testfile(str(PAGE), module_relative=False)
    assert outcome.attempted >= 20
    assert outcome.failed == 0
