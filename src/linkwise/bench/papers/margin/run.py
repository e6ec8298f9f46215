"""Run section 4 of the paper and write the page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from linkwise.bench.papers.margin.methods import ALPHAS, PLAIN
from linkwise.bench.papers.margin.timing import most_rounds, time_by_rows
from linkwise.bench.papers.margin.trials import (
    COLUMNS,
    LARGE,
    SETS,
    Cell,
    Score,
    available,
    cell,
    n_draws,
    n_links,
    score,
)
from linkwise.bench.papers.margin.unseen import unseen_rows
from linkwise.bench.papers.margin.variants import bent_borders, compare_solvers, wrong_answers
from linkwise.bench.report import Settings, expected, table
from linkwise.constraints import Links

#: The scores of every method, by set and number of links.
Cells = dict[tuple[str, int], Cell]

#: Columns the paper compares with.
COMPETITORS = ("K-means", "MMC", "DCA", "MPCK-means", "CPCMMC")


def run(settings: Settings) -> str:
    """Return the page: accuracy and NMI by links, claims, time, unseen rows, solvers."""
    paper = expected("margin")
    sets = available(SETS, settings)
    cells = {
        (name, count): cell(data, count, settings)
        for name, data in sets.items()
        for count in n_links(name)
    }
    parts = [
        introduction(sets, settings),
        effectiveness(cells),
        claims(cells),
        efficiency(cells, paper["text"], settings),
        f"{UNSEEN}\n\n{unseen_rows(settings)}",
        solvers(settings),
        f"{WRONG}\n\n{wrong_answers(settings)}",
        f"{BENT}\n\n{bent_borders(settings)}",
        asked(paper["asked"], settings),
    ]
    return "\n\n".join(parts)


def introduction(sets: Iterable[str], settings: Settings) -> str:
    """Say what was compared, on what, and how often."""
    draws = str(settings.draws)
    if settings.draws is None:
        draws = ", ".join(f"{name} {n_draws(name, settings)}" for name in sets)
    alphas = ", ".join(f"{alpha:g}" for alpha in ALPHAS)
    return INTRODUCTION.format(draws=draws, seed=settings.seed, alphas=alphas)


def effectiveness(cells: Cells) -> str:
    """Accuracy and NMI of every method against the number of links (figures 4 and 5)."""
    parts = [EFFECTIVENESS]
    for title, field in (
        ("Accuracy, all rows", "accuracy"),
        ("NMI, all rows", "nmi"),
        ("Accuracy, rows in no link", "accuracy_free"),
        ("NMI, rows in no link", "nmi_free"),
    ):
        rows = [
            [name, count, *(_figure(found, column, field) for column in COLUMNS)]
            for (name, count), found in cells.items()
        ]
        whole = [found for found in cells.values() if len(found) == len(COLUMNS)]
        if whole:
            means = [np.mean([getattr(one[column], field) for one in whole]) for column in COLUMNS]
            rows.append(["mean of the dense sets", "", *map(float, means)])
        parts.append(f"### {title}\n\n{table(('set', 'links', *COLUMNS), rows)}")
    return "\n\n".join(parts)


def _figure(found: Cell, column: str, field: str) -> object:
    return float(getattr(found[column], field)) if column in found else "–"


def claims(cells: Cells) -> str:
    """Count how often each claim of section 4.4.1 holds."""
    if not cells:
        return "## Which claims hold\n\nNone of the sets is on this machine."
    lines = [
        _wins(cells, "paper, by label", "“performs the best in most cases”, λ chosen by label"),
        _wins(cells, "paper, fixed", "the same with λ fixed"),
        _wins(cells, "ours", "the same with our starts and λ fixed"),
        _above(cells, "ours", "DCA, ridge", "ours against the strongest of the simple methods"),
        _above(cells, "paper, by label", "K-means", "“dramatically improve” K-means"),
        _above(cells, "paper, by label", "MMC", "“dramatically improve” unsupervised MMC"),
        _above(cells, "paper, by label", "CPCMMC", "improvement by CPCMMC is “often inferior”"),
        _above(cells, "paper, fixed", "CPCMMC", "the same, λ chosen by label for CPCMMC alone"),
        _above(cells, "K-means", "DCA", "DCA falls behind the baseline"),
        _above(cells, "K-means", "DCA, ridge", "DCA with a ridge falls behind it"),
        _above(cells, "K-means", "MPCK-means", "MPCK-means falls behind the baseline"),
    ]
    return "\n".join(["## Which claims hold", "", *lines])


def _wins(cells: Cells, column: str, claim: str) -> str:
    """Say in how many cells no competitor has a higher accuracy."""
    won = sum(
        found[column].accuracy >= max(found[c].accuracy for c in COMPETITORS if c in found)
        for found in cells.values()
    )
    verdict = "holds" if 2 * won > len(cells) else "does not hold"
    return f"- {claim}: best in {won} of {len(cells)} cells, {verdict}."


def _above(cells: Cells, better: str, worse: str, claim: str) -> str:
    """Say in how many cells one column has a higher accuracy than another, and by how much."""
    gaps = [
        found[better].accuracy - found[worse].accuracy
        for found in cells.values()
        if better in found and worse in found
    ]
    won = sum(gap > 0 for gap in gaps)
    return (
        f"- {claim}: {better} is above {worse} in {won} of {len(gaps)} cells, by "
        f"{np.mean(gaps):+.3f} on average, {_verdict(won / len(gaps))}."
    )


def _verdict(share: float) -> str:
    if share > 2 / 3:
        return "holds"
    return "holds in part" if share > 1 / 3 else "does not hold"


def efficiency(cells: Cells, text: dict[str, float], settings: Settings) -> str:
    """Time per fit beside the paper's, and time against the number of rows (figures 6 and 7)."""
    rows = []
    for (name, count), found in cells.items():
        if name in LARGE:
            printed = 60 * text[f"{name}_minutes"]
            one, all_starts = found["paper, fixed"].seconds, found["ours"].seconds
            rows.append([name, count, printed, one, all_starts, f"{printed / all_starts:.0f}"])
    header = ("set", "links", "paper, s", "one start, s", "all starts, s", "times quicker")
    parts = [EFFICIENCY.format(rounds=most_rounds(settings), limit=int(text["most_rounds"]))]
    parts += [table(header, rows), *varying(cells), TIME_BY_ROWS, time_by_rows(settings)]
    return "\n\n".join(parts)


