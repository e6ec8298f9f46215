"""What answers buy: SequentialClustering on real data, beside the methods one would use instead.

Two halves of the data sets (``heart_sets.py``): one was looked at while the model was made, the
other never. Every set and seed is fitted once, and what each section found is kept as a line of
JSON in ``out/heart/``, so that a run can be stopped, resumed and put together. Data come from
``LINKWISE_DATA``; rows are taken as they are, nothing is standardised.

    python benchmarks/heart.py --seeds 3                      # everything (hours on two cores)
    python benchmarks/heart.py --only labels,random --sets digits,usps
    python benchmarks/heart.py --only questions --again       # forget what was found before
    python benchmarks/heart.py --print                        # the tables, of what there is
    python benchmarks/heart.py --print --into docs/answers.md
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

import heart_constants
import heart_ours
import heart_rivals
import heart_sets
import sequential_speed
from heart_sets import Figures
from heart_tables import Found, fill, tables
from linkwise import SequentialClustering
from linkwise.scores import nmi

OUT = Path(__file__).parents[1] / "out" / "heart"

#: What is measured with the fitted model of a set and a seed.
PARTS = {
    "labels": heart_ours.measure_labels,
    "links": heart_ours.measure_links,
    "questions": heart_ours.measure_questions,
    "choices": heart_ours.measure_choices,
    "smooth": heart_ours.measure_smoothness,
    "constants": heart_constants.measure_constants,
}
#: Which parts a section is made of; "rivals" are all rivals.
SECTIONS = {
    "facts": ("labels", "questions"),
    "labels": ("labels", "rivals"),
    "random": ("links", "rivals", "one hot"),
    "harm": ("links", "questions"),
    "questions": ("questions", "choices"),
    "smooth": ("smooth",),
    "calibration": ("links",),
    "speed": ("speed",),
    "sensitivity": ("constants",),
}


def wanted(part: str, name: str, seed: int) -> bool:
    """Tell whether a part is measured on this set and seed."""
    if part in ("choices", "smooth"):
        return name in heart_ours.WATCHED
    if part == "constants":
        return name in heart_constants.SETS and seed < heart_constants.N_SEEDS
    return part in PARTS


def measure(name: str, seed: int, parts: list[str], again: bool) -> None:
    """Measure what is missing on one set with one seed, and write it down line by line."""
    warnings.simplefilter("ignore")  # answers set aside and links withdrawn are counted instead
    path = OUT / f"{name}-{seed}.jsonl"
    known = {} if again else read(path)
    todo = [part for part in parts if wanted(part, name, seed) and part not in known]
    rivals = [rival for rival in heart_rivals.RIVALS if "rivals" in parts and rival not in known]
    if name in heart_rivals.SKIPPED:
        rivals = []
    if not todo and not rivals:
        return
    table = heart_sets.load(name, seed)
    with threadpool_limits(1):
        model = heart_ours.fit(table) if todo else None
        for part in todo:
            keep(path, part, partial(PARTS[part], model, table))
        for rival in rivals:
            keep(path, rival, partial(heart_rivals.measure_rival, rival, table))


def keep(path: Path, part: str, measured: Callable[[], Figures]) -> None:
    """Measure, and append what was found and how long it took."""
    start = time.process_time()
    figures = measured()
    line = {"part": part, "seconds": round(time.process_time() - start, 2), "figures": figures}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    print(f"{path.stem}: {part}, {line['seconds']:.0f} s", file=sys.stderr, flush=True)


def read(path: Path) -> dict[str, Figures]:
    """Return what was found, by part; a later line replaces an earlier one."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return {line["part"]: line["figures"] for line in map(json.loads, lines)}


def one_hot(seeds: int) -> Iterator[tuple[str, float]]:
    """Put a meaningless column of three values, one-hot, beside three blobs; yield mean NMI."""
    scores: dict[str, list[float]] = {"SequentialClustering": [], "k-means": []}
    corners = 3.7 * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    for seed in range(seeds):
        X, y = make_blobs(900, centers=corners, cluster_std=1.0, random_state=seed)
        column = np.random.RandomState(seed).randint(3, size=len(X))
        X = np.hstack([X, np.eye(3)[column]])
        ours = SequentialClustering(3, n_jobs=1, random_state=seed).fit(X).labels_
        scores["SequentialClustering"].append(nmi(y, ours))
        theirs = KMeans(3, n_init=10, random_state=seed).fit(X).labels_
        scores["k-means"].append(nmi(y, theirs))
    for method, values in scores.items():
        yield method, float(np.mean(values))


def measure_alone(parts: list[str], options: argparse.Namespace) -> None:
    """Measure what needs no data set."""
    rows = [100_000, 8_000_000] if options.large else [100_000]
    alone = {
        "one hot": lambda: dict(one_hot(options.seeds)),
        "speed": lambda: {"lines": sequential_speed.measure(rows)},
    }
    known = {} if options.again else read(OUT / "alone.jsonl")
    for part, measured in alone.items():
        if part in parts and part not in known:
            with threadpool_limits(1):
                keep(OUT / "alone.jsonl", part, measured)


def gather(names: list[str], seeds: int) -> Found:
    """Return everything that was written down about these sets and seeds."""
    found: Found = {"alone": [read(OUT / "alone.jsonl")]}
    for name in names:
        runs = [read(OUT / f"{name}-{seed}.jsonl") for seed in range(seeds)]
        found[name] = [run for run in runs if run]
    return found


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, with commas")
    parser.add_argument("--sets", help="names, with commas; default: all with 300 rows or more")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-rivals", action="store_true", help="measure ours alone")
    parser.add_argument("--large", action="store_true", help="speed at eight million rows, too")
    parser.add_argument("--again", action="store_true", help="measure what is known already")
    parser.add_argument("--print", action="store_true", help="print tables, measure nothing")
    parser.add_argument("--into", type=Path, help="put the printed tables into this page")
    options = parser.parse_args()
    options.only = options.only.split(",")
    unknown = sorted(set(options.only) - set(SECTIONS))
    if unknown:
        parser.error(f"--only {unknown[0]}: no such section. Sections: {', '.join(SECTIONS)}.")
    return options


def main() -> None:
    options = read_options()
    names = options.sets.split(",") if options.sets else heart_sets.available()
    if options.print:
        made = tables(gather(names, options.seeds), options.only)
        if options.into:
            fill(options.into, made)
        else:
            print("\n\n".join(f"## {name}\n\n{text}" for name, text in made.items()))
        return
    OUT.mkdir(parents=True, exist_ok=True)
    parts = list(dict.fromkeys(part for section in options.only for part in SECTIONS[section]))
    if options.no_rivals and "rivals" in parts:
        parts.remove("rivals")
    measure_alone(parts, options)
    Parallel(n_jobs=options.jobs)(
        delayed(measure)(name, seed, parts, options.again)
        for seed in range(options.seeds)
        for name in names
    )


if __name__ == "__main__":
    main()
