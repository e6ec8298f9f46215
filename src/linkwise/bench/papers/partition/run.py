"""Run every experiment and write the page."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from linkwise import KCC, LCVQE, Links, PartialLabels, PartitionKMeans
from linkwise.bench.papers.partition.generalising import GENERALISING
from linkwise.bench.papers.partition.methods import (
    MOST_PAIRS,
    STRENGTH,
    Method,
    all_pairs,
    kcc,
    kmeans,
    lcvqe,
    lcvqe_second,
    ours,
    with_random_labels,
)
from linkwise.bench.papers.partition.trials import SETS, Score, available, drawn, score
from linkwise.bench.report import Settings, expected, table
from linkwise.datasets import Dataset
from linkwise.typing import Matrix

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)
NOISES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
STRENGTHS = (1e2, 1e3, 1e4, 1e5, 1e6)

Sets = dict[str, Dataset]


def run(settings: Settings) -> str:
    """Return the page: every table of the paper beside ours, then unlabelled rows only."""
    sets, paper = available(settings), expected("partition")
    parts = [
        introduction(sets, settings),
        table_2(sets, paper, settings),
        table_3(sets, paper, settings),
        figure_3(sets, settings),
        figure_4(sets, settings),
        unlabelled(sets, paper, settings),
    ]
    return "\n\n".join(parts)


def introduction(sets: Sets, settings: Settings) -> str:
    """Say what a figure is, how many draws it has, and which sets are left out."""
    few = "1 draw" if settings.draws == 1 else f"{settings.draws} draws"
    draws = DRAWS if settings.draws is None else f"At most {few} per figure."
    missing = [name for name in SETS if name not in sets]
    left_out = f" Left out: {', '.join(missing)}." if missing else ""
    return f"{INTRODUCTION} {draws} The first seed is {settings.seed}.{left_out}"


def draws_of(name: str, settings: Settings, links: bool = False) -> int:
    """Return the draws for a set: the paper's 50, fewer where a fit takes long."""
    if settings.draws is not None:
        return settings.draws
    if name == "pendigits":
        return 3 if links else 10
    return 10 if name == "satimage" and links else 50


def table_2(sets: Sets, paper: dict[str, Any], settings: Settings) -> str:
    """NMI on all rows for every share of labels, beside the paper's."""
    rows, asked, agreeing = [], [], 0
    for name, data in sets.items():
        printed = Score(*paper["kmeans"][name])
        base = score(data, kmeans, 50, settings, drawn(data, 0.0))
        rows.append([name, "none (K-means)", printed, base.beside(printed), *[""] * 5])
        for at, share in enumerate(SHARES):
            settings.say(f"table II: {name}, {share:.0%} labelled")
            row: list[object] = [name, f"{share:.0%}"]
            for key, methods in TABLE_2_METHODS.items():
                printed = Score(*paper[key][name][at])
                draws = draws_of(name, settings, links=key == "lcvqe")
                got = [score(data, m, draws, settings, drawn(data, share)) for m in methods]
                row += [printed, *(one.beside(printed) for one in got)]
                if key == "ours":
                    agreeing += got[0].compared(printed) == "agrees"
                    asked += _asked(paper["asked"]["all"], name, share, got[0])
            rows.append(row)
    text = TABLE_2.format(agreeing=agreeing, cells=len(sets) * len(SHARES), pairs=MOST_PAIRS)
    return "\n\n".join([text, table(TABLE_2_HEADER, rows), ASKED, table(ASKED_HEADER, asked)])


def _asked(asked: dict[str, Any], name: str, share: float, got: Score) -> list[list[object]]:
    if name not in asked or share not in (SHARES[0], SHARES[-1]):
        return []
    wanted, tolerance = asked[name][0 if share == SHARES[0] else 1], asked[name][2]
    verdict = "reached" if abs(got.mean - wanted) <= tolerance else "missed"
    return [[f"{name}, {share:.0%} labelled", f"{wanted} ± {tolerance}", got, verdict]]


