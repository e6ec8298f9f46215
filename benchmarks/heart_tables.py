"""Markdown tables of what ``heart.py`` found, for both halves of the data sets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from heart_constants import constants
from heart_ours import ASKED, BINS, JUDGED, N_CHOICES, N_SMOOTH, WATCHED
from heart_rivals import WITH_LABELS, WITH_LINKS
from heart_sets import HALVES, LABELS, LINKS, Figures

#: What was found on each set: one dictionary a seed, from part to figures.
Found = dict[str, list[dict[str, Figures]]]
OURS = "ours"
NOISES = ("0%", "2%", "5%", "10%", "20%")


def tables(found: Found, only: Iterable[str]) -> dict[str, str]:
    """Return the wanted tables by name, one for each half where they are by set."""
    makers: dict[str, Callable[[Found], str]] = {
        "facts": facts,
        "labels": labels,
        "random": random,
        "harm": harm,
        "questions": questions,
        "smooth": smooth,
        "calibration": calibration,
        "speed": speed,
        "sensitivity": sensitivity,
    }
    made = {name: makers[name](found) for name in only}
    if "questions" in made:
        made["choices"] = choices(found)
    return made


def fill(page: Path, made: dict[str, str]) -> None:
    """Put each table between its marks; marks without a table, and tables without, stay out."""
    text = page.read_text(encoding="utf-8")
    for name, table in made.items():
        marks = re.compile(f"(<!-- table:{name} -->\n).*?(<!-- end:{name} -->)", re.DOTALL)
        text = marks.sub(lambda m, t=table: f"{m[1]}\n{t}\n\n{m[2]}", text)
    page.write_text(text, encoding="utf-8")


def by_half(
    found: Found,
    head: Sequence[str],
    cells: Callable[[list[str]], list[np.ndarray]],
    last: Callable[[list[np.ndarray]], list[list[str]]] | None = None,
    form: str = ".3f",
) -> str:
    """Return a table a half: a row a set, then what sums the half up.

    ``cells`` gives the columns, (n_sets,) or (n_sets, n_numbers) each, of the sets it is given.
    """
    text = []
    for half, members in HALVES.items():
        names = [name for name in members if found.get(name)]
        if not names:
            continue
        columns = cells(names)
        rows = [
            [name, *(_cell(column[k], form) for column in columns)] for k, name in enumerate(names)
        ]
        mean = ["**mean**", *(f"**{_cell(_mean(column), form)}**" for column in columns)]
        more = last(columns) if last else []
        text.append(
            f"*{half.capitalize()}*, {len(names)} sets:\n\n"
            + markdown(["set", *head], [*rows, mean, *more])
        )
    return "\n\n".join(text) or "*Not measured yet.*"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(values: np.ndarray | float, form: str) -> str:
    shown = ["–" if np.isnan(v) else f"{v:{form}}" for v in np.atleast_1d(values)]
    return " / ".join(shown)


def _mean(values: np.ndarray) -> np.ndarray:
    """Return the mean of what is known."""
    known = ~np.isnan(values)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.where(known.any(axis=0), total / np.maximum(known.sum(axis=0), 1), np.nan)


def column(found: Found, names: list[str], part: str, *keys: str) -> np.ndarray:
    """Return mean figures over seeds, one row a set, NaN where they are not known."""
    wide = np.array(
        [
            [
                _mean(np.array([run.get(part, {}).get(key, np.nan) for run in found[name]], float))
                for key in keys
            ]
            for name in names
        ]
    )
    return wide[:, 0] if len(keys) == 1 else wide


def facts(found: Found) -> str:
    """Rows outside the cluster of their class, and true answers that do not hold."""
    given = by_half(
        found,
        [*(f"outside, {n} a class" for n in LABELS), "outside, all rows named"],
        lambda names: [column(found, names, "labels", f"outside {n}") for n in (*LABELS, "all")],
    )
    head = [f"unheld of {n} asked" for n in JUDGED]
    head += [f'of {n}, honour="all"' for n in JUDGED] + ["among the first 30"]
    keys = [f"unheld {n}" for n in JUDGED] + [f"unheld {n}, all" for n in JUDGED] + ["first"]
    held = by_half(
        found,
        head,
        lambda names: [column(found, names, "questions", key) for key in keys],
        form=".2f",
    )
    return f"{given}\n\n{held}"


def labels(found: Found) -> str:
    """NMI on unlabelled rows from 3 / 10 / 20 labels a class."""
    keys = [f"labels {n}" for n in LABELS]

    def cells(names: list[str]) -> list[np.ndarray]:
        ours = column(found, names, "labels", *keys)
        return [ours, *(column(found, names, rival, *keys) for rival in WITH_LABELS)]

    def last(columns: list[np.ndarray]) -> list[list[str]]:
        spreading = columns[1 + list(WITH_LABELS).index("LabelSpreading")]
        below = np.fmax.reduce(spreading - columns[0])
        empty = [""] * len(WITH_LABELS)
        return [_on_common(columns), ["most below LabelSpreading", _cell(below, "+.3f"), *empty]]

    return by_half(found, [OURS, *WITH_LABELS], cells, last)


def random(found: Found) -> str:
    """NMI on rows in no link from 100 / 500 random links, and without any on all rows."""
    ours, theirs = [f"{n} free" for n in LINKS], [f"random {n}" for n in LINKS]

    def cells(names: list[str]) -> list[np.ndarray]:
        none = [column(found, names, "links", "none"), column(found, names, "k-means", "none")]
        heard = [column(found, names, rival, *theirs) for rival in WITH_LINKS]
        return [*none, column(found, names, "links", *ours), *heard]

    def last(columns: list[np.ndarray]) -> list[list[str]]:
        common = _on_common(columns[2:])
        return [["**mean, where all ran**", "", "", *common[1:]], _ranks(columns[2:])]

    head = ["none: ours", "none: k-means", OURS, *WITH_LINKS]
    beside = found["alone"][0].get("one hot", {})
    shown = ", ".join(f"{method} {value:.3f}" for method, value in beside.items())
    return by_half(found, head, cells, last) + (
        f"\n\nThree blobs beside a meaningless one-hot column, nothing said: {shown}."
        if beside
        else ""
    )


def _on_common(columns: list[np.ndarray]) -> list[str]:
    """Return mean figures over the sets on which every method ran."""
    known = ~np.isnan(np.array(columns)).any(axis=0)
    means = [_mean(np.where(known, column, np.nan)) for column in columns]
    return ["**mean, where all ran**", *(f"**{_cell(mean, '.3f')}**" for mean in means)]


def _ranks(columns: list[np.ndarray]) -> list[str]:
    """Return mean ranks, 1 the best, over the sets on which every method ran."""
    wide = np.array(columns)  # (n_methods, n_sets, n_numbers)
    higher = (wide[None] > wide[:, None]).sum(axis=1) + (
        (wide[None] == wide[:, None]).sum(axis=1) - 1
    ) / 2
    ranks = np.where(np.isnan(wide).any(axis=0), np.nan, 1.0 + higher)
    cells = [f"**{_cell(_mean(rank), '.1f')}**" for rank in ranks]
    return ["**mean rank**", "", "", *cells]


def harm(found: Found) -> str:
    """Differences to no answers."""
    keys = [f"{n} free gain" for n in ("10", "30", "100", "500 10% wrong", "500 20% wrong")]
    keys.append("500 10% wrong all gain")
    head = ["10", "30", "100", "500, 10 % wrong", "500, 20 % wrong", "all rows: 500, 10 % wrong"]
    head += ["all rows: asked 200", "all rows: asked 200, 10 % wrong"]

    def cells(names: list[str]) -> list[np.ndarray]:
        none = column(found, names, "questions", "none")
        right = column(found, names, "questions", "asked 200") - none
        wrong = column(found, names, "questions", "asked 200 10% wrong") - none
        return [*(column(found, names, "links", key) for key in keys), right, wrong]

    def last(columns: list[np.ndarray]) -> list[list[str]]:
        return [["**worst set**", *(f"**{_cell(np.fmin.reduce(c), '+.3f')}**" for c in columns)]]

    return by_half(found, head, cells, last, form="+.3f")


def questions(found: Found) -> str:
    """NMI on all rows after questions chosen by query."""
    head = ["none", *(f"asked {n}" for n in ASKED), "asked 200, 10 % wrong"]
    keys = [*head[:-1], "asked 200 10% wrong"]
    return by_half(
        found, head, lambda names: [column(found, names, "questions", key) for key in keys]
    )


def choices(found: Found) -> str:
    """One click in two kinds: choices against twice as many pairs."""
    names = [name for name in WATCHED if any("choices" in run for run in found.get(name, []))]
    columns = [
        column(found, names, "questions", "none"),
        column(found, names, "choices", "choices"),
        column(found, names, "questions", f"asked {2 * N_CHOICES}"),
        column(found, names, "choices", "links"),
    ] if names else []  # fmt: skip
    forms = [".3f", ".3f", ".3f", ".0f"]
    rows = [
        [name, *(_cell(c[k], form) for c, form in zip(columns, forms, strict=True))]
        for k, name in enumerate(names)
    ]
    head = ["set", "none", f"{N_CHOICES} choices", f"{2 * N_CHOICES} pairs", "links of the choices"]
    return markdown(head, rows) if names else "*Not measured yet.*"


def smooth(found: Found) -> str:
    """What single answers move."""
    names = [name for name in WATCHED if any("smooth" in run for run in found.get(name, []))]
    rows = []
    for name in names:
        runs = [run["smooth"] for run in found[name] if "smooth" in run]
        n_expected = sum(run["expected"] for run in runs)
        mean = sum(run["mean moved"] * run["expected"] for run in runs) / max(n_expected, 1)
        moved, elsewhere = (sum(run[key] for run in runs) for key in ("moved", "elsewhere"))
        rows.append(
            [
                name,
                f"{mean:.1%}",
                f"{max(run['worst moved'] for run in runs):.1%}",
                " / ".join(str(run["falls"]) for run in runs),
                f"{moved / elsewhere:.1f}" if elsewhere else "–",
                f"{np.mean([run['nmi'] for run in runs]):.3f}",
            ]
        )
    head = [
        "set", "expected answer moves", "at worst", f"falls of {N_SMOOTH}, by seed",
        "moved / end elsewhere", "NMI in the end",
    ]  # fmt: skip
    return markdown(head, rows) if rows else "*Not measured yet.*"


def calibration(found: Found) -> str:
    """Mean suspicion and share really wrong, by bin of suspicion."""
    runs = [run["links"] for some in found.values() for run in some if "links" in run]
    if not runs:
        return "*Not measured yet.*"
    head = ["suspicion", *(f"{noise[:-1]} % wrong" for noise in NOISES), "all together"]
    doubts = {noise: [run[f"doubt {noise}"] for run in runs] for noise in NOISES}
    sums = {
        key: np.array([np.sum([d[key] for d in some], axis=0) for some in doubts.values()])
        for key in ("n", "doubt", "wrong")
    }
    sums = {key: np.vstack([value, value.sum(axis=0)]) for key, value in sums.items()}
    rows = []
    for k in range(len(BINS) - 1):
        cells = [
            f"{doubt / n:.1%} → {wrong / n:.1%} ({n:.0f})" if n else "–"
            for n, doubt, wrong in zip(*(sums[key][:, k] for key in sums), strict=True)
        ]
        rows.append([f"{BINS[k]:.0%} to {BINS[k + 1]:.0%}", *cells])
    auc = [_mean(np.array([d["auc"] for d in some], dtype=float)) for some in doubts.values()]
    rows.append(["AUC", *(_cell(value, ".3f") for value in auc), ""])
    return markdown(head, rows)


def speed(found: Found) -> str:
    """CPU seconds on one core."""
    lines = found["alone"][0].get("speed", {}).get("lines", [])
    heard = [line for line in lines if "links" in line]
    votes = [line for line in lines if "vote" in line]
    if not heard:
        return "*Not measured yet.*"
    rows = [
        [f"{line['rows']:,}", f"{line['links']:,}", f"{line['update']:.2f}", f"{line['query']:.3f}"]
        for line in heard
    ]
    said = "; ".join(f"{line['rows']:,} rows {line['vote']:.3f} s" for line in votes)
    return markdown(["rows", "links", "update, s", "query, s"], rows) + f"\n\nThe vote: {said}."


def sensitivity(found: Found) -> str:
    """Change of the mean when a constant is halved or doubled."""
    runs = [run["constants"] for some in found.values() for run in some if "constants" in run]
    if not runs:
        return "*Not measured yet.*"
    tasks = list(runs[0]["as it is"])

    def change(key: str, task: str) -> float:
        known = [run[key][task] - run["as it is"][task] for run in runs if key in run]
        return float(_mean(np.array(known, dtype=float))) if known else float("nan")

    rows = []
    for name, value in constants().items():
        for word in ("halved", "doubled"):
            changes = [change(f"{name} {word}", task) for task in tasks]
            shown = [f"{c:+.3f}" for c in (_mean(np.array(changes)), *changes)]
            rows.append([f"`{name}` = {value:g}", word, *shown])
    return markdown(["constant", "", "mean", *tasks], rows)