def varying(cells: Cells) -> list[str]:
    """How far the time of each method varies from draw to draw, over the cells."""
    rows = []
    for column in COLUMNS:
        spreads = [found[column].spread for found in cells.values() if column in found]
        if spreads and not np.isnan(spreads).any():
            rows.append([column, float(np.median(spreads)), float(np.max(spreads))])
    return [VARYING, table(("method", "median", "largest"), rows)] if rows else []


def solvers(settings: Settings) -> str:
    """Both solvers by alpha (what the paper's grid hides)."""
    wanted = {"pendigit389": 50, "segment": 300}
    found = available(tuple(wanted), settings)
    tables = [compare_solvers(data, wanted[name], settings) for name, data in found.items()]
    return "\n\n".join([SOLVERS, *tables])


def asked(figures: list[dict[str, Any]], settings: Settings) -> str:
    """The figures this project asks of itself."""
    rows = []
    for name, data in available(tuple(one["set"] for one in figures), settings).items():
        wanted = next(one for one in figures if one["set"] == name)
        seeds = range(settings.seed, settings.seed + (settings.draws or 10))
        draws = [(s, Links.sample(data.y, wanted["links"], random_state=s)) for s in seeds]
        settings.say(f"asked: {name}")
        got: Score = score(data, PLAIN["ours"], draws)
        verdict = "reached" if got.accuracy >= wanted["accuracy"] else "missed"
        rows.append([name, wanted["links"], wanted["accuracy"], got.accuracy, verdict])
    return f"{ASKED}\n\n{table(('set', 'links', 'asked', 'accuracy', 'verdict'), rows)}"


INTRODUCTION = """\
Section 4 of the paper on 14 of its 15 sets (sports is not to be had). Links are random pairs.
Draws per figure: {draws}; the paper has 20, and 10 on the large sets (`--draws` gives any number).
The first seed is {seed}.

*Methods.* All see the same table: vehicle, segment, mfeat_fac and magic with standardised features,
as in the paper (which gives K-means, DCA and MPCK-means the raw ones); ohscal with tf-idf weights
and all 11,465 words, because the paper's choice of 1,000 words by class uses the answers. The
paper's own draws of pendigit389, letterIJL and mnist0689 and its three COIL objects are not known.
MMC is equation (1), CPCMMC equation (2) with the better of two starts, MPCK-means has a shared
diagonal metric, DCA is followed by K-means, as it was published and with the ridge of our class
(which counts as ours, not as the paper's competitor). “paper” is
`MaxMarginClustering(starts="links")`: equation (18) as the only start, with the corrections its
documentation names; “by label” takes the alpha of {alphas} with the best mean accuracy, as the
paper takes λ (so does CPCMMC); “fixed” and “ours” take alpha as it comes. “ours” tries all starts
and keeps one without looking at labels.

*Scores.* Accuracy is under the best one-to-one matching; the paper lets several clusters share a
class, which is never lower. NMI has the arithmetic mean of the entropies below it, the paper's the
geometric one."""

EFFECTIVENESS = """\
## Accuracy and NMI against the number of links (figures 4 and 5)"""

EFFICIENCY = """\
## Time (figures 6 and 7)

Processor time on one thread, k-means included; the paper's was taken in Matlab on a 2.4 GHz Core 2
and leaves the start out. The most rounds of the procedure seen here, over all starts and six small
sets with 100 links, are {rounds} (the paper: never more than {limit})."""

VARYING = """\
From trial to trial, the standard deviation of the seconds as a share of their mean, over the cells
(set and number of links):"""

TIME_BY_ROWS = """\
Growing part of magic, 600 links:"""

UNSEEN = """\
## Unseen rows (figure 8)

Fitted on one part of the rows, predicted for others of the same classes: 10 % of pendigits 3, 8, 9
and of letters I, J, L against the rest, 800 digits 0, 6, 8, 9 of MNIST against 800 others, and the
last 1,797 rows of optdigits (odd or even) against the first 3,823. Alpha as it comes."""

SOLVERS = """\
## The solver and alpha

From the same start (equation 18), the smoothed L-BFGS solver and the projected subgradient descent
of the paper. A lower objective is not a better clustering once clusters are lost."""

WRONG = """\
## Wrong answers

Not in the paper. Random pairs of ten classes are must-links once in ten; when one answer in ten is
flipped, half of the must-links are wrong. “held back” is `alpha=0.03, delta=5`: listen to the links
less and to the other rows more."""

BENT = """\
## Curved borders

Not in the paper: `kernel="rbf"`, 500 random Fourier features, everything else as it comes."""

ASKED = """\
## What we ask of ourselves

`MaxMarginClustering(n_clusters)` as it comes, mean accuracy, at most ten draws."""
