"""Put the studio's page into the wheel.

The page is written in TypeScript and has to be built; `web/build.py` does it. A wheel built where
there is no Node fetches one from PyPI for the build alone. An editable install builds nothing:
`make studio` and `make test` do that when it is needed.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StudioBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the page before the wheel is packed."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node as a Python package, where the machine has none."""
        builder = self._builder()
        if builder is None or builder.is_fresh() or builder.find_node() is not None:
            return []
        return [builder.NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page and have it packed although git ignores it."""
        if self.target_name != "wheel" or version == "editable":
            return
        builder = self._builder()
        if builder is not None and not builder.is_fresh():
            builder.build()
        build_data["artifacts"].append("src/linkwise/server/studio/**")

    def _builder(self) -> ModuleType | None:
        path = Path(self.root) / "web" / "build.py"
        if not path.exists():
            return None
        spec = importlib.util.spec_from_file_location("linkwise_studio_build", path)
        if spec is None or spec.loader is None:
            return None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
