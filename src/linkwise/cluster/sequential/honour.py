"""What was said stays said: the linked rows themselves, settled so that believed links hold."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.cluster.sequential.landmarks import Floats, Ints
from linkwise.cluster.sequential.trust import LiftedLinks
from linkwise.constraints import Links
from linkwise.constraints.groups import Groups
from linkwise.kernels.colouring import colour_groups
from linkwise.kernels.kmeans_step import move_groups

#: Nats that a unanimous vote is worth against the answers.
VOTE_STRENGTH = 5.0
N_SWEEPS = 5
#: Price of a broken link while honouring: more than any sum of beliefs.
BROKEN = 1e6
MAX_RETREATS = 2_000
MAX_MOVES = 50


def settle_rows(
    votes: Floats, links: LiftedLinks, weight: Floats, honoured: NDArray[np.bool_]
) -> Ints:
    """Return the cluster of each linked row.

    ``votes`` are the rows' shares of votes, (n_rows, n_clusters). All ``honoured`` links hold in
    the result if they can all hold; the others only argue, as loudly as they are trusted.
    """
    cost = -np.log(opinions(votes, links, weight, np.arange(len(links))) + 1e-9)
    kept = _consistent(len(links.rows), links, weight, honoured)
    return _honour(cost, kept)


def opinions(votes: Floats, links: LiftedLinks, weight: Floats, part: Ints) -> Floats:
    """Return what each linked row thinks of its cluster, (n_rows, n_clusters).

    The rows tell each other through the links in ``part``, all at once, five times; a link is heard
    as loudly as it is trusted.
    """
    n_rows = len(votes)
    listener = np.concatenate([links.i[part], links.j[part]])
    speaker = np.concatenate([links.j[part], links.i[part]])
    must = np.concatenate([links.must[part], links.must[part]])[:, None]
    heard = np.clip(np.concatenate([weight[part], weight[part]]), 0.0, 1.0)[:, None]
    collect = sp.csr_array(
        (np.ones(len(listener)), (listener, np.arange(len(listener)))), (n_rows, len(listener))
    )
    own = VOTE_STRENGTH * votes
    opinion = _softmax(own)
    for _ in range(N_SWEEPS):
        said = opinion[speaker]
        fits = np.where(must, said, 1.0 - said)
        message = np.log(heard * fits + (1 - heard) * (1 - fits) + 1e-9)
        opinion = _softmax(own + collect @ message)
    return opinion


def _softmax(A: Floats) -> Floats:
    A = np.exp(A - A.max(axis=1, keepdims=True))
    return np.asarray(A / A.sum(axis=1, keepdims=True))


def _consistent(
    n_rows: int, links: LiftedLinks, weight: Floats, honoured: NDArray[np.bool_]
) -> Links:
    """Return the honoured links among the linked rows, without the lightest that contradict."""
    pairs = np.column_stack([links.i, links.j])
    must, cannot = honoured & links.must, honoured & ~links.must
    among = Links(
        n_rows,
        must=pairs[must],
        cannot=pairs[cannot],
        weight=np.concatenate([weight[must], weight[cannot]]),
    )
    kept, _ = among.repair()
    return kept


def _honour(cost: Floats, links: Links) -> Ints:
    """Give must-link components their cheapest clusters such that cannot-links hold."""
    groups = Groups.of_all_rows(links)
    total, differ = groups.sums(cost), groups.separation()
    price = np.full(differ.nnz, -BROKEN)
    labels = _improve(total, differ, price, total.argmin(axis=1))
    if (labels[groups.apart[:, 0]] == labels[groups.apart[:, 1]]).any():
        coloured, stuck, _ = colour_groups(total, differ.indptr, differ.indices, MAX_RETREATS)
        if stuck < 0:
            labels = _improve(total, differ, price, coloured)
    return labels[groups.group]


def _improve(total: Floats, differ: sp.csr_array, price: Floats, labels: Ints) -> Ints:
    """Move one group at a time, the least sure first, while that is cheaper."""
    labels = labels.copy()
    n_groups, n_clusters = total.shape
    if n_clusters == 1:
        return labels
    two = np.partition(total, 1, axis=1)
    order = np.argsort(two[:, 1] - two[:, 0], kind="stable")
    first = np.arange(n_groups + 1)
    for _ in range(MAX_MOVES):
        if not move_groups(total, first, order, differ.indptr, differ.indices, price, labels):
            break
    return labels
