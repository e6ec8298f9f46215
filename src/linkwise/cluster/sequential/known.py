"""Rows whose class is as good as known: those with a name, and large groups of must-linked rows.

Must-links join rows into groups. The largest groups that differ from each other are different
classes, each with a cluster of its own: so a class is found that no cluster stands for yet. How
sure that is grows with the group, so that it makes no difference all at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components

from linkwise.cluster.sequential.answers import Answers, Bools, Floats, Ints
from linkwise.constraints.narrow import narrow


class Known(NamedTuple):
    """The cluster of rows whose class is as good as known, -1 for the others; and how sure it is.

    A name is sure, and so is what must-links join to it. Of a group of ``n`` rows the share
    ``1 - 2 / n`` is believed: two rows are no group, for one answer alone may be wrong.
    """

    cluster: Ints
    sure: Floats


def known_clusters(answers: Answers, votes: Floats, cluster_of: Ints) -> Known:
    """Return which rows' class is as good as known.

    Named rows are known, and what sure must-links join to them. Beyond these, the largest
    groups of must-linked rows that differ from one another, because an answer says so or because
    they look different, are different classes: each gets the free cluster that most of its rows
    look like.

    Parameters
    ----------
    answers : Answers
        What was said.
    votes : float64 array of shape (n_rows, n_clusters)
        What the rows look like.
    cluster_of : int64 array of shape (n_classes,)
        The cluster of each named class.
    """
    n_rows, r = votes.shape
    known = np.full(n_rows, -1)
    is_named = answers.named >= 0
    known[is_named] = cluster_of[answers.named[is_named]]
    group = _groups(answers)
    size = np.bincount(group)
    look = sp.csr_array((np.ones(n_rows), (group, np.arange(n_rows))), (len(size), n_rows)) @ votes
    cluster = np.full(len(size), -1)
    cluster[group[is_named]] = known[is_named]
    chosen = _different_groups(group, size, look / size[:, None], cluster >= 0, answers)
    free = np.setdiff1d(np.arange(r), cluster)
    new = [g for g in chosen if cluster[g] < 0][: len(free)]
    if new:
        place, column = linear_sum_assignment(look[new][:, free], maximize=True)
        cluster[np.array(new)[place]] = free[column]
    sure = np.maximum(1.0 - 2.0 / size, 0.0)
    sure[group[is_named]] = 1.0
    return Known(np.where(is_named, known, cluster[group]), sure[group])


def _groups(answers: Answers) -> Ints:
    """Number the groups that sure must-links and equal names make."""
    must = answers.must & answers.is_sure
    named = np.flatnonzero(answers.named >= 0)
    _, first, number = np.unique(answers.named[named], return_index=True, return_inverse=True)
    i = np.concatenate([answers.i[must], named])
    j = np.concatenate([answers.j[must], named[first][number]])
    graph = sp.csr_array((np.ones(len(i)), (i, j)), (len(answers.rows), len(answers.rows)))
    return np.asarray(connected_components(narrow(graph), directed=False)[1], dtype=np.int64)


def _different_groups(
    group: Ints, size: Ints, look: Floats, has_name: Bools, answers: Answers
) -> list[int]:
    """Return groups that all differ: those with a name, then the largest, at most one a cluster."""
    cannot = ~answers.must & answers.is_sure
    ends = np.sort(np.column_stack([group[answers.i[cannot]], group[answers.j[cannot]]]), axis=1)
    apart = {(int(a), int(b)) for a, b in ends}
    chance = 1.0 / look.shape[1]

    def differ(one: int, other: int) -> bool:
        said = (min(one, other), max(one, other)) in apart
        return said or float(look[one] @ look[other]) < chance

    chosen: list[int] = []
    for g in np.lexsort((np.arange(len(size)), -size, ~has_name)):
        if len(chosen) == look.shape[1]:
            break
        if has_name[g] or (size[g] > 2 and all(differ(int(g), other) for other in chosen)):
            chosen.append(int(g))
    return chosen
