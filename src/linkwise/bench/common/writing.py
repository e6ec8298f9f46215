"""The two pages: Markdown for the documentation, HTML with pictures to look at."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import numpy as np

from linkwise.bench.common.drawing import lines as draw_lines
from linkwise.bench.common.drawing import rank_axis
from linkwise.bench.common.measuring import Cell, Line
from linkwise.bench.common.peers import BASE, PACKAGES, PEERS
from linkwise.bench.common.reasons import reasons
from linkwise.bench.common.running import Plan, read_lines
from linkwise.bench.common.summary import (
    FEWEST,
    STATUSES,
    Missing,
    TaskTable,
    behind,
    costs,
    makers,
    missing,
    pairs,
    statuses,
    task_table,
)
from linkwise.bench.common.tasks import TASKS
from linkwise.bench.environment import commit, hardware, versions
from linkwise.bench.report import table

#: The method people should use, which is asked where it is not first.
OURS = "SequentialClustering"
#: A smaller difference of NMI is not worth a line.
NOTABLE = 0.02
#: So many methods are drawn as curves.
DRAWN = 8


def write_report(plan: Plan) -> tuple[Path, Path]:
    """Write ``benchmark.md`` and ``report.html`` of what has been measured; return both paths."""
    lines = read_lines(plan.lines)
    tables = [found for task in TASKS if (found := task_table(lines, task.name)) is not None]
    page, report = plan.folder / "benchmark.md", plan.folder / "report.html"
    plan.folder.mkdir(parents=True, exist_ok=True)
    page.write_text(markdown(plan, lines, tables), encoding="utf-8")
    report.write_text(html(plan, lines, tables), encoding="utf-8")
    return page, report


def markdown(plan: Plan, lines: Sequence[Line], tables: Sequence[TaskTable]) -> str:
    """Return the page for the documentation."""
    sections = [
        "# Everything against everybody",
        _made(plan, lines),
        HOW,
        "## Who is first",
        _first(tables),
        "## Mean NMI",
        "Over the sets on which all methods of the column were tried. A dash: no result on some of "
        "them, so that a mean would flatter. In the order of the sum of the columns, so that who "
        "can be told more kinds of things comes first.",
        _means(tables),
        f"## Where {OURS} is not first",
        _behind(tables),
        "## The same method in other packages",
        _pairs(lines),
        "## Seconds",
        "Of computing on one core, median over all cells of a set with that many rows.",
        _costs(lines, "seconds", 2, "5 milliseconds"),
        "## Megabytes",
        "The most memory a cell took beyond what its process held before, median over all cells of "
        "a set with that many rows; 0 where earlier cells had left enough.",
        _costs(lines, "memory_mb", 0, "half a megabyte"),
        "## What there is no figure for",
        _missing(plan, lines),
        "## Which commit measured what",
        _makers(lines),
    ]
    return "\n\n".join(sections) + "\n"


HOW = f"""One cell is a method on a set, told something, with a seed. Rows are taken as they are:
nothing is standardised. All methods get the same links and labels, the true number of clusters, and
their own default settings. Scores are NMI on rows nobody named, because named rows score
themselves; a set with fewer than {FEWEST} such rows is left out of the task. Only methods that ask
are scored on all rows: each asks about others. Ranks are over sets, of means over seeds; a method
without a result comes last.

