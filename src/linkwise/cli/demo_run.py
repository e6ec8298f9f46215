"""The experiment behind ``linkwise demo``: ask, answer, cluster again, compare with the truth."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import linkwise as lw
from linkwise.cli.progress import Report
from linkwise.errors import ConstraintWarning

if TYPE_CHECKING:
    from linkwise.datasets import Dataset

_BATCHES = 10


@dataclass(frozen=True, eq=False)
class Step:
    """How things stood after ``n_answers`` answers.

    ``nmi_not_asked`` is None once every row is part of an answer.
    """

    n_answers: int
    n_same: int
    n_kept: int
    n_moved: int
    nmi_all: float
    nmi_not_asked: float | None
    labels: NDArray[np.int32]

    def as_dict(self) -> dict[str, Any]:
        """Return the figures, ready for JSON."""
        return {name: value for name, value in vars(self).items() if name != "labels"}


def ask_and_tell(
    data: Dataset, n_answers: int, *, wrong: float, seed: int, report: Report
) -> tuple[list[Step], lw.Links]:
    """Cluster ``data``, then learn from ``n_answers`` answers in ten batches.

    Returns the state before, after every batch, and all answers.
    """
    rng = np.random.RandomState(seed)
    model = lw.SequentialClustering(data.n_classes, random_state=seed)
    with threadpool_limits(1):  # small matrices: on busy cores, waiting threads cost more
        with lw.run_options(progress=report):
            model.fit(data.X)
        steps = [_step(model, data.y, None)]
        for n_wanted in np.linspace(0, n_answers, min(_BATCHES, n_answers) + 1)[1:].round():
            pairs = model.query(int(n_wanted) - model.links_.n_links)
            if not len(pairs):  # nothing useful is left to ask
                break
            with warnings.catch_warnings():  # the summary tells how many answers hold
                warnings.simplefilter("ignore", ConstraintWarning)
                model.update(_answer(pairs, data.y, wrong, rng))
            steps.append(_step(model, data.y, steps[0].labels))
            report(model.links_.n_links, n_answers, "asking")
    return steps, model.links_


def _answer(
    pairs: NDArray[np.int64], truth: NDArray[np.int64], wrong: float, rng: np.random.RandomState
) -> lw.Links:
    """Answer each pair by the truth, except for a share of wrong answers."""
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    same = same ^ (rng.uniform(size=len(pairs)) < wrong)
    return lw.Links(len(truth), must=pairs[same], cannot=pairs[~same])


def _step(
    model: lw.SequentialClustering, truth: NDArray[np.int64], before: NDArray[np.int32] | None
) -> Step:
    labels, links = model.labels_, model.links_
    rest = np.setdiff1d(np.arange(len(truth)), links.linked_rows)
    return Step(
        n_answers=links.n_links,
        n_same=len(links.must),
        n_kept=model.report_.n_kept,
        n_moved=0 if before is None else int((labels != before).sum()),
        nmi_all=lw.scores.nmi(truth, labels),
        nmi_not_asked=lw.scores.nmi(truth[rest], labels[rest]) if len(rest) else None,
        labels=labels,
    )
