"""The last word of links: linked rows take the nearest clusters that keep what was said."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.spectral.linked_rows import LinkedRows
from linkwise.constraints.groups import sums_by_group
from linkwise.kernels.colouring import colour_groups

#: The search for labels that keep every cannot-link gives up after stepping back this often ...
MAX_RETREATS = 2_000
#: ... and is not begun for more components than this: its cost grows with their square.
MOST_COMPONENTS = 20_000


def labels_that_keep(linked: LinkedRows, cost: NDArray[Any]) -> NDArray[np.int32]:
    """Return labels of the linked rows, one per must-link component.

    Every component takes the cluster that is cheapest for its rows together. Where that breaks a
    cannot-link, all components are given the cheapest clusters under which none breaks; if there
    are none, or they are not found quickly, the first choice stays.

    Parameters
    ----------
    linked : LinkedRows
    cost : ndarray of shape (n_linked, n_clusters)
        Price of each cluster for each linked row.
    """
    total = sums_by_group(cost, linked.component, linked.n_components)
    labels = total.argmin(axis=1)
    apart = linked.apart
    a, b = apart.nonzero()
    if (labels[a] == labels[b]).any() and len(total) <= MOST_COMPONENTS:
        found, stuck, _ = colour_groups(total, apart.indptr, apart.indices, MAX_RETREATS)
        if stuck < 0:
            labels = found
    return np.asarray(labels[linked.component], dtype=np.int32)
