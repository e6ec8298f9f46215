"""What labels cost a cluster: the mixture of its classes, and the price of a row in it.

Several label columns lie side by side. Column ``t`` names the classes ``first[t]`` up to
``first[t + 1] - 1`` of one common numbering; ``codes[i, t]`` is the class of row ``i`` counted
within its column, -1 where it is unknown. A mixture has one row per class of the common numbering
and one column per cluster: the share of that class among the cluster's rows with a label there.
"""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit


@njit()
def count_classes(codes, first, rows, labels, n_clusters, weight):  # type: ignore[no-untyped-def]
    """Add up the weight of ``rows`` by class and cluster; returns float64 (n_classes, n_clusters).

    ``codes[i]`` belongs to row ``rows[i]``, whose cluster is ``labels[rows[i]]``, -1 for none, and
    which counts ``weight[i]``.
    """
    counts = np.zeros((first[-1], n_clusters))
    for i in range(len(rows)):
        label = labels[rows[i]]
        if label >= 0:
            for t in range(codes.shape[1]):
                if codes[i, t] >= 0:
                    counts[first[t] + codes[i, t], label] += weight[i]
    return counts


@njit()
def mixture_of(counts, first):  # type: ignore[no-untyped-def]
    """Divide the counts of each column by its total per cluster; uniform where that is zero."""
    n_clusters = counts.shape[1]
    mixture = np.empty_like(counts)
    for t in range(len(first) - 1):
        part = counts[first[t] : first[t + 1]]
        for k in range(n_clusters):
            total = part[:, k].sum()
            for j in range(len(part)):
                share = part[j, k] / total if total > 0 else 1.0 / len(part)
                mixture[first[t] + j, k] = share
    return mixture


@njit()
def label_prices(codes, first, strength, mixture):  # type: ignore[no-untyped-def]
    r"""Return what each row's labels cost in each cluster, float64 (n_rows, n_clusters).

    A row of class :math:`j` pays ``strength[t]`` times :math:`\|e_j - g\|^2`, the squared distance
    of its indicator to the mixture, in every column :math:`t` that names it.
    """
    n_clusters = mixture.shape[1]
    squares = np.zeros((len(strength), n_clusters))
    for t in range(len(strength)):
        for j in range(first[t], first[t + 1]):
            for k in range(n_clusters):
                squares[t, k] += mixture[j, k] * mixture[j, k]
    prices = np.zeros((len(codes), n_clusters))
    for i in range(len(codes)):
        for t in range(len(strength)):
            if codes[i, t] >= 0:
                j = first[t] + codes[i, t]
                for k in range(n_clusters):
                    prices[i, k] += strength[t] * (1.0 - 2.0 * mixture[j, k] + squares[t, k])
    return prices


@njit()
def label_cost(counts, first, strength):  # type: ignore[no-untyped-def]
    """Return the label part of the objective when every mixture is that of its cluster.

    For one column and one cluster it is the number of labelled rows times their Gini impurity.
    """
    cost = 0.0
    for t in range(len(strength)):
        part = counts[first[t] : first[t + 1]]
        for k in range(counts.shape[1]):
            total = part[:, k].sum()
            if total > 0:
                cost += strength[t] * (total - (part[:, k] * part[:, k]).sum() / total)
    return cost
