"""What ``linkwise cluster`` tells about its result, to people and to programs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table as Grid

import linkwise as lw
from linkwise.cli.methods import method_names
from linkwise.tables import Table

_MOST_FEATURES = 8
_MOST_CLUSTERS = 30


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finished clustering and how it came about."""

    data: Path
    table: Table
    method: str
    seed: int
    standardised: bool
    model: Any
    knowledge: Any
    notes: list[str]
    seconds: float
    written: Path

    @cached_property
    def sizes(self) -> list[int]:
        """Rows in each cluster."""
        counts = np.bincount(self.model.labels_, minlength=self.model.n_clusters_)
        return [int(count) for count in counts]

    @cached_property
    def n_contradictions(self) -> int:
        """Cannot-links that a chain of must-links contradicts."""
        return len(self.knowledge.conflicts()) if isinstance(self.knowledge, lw.Links) else 0

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        report = self.model.report_
        return {
            "data": str(self.data),
            "rows": len(self.model.labels_),
            "features": self.table.features,
            "left_out": {name: str(why) for name, why in self.table.left_out.items()},
            "standardised": self.standardised,
            "method": self.method,
            "n_clusters": self.model.n_clusters_,
            "seed": self.seed,
            "sizes": self.sizes,
            "labels": {"given": report.n_named, "kept": report.named_kept},
            "links": {
                "must": {"given": report.n_must, "kept": report.must_kept},
                "cannot": {"given": report.n_cannot, "kept": report.cannot_kept},
                "withdrawn": report.withdrawn.n_links,
                "set_aside": report.set_aside,
            },
            "contradictions": self.n_contradictions,
            "agreement_without_knowledge": report.agreement,
            "notes": self.notes,
            "seconds": round(self.seconds, 3),
            "written": str(self.written),
        }

    def print(self) -> None:
        """Print a summary."""
        for line in (*self._about_data(), "", *self._about_method()):
            click.echo(line)
        self._print_sizes()
        for line in (*self._about_knowledge(), *(f"Note: {note}" for note in self.notes)):
            click.echo(line)
        click.echo(f"Took {self.seconds:.1f} s. Labels are in {self.written}.")

    def _about_data(self) -> list[str]:
        features = self.table.features
        listed = ", ".join(features[:_MOST_FEATURES])
        if len(features) > _MOST_FEATURES:
            listed += ", ..."
        lines = [f"{self.data.name}: {_count(len(self.model.labels_), 'row')}, "]
        lines[0] += f"{_count(len(features), 'feature')} ({listed})."
        lines += [f"Left out: {name} ({why})." for name, why in self.table.left_out.items()]
        if self.table.has_units and not self.table.has_header:
            lines.append("The first line holds numbers, so it was read as data, not as names.")
        if self.standardised:
            return [*lines, "Every feature was given mean 0 and spread 1 (--no-standardise: not)."]
        return [*lines, "Features were taken as they are (--standardise: mean 0 and spread 1)."]

    def _about_method(self) -> list[str]:
        name = method_names()[self.method]
        return [f"{name} with {_count(self.model.n_clusters_, 'cluster')}, seed {self.seed}:"]

    def _print_sizes(self) -> None:
        grid = Grid(box=box.SIMPLE_HEAD, show_edge=False)
        for heading in ("cluster", "rows", "share"):
            grid.add_column(heading, justify="right")
        total = len(self.model.labels_)
        for label, size in enumerate(self.sizes[:_MOST_CLUSTERS]):
            grid.add_row(str(label), str(size), f"{100 * size / total:.1f} %")
        Console().print(grid)
        if len(self.sizes) > _MOST_CLUSTERS:
            click.echo(f"... and {len(self.sizes) - _MOST_CLUSTERS} more clusters")
        click.echo()

    def _about_knowledge(self) -> list[str]:
        if self.knowledge is None:
            return ["No links or labels were given."]
        report, lines = self.model.report_, []
        if report.n_named:
            lines.append(f"{report.named_kept} of {_count(report.n_named, 'label')} kept.")
        if isinstance(self.knowledge, lw.Links):
            lines.append(
                f"{report.n_kept} of {_count(report.n_links, 'link')} kept ({report.must_kept} of "
                f"{report.n_must} must, {report.cannot_kept} of {report.n_cannot} cannot)."
            )
        if report.set_aside:
            lines.append(f"{report.set_aside} of them set aside, because probably wrong.")
        if self.n_contradictions:
            lines.append(
                f"{_count(self.n_contradictions, 'contradiction')} among them: "
                f"linkwise check shows which."
            )
        if report.agreement is not None:
            lines.append(
                f"Agreement with the same method told nothing: NMI {report.agreement:.3f} "
                f"(1 is no change)."
            )
        return lines


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
