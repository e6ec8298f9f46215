"""Around a row: which rows are most like it, and why it is where it is. And one whole cluster."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.ensemble import LabelMatrix
from linkwise.session.state.labelling import Labelling
from linkwise.session.state.view import View

_CHUNK = 500_000


@dataclass(frozen=True)
class Around:
    """What surrounds a row.

    Attributes
    ----------
    row : int
        The row.
    neighbours : list of int
        The rows that share most blocks of the ensemble with it, the nearest first.
    why : str
        Why it is in its cluster, in a sentence.
    events : list of int
        What stands of what was said about it.
    """

    row: int
    neighbours: list[int]
    why: str
    events: list[int]


@dataclass(frozen=True)
class ClusterPage:
    """One cluster: its rows, the surest first, examples unlike each other, what sets it apart.

    ``names`` are short names that may suit it.
    """

    number: int
    size: int
    rows: list[int]
    examples: list[int]
    apart: list[str]
    names: list[str]


class Company(NamedTuple):
    """Rows, and their blocks in all partitions, (n_partitions, n_rows)."""

    rows: NDArray[np.int64]
    blocks: NDArray[np.uint8]


def look_around(
    row: int,
    n: int,
    view: View,
    labelling: Labelling,
    model: SequentialClustering,
    labels: LabelMatrix,
    company: Company | None = None,
) -> Around:
    """Return the neighbours of a row, in some company or among all rows, and why it is there."""
    own = labels.rows([row]).T
    if company is None:
        with labels.parts(len(view.labels)) as parts:
            shared = np.concatenate([_shared(blocks, own) for blocks in parts])
        among = np.arange(len(shared))
    else:
        among, shared = company.rows, _shared(company.blocks, own)
    order = np.argsort(-shared, kind="stable")[: n + 1]
    nearest = among[order[among[order] != row]][:n].tolist()
    said = labelling.state.statements
    events = said.seq[(said.i == row) | (said.j == row)].tolist()
    events += [one.seq for one in said.sets if row in one.rows]
    return Around(row, nearest, _why(row, nearest, view, labelling, model), sorted(events))


def _shared(blocks: NDArray[np.uint8], own: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return in how many partitions each row is in the same block as one with ``own`` blocks."""
    starts = range(0, blocks.shape[1], _CHUNK)
    return np.concatenate(
        [(blocks[:, s : s + _CHUNK] == own).sum(axis=0, dtype=np.int32) for s in starts]
    )


def _why(
    row: int, nearest: list[int], view: View, labelling: Labelling, model: SequentialClustering
) -> str:
    """Say what speaks for a row's cluster: its name, what was said, its neighbours, the vote."""
    names = {cluster.number: cluster.name for cluster in view.clusters}
    label, called = int(view.labels[row]), names.get(int(view.labels[row]), "")
    if label == view.nowhere:
        return "Somebody said that it belongs nowhere."
    for name, rows in labelling.state.clustered_names.items():
        if row in rows:
            return f"Somebody called it {name!r}, which is a fact."
    said = labelling.state.statements
    first, second = (said.i == row) & said.same, (said.j == row) & said.same
    linked = np.concatenate([said.j[first], said.i[second]])
    there = int((view.labels[linked] == label).sum())
    parts = []
    if there:
        parts.append(f"it was said to be the same as {there} other{'s' if there > 1 else ''} there")
    around = Counter(int(view.labels[other]) for other in nearest)
    parts.append(f"{around[label]} of the {len(nearest)} rows most like it are in {called}")
    share = model.votes(np.array([row]))[0]
    ranked = np.argsort(-share, kind="stable")[:2]
    if len(ranked) > 1 and not labelling.state.changes:
        second = names.get(int(labelling.state.numbers[ranked[1]]))
        if second is not None and share[ranked[1]] >= 0.05:
            parts.append(f"{second} would be next, with {share[ranked[1]]:.0%} of the votes")
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."
