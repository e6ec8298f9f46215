"""The vote on a stretch of rows: block by block, add up bytes and settle the winners.

A block is settled while its labels are still in the cache. There is one loop for each way of adding
up, all with the same arguments: ``addresses`` and ``layout`` say where the labels are and what they
give, ``scores`` is room for (n_clusters, BLOCK) words, ``evidence`` is for the rows that are close.
The rows are ``first, first + 1, ...``, as many as there are ``winners``.

numba's cache notices changes in the file of a compiled function only. After changing a function
that is called here, remove the cached loops (``__pycache__/rows.*.nb?``).
"""

from __future__ import annotations

from linkwise.kernels.compiling import njit
from linkwise.kernels.vote.fetch import add_rows
from linkwise.kernels.vote.settle import settle
from linkwise.kernels.vote.vectors import BLOCK, add_tables, add_weights


@njit()
def vote_by_permuting(addresses, layout, scores, evidence, first, winners, margins):  # type: ignore[no-untyped-def]
    """Vote with tables, 64 rows at a time; needs AVX-512 VBMI and whole vectors of rows."""
    for start in range(0, len(winners), BLOCK):
        stop = min(start + BLOCK, len(winners))
        add_tables(addresses, layout, first + start, stop - start, scores)
        settle(scores, evidence, first + start, winners[start:stop], margins[start:stop])


@njit()
def vote_by_fetching(addresses, layout, scores, evidence, first, winners, margins):  # type: ignore[no-untyped-def]
    """Vote with tables, one row at a time."""
    for start in range(0, len(winners), BLOCK):
        stop = min(start + BLOCK, len(winners))
        add_rows(addresses, layout, first + start, stop - start, scores)
        settle(scores, evidence, first + start, winners[start:stop], margins[start:stop])


@njit()
def vote_by_comparing(addresses, layout, scores, evidence, first, winners, margins):  # type: ignore[no-untyped-def]
    """Vote with weights, 64 rows at a time; needs whole vectors of rows."""
    for start in range(0, len(winners), BLOCK):
        stop = min(start + BLOCK, len(winners))
        add_weights(addresses, layout, first + start, stop - start, scores)
        settle(scores, evidence, first + start, winners[start:stop], margins[start:stop])
