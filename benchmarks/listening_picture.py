"""The picture of ``docs/listening.md``: evidence opens the gate, and what is alike by it.

Left, the digits while questions are answered: the weight of what was learned, and agreement with
the true digits. Right, how alike all landmarks are to one of them by these answers.

    python benchmarks/listening_picture.py            # writes docs/images/listening.png
"""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray
from sklearn.manifold import TSNE

from linkwise import Links, SequentialClustering, datasets
from linkwise.cluster.sequential.answers import Answers
from linkwise.cluster.sequential.committee import listen
from linkwise.cluster.sequential.landmarks import lift
from linkwise.cluster.sequential.places import Places
from linkwise.cluster.sequential.similarity import learn_similarity
from linkwise.scores import nmi

mpl.use("Agg")
import matplotlib.pyplot as plt

Floats = NDArray[np.float64]

N_ANSWERS, ROUND = 200, 10
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "listening.png"


def said_of(model: SequentialClustering) -> tuple[Places, Answers]:
    """Return the answers so far, and where their rows lie among the landmarks."""
    answers = Answers.of(model.links_, model.named_)
    blocks = model.ensemble_.labels.rows(answers.rows)
    mixture = lift(model._basis, answers.rows, blocks)
    return Places.of(model._basis, mixture, np.ascontiguousarray(blocks.T)), answers


def reach(model: SequentialClustering, is_row: NDArray[np.bool_]) -> Floats:
    """Return how alike each landmark is to one of them, by the answers so far."""
    places, answers = said_of(model)
    traits = model._basis.traits
    similarity = learn_similarity(places.traits, traits.prior, answers)
    return traits.landmarks @ similarity @ traits.landmarks[is_row][0]


def main() -> None:
    warnings.simplefilter("ignore")
    digits = datasets.load("digits")
    X, y = digits.X, digits.y
    model = SequentialClustering(10, random_state=0).fit(X)
    is_row = model.landmarks_.rows == model.query(1)[0, 0]
    said, weight, agreement = [0], [0.0], [nmi(y, model.labels_)]
    while said[-1] < N_ANSWERS:
        pairs = model.query(ROUND)
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        model.update(Links(len(y), must=pairs[same], cannot=pairs[~same]))
        said.append(said[-1] + len(pairs))
        weight.append(listen(model._basis, *said_of(model)).weight)
        agreement.append(nmi(y, model.labels_))
    place = TSNE(random_state=0).fit_transform(X[model.landmarks_.rows])
    draw(said, weight, agreement, place, reach(model, is_row), is_row)


def draw(
    said: list[int],
    weight: list[float],
    agreement: list[float],
    place: Floats,
    reached: Floats,
    is_row: NDArray[np.bool_],
) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    left.plot(said, weight, color="tab:orange", label="weight of what was learned")
    left.plot(said, agreement, color="tab:blue", label="NMI with the true digits")
    left.set(xlabel="answers", ylim=(0, 1.02), title="Left-out answers open the gate")
    left.legend(loc="lower right", frameon=False)
    order = np.argsort(reached)
    look = {"s": 6, "vmin": 0, "vmax": 1, "cmap": "viridis_r"}
    shown = right.scatter(*place[order].T, c=reached[order], **look)
    right.scatter(*place[is_row].T, marker="*", s=200, color="tab:red", edgecolor="white")
    right.set(xticks=[], yticks=[], title="How alike all rows are to one of them")
    figure.colorbar(shown, ax=right, shrink=0.8)
    figure.savefig(PICTURE, dpi=90)


if __name__ == "__main__":
    main()
