"""The front door: what the README shows runs, and what it lists exists."""

import doctest
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import make_blobs

import linkwise as lw
from linkwise.cli import main
from linkwise.cli.session_commands import ask
from linkwise.cluster.base import ConstrainedClusterer

ROOT = Path(__file__).parents[1]
PAGES = [str(p.relative_to(ROOT)) for p in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]]


def table_rows():
    """Return (estimator, what it reads) of every row of the table of estimators."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(\w+)` \| (\w+) \|", text, flags=re.MULTILINE)


def test_the_ten_lines_run():
    outcome = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert outcome.attempted >= 8
    assert outcome.failed == 0


def printed_commands():
    """Return what the README tells people to type, in order."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [shlex.split(line, comments=True)[1:] for line in lines]


def test_the_shell_finds_linkwise_where_the_readme_calls_it():
    said = [" ".join(words) for words in printed_commands()]
    first = next(k for k, words in enumerate(said) if words.startswith("linkwise "))
    assert said.index("make install") < said.index("source .venv/bin/activate") < first


def test_the_commands_run_as_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys = iter("sdq")
    monkeypatch.setattr(ask.click, "getchar", lambda: next(keys))
    ran = [words[1:] for words in printed_commands() if words[0] == "linkwise"]
    for words in ran:
        outcome = CliRunner().invoke(main, words)
        assert outcome.exit_code == 0, (words, outcome.output)
    assert [words[0] for words in ran] == ["example", "cluster", "check", "session", "session"]
    assert list(keys) == []


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
    """Those that read nothing are those that labels do not move."""
    X, y = make_blobs(60, n_features=4, centers=3, cluster_std=5.0, random_state=3)
    known = np.where(np.arange(60) < 30, y, -1)
    cls = getattr(lw, name)
    told, not_told = (cls(3, random_state=0).fit(X, constraints=c).labels_ for c in (known, None))
    assert reads == ("nothing" if (told == not_told).all() else cls._reads)


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    missing = [target for target in targets if not ((ROOT / page).parent / target).exists()]
    assert missing == []


def test_the_picture_is_small_enough_for_a_repository():
    assert (ROOT / "docs" / "images" / "digits.png").stat().st_size < 200_000
