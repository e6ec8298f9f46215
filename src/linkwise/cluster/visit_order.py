"""In which order rows, or groups of rows, choose their cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints.groups import count_groups, sums_by_group


def surest_first(
    cost: NDArray[np.float64], group: NDArray[np.integer[Any]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the groups as (first, members), those with the clearest cheapest cluster first.

    ``cost[i, k]`` is the price of row ``i`` in cluster ``k``, ``group[i]`` its group. Group ``g``
    of the answer is ``members[first[g]:first[g + 1]]``. The order depends on the data alone, so
    permuting the rows permutes the result.
    """
    total = sums_by_group(cost, group, count_groups(group))
    two = np.partition(total, min(1, cost.shape[1] - 1), axis=1)[:, :2]
    sureness = two[:, -1] - two[:, 0] if cost.shape[1] > 1 else total[:, 0]
    rank = np.empty(len(total), dtype=np.int64)
    rank[np.argsort(-sureness, kind="stable")] = np.arange(len(total))
    members = np.argsort(rank[group], kind="stable")
    sizes = np.bincount(rank[group], minlength=len(total))
    return np.concatenate([[0], np.cumsum(sizes)]), members
