"""Belief propagation: rows that are linked tell each other which class they think they are of."""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit

#: Nothing is impossible: the least share a class has, so that no sum underflows.
LEAST = 1e-12


@njit()
def softmax_rows(scores):  # type: ignore[no-untyped-def]
    """Return the rows of ``scores`` as probabilities."""
    shares = np.empty_like(scores)
    for row in range(scores.shape[0]):
        highest = scores[row].max()
        total = 0.0
        for c in range(scores.shape[1]):
            shares[row, c] = np.exp(scores[row, c] - highest)
            total += shares[row, c]
        for c in range(scores.shape[1]):
            shares[row, c] /= total
    return shares


@njit()
def propagate(prior, messages, i, j, if_same, if_different, n_sweeps):  # type: ignore[no-untyped-def]
    """Pass messages along all links at once, ``n_sweeps`` times; return what each row is told.

    Parameters
    ----------
    prior : float64 array of shape (n_rows, n_clusters)
        What each row thinks without its links; rows sum to 1.
    messages : float64 array of shape (n_links, 2, n_clusters)
        Logarithms of the messages to ``i`` and to ``j``, changed in place: pass zeros at first.
    i, j : int64 arrays of shape (n_links,)
        The linked rows.
    if_same, if_different : float64 arrays of shape (n_links,)
        Probability of each answer if its rows are of one class, and if they are not.
    n_sweeps : int
        Every message is replaced by the mean of itself and the new one, so that they settle.

    Returns
    -------
    told : float64 array of shape (n_rows, n_clusters)
        Sum of the messages to each row. ``prior * exp(told)`` is what it thinks in the end, up to
        a factor; on a graph without circles that is exact.
    """
    told = np.zeros(prior.shape)
    replies = np.empty_like(messages)
    _tell(messages, i, j, told)
    for _ in range(n_sweeps):
        for link in range(len(i)):
            # a sender leaves out what it was told through this very link
            _reply(prior[j[link]], told[j[link]] - messages[link, 1], replies[link, 0])
            _reply(prior[i[link]], told[i[link]] - messages[link, 0], replies[link, 1])
            spread = if_same[link] - if_different[link]
            for side in range(2):
                for c in range(prior.shape[1]):
                    said = np.log(if_different[link] + spread * replies[link, side, c])
                    replies[link, side, c] = 0.5 * (messages[link, side, c] + said)
        for link in range(len(i)):
            for side in range(2):
                for c in range(prior.shape[1]):
                    messages[link, side, c] = replies[link, side, c]
        _tell(messages, i, j, told)
    return told


@njit()
def _reply(prior, told, thinks):  # type: ignore[no-untyped-def]
    """Set ``thinks`` to prior * exp(told), scaled to sum to 1."""
    highest = told.max()
    total = 0.0
    for c in range(len(prior)):
        thinks[c] = max(prior[c], LEAST) * np.exp(told[c] - highest)
        total += thinks[c]
    for c in range(len(prior)):
        thinks[c] /= total


@njit()
def _tell(messages, i, j, told):  # type: ignore[no-untyped-def]
    """Add up the messages that arrive at each row."""
    told[:] = 0.0
    for link in range(len(i)):
        for c in range(told.shape[1]):
            told[i[link], c] += messages[link, 0, c]
            told[j[link], c] += messages[link, 1, c]
