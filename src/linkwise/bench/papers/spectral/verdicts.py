"""What the paper claims, and in how many cells it came out so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkwise.bench.report import table

Means = Mapping[tuple[str, int, str, str], Any]


def verdicts(mean: Means, paper: dict[str, Any]) -> str:
    """Return the table of claims, about quality and about time."""
    rows = [
        [claim, _count(mean, "labels", *against), _count(mean, "pairs", *against)]
        for claim, *against in CLAIMS
    ]
    quality = table(["claim (cells where NMI on rows in no link says so)", "labels", "pairs"], rows)
    return "\n\n".join([quality, table(["claim about time", "here"], _times(mean, paper))])


#: Claim, the method said to be better, those it is compared with, data sets, and which p.
CLAIMS: list[tuple[Any, ...]] = [
    ("SC-PC is above Nyström", "SC-PC", ("Nyström",), ("coil100", "pie", "mnist")),
    ("SC-PC is above LSC-R", "SC-PC", ("LSC-R",), ("coil100", "pie", "mnist")),
    ("SC-PC is above LSC-K on COIL100 and PIE", "SC-PC", ("LSC-K",), ("coil100", "pie")),
    ("SC-PC is above LSC-K on MNIST from p = 1500", "SC-PC", ("LSC-K",), ("mnist",), 1500),
    ("SC-PC is above LSC-WPR on COIL100 and PIE", "SC-PC", ("LSC-WPR",), ("coil100", "pie")),
    ("SC-PC is above LSC-WPR on MNIST from p = 1500", "SC-PC", ("LSC-WPR",), ("mnist",), 1500),
    (
        "LSC-WPR is above LSC-K and LSC-R",
        "LSC-WPR",
        ("LSC-K", "LSC-R"),
        ("coil100", "pie", "mnist"),
    ),
    ("SC-PC is above NSDR", "SC-PC", ("NSDR",), ("coil100", "pie")),
    ("(ours) SC-PC is above 1-NN", "SC-PC", ("1-NN",), ("coil100", "pie", "mnist")),
    ("(ours) propagate is above SC-PC", "ours, propagate", ("SC-PC",), ("coil100", "pie", "mnist")),
    ("(ours) propagate is above LSC-K", "ours, propagate", ("LSC-K",), ("coil100", "pie", "mnist")),
    ("(ours) propagate is above 1-NN", "ours, propagate", ("1-NN",), ("coil100", "pie", "mnist")),
]


def _count(
    mean: Means,
    pool: str,
    better: str,
    others: tuple[str, ...],
    sets: tuple[str, ...],
    least: int = 0,
) -> str:
    """Return "3 of 8": the cells in which ``better`` beats all the others."""
    held = cells = 0
    for name, n_known, of_pool, method in mean:
        if of_pool != pool or method != better or name not in sets or n_known < least:
            continue
        rivals = [mean.get((name, n_known, pool, other)) for other in others]
        if all(rival is not None for rival in rivals):
            own = mean[name, n_known, pool, better].nmi_free
            cells += 1
            held += all(own > rival.nmi_free for rival in rivals if rival is not None)
    return f"{held} of {cells}" if cells else "not run"


def _times(mean: Means, paper: dict[str, Any]) -> list[list[str]]:
    """Compare times within this run with what the paper says of its own."""
    rows = []
    for rival in ("LSC-K", "LSC-WPR"):
        seconds = paper["seconds"]["mnist"]
        said = [seconds[rival][end] / seconds["SC-PC"][end] for end in (0, 1)]
        claim = f"MNIST: {rival} takes {said[0]:.1f} to {said[1]:.1f} times as long as SC-PC"
        rows.append([claim, _ratios(mean, ("mnist",), rival)])
    least, most = paper["speed"]["least"], paper["speed"]["most"]
    for rival in ("NCut", "NSDR"):
        claim = f"COIL100, PIE: {rival} takes {least} to {most} times as long as SC-PC"
        rows.append([claim, _ratios(mean, ("coil100", "pie"), rival)])
    rows.append(
        ["LSC-R is the quickest: SC-PC takes longer", _ratios(mean, None, "LSC-R", over=True)]
    )
    return rows


def _ratios(mean: Means, sets: tuple[str, ...] | None, rival: str, over: bool = False) -> str:
    """Return the range of the rival's time over that of SC-PC, or the other way round."""
    ratios = []
    for name, n_known, pool, method in mean:
        if pool == "labels" and method == rival and (sets is None or name in sets):
            ratio = mean[name, n_known, pool, rival].seconds
            ratio /= mean[name, n_known, pool, "SC-PC"].seconds
            ratios.append(1 / ratio if over else ratio)
    return f"{min(ratios):.1f} to {max(ratios):.1f} times" if ratios else "not run"
