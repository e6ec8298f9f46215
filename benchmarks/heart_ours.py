"""What SequentialClustering makes of labels, links, questions and choices: one set, one seed.

Each measure takes a fitted model that nobody has told anything and leaves it so.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from heart_sets import (
    LABELS,
    Figures,
    Table,
    is_wrong,
    on_free,
    on_unlabelled,
    random_links,
    some_labels,
)
from linkwise import Links, PartialLabels, SequentialClustering
from linkwise.scores import nmi

#: Random answers: how many, and which share of them is wrong.
RANDOM = [(10, 0.0), (30, 0.0), (100, 0.0)] + [(500, p) for p in (0.0, 0.02, 0.05, 0.1, 0.2)]
ASKED = (50, 100, 200, 500)
JUDGED = (50, 100, 200)
#: While so few have been asked, every round looks for answers that do not hold.
FIRST = 30
ROUND = 20
N_CHOICES = 100
N_SMOOTH = 120
FALL = 0.01
BINS = np.array([0.0, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
#: Above so many rows, all of them are labelled with the first seed only.
MANY = 6_000
#: Sets on which choices are compared with pairs, and questions are asked one by one.
WATCHED = ("digits", "usps", "pendigits", "segment", "satimage")


def fit(table: Table) -> SequentialClustering:
    """Return a model that has been told nothing."""
    return SequentialClustering(table.n_classes, n_jobs=1, random_state=table.seed).fit(table.X)


def measure_labels(model: SequentialClustering, table: Table) -> Figures:
    """Give some labels a class, then all; see the other rows, and whether the named rows obey."""
    found: Figures = {}
    for per_class in LABELS:
        given = some_labels(table, per_class)
        model.update(given)
        found[f"labels {per_class}"] = on_unlabelled(table, model.labels_, given)
        found[f"outside {per_class}"] = share_outside(model, given)
        model.retract(given)
    if len(table.y) <= MANY or table.seed == 0:
        given = PartialLabels(table.y)
        found["outside all"] = share_outside(model.update(given), given)
        model.retract(given)
    return found


def share_outside(model: SequentialClustering, given: PartialLabels) -> float:
    """Return the share of the named rows that are not in the cluster of their class."""
    named = given.codes >= 0
    held = model.classes_[model.labels_[named]]
    return float(np.mean(held != given.classes[given.codes[named]]))


def measure_links(model: SequentialClustering, table: Table) -> Figures:
    """Answer random pairs, rightly and wrongly; see gain, harm, and whether doubt is honest."""
    silent = model.labels_
    found: Figures = {"none": nmi(table.y, silent)}
    for n_links, noise in RANDOM:
        links = random_links(table, n_links, noise)
        start = time.process_time()
        model.update(links)
        key = f"{n_links}" + (f" {noise:.0%} wrong" if noise else "")
        found[f"{key} seconds"] = time.process_time() - start
        found[f"{key} free"] = on_free(table, model.labels_, links)
        found[f"{key} free gain"] = found[f"{key} free"] - on_free(table, silent, links)
        found[f"{key} all gain"] = nmi(table.y, model.labels_) - found["none"]
        if n_links == 500:
            found[f"doubt {noise:.0%}"] = reliability(model, table)
        model.retract(links)
    return found


def reliability(model: SequentialClustering, table: Table) -> Figures:
    """Return, per bin of suspicion, how many answers, their mean suspicion and how many wrong."""
    wrong, doubt = is_wrong(table, model.links_), model.suspicion_
    place = np.clip(np.searchsorted(BINS, doubt, side="right") - 1, 0, len(BINS) - 2)
    n_bins = len(BINS) - 1
    return {
        "n": np.bincount(place, minlength=n_bins).tolist(),
        "doubt": np.bincount(place, weights=doubt, minlength=n_bins).tolist(),
        "wrong": np.bincount(place, weights=wrong, minlength=n_bins).tolist(),
        "auc": float(roc_auc_score(wrong, doubt)) if 0 < wrong.sum() < len(wrong) else float("nan"),
    }


def measure_questions(model: SequentialClustering, table: Table) -> Figures:
    """Let people who are right, then people who err once in ten times, answer what is asked."""
    found: Figures = {"none": nmi(table.y, model.labels_), "first": 0}
    slowest = 0.0
    for n_asked, seconds in asked(model, table, (FIRST, *ASKED)):
        slowest = max(slowest, seconds)
        if n_asked <= FIRST:
            found["first"] += n_unheld(model)
        if n_asked in ASKED:
            found[f"asked {n_asked}"] = nmi(table.y, model.labels_)
        if n_asked in JUDGED:
            found |= unheld(model, n_asked)
    for count in ASKED:  # no question left: more answers cannot be had
        found.setdefault(f"asked {count}", nmi(table.y, model.labels_))
    found |= {"n asked": model.links_.n_links, "query seconds": slowest}
    model.retract(model.links_)
    for _ in asked(model, table, (200,), noise=0.1):
        pass
    found["asked 200 10% wrong"] = nmi(table.y, model.labels_)
    model.retract(model.links_)
    return found


def asked(
    model: SequentialClustering, table: Table, stops: tuple[int, ...], noise: float = 0.0
) -> Iterator[tuple[int, float]]:
    """Ask in rounds that end at each of the stops; yield answers so far, and seconds of asking."""
    rng, n_asked = np.random.RandomState(table.seed), 0
    while n_asked < stops[-1]:
        wanted = min(ROUND, min(stop for stop in stops if stop > n_asked) - n_asked)
        start = time.process_time()
        pairs = model.query(wanted)
        seconds = time.process_time() - start
        if len(pairs) == 0:
            return
        same = (table.y[pairs[:, 0]] == table.y[pairs[:, 1]]) ^ (rng.rand(len(pairs)) < noise)
        model.update(Links(len(table.y), must=pairs[same], cannot=pairs[~same]))
        n_asked += len(pairs)
        yield n_asked, seconds


def unheld(model: SequentialClustering, n_asked: int) -> Figures:
    """Return how many of the true answers do not hold, by default and if all are honoured."""
    found = {f"unheld {n_asked}": n_unheld(model)}
    nothing = Links(model.links_.shape[0])
    model.set_params(honour="all").update(nothing)
    found[f"unheld {n_asked}, all"] = n_unheld(model)
    model.set_params(honour="trusted").update(nothing)
    return found


def n_unheld(model: SequentialClustering) -> int:
    """Return how many answers are set aside or broken."""
    holds: NDArray[np.bool_] = model.links_.satisfied(model.labels_)
    return int((~holds | ~model._honoured(model.suspicion_)).sum())


def measure_choices(model: SequentialClustering, table: Table) -> Figures:
    """Answer choices: the first example of the row's class, or none of them."""
    n_asked = 0
    while n_asked < N_CHOICES:
        choices = model.query(min(ROUND, N_CHOICES - n_asked), kind="choice")
        if not choices:
            break
        said = Links(len(table.y))
        for row, examples in choices:
            said |= chosen(table, row, examples)
        model.update(said)
        n_asked += len(choices)
    found = {"choices": nmi(table.y, model.labels_), "links": model.links_.n_links}
    model.retract(model.links_)
    return found


