"""What a release is made of: news, the README elsewhere, the files that strangers look for."""

import importlib.util
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
import tomllib
import types
from pathlib import Path

import pytest
from click.testing import CliRunner

import linkwise as lw
from linkwise.cli import main

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = set(PROJECT["project"]["optional-dependencies"])
GROUPS = set(PROJECT["dependency-groups"])
CONTAINER = (ROOT / "Containerfile").read_text(encoding="utf-8").replace("\\\n", "")
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


def test_every_paragraph_of_news_becomes_an_item_under_its_heading(news, tmp_path):
    (tmp_path / "a.md").write_text("Sooner, see [x](../docs/x.md).\n\n**Changed.** No more `y`.\n")
    (tmp_path / "b.md").write_text("**A new thing.** One line\nand another.\n")
    (tmp_path / "c.md").write_text("**Fixed.** It ended in a traceback.\n")
    (tmp_path / "README.md").write_text("no news")
    assert news.collected(tmp_path) == (
        "### Changed\n\n- No more `y`.\n\n"
        "### New\n\n- **A new thing.** One line\n  and another.\n\n"
        "### Better\n\n- Sooner, see [x](docs/x.md).\n\n"
        "### Fixed\n\n- It ended in a traceback."
    )


def test_what_is_changed_deprecated_or_fixed_begins_a_paragraph(news):
    """Or it would stand under another heading."""
    inside = re.compile(r"\S\s+\*\*(Changed|Deprecated|Fixed)\.\*\*")
    hidden = [
        path.name
        for path in news.files(ROOT / "changes")
        for paragraph in path.read_text(encoding="utf-8").split("\n\n")
        if inside.search(paragraph)
    ]
    assert hidden == []


def test_links_of_the_news_lead_from_the_changelog_to_pages_that_are_there(news):
    targets = re.findall(r"\]\(([^)#]+)", news.collected(ROOT / "changes"))
    assert [to for to in targets if "://" not in to and not (ROOT / to).exists()] == []


def test_links_of_the_news_lead_somewhere_where_they_are_written(news):
    broken = [
        f"{path.name}: {target}"
        for path in news.files(ROOT / "changes")
        for target in re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8"))
        if "://" not in target and not (path.parent / target).exists()
    ]
    assert broken == []


def test_news_go_under_the_version_that_waits_for_them(news):
    text = news.released(CHANGELOG, "0.1.0", "2027-01-31", "### New\n\n- New item.")
    assert text == (
        "# Changes\n\n## 0.1.0 (2027-01-31)\n\nThe ground.\n\n- Old item.\n\n"
        "### New\n\n- New item.\n"
    )


def test_a_new_version_stands_before_the_older_ones(news):
    old = CHANGELOG.replace("not released yet", "2027-01-31")
    text = news.released(old, "0.2.0", "2027-03-01", "### New\n\n- New item.\n- Another.")
    assert text == old.replace(
        "## 0.1.0", "## 0.2.0 (2027-03-01)\n\n### New\n\n- New item.\n- Another.\n\n## 0.1.0"
    )


def test_nothing_is_published_that_the_changelog_does_not_tell_of(news, tmp_path):
    pytest.importorskip("yaml")
    (check,) = [command for command in commands("release.yml") if "CHANGELOG" in command]
    for text, passes in (
        (CHANGELOG, False),
        (news.released(CHANGELOG, "0.1.0", "2027-01-31", "### New\n\n- New item."), True),
    ):
        (tmp_path / "CHANGELOG.md").write_text(text)
        run = ["bash", "-c", check]
        tag = {**os.environ, "GITHUB_REF_NAME": "v0.1.0"}
        assert healthy(run, cwd=tmp_path, env=tag) == passes


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


def test_every_container_that_is_built_keeps_its_health_check():
    told = [ROOT / "Containerfile", ROOT / "docs" / "install.md", ROOT / ".github/workflows/ci.yml"]
    for path in told:
        builds = re.findall(r"podman build .*", path.read_text(encoding="utf-8"))
        assert builds, path
        for build in builds:  # podman's own format has none
            assert "--format docker" in build


def told(word):
    """Return what each line of the Containerfile that begins with a word says."""
    return [line[len(word) + 1 :] for line in CONTAINER.splitlines() if line.startswith(f"{word} ")]


