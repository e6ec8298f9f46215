r"""A classifier of rows that learns from noisy answers about pairs.

Row :math:`i` is of class :math:`z_i \sim \mathrm{softmax}(m_i + \phi_i W)`, where :math:`m_i` is
what the clusters say, :math:`\phi_i` are the row's coordinates and :math:`W \sim N(0, \sigma^2 I)`
corrects the clusters; an answer is :math:`[z_i = z_j]`, wrong with a small probability. Belief
propagation over the graph of answers says what the rows are (E step), a Newton step with a fixed
matrix says what that makes of :math:`W` (M step). A row's own class is no evidence for itself:
messages start from its score without it. Rows whose class is known do not listen.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components

from linkwise.cluster.sequential.answers import ERROR_RATE, Answers, Bools, Floats, Ints
from linkwise.cluster.sequential.landmarks import one_hot
from linkwise.constraints.narrow import narrow
from linkwise.kernels.belief import propagate, softmax_rows

#: Variance of a correction of a row's score, in nats squared: how much answers may overrule.
CORRECTION = 4.0
_N_STEPS = 8


def classify(mean: Floats, rows: Floats, answers: Answers, known: Ints) -> tuple[Floats, Floats]:
    """Return the weights W, and what the linked rows are.

    Parameters
    ----------
    mean : float64 array of shape (n_rows, n_clusters)
        Log-probabilities by the clusters alone.
    rows : float64 array of shape (n_rows, n_coordinates)
        The rows' coordinates, at most of length one.
    answers : Answers
        What was said about them.
    known : int64 array of shape (n_rows,)
        The cluster of rows whose class is known, -1 for the others.

    Returns
    -------
    weights : float64 array of shape (n_coordinates, n_clusters)
    memberships : float64 array of shape (n_rows, n_clusters)
        By the corrected scores, blurred as far as these are uncertain, and by the answers.
    """
    r = mean.shape[1]
    is_known = known >= 0
    truth = one_hot(known[is_known], r)
    teachers = _taught(answers, known)
    factor, variance = _precision(rows, teachers)
    leverage = teachers[:, None] * variance / (1.0 - 0.5 * variance)
    if_same, if_not = answers.chances(ERROR_RATE)
    weights, pull, score = np.zeros((rows.shape[1], r)), np.zeros_like(mean), mean
    messages = np.zeros((len(answers), 2, r))
    for number in range(_N_STEPS + 1):
        alone = softmax_rows(score - leverage * pull)
        alone[is_known] = 0.999 * truth + 0.001 / r
        sweeps = 1 if number else 3
        told = propagate(alone, messages, answers.i, answers.j, if_same, if_not, sweeps)
        if number == _N_STEPS:
            break
        thinks = softmax_rows(score + told)
        thinks[is_known] = truth
        pull = (thinks - softmax_rows(score)) * teachers[:, None]
        weights = weights + cho_solve(factor, rows.T @ pull - weights / CORRECTION)
        score = mean + rows @ weights
    blurred = score / np.sqrt(1.0 + np.pi * variance / 8.0)
    memberships = softmax_rows(blurred + told)
    memberships[is_known] = truth
    return weights, memberships


def _taught(answers: Answers, known: Ints) -> Bools:
    """Tell which rows teach: those in an answer, and those whose class is known."""
    teachers = known >= 0
    teachers[answers.i] = teachers[answers.j] = True
    return teachers


def _precision(rows: Floats, teachers: Bools) -> tuple[tuple[Floats, bool], Floats]:
    """Return the factor of Newton's matrix, and the variance of each row's score after it."""
    A = 0.5 * rows[teachers].T @ rows[teachers]
    A[np.diag_indices_from(A)] += 1.0 / CORRECTION
    factor = cho_factor(A, lower=True)
    variance = np.square(solve_triangular(factor[0], rows.T, lower=True)).sum(axis=0)
    return factor, np.minimum(variance, 1.8)[:, None]


def known_clusters(answers: Answers, votes: Floats, cluster_of: Ints) -> Ints:
    """Return the cluster of rows whose class is as good as known, -1 for the others.

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
    return np.where(is_named, known, cluster[group])


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
        if has_name[g] or (size[g] > 1 and all(differ(int(g), other) for other in chosen)):
            chosen.append(int(g))
    return chosen
