"""What a release is made of: news, the README elsewhere, the files that strangers look for."""

import importlib.util
import re
import sys
import types
from pathlib import Path

import pytest

import linkwise as lw

ROOT = Path(__file__).parent.parent
CHANGELOG = "# Changes\n\n## 0.1.0 (not released yet)\n\nThe ground.\n\n- Old item.\n"


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture
def news():
    return module(ROOT / "tools" / "news.py")


@pytest.fixture
def hook(monkeypatch):
    """The build's hook, with stand-ins for what it is derived from."""
    for name, base in (
        ("hatchling.builders.hooks.plugin.interface", "BuildHookInterface"),
        ("hatchling.metadata.plugin.interface", "MetadataHookInterface"),
    ):
        stand_in = types.ModuleType(name)
        setattr(stand_in, base, object)
        monkeypatch.setitem(sys.modules, name, stand_in)
    return module(ROOT / "hatch_build.py")


def test_a_file_of_news_becomes_an_item(news, tmp_path):
    (tmp_path / "b.md").write_text("**Faster.** One line\nand another.\n")
    (tmp_path / "a.md").write_text("First.\n")
    (tmp_path / "README.md").write_text("no news")
    found = list(news.items(tmp_path).values())
    assert found == ["- First.", "- **Faster.** One line\n  and another."]


def test_news_go_under_the_version_that_waits_for_them(news):
    text = news.released(CHANGELOG, "0.1.0", "2027-01-31", ["- New item."])
    assert text == (
        "# Changes\n\n## 0.1.0 (2027-01-31)\n\nThe ground.\n\n- Old item.\n- New item.\n"
    )


def test_a_new_version_stands_before_the_older_ones(news):
    old = CHANGELOG.replace("not released yet", "2027-01-31")
    text = news.released(old, "0.2.0", "2027-03-01", ["- New item.", "- Another."])
    assert text == old.replace(
        "## 0.1.0", "## 0.2.0 (2027-03-01)\n\n- New item.\n- Another.\n\n## 0.1.0"
    )


def test_the_version_is_read_from_the_one_place(news):
    assert news.version() == lw.__version__


def test_links_and_pictures_of_the_readme_work_elsewhere(hook):
    text = "![p](docs/a.png) [q](docs/b.md#c) [r](https://x.y/z) [s](#t)"
    pictures, pages = hook.PICTURES, hook.PAGES
    assert hook.elsewhere(text) == (
        f"![p]({pictures}docs/a.png) [q]({pages}docs/b.md#c) [r](https://x.y/z) [s](#t)"
    )
    whole = hook.elsewhere((ROOT / "README.md").read_text(encoding="utf-8"))
    assert all(target.startswith("http") for target in re.findall(r"\]\(([^)]+)\)", whole))


@pytest.mark.parametrize(
    "name",
    ["CITATION.cff", "CODE_OF_CONDUCT.md", "SECURITY.md", "LICENSE", "Containerfile"],
)
def test_the_file_that_strangers_look_for_is_there(name):
    assert (ROOT / name).read_text(encoding="utf-8").strip()


def test_the_container_is_run_by_a_plain_user_and_looked_after():
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    assert "USER linkwise" in lines
    assert any(line.startswith("HEALTHCHECK ") for line in lines)
