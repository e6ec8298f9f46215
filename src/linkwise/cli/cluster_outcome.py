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
from rich.text import Text

import linkwise as lw
from linkwise.cli.methods import method_names
from linkwise.cli.notes import print_notes
from linkwise.cli.streams import DASH
from linkwise.files.text import WESTERN
from linkwise.tables import Table
from linkwise.tables.words import grouped_by, left_out

_MOST_CLUSTERS = 30
_MOST_NAMED = 10
_MOST_CLASSES = 3


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
    named: lw.PartialLabels | None
    notes: list[str]
    seconds: float
    written: Path | None

    @cached_property
    def sizes(self) -> list[int]:
        """Rows in each cluster."""
        counts = np.bincount(self.model.labels_, minlength=self.model.n_clusters_)
        return [int(count) for count in counts]

    @cached_property
    def classes(self) -> list[list[str]]:
        """The labels of the rows in each cluster that have one, the commonest first."""
        if self.named is None:
            return [[] for _ in self.sizes]
        found = np.zeros((len(self.sizes), len(self.named.classes)), dtype=int)
        rows = self.named.known_rows
        np.add.at(found, (self.model.labels_[rows], self.named.codes[rows]), 1)
        return [
            [str(self.named.classes[k]) for k in np.argsort(-row, kind="stable") if row[k]]
            for row in found
        ]

    @cached_property
    def n_contradictions(self) -> int:
        """Cannot-links that a chain of must-links contradicts."""
        return len(self.knowledge.conflicts()) if isinstance(self.knowledge, lw.Links) else 0

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        report = self.model.report_
        return {
            "data": str(self.data),
            "rows": int(self.table.X.shape[0]),
            "features": self.table.features,
            "grouped_by": grouped_by(self.table),
            "roles": {name: role.name for name, role in self.table.roles.items()},
            "left_out": self.table.left_out,
            "unusable": [self._id(row) for row in self.table.unusable.tolist()],
            "encoding": self.table.encoding,
            "standardised": self.standardised,
            "method": self.method,
            "n_clusters": self.model.n_clusters_,
            "seed": self.seed,
            "sizes": self.sizes,
            "classes": self.classes,
            "labels": {"given": report.n_named, "kept": report.named_kept},
            "links": {
                "must": {"given": report.n_must, "kept": report.must_kept},
                "cannot": {"given": report.n_cannot, "kept": report.cannot_kept},
                "withdrawn": report.withdrawn.n_links,
                "set_aside": report.set_aside,
            },
            "contradictions": self.n_contradictions,
            "agreement_without_knowledge": report.agreement,
            "notes": [*self.table.notes, *self.notes],
            "seconds": round(self.seconds, 3),
            "written": None if self.written is None else str(self.written),
        }

    def print(self, *, err: bool = False) -> None:
        """Print a summary, to stderr if stdout has the labels."""
        for line in (*self._about_data(), "", *self._about_method()):
            click.echo(line, err=err)
        self._print_sizes(err)
        for line in self._about_knowledge():
            click.echo(line, err=err)
        print_notes([*self.table.notes, *self.notes], err=err)
        where = f" Labels are in {self.written}."
        if self.written is None:
            where = " To keep the labels, add -o FILE."
        elif self.written == DASH:
            where = ""
        click.echo(f"Took {self.seconds:.1f} s.{where}", err=err)

    def _about_data(self) -> list[str]:
        table = self.table
        name = "stdin" if self.data == DASH else self.data.name or str(self.data)
        lines = [f"{name}: {_count(table.X.shape[0], 'row')}, grouped by {grouped_by(table)}."]
        lines[0] += left_out(table.left_out)
        if table.encoding == WESTERN:
            lines.append(
                "The text is not in UTF-8, so it was read as Windows-1252 (Western European); "
                "--encoding names another."
            )
        if table.made is None and table.has_units and not table.has_header:
            lines.append("The first line holds numbers, so it was read as data, not as names.")
        if len(table.unusable):
            lines.append(self._about_unusable())
        if table.made is not None:
            return lines
        if self.standardised:
            return [*lines, "Every column was given mean 0 and spread 1 (--no-standardise: not)."]
        return [*lines, "Columns were taken as they are (--standardise: mean 0 and spread 1)."]

    def _about_unusable(self) -> str:
        rows = self.table.unusable.tolist()
        named = ", ".join(self.table.called(row) for row in rows[:_MOST_NAMED])
        more = f" and {len(rows) - _MOST_NAMED} more" if len(rows) > _MOST_NAMED else ""
        verb = "has" if len(rows) == 1 else "have"
        gets = "gets" if len(rows) == 1 else "get"
        return (
            f"{_count(len(rows), 'row')} {verb} nothing to group by and {gets} the label -1: "
            f"{named}{more}."
        )

    def _id(self, row: int) -> Any:
        return row if self.table.ids is None else self.table.ids[row]

    def _about_method(self) -> list[str]:
        name, clusters = method_names()[self.method], _count(self.model.n_clusters_, "cluster")
        if self.model.n_clusters == "auto":
            return [f"{name} found {clusters} (-k says another number), seed {self.seed}:"]
        return [f"{name} with {clusters}, seed {self.seed}:"]

    def _print_sizes(self, err: bool) -> None:
        grid = Grid(box=box.SIMPLE_HEAD, show_edge=False)
        for heading in ("cluster", "rows", "share"):
            grid.add_column(heading, justify="right")
        if any(self.classes):
            grid.add_column("labelled")
        total = len(self.model.labels_)
        for label, size in enumerate(self.sizes[:_MOST_CLUSTERS]):
            names = self.classes[label]
            more = f" and {len(names) - _MOST_CLASSES} more" if len(names) > _MOST_CLASSES else ""
            named = [", ".join(names[:_MOST_CLASSES]) + more] if any(self.classes) else []
            grid.add_row(str(label), str(size), f"{100 * size / total:.1f} %", *map(Text, named))
        Console(stderr=err).print(grid)
        if len(self.sizes) > _MOST_CLUSTERS:
            click.echo(f"... and {len(self.sizes) - _MOST_CLUSTERS} more clusters", err=err)
        click.echo(err=err)

    def _about_knowledge(self) -> list[str]:
        if self.knowledge is None:
            return ["No links or labels were given."]
        report, lines = self.model.report_, []
        if report.n_named:
            lines.append(f"{report.named_kept} of {_count(report.n_named, 'label')} kept.")
        if isinstance(self.knowledge, lw.Links) and not report.n_links:
            lines.append("There is no link in the file of links.")
        elif isinstance(self.knowledge, lw.Links):
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
