"""What the package says of itself is said once, and true."""

import json
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import linkwise as lw
from linkwise.cli import doctor

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
REQUIRED = {line.split(">=")[0] for line in PROJECT["project"]["dependencies"]}
EXTRAS = PROJECT["project"]["optional-dependencies"]

#: Packages that cannot be imported from here on.
NO_EXTRAS = """
import sys

class NoExtras:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, NoExtras())
"""

#: Imports all public names.
BARE = """
import linkwise as lw
from linkwise.cli import doctor
print(len([getattr(lw, name) for name in lw.__all__]))
from click.testing import CliRunner
from linkwise.cli import main
assert CliRunner().invoke(main, ["--help"]).exit_code == 0
"""

#: The shortest demo.
DEMO = """
from linkwise.cli import main
main(["demo", "--answers", "1", "--quiet"])
"""
ABSENT = (
    "PIL", "anywidget", "cupy", "fastapi", "h11", "httpx", "ipywidgets", "matplotlib", "model2vec",
    "openpyxl", "pandas", "polars", "psycopg", "pydantic", "ray", "skrub", "torch", "uvicorn",
)  # fmt: skip


def test_the_version_is_said_in_one_place():
    assert "version" not in PROJECT["project"]
    page = json.loads((ROOT / "web" / "package.json").read_text(encoding="utf-8"))
    assert "version" not in page
    assert f'__version__ = "{lw.__version__}"' in Path(lw.__file__).read_text(encoding="utf-8")


def test_everything_public_imports_with_the_required_packages_only():
    code = NO_EXTRAS.format(absent=set(ABSENT)) + BARE
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(lw.__all__)


def test_every_requirement_says_from_which_version_on():
    lines = [
        *PROJECT["project"]["dependencies"],
        *(line for extra in EXTRAS.values() for line in extra),
    ]
    assert [line for line in lines if ">=" not in line and not line.startswith("linkwise[")] == []


def test_development_tools_are_no_extras():
    assert not {"dev", "docs", "lint", "test", "web"} & set(EXTRAS)
    assert {"dev", "lint", "test", "web"} <= set(PROJECT["dependency-groups"])


@pytest.mark.parametrize(
    "extra",
    ["all", "cluster", "files", "gpu", "notebook", "plot", "postgres", "studio", "tables"],
)
def test_the_extra_of_a_user_exists(extra):
    assert extra in EXTRAS


def test_the_demo_installs_what_is_required_and_plots_but_nothing_that_reads_files():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    needs = next(line for line in makefile.splitlines() if line.startswith("NEEDS_demo"))
    assert needs.split(":=")[1].strip() == "--no-compile --group demo"
    required = {*PROJECT["project"]["dependencies"], *EXTRAS["plot"]}
    left_out = required - set(PROJECT["dependency-groups"]["demo"])
    assert {line.split(">=")[0] for line in left_out} == {"pyarrow", "narwhals", "filelock"}
    assert set(PROJECT["dependency-groups"]["demo"]) <= required


def test_the_demo_needs_no_more_than_it_installs(tmp_path):
    absent = {*ABSENT, "pyarrow", "filelock"} - {"PIL", "matplotlib"}
    code = NO_EXTRAS.format(absent=absent) + DEMO
    call = [sys.executable, "-c", code]
    done = subprocess.run(call, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "answers.csv", "digits.csv", "digits.png"
    ]  # fmt: skip


def closure(names):
    """Return what packages need, and what these need."""
    found, wanted = set(), list(names)
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.add(name)
            needs = map(Requirement, distribution(name).requires or ())
            met = (need for need in needs if need.marker is None or need.marker.evaluate())
            wanted += [need.name for need in met]
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="The demo's size is promised for Linux.")
def test_what_the_demo_installs_takes_less_than_500_megabytes_on_the_disk():
    names = (Requirement(line).name for line in PROJECT["dependency-groups"]["demo"])
    files = {
        path.locate()
        for name in closure(["pip", *names])
        for path in distribution(name).files
        if path.suffix != ".pyc" and "tests" not in path.parts
    }
    blocks = sum(-(-path.stat().st_size // 4096) for path in files if path.exists())
    folders = len({folder for path in files for folder in path.parents})
    assert 4096 * (blocks + folders) < 500e6


@pytest.mark.skipif(shutil.which("make") is None, reason="The commands of a checkout need make.")
def test_the_tests_of_packages_go_only_where_nothing_but_the_demo_is(tmp_path):
    def steps(*stamps):
        (tmp_path / "bin").mkdir(exist_ok=True)
        for name in ("bin/python", *stamps):
            (tmp_path / name).touch()
        call = ["make", "--dry-run", f"VENV={tmp_path}", f"{tmp_path}/.ready-demo"]
        return subprocess.run(call, capture_output=True, text=True, check=True, cwd=ROOT).stdout

    assert "-name tests -prune -exec rm" in steps()
    assert "--group demo" in steps(".ready-dev")
    assert "rm" not in steps(".ready-dev").split()


def test_the_command_line_is_also_a_module():
    call = [sys.executable, "-m", "linkwise", "--version"]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert done.stdout == f"linkwise, version {lw.__version__}\n"


def test_the_doctor_advises_extras_that_exist():
    assert set(doctor.EXTRAS) <= set(EXTRAS)
