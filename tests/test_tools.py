"""The tools beside the sources: a browser for tests, environments of their own, the last line."""

import importlib.util
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.mark.parametrize(
    ("there", "installs", "wanted"),
    [
        ({"chromium"}, False, []),
        ({"apt-get"}, True, ["system-packages"]),
        ({"apt-get"}, False, ["system-packages", "chromium"]),
        (set(), False, ["chromium"]),
    ],
    ids=["there", "root on Debian", "a user on Debian", "elsewhere"],
)
def test_a_browser_is_fetched_where_there_is_none(monkeypatch, there, installs, wanted):
    browser, called, there = tool("browser"), [], set(there)

    def run(command, **_):
        called.append(command)
        there.update({"chromium"} if installs else ())

    monkeypatch.setattr(browser.shutil, "which", lambda name: name if name in there else None)
    monkeypatch.setattr(browser.subprocess, "run", run)
    browser.main()
    assert [Path(words[-1]).name for words in called] == wanted
    assert all(Path(words[-1]).exists() for words in called if words[0] == "bash")


@pytest.fixture
def environments(monkeypatch):
    """The tool, with a stand-in for uv's finder of its program."""
    monkeypatch.setitem(sys.modules, "uv", types.SimpleNamespace(find_uv_bin=lambda: "uv"))
    return tool("environments")


def test_every_change_is_tried_with_the_oldest_versions_and_every_python():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(r"^\S*python tools/environments.py lowest matrix --short$", script, re.M)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target, word in (("test-lowest", "lowest"), ("test-matrix", "matrix")):
        recipe = makefile.partition(f"\n{target}:")[2].partition("\n\n")[0]
        assert recipe.splitlines()[1] == f"\t$(BIN)/python tools/environments.py {word}"


def test_an_environment_has_the_versions_it_is_named_after(environments, monkeypatch, capsys):
    calls, broken = [], "python-3.13"

    def run(command, **_):
        calls.append([str(word) for word in command])
        return types.SimpleNamespace(returncode=int(broken in calls[-1][0]))

    monkeypatch.setattr(environments.subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["environments.py", "lowest", "matrix"])
    with pytest.raises(SystemExit) as ended:
        environments.main()
    assert ended.value.code == 1
    assert capsys.readouterr().out == (
        "oldest versions: passed. Python 3.11: passed. Python 3.12: passed. Python 3.13: failed. "
        "Python 3.14: passed.\n"
    )
    made = [words[words.index("--python") + 1] for words in calls if words[1] == "venv"]
    assert made == ["3.11", *environments.PYTHONS]
    lowest = ["--resolution=lowest-direct" in words for words in calls if words[1] == "pip"]
    assert lowest == [True, False, False, False, False]


def test_a_python_that_cannot_be_had_is_said(environments, monkeypatch, capsys):
    def run(command, **_):
        wanted = command[command.index("--python") + 1] if "--python" in command else ""
        return types.SimpleNamespace(returncode=int(wanted == "3.14"))

    monkeypatch.setattr(environments.subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["environments.py", "matrix"])
    environments.main()
    assert "Python 3.14: skipped, as it is neither here nor can be" in capsys.readouterr().out


def test_what_is_run_in_short_is_there(environments):
    assert [path for path in environments.SHORT if not (ROOT / path).exists()] == []


def test_the_last_line_says_what_was_skipped_and_how_to_get_it(tmp_path):
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text("utf-8"))
    for name, reason in (("a", "Maps need paper: buy some"), ("b", "not on this planet")):
        (tmp_path / f"test_{name}.py").write_text(
            f"import pytest\n@pytest.mark.parametrize('n', [1, 2])\n"
            f"def test_it(n):\n    pytest.skip({reason!r})\n"
        )

    def last_line(*files):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        return done.stdout.splitlines()[-1]

    assert last_line() == "Skipped. Maps need paper: buy some (2 tests)"
    assert last_line("test_b.py") == "Nothing was skipped that could be had."
    (tmp_path / "test_c.py").write_text(
        "import sys\nimport pytest\ndef test_it(monkeypatch):\n"
        "    monkeypatch.setitem(sys.modules, 'skimage', None)\n"
        "    pytest.importorskip('skimage.feature')\n"
    )
    assert last_line("test_c.py") == (
        "Skipped. skimage is missing: pip install scikit-image (1 test)"
    )


def test_what_is_skipped_for_want_of_the_page_says_how_to_build_it():
    told = [
        (path.name, reason)
        for path in (ROOT / "tests").rglob("*.py")
        for reason in re.findall(r'"([^"\n]*python web/build\.py[^"\n]*)"', path.read_text("utf-8"))
        if path != Path(__file__)
    ]
    assert len(told) >= 4
    assert [where for where in told if ": python web/build.py" not in where[1]] == []