def table_3(sets: Sets, paper: dict[str, Any], settings: Settings) -> str:
    """Time of the competitors as multiples of ours, one start each, 10 % labelled."""
    seconds, rows = paper["seconds"], []
    for name, data in sets.items():
        settings.say(f"table III: {name}")
        k = data.n_classes
        known = drawn(data, 0.1)(settings.seed)
        models = {
            "ours": PartitionKMeans(k, strength=STRENGTH, init="random", random_state=0),
            "lcvqe": LCVQE(k, random_state=0),
            "kcc": KCC(k, n_partitions=1, n_blocks=k, strength=STRENGTH, random_state=0),
        }
        said: dict[str, Any] = dict.fromkeys(models, known) | {"lcvqe": all_pairs(known, 0)}
        took = {key: _seconds(model, data.X, said[key]) for key, model in models.items()}
        row: list[object] = [name, f"{1e3 * took['ours']:.2f} ms"]
        for key in ("lcvqe", "kcc"):
            row += [f"{seconds[key][name] / seconds['ours'][name]:.1f}"]
            row += [f"{took[key] / took['ours']:.1f}"]
        rows.append(row)
    header = ("set", "ours", "LCVQE, paper", "LCVQE, here", "KCC, paper", "KCC, here")
    return f"{TABLE_3}\n\n{table(header, rows)}"


def _seconds(
    model: PartitionKMeans | LCVQE | KCC, X: Matrix, known: PartialLabels | Links
) -> float:
    """Return the processor time of a fit, the best of three after one that compiles."""
    best = np.inf
    for _ in range(4):
        start = time.process_time()
        model.fit(X, constraints=known)
        best = min(best, time.process_time() - start)
    return best


def figure_3(sets: Sets, settings: Settings) -> str:
    """NMI by strength with half of the rows labelled."""
    rows, claims = [], []
    for name in [name for name in ("satimage", "pendigits") if name in sets]:
        data, draws = sets[name], min(10, draws_of(name, settings))
        got = []
        for strength in STRENGTHS:
            settings.say(f"figure 3: {name}, strength {strength:g}")
            methods = [partial(method, strength=strength) for method in (ours, kcc)]
            got.append([score(data, m, draws, settings, drawn(data, 0.5)) for m in methods])
            rows.append([name, f"{strength:.0e}", *got[-1]])
        mean = np.array([[one.mean for one in pair] for pair in got])
        claims.append(
            f"- {name}: from λ = 10² to 10⁶ ours gains {mean[-1, 0] - mean[0, 0]:.1f}, from 10⁴ on "
            f"{mean[-1, 0] - mean[2, 0]:.1f}; KCC moves by {np.ptp(mean[:, 1]):.1f} in all, with a "
            f"standard deviation of {got[-1][1].std:.1f} between draws (ours {got[-1][0].std:.1f})."
        )
    figures = table(("set", "strength", "ours", "KCC"), rows)
    return "\n\n".join([FIGURE_3, figures, "\n".join(claims)])


def figure_4(sets: Sets, settings: Settings) -> str:
    """NMI with 10 % labelled, of which a share got a label drawn at random."""
    rows, claims = [], []
    methods: list[Method] = [ours, lcvqe, lcvqe_second, kcc]
    for name in [name for name in ("breast", "pendigits") if name in sets]:
        got = []
        for noise in NOISES:
            settings.say(f"figure 4: {name}, noise {noise:.0%}")
            got.append([_with_noise(sets[name], noise, method, settings) for method in methods])
            rows.append([name, f"{noise:.0%}", *got[-1]])
        lost = [first.mean - last.mean for first, last in zip(got[0], got[-1], strict=True)]
        holds = "holds" if lost[0] < 0.5 * min(lost[1:]) else "does not hold"
        claims.append(
            f"- {name}: with half of the labels drawn at random ours loses {lost[0]:.1f}, LCVQE "
            f"{lost[1]:.1f}, with the second nearest {lost[2]:.1f}, KCC {lost[3]:.1f}; the claim "
            f"{holds}."
        )
    header = ("set", "noise", "ours", "LCVQE", "LCVQE, second nearest", "KCC")
    return "\n\n".join([FIGURE_4, table(header, rows), "\n".join(claims)])


def _with_noise(data: Dataset, noise: float, method: Method, settings: Settings) -> Score:
    def noisy(seed: int) -> PartialLabels:
        return with_random_labels(drawn(data, 0.1)(seed), noise, seed)

    links = method in (lcvqe, lcvqe_second)
    draws = min(20, draws_of(data.name, settings, links=links))
    return score(data, method, draws, settings, noisy)


