"""``linkwise doctor``: what is installed here, and whether it works."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

import click

import linkwise
from linkwise.cli.options import json_option

#: One module of each extra, by which it is known to be there.
EXTRAS = {
    "plot": "matplotlib",
    "notebook": "anywidget",
    "tables": "skrub",
    "studio": "fastapi",
    "client": "httpx",
    "postgres": "psycopg",
    "texts": "model2vec",
    "embeddings": "sentence_transformers",
    "gpu": "cupy",
    "cluster": "ray",
}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; ``fine`` is None where nothing can be wrong."""

    what: str
    said: str
    fine: bool | None = None


@click.command("doctor")
@json_option
def command(as_json: bool) -> None:
    """Say what is installed here and whether it works.

    Lists versions and extras, clusters four rows, and exits with code 1 if something that every
    installation needs is missing or broken. Put what it prints into a report of a bug.

    \b
    Examples:
      linkwise doctor
      linkwise doctor --json
    """
    findings = examine()
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings]))
    else:
        width = max(len(finding.what) for finding in findings)
        for finding in findings:
            mark = {True: "fine", False: "BAD ", None: "    "}[finding.fine]
            click.echo(f"{mark}  {finding.what:<{width}}  {finding.said}")
    if any(finding.fine is False for finding in findings):
        raise SystemExit(1)


def examine() -> list[Finding]:
    """Look at everything; the first lines say where we are."""
    python = f"Python {sys.version.split()[0]}, {platform.platform()}, {os.cpu_count()} cores"
    return [
        Finding("linkwise", f"{linkwise.__version__} in {Path(linkwise.__file__).parent}"),
        Finding("running on", python),
        *(_required(name) for name in required_names()),
        *(_extra(name, module) for name, module in EXTRAS.items()),
        _page(),
        _fit(),
    ]


def required_names() -> list[str]:
    """Return the packages that every installation needs."""
    lines = [line for line in requires("linkwise") or [] if "extra ==" not in line]
    return sorted(line.partition(">=")[0].strip() for line in lines)


def _required(name: str) -> Finding:
    try:
        return Finding(name, version(name), fine=True)
    except PackageNotFoundError:
        return Finding(name, f"missing: pip install {name}", fine=False)


def _extra(name: str, module: str) -> Finding:
    there = find_spec(module) is not None
    said = "installed" if there else f'not installed: pip install "linkwise[{name}]"'
    return Finding(f"[{name}]", said)


def _page() -> Finding:
    package = Path(linkwise.__file__).parent
    pages = (package / "server" / "studio" / "index.html", package / "notebook/page/widget.js")
    built = all(page.exists() for page in pages)
    return Finding("the studio's page", "built" if built else "not built: make page")


def _fit() -> Finding:
    """Cluster four rows so that a link decides, which runs compiled code."""
    links = linkwise.Links(4, must=[(1, 2)])
    try:
        model = linkwise.PCKMeans(2, weight=100, random_state=0)
        labels = model.fit_predict([[0.0], [1.0], [5.0], [6.0]], constraints=links)
    except Exception as error:  # whatever it is, it is what the doctor was called for
        return Finding("a small clustering", f"{type(error).__name__}: {error}", fine=False)
    heard = bool(links.satisfied(labels).all())
    return Finding("a small clustering", "heard its link" if heard else "went wrong", fine=heard)
