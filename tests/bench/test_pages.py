"""The pages of docs/reproductions: each claim of each paper is one row, judged in a word."""

from pathlib import Path

import pytest

from linkwise.bench import PAPERS

PAGES = Path(__file__).parents[2] / "docs" / "reproductions"
VERDICTS = {"holds", "in part", "does not hold", "not run"}


@pytest.mark.parametrize("key", PAPERS)
def test_each_claim_has_a_figure_a_verdict_and_a_reason(key):
    page = (PAGES / f"{key}.md").read_text(encoding="utf-8")
    section = page.split("## The paper's claims\n")[1].split("\n## ")[0]
    header, _, *rows = [line for line in section.splitlines() if line.startswith("|")]
    assert header == "| claim | here | verdict | why |"
    assert len(rows) >= 7
    for row in rows:
        claim, here, verdict, why = (cell.strip() for cell in row.strip("|").split("|"))
        assert claim
        assert here
        assert verdict in VERDICTS
        assert why.endswith(".")
        assert (verdict == "not run") == (here in ("not run", "not kept"))
