"""What was said stays said: rows spoken about, settled so that names and honoured links hold."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components

from linkwise.cluster.sequential.answers import Answers, Bools, Floats, Ints
from linkwise.constraints import Links
from linkwise.constraints.groups import Groups, sums_by_group
from linkwise.constraints.narrow import narrow
from linkwise.kernels.colouring import colour_groups
from linkwise.kernels.kmeans_step import move_groups

#: Nats that a broken link costs, more than any sum of beliefs.
_BROKEN = 1e6
#: How many links a confirmed one outweighs, and a name.
_FACT, _NAME = 1e3, 1e6
_MAX_RETREATS = 2_000
_MAX_MOVES = 50


def settle_rows(
    memberships: Floats, answers: Answers, cluster_of: Ints, suspicion: Floats, honoured: Bools
) -> Ints:
    """Return the cluster of each row spoken about.

    Every named class is one more row, must-linked to the rows that have its name and cannot-linked
    to the other classes; so names are links that weigh more than any other.

    Parameters
    ----------
    memberships : float64 array of shape (n_rows, n_clusters)
        What the rows look like.
    answers : Answers
        Everything that was said.
    cluster_of : int64 array of shape (n_classes,)
        The cluster of each named class.
    suspicion : float64 array of shape (n_links,)
        Probability that each link is wrong: of links that contradict each other, the most
        suspicious give way.
    honoured : bool array of shape (n_links,)
        Which links must hold, if they all can.
    """
    n_rows, n_classes = len(answers.rows), len(cluster_of)
    cost = np.full((n_rows + n_classes, memberships.shape[1]), _BROKEN * _NAME)
    cost[:n_rows] = -np.log(memberships + 1e-9)
    cost[n_rows + np.arange(n_classes), cluster_of] = 0.0
    return _cheapest(cost, _consistent(answers, n_classes, suspicion, honoured))[:n_rows]


def _consistent(answers: Answers, n_classes: int, suspicion: Floats, honoured: Bools) -> Links:
    """Return names and honoured links without the lightest that contradict the others."""
    n_rows, n = len(answers.rows), answers.n_links
    must, cannot = honoured & answers.must[:n], honoured & ~answers.must[:n]
    pairs = np.column_stack([answers.i[:n], answers.j[:n]])
    named = np.flatnonzero(answers.named >= 0)
    same = np.column_stack([named, n_rows + answers.named[named]])
    different = n_rows + np.column_stack(np.triu_indices(n_classes, 1))
    weight = 1.0 - suspicion + 1e-6 + _FACT * answers.is_fact[:n]
    links = Links(
        n_rows + n_classes,
        must=np.concatenate([pairs[must], same]),
        cannot=np.concatenate([pairs[cannot], different]),
        weight=np.concatenate(
            [
                weight[must],
                np.full(len(same), _NAME),
                weight[cannot],
                np.full(len(different), _NAME),
            ]
        ),
    )
    return links.repair()[0]


def _cheapest(cost: Floats, links: Links) -> Ints:
    """Give must-link components their cheapest clusters such that cannot-links hold.

    Where these cannot all hold, those that are facts still do.
    """
    groups = Groups.of_all_rows(links)
    total, differ = groups.sums(cost), groups.separation(links.weight[len(links.must) :])
    price = -_BROKEN * np.where(differ.data >= _FACT, _FACT, 1.0)
    labels = _improve(total, differ, price, total.argmin(axis=1))
    for least in (0.0, _FACT):
        firm = differ.copy()
        firm.data[firm.data < least] = 0.0
        firm.eliminate_zeros()
        i, j = firm.nonzero()
        coloured = _colour(total, firm) if (labels[i] == labels[j]).any() else None
        if coloured is not None:
            labels = _improve(total, differ, price, coloured)
    return labels[groups.group]


def _colour(total: Floats, differ: sp.csr_array) -> Ints | None:
    """Return clusters in which all cannot-links hold, or None where none were found.

    To a colouring the clusters are all alike. Where it puts a name elsewhere, the clusters of all
    that hangs together with it are renamed as is cheapest, which puts names first.
    """
    labels, stuck, _ = colour_groups(total, differ.indptr, differ.indices, _MAX_RETREATS)
    if stuck >= 0:
        return None
    _, part = connected_components(narrow(differ), directed=False)
    misnamed = total[np.arange(len(labels)), labels] >= _BROKEN * _NAME
    for number in np.unique(part[misnamed]):
        members = np.flatnonzero(part == number)
        paid = sums_by_group(total[members], labels[members], total.shape[1])
        labels[members] = linear_sum_assignment(paid)[1][labels[members]]
    return np.asarray(labels)


def _improve(total: Floats, differ: sp.csr_array, price: Floats, labels: Ints) -> Ints:
    """Move one group at a time, the least sure first, while that is cheaper."""
    labels = labels.copy()
    n_groups, n_clusters = total.shape
    if n_clusters == 1:
        return labels
    two = np.partition(total, 1, axis=1)
    order = np.argsort(two[:, 1] - two[:, 0], kind="stable")
    first = np.arange(n_groups + 1)
    for _ in range(_MAX_MOVES):
        if not move_groups(total, first, order, differ.indptr, differ.indices, price, labels):
            break
    return labels