def chosen(table: Table, row: int, examples: tuple[int, ...]) -> Links:
    """Return what picking the first example that is right says: those before it are not."""
    same = table.y[list(examples)] == table.y[row]
    first = int(same.argmax()) if same.any() else len(examples)
    must = [(row, other) for other in examples[first : first + 1]]
    return Links(len(table.y), must=must, cannot=[(row, other) for other in examples[:first]])


def measure_smoothness(model: SequentialClustering, table: Table) -> Figures:
    """Ask one question at a time and watch how many rows each answer moves."""
    began = before = model.labels_
    agreed, expected, moved, falls = nmi(table.y, before), [], 0.0, 0
    n_asked = 0
    for n_asked in range(1, N_SMOOTH + 1):
        pair = model.query(1)
        if len(pair) == 0:
            break
        i, j = pair[0]
        same = table.y[i] == table.y[j]
        model.update(Links(len(table.y), **{"must" if same else "cannot": pair}))
        share = float(np.mean(model.labels_ != before))
        if (before[i] == before[j]) == same:
            expected.append(share)
        agrees = nmi(table.y, model.labels_)
        falls += agrees < agreed - FALL
        moved, before, agreed = moved + share, model.labels_, agrees
    found = {
        "expected": len(expected),
        "mean moved": float(np.mean(expected)) if expected else 0.0,
        "worst moved": max(expected, default=0.0),
        "falls": int(falls),
        "moved": moved,
        "elsewhere": float(np.mean(model.labels_ != began)),
        "asked": n_asked,
        "nmi": agreed,
    }
    model.retract(model.links_)
    return found