`linkwise bench common --data FOLDER` runs all of it on scikit-learn's sets and every `.npz` file
with `X` and `y` in the folder, and writes this page and one with pictures. A file that is added
joins by itself: `numpy.savez("FOLDER/mine.npz", X=rows, y=classes)`, then
`linkwise bench common --data FOLDER --sets mine`."""


def _made(plan: Plan, lines: Sequence[Line]) -> str:
    commits = list(makers(lines)) or [commit()]
    sets = sorted({line["set"] for line in lines})
    seeds = len({line["seed"] for line in lines})
    planned = len({*plan.cells(), *map(Cell.of, lines)})
    return (
        f"Written {datetime.now(UTC):%Y-%m-%d} from {len(lines)} cells of {planned} that could be "
        f"run: {len(sets)} {'set' if len(sets) == 1 else 'sets'}, "
        f"{len({line['method'] for line in lines})} methods, {seeds} "
        f"{'seed' if seeds == 1 else 'seeds'}, {_longest(lines)}.\n"
        f"Commit {', '.join(commits)}; {versions()}; {hardware()}."
    )


def _longest(lines: Sequence[Line]) -> str:
    """Say at how many seconds cells were ended, or how long the longest took if none was."""
    limits = [one["seconds"] for one in lines if one["status"] == "too slow" and "seconds" in one]
    if limits:
        low, high = min(limits), max(limits)
        most = f"{high:g}" if low == high else f"{low:g} to {high:g}"
        return f"at most {most} seconds of computing a cell"
    longest = max((one["seconds"] for one in lines if one["status"] == "done"), default=0.0)
    return f"no cell too slow, the longest {longest:.1f} seconds of computing"


def _first(tables: Sequence[TaskTable]) -> str:
    rows = []
    for one in tables:
        near = [
            f"{name} {rank:.1f}"
            for name, rank in zip(one.methods, one.ranks, strict=True)
            if not rank > one.ranks[0] + one.critical
        ]
        place = (
            f"{one.methods.index(OURS) + 1} of {len(one.methods)}" if OURS in one.methods else "–"
        )
        critical = "–" if np.isnan(one.critical) else f"{one.critical:.1f}"
        rows.append((one.task, len(one.sets), critical, place, ", ".join(near[:6])))
    dashes = any(OURS not in one.methods for one in tables)
    header = ("told", "sets", "critical difference", f"place of {OURS}", "mean ranks, best first")
    return (
        table(header, rows)
        + "\n\nUp to six methods whose mean rank is within the critical difference (Nemenyi, 5 %) "
        "of the best: between them this many sets cannot decide."
        + (f" A dash: {OURS} was measured on too few of these sets." if dashes else "")
    )


def _means(tables: Sequence[TaskTable]) -> str:
    names = sorted(
        {name for one in tables for name in one.methods},
        key=lambda name: -np.mean([_mean_of(one, name, strict=False) for one in tables]),
    )
    rows = [[name, *(_shown(_mean_of(one, name)) for one in tables)] for name in names]
    return table(["", *(one.task for one in tables)], rows)


def _mean_of(one: TaskTable, name: str, *, strict: bool = True) -> float:
    """Return the mean score over the sets; NaN, or 0 if not ``strict``, where one is missing."""
    if name not in one.methods or not one.sets:
        return float("nan") if strict else 0.0
    column = one.scores[:, one.methods.index(name)]
    return float(column.mean() if strict else np.nan_to_num(column).mean())


def _shown(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3f}".replace("0.", ".", 1)


def _behind(tables: Sequence[TaskTable]) -> str:
    rows = [
        (one.task, name, _shown(own), who, _shown(best))
        for one in tables
        for name, own, who, best in behind(one, OURS, NOTABLE)
    ]
    unknown = [one.task for one in tables if OURS not in one.methods]
    open_still = f"Not known when told {'; '.join(unknown)}: it was measured on too few sets."
    parts = [open_still] if unknown else []
    if len(unknown) == len(tables):
        return open_still if unknown else "Nothing yet."
    if not rows:
        return "\n\n".join([f"Nowhere by more than {NOTABLE} in NMI.", *parts])
    header = ("told", "set", OURS, "first", "its NMI")
    why = reasons([(row[1], row[3]) for row in rows])
    return "\n\n".join(
        [
            f"Sets where it is behind the first by more than {NOTABLE} in NMI. One cell may be "
            "chance, above all with one seed; what one family sees on several sets is not.",
            table(header, rows),
            *parts,
            "Why, by what those that are first see in rows:",
            "\n".join(why),
        ]
    )


def _costs(lines: Sequence[Line], of: str, digits: int, least: str) -> str:
    """Return the table of a cost; who rounds to nothing everywhere is only named."""
    found = costs(lines, of)
    sizes = sorted({n for points in found.values() for n, _ in points})
    if not sizes:
        return "Nothing yet."
    some = [sizes[i] for i in np.unique(np.linspace(0, len(sizes) - 1, 6).astype(int))]
    rows, nothing = [], []
    for name in sorted(found):
        figures = dict(found[name])
        if all(not round(figures.get(n, 0.0), digits) for n in some):
            nothing.append(name)
            continue
        rows.append([name, *(_cost(figures.get(n), digits) for n in some)])
    shown = table(["", *(f"{n:,.0f} rows" for n in some)], rows)
    if not nothing:
        return shown
    return f"{shown}\n\nLess than {least} on all of these: {', '.join(nothing)}."


def _pairs(lines: Sequence[Line]) -> str:
    found = pairs(lines, {name: peer.ours for name, peer in PEERS.items() if peer.ours})
    if not found:
        return "No other package has taken part (--peers)."
    rows = [
        (
            one.theirs, _shown(one.their_score), f"{one.their_seconds:.2f}",
            one.ours, _shown(one.our_score), f"{one.our_seconds:.2f}", one.n_cells,
        )
        for one in found
    ]  # fmt: skip
    header = ("theirs", "NMI", "seconds", "ours", "NMI", "seconds", "cells")
    return "\n\n".join(
        [
            "Means of NMI, medians of seconds, over the cells on which both gave a result, with "
            "the settings each takes by itself.",
            table(header, rows),
            _peer_versions(),
            SAME_METHOD,
        ]
    )


def _peer_versions() -> str:
    """Return what is installed for the peers, which is pinned."""
    theirs = ", ".join(wanted[0].replace("==", " ") for wanted in PACKAGES.values())
    base = ", ".join(wanted.replace("==", " ") for wanted in BASE)
    return f"Theirs are {theirs}, with {base}; installed by `--peers`."


SAME_METHOD = """- **ITML.** Given the same bounds, both find the same metric. metric-learn holds
  squared lengths against percentiles of plain distances, ours against squared ones as in the paper,
  so that units do not matter. On rows as they are, that helps theirs where features are on very
  different scales; standardised, ours is ahead:
  [figures](metrics.md#itml-here-and-in-metric-learn).
- **Limits on sizes.** k-means-constrained begins ten times, `SizedKMeans` once unless it is told
  `n_init=10`. With ten starts each the two were alike on fourteen sets: .343 and .344, no links."""


def _makers(lines: Sequence[Line]) -> str:
    """Return a table of commits; methods are named where they are few."""
    found = makers(lines)
    if not found:
        return "Nothing yet."
    rows = [
        (made_by, sum(counts.values()), _named(sorted(counts))) for made_by, counts in found.items()
    ]
    ours = [made_by for made_by, counts in found.items() if OURS in counts]
    told = f"{OURS} was measured by {', '.join(ours)}." if ours else f"{OURS} was not measured."
    again = (
        f"`linkwise bench common --methods {OURS} --again` measures anew what another commit has "
        "measured, and leaves the other lines as they are."
    )
    return "\n\n".join([table(("commit", "cells", "of"), rows), f"{told} {again}"])


def _named(methods: Sequence[str]) -> str:
    return ", ".join(methods) if len(methods) <= DRAWN else f"{len(methods)} methods"


def _cost(figure: float | None, digits: int) -> str:
    """Return a cost as text; a dash where there is none, or where nobody could tell."""
    return "–" if figure is None or np.isnan(figure) else f"{figure:.{digits}f}"


def _missing(plan: Plan, lines: Sequence[Line]) -> str:
    counts = statuses(lines)
    rows = [[name, *(counts[name][status] for status in STATUSES)] for name in sorted(counts)]
    parts = [table(["", *STATUSES], rows)]
    parts += [_not_run(one) for one in missing(plan.cells(), lines)]
    silent = [method.name for method in plan.chosen_methods() if method.name not in counts]
    if silent:
        parts.append(f"No cell was run of: {', '.join(silent)}.")
    said = {
        (line["method"], line["status"]): line["said"]
        for line in lines
        if line["status"] in ("refused", "failed", "not installed") and "said" in line
    }
    if said:
        parts.append("What they said, one example each:")
        parts.append(
            "\n".join(f"- {name}, {status}: {words}" for (name, status), words in said.items())
        )
    return "\n\n".join(parts)


def _not_run(one: Missing) -> str:
    """Say which of the cells that were planned with a seed were not run."""
    said = f"Not run with seed {one.seed}: {one.n_cells} of {one.n_planned} cells"
    if one.untouched:
        said += f", which is all on {', '.join(one.untouched)}"
    if not one.gaps:
        return f"{said}."
    gaps = [
        f"- {gap.n_cells} cells: {', '.join(gap.methods)}, told "
        f"{'; '.join(gap.tasks) or 'anything'}, on {', '.join(gap.sets)}"
        for gap in one.gaps
    ]
    return "\n".join([f"{said}{', and' if one.untouched else ':'}", "", *gaps])


def html(plan: Plan, lines: Sequence[Line], tables: Sequence[TaskTable]) -> str:
    """Return the page with pictures; it needs nothing from anywhere else."""
    by_task = {one.task: one for one in tables}
    body = ["<h1>Everything against everybody</h1>", f"<p>{escape(_made(plan, lines))}</p>"]
    body += ["<h2>Mean NMI</h2>", _heat_of_tasks(tables)]
    for measure, heading in (("ari", "Mean adjusted Rand index"), ("accuracy", "Mean accuracy")):
        others = [task_table(lines, one.task, measure) for one in tables]
        body += [f"<h2>{heading}</h2>", _heat_of_tasks([one for one in others if one is not None])]
    body += ["<h2>More answers</h2>", _curves(by_task, "links"), _curves(by_task, "asked")]
    body += ["<h2>Mean ranks</h2>", "<p>Within the shaded band chance may decide.</p>"]
    for one in tables:
        ranks = dict(zip(one.methods, one.ranks.tolist(), strict=True))
        body += [
            f"<h3>{escape(one.task)}, {len(one.sets)} sets</h3>",
            rank_axis(ranks, one.critical),
        ]
    most = sorted(costs(lines).items(), key=lambda item: (item[0] != OURS, -len(item[1])))
    drawn = dict(most[: 2 * DRAWN])
    body += ["<h2>Cost</h2>", draw_lines(drawn, "rows", "seconds", logarithmic=True)]
    body += ["<h2>Sets</h2>"]
    for one in tables:
        body += [f"<h3>{escape(one.task)}</h3>", _heat(one.methods, one.sets, one.scores.T)]
    return PAGE.format(body="\n".join(body))


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>linkwise: everything against everybody</title>
<style>body {{ font: 14px sans-serif; margin: 2em }} table {{ border-collapse: collapse }}
td, th {{ padding: 2px 8px; text-align: right }} th {{ font-weight: normal }}
td:first-child {{ text-align: left }} svg {{ display: block; margin: 1em 0 }}</style></head>
<body>
{body}
</body></html>
"""


def _heat_of_tasks(tables: Sequence[TaskTable]) -> str:
    names = sorted(
        {name for one in tables for name in one.methods},
        key=lambda name: -np.mean([_mean_of(one, name, strict=False) for one in tables]),
    )
    scores = np.array([[_mean_of(one, name) for one in tables] for name in names])
    return _heat(names, [one.task for one in tables], scores.reshape(len(names), len(tables)))


def _heat(rows: Sequence[str], columns: Sequence[str], scores: np.ndarray) -> str:
    heads = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = []
    for name, values in zip(rows, scores, strict=True):
        cells = "".join(
            "<td>–</td>"
            if np.isnan(value)
            else f'<td style="background:hsl(210 60% {97 - 45 * value:.0f}%)">{value:.3f}</td>'
            for value in values
        )
        body.append(f"<tr><td>{escape(name)}</td>{cells}</tr>")
    return f"<table><tr><th></th>{heads}</tr>{''.join(body)}</table>"


def _curves(by_task: dict[str, TaskTable], kind: str) -> str:
    """Draw mean NMI against the number of answers, of the best methods and of ours."""
    tasks = (TASKS[0], *(task for task in TASKS if task.kind == kind and not task.noise))
    seen = {task.amount: by_task[task.name] for task in tasks if task.name in by_task}
    if not any(seen):
        return ""
    last = seen[max(seen)]
    sets = sorted(set.intersection(*(set(one.sets) for one in seen.values())))
    names = [name for i, name in enumerate(last.methods) if i < DRAWN or name == OURS]
    points = {
        name: [
            (float(amount), mean)
            for amount, one in seen.items()
            if not np.isnan(mean := _mean_on(one, name, sets))
        ]
        for name in names
    }
    told = f"<p>Means over {', '.join(sets) or 'no set, as none is in all of these tables'}.</p>"
    return told + draw_lines(points, f"{kind}", "NMI")


def _mean_on(one: TaskTable, name: str, sets: Sequence[str]) -> float:
    """Return the mean score of a method over some sets; NaN where one is missing."""
    if name not in one.methods or not sets:
        return float("nan")
    rows = [one.sets.index(each) for each in sets]
    return float(one.scores[rows, one.methods.index(name)].mean())
