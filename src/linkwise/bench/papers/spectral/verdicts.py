"""What the paper claims, and in how many cells it came out so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from linkwise.bench.report import table

#: Mean scores by (set, number of known rows or pairs, pool, method).
Means = Mapping[tuple[str, int, str, str], Any]

ALL = ("coil100", "pie", "mnist")
IMAGES = ("coil100", "pie")


@dataclass(frozen=True)
class Claim:
    """That one method is above others, on some sets and for some numbers p."""

    text: str
    better: str
    others: tuple[str, ...]
    sets: tuple[str, ...] = ALL
    least: int = 0
    most: int = 10**9


#: Between 5 % and 10 % of the rows of COIL100 and of PIE.
OVER_5_PERCENT = 700

CLAIMS = [
    Claim("SC-PC is above Nyström", "SC-PC", ("Nyström",)),
    Claim("SC-PC is above LSC-R", "SC-PC", ("LSC-R",)),
    Claim("SC-PC is above LSC-K on COIL100 and PIE", "SC-PC", ("LSC-K",), IMAGES),
    Claim("SC-PC is above LSC-K on MNIST from p = 1500", "SC-PC", ("LSC-K",), ("mnist",), 1500),
    Claim(
        "SC-PC is above LSC-WPR on COIL100 and PIE beyond 5 %",
        "SC-PC",
        ("LSC-WPR",),
        IMAGES,
        least=OVER_5_PERCENT,
    ),
    Claim("SC-PC is above LSC-WPR on MNIST from p = 1500", "SC-PC", ("LSC-WPR",), ("mnist",), 1500),
    Claim(
        "LSC-WPR is above SC-PC on COIL100 and PIE at 5 %",
        "LSC-WPR",
        ("SC-PC",),
        IMAGES,
        most=OVER_5_PERCENT,
    ),
    Claim(
        "LSC-WPR is above SC-PC on MNIST up to p = 1200",
        "LSC-WPR",
        ("SC-PC",),
        ("mnist",),
        most=1200,
    ),
    Claim("LSC-WPR is above LSC-K and LSC-R", "LSC-WPR", ("LSC-K", "LSC-R")),
    Claim("SC-PC is above NSDR", "SC-PC", ("NSDR",), IMAGES),
    Claim("(not in the paper) SC-PC is above 1-NN", "SC-PC", ("1-NN",)),
    Claim("(not in the paper) propagate is above SC-PC", "ours, propagate", ("SC-PC",)),
    Claim("(not in the paper) propagate is above LSC-K", "ours, propagate", ("LSC-K",)),
    Claim("(not in the paper) propagate is above 1-NN", "ours, propagate", ("1-NN",)),
    Claim(
        "(not in the paper) propagate is above label spreading",
        "ours, propagate",
        ("label spreading",),
    ),
]


def verdicts(mean: Means, paper: dict[str, Any]) -> str:
    """Return the tables of claims, about quality and about time."""
    kinds = [(pool, measure) for pool in ("labels", "pairs") for measure in ("nmi", "acc")]
    rows = [
        [claim.text, *(_count(mean, claim, pool, f"{measure}_free") for pool, measure in kinds)]
        for claim in CLAIMS
    ]
    header = ["claim", *(f"{pool}, {measure.upper()}" for pool, measure in kinds)]
    times = table(["claim about time", "here"], _times(mean, paper))
    return "\n\n".join([EXPLAINED, table(header, rows), times])


def _count(mean: Means, claim: Claim, pool: str, measure: str) -> str:
    """Return "3 of 8, in part": the cells in which ``claim.better`` beats all the others."""
    held = cells = 0
    for name, n_known, of_pool, method in mean:
        if of_pool != pool or method != claim.better or name not in claim.sets:
            continue
        rivals = [mean.get((name, n_known, pool, other)) for other in claim.others]
        if claim.least <= n_known <= claim.most and None not in rivals:
            own = getattr(mean[name, n_known, pool, method], measure)
            cells += 1
            held += all(own > getattr(rival, measure) for rival in rivals)
    if cells == 0:
        return "not run"
    verdict = "holds" if held == cells else "does not hold" if held == 0 else "in part"
    return f"{held} of {cells}, {verdict}"


def _times(mean: Means, paper: dict[str, Any]) -> list[list[str]]:
    """Compare times within this run with what the paper says of its own."""
    rows = []
    for rival in ("LSC-K", "LSC-WPR"):
        seconds = paper["seconds"]["mnist"]
        first, last = (seconds[rival][end] / seconds["SC-PC"][end] for end in (0, 1))
        claim = (
            f"MNIST: {rival} takes {first:.1f} (p = 300) to {last:.1f} (p = 1800) times as long as "
            f"SC-PC"
        )
        rows.append([claim, _ratios(mean, ("mnist",), rival)])
    least, most = paper["speed"]["least"], paper["speed"]["most"]
    for rival in ("NCut", "NSDR"):
        claim = f"COIL100, PIE: {rival} takes {least} to {most} times as long as SC-PC"
        rows.append([claim, _ratios(mean, IMAGES, rival)])
    rows.append(["LSC-R takes less time than SC-PC", _ratios(mean, ALL, "LSC-R")])
    return rows


def _ratios(mean: Means, sets: tuple[str, ...], rival: str) -> str:
    """Return the range of the rival's time over that of SC-PC, labels known."""
    ratios = [
        mean[name, n_known, pool, method].relative / mean[name, n_known, pool, "SC-PC"].relative
        for name, n_known, pool, method in mean
        if pool == "labels" and method == rival and name in sets
    ]
    return f"{min(ratios):.1f} to {max(ratios):.1f} times" if ratios else "not run"


EXPLAINED = """\
Counted are the cells (sets and numbers p) in which the means over the draws on rows in no link say
so. "holds" is all of them, "in part" some."""
