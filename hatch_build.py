"""Put the studio's page into the wheel and into the source distribution.

The page is written in TypeScript and has to be built; `web/build.py` does it. Where there is no
Node, one is fetched from PyPI for the build alone. A source distribution carries the page beside
its sources, so that installing from it builds nothing. An editable install builds nothing either:
`make studio` and `make test` do that when it is needed.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


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

    def _is_built(self, builder: ModuleType) -> bool:
        """Whether the page is there: packed with the sources, or younger than they are."""
        from_archive = (Path(self.root) / "PKG-INFO").exists()
        return builder.PAGE.exists() if from_archive else builder.is_fresh()

    def _builder(self) -> ModuleType:
        path = Path(self.root) / "web" / "build.py"
        spec = importlib.util.spec_from_file_location("linkwise_studio_build", path)
        if spec is None or spec.loader is None:
            raise FileNotFoundError(f"{path} is missing: it builds the studio's page.")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
