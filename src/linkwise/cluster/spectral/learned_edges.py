"""Edges between landmarks, weakened where must-links say that the graph looks the wrong way.

The leading eigenvectors of a graph hold what separates its rows, but not in the order of what
people mean: of the handwritten digits, slant may come before the difference of 4 and 9. Links tell
which directions matter: must-linked rows agree in them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh

from linkwise.cluster.spectral.embedding import (
    column_sums,
    leading_eigenvectors,
    scale_to_degrees,
    unit_rows,
)
from linkwise.cluster.spectral.linked_rows import LinkedRows
from linkwise.ensemble.blas import one_blas_thread

Floats = NDArray[np.float64]

#: Similarity of all landmarks to all, as a share of the mean, while directions are sought. With
#: more, eigenvalues say less about which directions the graph itself would choose.
BRIDGE = 0.001
#: How many must-links the guess about scatter made without them is worth.
PRIOR = 30.0


def weaken_edges(S: Floats, Z: sp.csr_array, linked: LinkedRows, n_clusters: int) -> Floats:
    r"""Return similarities of landmarks that agree in what links care for; ``S`` is overwritten.

    Landmarks and linked rows are placed by about twice as many leading eigenvectors as there are
    clusters. Of all directions there, ``n_clusters`` are kept: those in which must-linked rows
    scatter least, measured against all rows. Every similarity is then multiplied by the cosine
    between its two landmarks in these directions, or by 0 where that is negative.

    Parameters
    ----------
    S : ndarray of shape (n_landmarks, n_landmarks)
        Similarities of landmarks.
    Z : csr_array of shape (n_samples, n_landmarks)
        Rows as mixtures of landmarks.
    linked : LinkedRows
        The linked rows.
    n_clusters : int
        Number of directions to keep.
    """
    values, vectors = leading_eigenvectors(scale_to_degrees(S.copy(), BRIDGE), 2 * n_clusters + 2)
    places = unit_rows(vectors).astype(np.float64)
    mass = column_sums(Z)
    centred = places - mass @ places / mass.sum()
    total = (centred.T * mass) @ centred / mass.sum()
    scatter, directions = steady_directions(
        unit_rows(Z[linked.rows] @ places), linked, total, expected_scatter(values, n_clusters)
    )
    kept = directions[:, :n_clusters] * np.sqrt(np.maximum(1.0 - scatter[:n_clusters], 0.0))
    here = unit_rows(centred @ kept).astype(np.float64)
    with one_blas_thread():
        agreement = here @ here.T
    S *= np.maximum(agreement, 0.0, out=agreement)
    return scale_to_degrees(S)


def expected_scatter(eigenvalues: Floats, n_clusters: int) -> Floats:
    r"""Guess the scatter inside clusters, as a share of all scatter, along each eigenvector.

    It is :math:`(1 - \lambda_j) / (1 - \lambda_j + 1 - \lambda_k)` with k the number of clusters:
    small where the graph has few edges across, one half at the k-th eigenvector.
    """
    gap = np.maximum(1.0 - eigenvalues, 1e-12)
    share: Floats = gap / (gap + gap[min(n_clusters, len(gap) - 1)])
    return share


def steady_directions(
    places: NDArray[Any], linked: LinkedRows, total: Floats, expected: Floats
) -> tuple[Floats, Floats]:
    """Return directions in which must-linked rows agree, those in which they agree most first.

    Parameters
    ----------
    places : ndarray of shape (n_linked, n_vectors)
        Where the linked rows are.
    linked : LinkedRows
        Their components.
    total : ndarray of shape (n_vectors, n_vectors)
        Covariance of all rows.
    expected : ndarray of shape (n_vectors,)
        Guess of the scatter within clusters, as a share of ``total`` along each axis.

    Returns
    -------
    scatter : ndarray of shape (n_vectors,)
        Scatter within components along each direction, as a share of that of all rows.
    directions : ndarray of shape (n_vectors, n_vectors)
        In columns, scaled so that all rows have variance one.
    """
    within, n_answers = component_scatter(places, linked)
    within += PRIOR * np.diag(expected * np.diag(total))
    ridge = 1e-9 * np.eye(len(total))
    scatter, directions = eigh(within / (n_answers + PRIOR), total + ridge)
    return scatter, directions


def component_scatter(places: NDArray[Any], linked: LinkedRows) -> tuple[Floats, float]:
    """Return the sums of squares about the component means, and how many answers they rest on.

    A component of s firm rows counts as s - 1 answers; rows count as much as they are firm.
    """
    members = linked.membership(len(places))
    firm = linked.firmness
    size = np.asarray(members.sum(axis=0)).reshape(-1)
    places = places.astype(np.float64)
    means = (members.T @ places) / np.maximum(size, 1e-300)[:, None]
    apart = places - means[linked.component]
    squares = members.T @ firm
    n_answers = float((size - squares / np.maximum(size, 1e-300)).sum())
    return (apart.T * firm) @ apart, n_answers
