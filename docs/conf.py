"""How the documentation site is built: `make docs`. It needs no network."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from numpydoc.xref import DEFAULT_LINKS
from sphinx.errors import ConfigError
from sphinx.util.nodes import make_refnode

os.environ.setdefault("LINKWISE_DATA", "/nonexistent")  # bundled data only, on every machine
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
import linkwise

reference = (Path(__file__).parent / "api" / "index.rst").read_text(encoding="utf-8")
if forgotten := sorted(set(linkwise.HOME) - set(reference.split())):
    raise ConfigError(f"docs/api/index.rst lacks {', '.join(forgotten)}.")

project = "linkwise"
author = "The linkwise developers"
copyright = "The linkwise developers"
version = release = linkwise.__version__

extensions = [
    "formulas",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "**/GALLERY_HEADER.rst", "**/sg_execution_times.rst"]
templates_path = ["_templates"]
nitpicky = False
default_role = "code"

myst_enable_extensions = ["dollarmath", "deflist"]
myst_fence_as_directive = {"math"}
myst_heading_anchors = 4
myst_links_external_new_tab = False

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say it
autodoc_member_order = "groupwise"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
DEFAULT_LINKS.clear()  # which lead to other sites' pages
numpydoc_xref_param_type = True  # a type of a parameter leads to its page, where it has one
numpydoc_xref_ignore = "all"  # other words are words
numpydoc_xref_aliases = {
    name: f"{room.split()[0]}.{name}"
    for room in reference.split(".. currentmodule:: ")[1:]
    for name in re.findall(r"^   ([A-Z]\w+)$", room, re.MULTILINE)
}

html_theme = "pydata_sphinx_theme"
html_title = "linkwise"
html_show_sourcelink = False
html_theme_options = {
    "github_url": "https://github.com/linkwise/linkwise",
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_toc_level": 2,
}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 5,
    "write_computation_times": False,
    "reference_url": {"linkwise": None},
    "backreferences_dir": None,
}
warnings.filterwarnings("ignore", category=ResourceWarning)


def _lead_outside(app: Any, page: str, source: list[str]) -> None:
    """Let links to files of the repository that are no pages lead to where it is kept."""
    docs = Path(app.srcdir)

    def address(link: re.Match[str]) -> str:
        target = ((docs / page).parent / link[1]).resolve()
        if target.is_relative_to(docs) or not target.exists():
            return link[0]
        return f"](https://github.com/linkwise/linkwise/blob/main/{target.relative_to(docs.parent)}"

    source[0] = re.sub(r"\]\((\.\./[^)#:]+)", address, source[0])


def _end_blocks(_app: Any, page: nodes.document) -> None:
    """Drop the empty line that ends a block of examples for doctest's sake."""
    for block in page.findall(nodes.literal_block):
        if isinstance(block[0], nodes.Text):
            block.rawsource = block.astext().rstrip()  # Sphinx colours what is as it was written
            block[0] = nodes.Text(block.rawsource)


def _link_names(app: Any, page: nodes.document, name: str) -> None:
    """Let ``Links`` or ``lw.choose_k`` in a sentence lead to its page in the reference."""
    if name.startswith("coming-from/"):  # other packages have a COBRAS, too
        return
    known = app.env.get_domain("py").objects
    for literal in list(page.findall(nodes.literal)):
        said = re.fullmatch(r"(lw\.|linkwise\.)?([\w.]+)(\(\))?", literal.astext())
        if said is None or not (said[1] or said[2][0].isupper()):
            continue
        found = known.get(f"linkwise.{said[2]}")
        linked = any(isinstance(above, nodes.reference | nodes.title) for above in _above(literal))
        if found is None or linked or found.docname == name:
            continue
        target = make_refnode(app.builder, name, found.docname, found.node_id, literal.deepcopy())
        literal.replace_self(target)


def _above(node: nodes.Node) -> Iterator[nodes.Node]:
    while node.parent is not None:
        node = node.parent
        yield node


def setup(app: Any) -> None:
    """Have it done to every page."""
    app.connect("source-read", _lead_outside)
    app.connect("doctree-read", _end_blocks)
    app.connect("doctree-resolved", _link_names)