def unlabelled(sets: Sets, paper: dict[str, Any], settings: Settings) -> str:
    """NMI on unlabelled rows only, 10 % labelled, none or one in five of the labels wrong."""
    rows, asked = [], []
    for noise, key in ((0.0, "unlabelled"), (0.2, "wrong")):
        totals = []
        for name, data in sets.items():
            settings.say(f"unlabelled rows: {name}, {noise:.0%} wrong")
            draws = min(20, draws_of(name, settings))
            scores = {
                label: score(
                    data, method, draws, settings, drawn(data, 0.1, noise), unlabelled_only=True
                )
                for label, method in GENERALISING.items()
            }
            totals.append([got.mean for got in scores.values()])
            rows.append([name, f"{noise:.0%}", *scores.values()])
            wanted = paper["asked"][key].get(name)
            if wanted is not None:
                verdict = "reached" if scores["tied"].mean >= wanted else "missed"
                asked.append(
                    [f"{name}, {noise:.0%} wrong, tied", f">= {wanted}", scores["tied"], verdict]
                )
        rows.append(["mean", f"{noise:.0%}", *(f"{m:.2f}" for m in np.mean(totals, axis=0))])
    header = ("set", "wrong", *GENERALISING)
    return "\n\n".join([UNLABELLED, table(header, rows), ASKED, table(ASKED_HEADER, asked)])


TABLE_2_METHODS: dict[str, list[Method]] = {
    "ours": [ours],
    "lcvqe": [lcvqe, lcvqe_second],
    "kcc": [kcc],
}
TABLE_2_HEADER = (
    *("set", "labelled", "ours, paper", "ours, here", "LCVQE, paper", "LCVQE, here"),
    *("LCVQE, second nearest", "KCC, paper", "KCC, here"),
)
ASKED_HEADER = ("cell", "asked", "here", "verdict")
ASKED = "What this project asks of itself:"

INTRODUCTION = """\
NMI in percent, arithmetic mean of the entropies, mean ± standard deviation over draws of the side
information."""
DRAWS = """\
There are 50 draws as in the paper, except 10 on pendigits and, for LCVQE, 10 on satimage and 3 on
pendigits; figure 3 has 10, figure 4 and the table of unlabelled rows have 20 at most."""

TABLE_2 = """\
## Table II: all rows

λ = 100, ten random starts, as the paper leaves the number of starts open and one is not enough.
A figure agrees with the paper's when the means differ by no more than the larger of the two
standard deviations; ours agrees in {agreeing} of {cells} cells. LCVQE is run twice: by its original
definition, where a row that has to leave goes to the nearest centre *other than its own*, and with
the second nearest centre overall, as a public program has it. It is given all pairs of labelled
rows, a random {pairs:,} of them where there are more. KCC is the consensus of one K-means partition
and the labels. The paper prints 0.53 for K-means on ecoli, which must be 60.53. Wine's last
attribute is divided by 100: dividing by 1000, as the paper states, gives another figure for
K-means, and no scaling gives the paper's other figures for wine."""

TABLE_3 = """\
## Table III: time, as multiples of ours

Processor time of one fit from one start, 10 % labelled."""

FIGURE_3 = """\
## Figure 3: the strength of the side information

Half of the rows labelled. The paper says that ours rises with λ and is stable from 10⁴ on, and that
KCC does not depend on λ but varies a lot from draw to draw."""

FIGURE_4 = """\
## Figure 4: labels drawn at random

10 % labelled; a share of the labels is drawn at random. The paper says that ours hardly suffers
while LCVQE and KCC drop sharply, LCVQE on breast already at 10 %."""

UNLABELLED = """\
## Unlabelled rows only

10 % labelled. Labelled rows score themselves, so this is what the labels are worth for the rest.
"paper" is λ = 100 from ten random starts, "auto" the defaults of `PartitionKMeans`, "tied" its
`metric="tied"`. Label spreading, linear discriminant analysis and a Gaussian mixture whose labelled
rows keep their class are what to beat: they know that clusters are classes."""
