"""Put the studio's page into what is packed, and links that work elsewhere into the README.

The page is written in TypeScript and has to be built; `web/build.py` does it. Where there is no
Node, one is fetched from PyPI for the build alone. A source distribution carries the page beside
its sources, so that installing from it builds nothing. An editable install builds nothing either:
`make studio` and `make test` do that when it is needed.

The README links to files beside it. Where the package is listed there are none, so its links and
pictures become addresses.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PAGES = "https://github.com/linkwise/linkwise/blob/main/"
PICTURES = "https://raw.githubusercontent.com/linkwise/linkwise/main/"


class StudioBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the page before anything is packed."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node as a Python package, where the page has to be built and the machine has none."""
        builder = self._builder()
        if self._is_built(builder) or builder.find_node() is not None:
            return []
        return [builder.NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page and have it packed although git ignores it."""
        if version == "editable":
            return
        builder = self._builder()
        if not self._is_built(builder):
            builder.build()
        build_data["artifacts"].append("src/linkwise/server/studio/**")
        build_data["artifacts"].append("src/linkwise/notebook/page/**")

    def _is_built(self, builder: ModuleType) -> bool:
        """Whether the page is there: packed with the sources, or younger than they are."""
        from_archive = (Path(self.root) / "PKG-INFO").exists()
        return builder.is_built() if from_archive else builder.is_fresh()

    def _builder(self) -> ModuleType:
        path = Path(self.root) / "web" / "build.py"
        spec = importlib.util.spec_from_file_location("linkwise_studio_build", path)
        if spec is None or spec.loader is None:
            raise FileNotFoundError(f"{path} is missing: it builds the studio's page.")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


class ReadmeHook(MetadataHookInterface):
    """Gives the README addresses in place of files beside it."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the README."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": elsewhere(text)}


def elsewhere(text: str) -> str:
    """Return Markdown that can be read where its files are not: all links are addresses."""
    text = re.sub(r"(!\[[^\]]*\]\()(?!https?:)([^)]+)\)", rf"\1{PICTURES}\2)", text)
    return re.sub(r"(?<!!)(\[[^\]]*\]\()(?!https?:|#)([^)]+)\)", rf"\1{PAGES}\2)", text)
