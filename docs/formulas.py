"""Formulas as MathML, which browsers draw by themselves: a page needs no script and no network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.errors import ExtensionError

#: What a page would load from another host.
_LOADED = re.compile(
    r'<(?:script|img)[^>]*\ssrc="(https?:[^"]+)"|<link[^>]*\shref="(https?:[^"]+)"'
)


def to_mathml(latex: str, *, block: bool) -> str:
    r"""Return a formula as MathML; lines that end with \\ stand below each other."""
    if r"\\" in latex and r"\begin" not in latex:
        latex = rf"\begin{{aligned}}{latex}\end{{aligned}}"
    latex = re.sub(r"\\arg(?![a-z])", r"\\operatorname{arg}", latex)
    found = convert(latex.strip(), display="block" if block else "inline")
    if unknown := re.search(r">\s*(\\\w+)", found):
        raise ExtensionError(f"{unknown[1]} in {latex!r} is not known to latex2mathml.")
    return found.replace("<mi>&#x0007E;</mi>", "<mo>&#x0223C;</mo>")  # \sim stands between two


def _inline(page: Any, node: nodes.math) -> None:
    page.body.append(to_mathml(node.astext(), block=False))
    raise nodes.SkipNode


def _block(page: Any, node: nodes.math_block) -> None:
    page.body.append(f'<div class="formula">{to_mathml(node.astext(), block=True)}</div>\n')
    raise nodes.SkipNode


def _check_hosts(app: Any, failure: Exception | None) -> None:
    """Refuse a site that loads anything from another host: it would not work offline."""
    if failure is not None or app.builder.format != "html":
        return
    for page in sorted(Path(app.outdir).rglob("*.html")):
        found = _LOADED.findall(page.read_text(encoding="utf-8"))
        if loaded := [script or sheet for script, sheet in found]:
            raise ExtensionError(f"{page.relative_to(app.outdir)} loads {', '.join(loaded)}.")


def setup(app: Any) -> dict[str, bool]:
    """Have formulas drawn so."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("build-finished", _check_hosts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
