"""Limits: one table, which the guide shows as it is."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from linkwise.errors import InvalidInput
from linkwise.server.limits import Limits

GUIDE = Path(__file__).parents[2] / "docs" / "service.md"


def test_the_guide_lists_every_limit_with_its_default():
    section = GUIDE.read_text("utf-8").partition("\n## Limits\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)` \| ([\d,]+[GM]?) \| (.+) \|$", section, re.MULTILINE)
    assert [name for name, *_ in listed] == [one.name for one in fields(Limits)]
    for (name, default, about), one in zip(listed, fields(Limits), strict=True):
        assert Limits.of([f"{name}={default.replace(',', '')}"]) == Limits(), name
        assert about == one.metadata["about"]


def test_limits_are_set_by_name():
    assert Limits.of(["upload=3M", "rows=7"]) == Limits(upload=3 * 2**20, rows=7)


@pytest.mark.parametrize("wrong", ["upload", "upload=", "upload=0", "upload=-1", "x=1", "rows=1T"])
def test_what_is_no_limit_is_refused(wrong):
    with pytest.raises(InvalidInput, match="is no limit: expected NAME=NUMBER"):
        Limits.of([wrong])