def extras_in(text):
    return {name for part in re.findall(r"\[([a-z,]+)\]", text) for name in part.split(",")}


def test_the_container_copies_and_installs_what_there_is():
    for copied in told("COPY"):
        *sources, _ = [word for word in copied.split() if not word.startswith("--")]
        assert all((ROOT / path).exists() for path in sources if not path.startswith("/"))
    wanted = extras_in(next(line for line in told("RUN") if "pip install" in line))
    assert {"studio"} <= wanted <= EXTRAS


def test_what_is_large_and_not_wanted_stays_outside_the_container():
    left_out = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv", ".venvs", "out", "dist", "**/node_modules"} <= set(left_out)
    wanted = {"src", "web", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE"}
    assert not wanted & set(left_out)


def test_options_behind_the_name_of_the_image_are_added_to_its_own():
    assert told("CMD") == []  # they would replace it
    assert "--plain-http" in json.loads(told("ENTRYPOINT")[0])


def test_the_command_of_the_container_is_understood():
    words = json.loads(told("ENTRYPOINT")[0])
    assert words[0] == "linkwise"
    assert CliRunner().invoke(main, [*words[1:], "--help"]).exit_code == 0
    options = {word for word in words if word.startswith("--")}
    help_text = CliRunner().invoke(main, ["serve", "--help"]).output
    assert [option for option in options if option not in help_text] == []


def test_the_health_check_of_the_container_finds_its_service(tmp_path):
    pytest.importorskip("fastapi")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    words = json.loads(told("ENTRYPOINT")[0])[1:]
    words = [word.replace("/sessions", str(tmp_path)) for word in words]
    check = json.loads(told("HEALTHCHECK")[0].partition("CMD ")[2])[1:]
    check = [word.replace("8321", port) for word in check]
    run = [sys.executable, "-c", "from linkwise.cli import main; main()"]
    service = subprocess.Popen([*run, *words, "--port", port], stderr=subprocess.PIPE, text=True)
    try:
        assert not healthy([sys.executable, *check[:-1], check[-1].replace(port, "1")])
        deadline = time.monotonic() + 120
        while not healthy([sys.executable, *check]):
            assert service.poll() is None, service.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.5)
    finally:
        service.kill()
        service.communicate()
    assert (tmp_path / "token.txt").stat().st_mode & 0o077 == 0


def healthy(command, **settings):
    return subprocess.run(command, capture_output=True, check=False, **settings).returncode == 0


def commands(name):
    """Return the commands that a workflow runs."""
    yaml = pytest.importorskip("yaml")
    text = (ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    return [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("name", ["ci.yml", "release.yml"])
def test_the_workflow_calls_what_there_is(name):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    found = [*commands(name), *(ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[3:]]
    for command in found:
        words = shlex.split(command)
        if words[0] == "make":
            assert {word for word in words[1:] if "=" not in word} <= targets
        for path in (word for word in words if re.fullmatch(r"\.?[a-z]+/[\w./-]+", word)):
            assert path.startswith(".venv") or (ROOT / path).exists(), path
        assert extras_in(command) <= EXTRAS
        assert set(re.findall(r"--group (\w+)", command)) <= GROUPS
    if os.name != "nt":
        assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_what_the_workflows_of_the_matrix_try_is_what_the_tools_try():
    yaml = pytest.importorskip("yaml")
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    tried = yaml.safe_load(text)["jobs"]["matrix"]["strategy"]["matrix"]["python"]
    listed = (ROOT / "tools" / "environments.py").read_text(encoding="utf-8")
    assert tuple(tried) == tuple(re.findall(r'"(3\.\d+)"', listed))


def test_every_link_of_the_readme_leads_to_a_file_that_is_there(hook):
    text = hook.elsewhere((ROOT / "README.md").read_text(encoding="utf-8"))
    targets = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
    assert len(targets) > 5
    for target in targets:
        assert target.startswith("https://"), target
        for home in (hook.PAGES, hook.PICTURES):
            if target.startswith(home):
                assert (ROOT / target[len(home) :].partition("#")[0]).exists(), target
    assert PROJECT["project"]["urls"]["Homepage"] + "/blob/main/" == hook.PAGES
