r"""How alike two rows are, learned from answers; and the clusters that this makes.

Two rows are alike as :math:`f_{ij} = t_i^\top B\, t_j`, where :math:`t` are their traits. Before
anybody spoke :math:`B` is what the graph says; an answer is :math:`f_{ij}`, 1 for "same" and 0 for
"different", up to noise. So :math:`B` is a ridge regression: of all matrices that explain the
answers, the one nearest to what was known. An answer that was expected changes nothing, one that
surprises changes the rows around it. The leading eigenvectors of :math:`f` over all landmarks place
these, and k-means finds the clusters.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, svd

from linkwise.cluster.consensus import unit_rows
from linkwise.cluster.sequential.answers import Answers, Floats, Ints
from linkwise.kernels.lloyd import lloyd

_MAX_STEPS = 50
#: How far what is explained may be off in the end, as a share of what there is to explain.
_PRECISION = 1e-3
_MAX_ITER = 100


def learn_similarity(traits: Floats, prior: Floats, answers: Answers) -> Floats:
    """Return :math:`B`, (n_traits, n_traits).

    Parameters
    ----------
    traits : float64 array of shape (n_rows, n_traits)
        Those of the rows spoken about.
    prior : float64 array of shape (n_traits,)
        The diagonal of :math:`B` before anybody spoke.
    answers : Answers
        What was said.
    """
    short = traits.astype(np.float32)  # the products are nearly all of the work
    one, other = short[answers.i], short[answers.j]
    surprise = answers.must - answers.products(traits * prior, traits)
    noise = 1.0 / np.maximum(answers.weight, 1e-3)  # as sure as what was known of its pair

    def correction(pull: Floats) -> NDArray[np.float32]:
        between = (one * pull.astype(np.float32)[:, None]).T @ other
        return np.asarray((between + between.T) / 2)

    def explained(pull: Floats) -> Floats:
        return np.asarray(np.einsum("ld,ld->l", one @ correction(pull), other) + noise * pull)

    return np.asarray(np.diag(prior) + correction(_conjugate_gradients(explained, surprise)))


def _conjugate_gradients(product: Callable[[Floats], Floats], right: Floats) -> Floats:
    """Solve ``product(x) = right`` for a symmetric, positive definite product."""
    found, rest = np.zeros_like(right), right.copy()
    step, size = rest.copy(), float(rest @ rest)
    least = _PRECISION**2 * size
    for _ in range(_MAX_STEPS):
        if size <= least:
            break
        along = product(step)
        length = size / float(step @ along)
        found += length * step
        rest -= length * along
        before, size = size, float(rest @ rest)
        step = rest + (size / before) * step
    return found


def find_clusters(vectors: Floats, start: Ints, n_clusters: int) -> Ints:
    """Return the clusters of landmarks that are given by leading eigenvectors.

    K-means on their directions from two starts, the clusters without answers and the most different
    landmarks; the better one counts.
    """
    places = np.ascontiguousarray(unit_rows(vectors))
    starts = (start, _most_different(vectors, n_clusters))
    found = [lloyd(places, one, n_clusters, _MAX_ITER) for one in starts]
    return np.asarray(min(found, key=lambda labels_and_cost: labels_and_cost[1])[0])


def _most_different(vectors: Floats, n_clusters: int) -> Ints:
    """Return clusters around landmarks that differ most from each other.

    A pivoted QR finds the landmarks, the nearest rotation turns them into the axes.
    """
    n = min(n_clusters, vectors.shape[1])
    _, _, order = qr(vectors.T, mode="economic", pivoting=True)
    left, _, right = svd(vectors[order[:n]].T, full_matrices=False)
    return np.asarray(np.abs(vectors @ (left @ right)).argmax(axis=1), dtype=np.int64)
