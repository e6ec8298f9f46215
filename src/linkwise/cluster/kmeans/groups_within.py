"""Clusters for must-link groups such that all links hold and no cluster is too large or small."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from linkwise.constraints.groups import Groups
from linkwise.kernels.colouring import colour_groups

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: How often the quick search steps back before integer programming takes over ...
MAX_RETREATS = 2_000
#: ... which looks at no more than this many nodes of its tree.
MAX_NODES = 2_000
#: How much dearer than the best its answer may be.
GAP = 1e-3


class Placement(NamedTuple):
    """A cluster for each group, None if there is none; ``proven`` if that is certain."""

    clusters: Ints | None
    proven: bool


def place_groups(groups: Groups, cost: Floats, low: Ints, high: Ints, n_free: int) -> Placement:
    """Return a cheap cluster for each group.

    Cannot-linked groups differ, no cluster has more rows than ``high``, and the ``n_free`` rows in
    no group suffice to fill every cluster up to ``low``. Groups first choose greedily, with
    stepping back, as if there were no limits; where that exceeds them, an integer program is
    solved. ``cost`` is one line per group.
    """
    apart = groups.separation()
    found, stuck, proven = colour_groups(cost, apart.indptr, apart.indices, MAX_RETREATS)
    if stuck >= 0 and proven:
        return Placement(None, proven=True)
    if stuck < 0 and _fits(groups.sizes, found, low, high, n_free):
        return Placement(found, proven=True)
    return _by_program(groups, cost, low, high, n_free)


def _fits(sizes: Ints, clusters: Ints, low: Ints, high: Ints, n_free: int) -> bool:
    load = np.bincount(clusters, weights=sizes, minlength=len(low))
    return bool((load <= high).all() and np.maximum(low - load, 0).sum() <= n_free)


def _by_program(groups: Groups, cost: Floats, low: Ints, high: Ints, n_free: int) -> Placement:
    """Solve for x[g, k] in {0, 1} and the missing rows s[k] >= low[k] - load[k] of each cluster."""
    n_groups, n_clusters = cost.shape
    n_x = n_groups * n_clusters
    one_each = sp.kron(sp.eye_array(n_groups), np.ones((1, n_clusters)))
    load = sp.kron(groups.sizes[None].astype(np.float64), sp.eye_array(n_clusters))
    pair = sp.csr_array(
        (
            np.ones(groups.apart.size),
            (np.repeat(np.arange(len(groups.apart)), 2), groups.apart.reshape(-1)),
        ),
        shape=(len(groups.apart), n_groups),
    )
    rules = [
        LinearConstraint(_beside(one_each, n_clusters), 1, 1),
        LinearConstraint(_beside(load, n_clusters), -np.inf, high),
        LinearConstraint(sp.hstack([load, sp.eye_array(n_clusters)]), low, np.inf),
        LinearConstraint(np.repeat([[0.0, 1.0]], [n_x, n_clusters], axis=1), -np.inf, n_free),
    ]
    if len(groups.apart):
        both = sp.kron(pair, sp.eye_array(n_clusters))
        rules.append(LinearConstraint(_beside(both, n_clusters), -np.inf, 1))
    whole = np.repeat([1, 0], [n_x, n_clusters])
    result: Any = milp(
        np.concatenate([cost.reshape(-1), np.zeros(n_clusters)]),
        integrality=whole,
        bounds=Bounds(0, np.where(whole, 1.0, np.inf)),
        constraints=rules,
        options={"node_limit": MAX_NODES, "mip_rel_gap": GAP},
    )
    if result.x is None:
        return Placement(None, proven=result.status == 2)
    return Placement(result.x[:n_x].reshape(n_groups, n_clusters).argmax(axis=1), proven=True)


def _beside(matrix: sp.sparray, n_columns: int) -> sp.csr_array:
    """Return the matrix with columns of zeros at its right."""
    return sp.hstack([matrix, sp.csr_array((matrix.shape[0], n_columns))]).tocsr()
