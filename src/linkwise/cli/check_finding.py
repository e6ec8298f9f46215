"""What ``linkwise check`` found, in words and for programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import linkwise as lw
from linkwise.cli.named_links import NamedLinks
from linkwise.constraints import Conflict
from linkwise.markup import count

_MOST_TOLD = 20
_LONGEST_CHAIN = 12


@dataclass(frozen=True, eq=False)
class Finding:
    """The contradictions in some links, and the repair."""

    said: NamedLinks
    conflicts: list[Conflict]
    kept: lw.Links
    withdrawn: lw.Links
    exact: bool

    @classmethod
    def of(cls, said: NamedLinks) -> Finding:
        """Look for contradictions and the lightest links to withdraw."""
        repair = said.links.repair()
        return cls(said, said.links.conflicts(), *repair, exact=repair.exact)

    def as_dict(self, path: Path, fixed: Path | None) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        links, name = self.said.links, self.said.name
        return {
            "links": str(path),
            "must": len(links.must),
            "cannot": len(links.cannot),
            "consistent": not self.conflicts,
            "contradictions": [
                {
                    "different": [name(row) for row in conflict.cannot],
                    "chain": [[name(i), name(j)] for i, j in conflict.chain],
                    "words": self._sentence(conflict),
                }
                for conflict in self.conflicts
            ],
            "withdraw": self._links_to_withdraw(),
            "lightest": self.exact,
            "fixed": None if fixed is None else str(fixed),
        }

    def print(self, path: Path, fixed: Path | None) -> None:
        """Tell it in words."""
        links = self.said.links
        click.echo(
            f"{path.name}: {count(links.n_links, 'link')}, {len(links.must):,} same and "
            f"{len(links.cannot):,} different."
        )
        if self.conflicts:
            self._print_conflicts()
            self._print_repair()
        else:
            click.echo("They agree with each other.")
        if fixed is not None:
            n_kept = self.kept.n_links
            which = "1 link that remains is" if n_kept == 1 else f"{n_kept:,} links that remain are"
            click.echo(f"The {which} in {fixed}.")
        elif self.conflicts:
            click.echo("To write the links that remain to a file, add --fix FILE.")

    def _print_conflicts(self) -> None:
        number = len(self.conflicts)
        click.echo(f"\n{number} contradiction{'s' if number > 1 else ''}:")
        for place, conflict in enumerate(self.conflicts[:_MOST_TOLD], start=1):
            click.echo(f"  {place}. {self._sentence(conflict)}")
        if number > _MOST_TOLD:
            click.echo(f"  ... and {number - _MOST_TOLD} more (all of them with --json)")

    def _print_repair(self) -> None:
        links = self._links_to_withdraw()
        why = "no lighter set is enough" if self.exact else "found greedily, a lighter set may do"
        click.echo(f"\nTo mend this, withdraw {len(links)} of the links ({why}):")
        for link in links[:_MOST_TOLD]:
            weight = "" if link["weight"] == 1 else f" (weight {link['weight']:g})"
            click.echo(f"  {link['i']} and {link['j']}: {link['kind']}{weight}")
        if len(links) > _MOST_TOLD:
            click.echo(f"  ... and {len(links) - _MOST_TOLD} more (all of them with --json)")
        click.echo()

    def _sentence(self, conflict: Conflict) -> str:
        name = self.said.name
        steps = [f"{name(i)} and {name(j)} are the same" for i, j in conflict.chain]
        if len(steps) > _LONGEST_CHAIN:
            between = len(steps) - _LONGEST_CHAIN
            steps[_LONGEST_CHAIN - 1 : -1] = [f"and so on over {between} more pairs"]
        i, j = conflict.cannot
        return f"You said {', '.join(steps)}, but {name(i)} and {name(j)} are different."

    def _links_to_withdraw(self) -> list[dict[str, Any]]:
        name, links = self.said.name, self.withdrawn
        pairs = [*links.must.tolist(), *links.cannot.tolist()]
        kinds = ["same"] * len(links.must) + ["different"] * len(links.cannot)
        return [
            {"i": name(i), "j": name(j), "kind": kind, "weight": weight}
            for (i, j), kind, weight in zip(pairs, kinds, links.weight.tolist(), strict=True)
        ]
