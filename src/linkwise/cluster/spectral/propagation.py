"""Links spread over the graph of landmarks, as Lu and Ip spread them over all rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from linkwise.cluster.spectral.linked_rows import LinkedRows
from linkwise.ensemble.blas import one_blas_thread

Floats = NDArray[np.float64]


def propagate(S: Floats, linked: LinkedRows, alpha: float) -> Floats:
    r"""Return the similarities of landmarks once links have spread; ``S`` is overwritten.

    With the signed knowledge :math:`Q` of :func:`component_signs` about the linked landmarks,
    :math:`F = K^{-1} Q K^{-1}` where :math:`K = I - \alpha S`, divided by its largest absolute
    value. Similarities, scaled to a unit diagonal, become :math:`1 - (1 - F)(1 - W)` where F is
    positive and :math:`(1 + F) W` where it is negative. What is known is then set: 1 within a
    component, 0 between components that must differ.

    Parameters
    ----------
    S : ndarray of shape (n_landmarks, n_landmarks)
        Similarities with eigenvalues of at most 1. The linked rows are the first landmarks.
    """
    F = _spread(S, linked, alpha)
    diagonal = np.sqrt(np.diag(S))
    diagonal[diagonal == 0.0] = 1.0
    W = S
    W /= diagonal[:, None]
    W /= diagonal
    for row, spread in zip(W, F, strict=True):
        row -= np.abs(spread) * row
    W += np.maximum(F, 0.0, out=F)
    del F
    _set_known(W, linked)
    return W


def component_signs(linked: LinkedRows) -> Floats:
    """Return what is known between components: 1 on the diagonal, below 0 where they must differ.

    There are many more pairs of rows in different components than in one; so that they do not
    drown the must-links, negative entries are scaled down until, summed over pairs of rows, they
    weigh no more than the positive ones.
    """
    size = np.bincount(linked.component, weights=linked.firmness, minlength=linked.n_components)
    together = float(size @ size)
    apart = float(size @ (linked.apart @ size))
    signs: Floats = -linked.apart.toarray()
    if apart > together:
        signs *= together / apart
    np.fill_diagonal(signs, 1.0)
    return signs


def _spread(S: Floats, linked: LinkedRows, alpha: float) -> Floats:
    """Return F, through one column per component rather than one per landmark."""
    with one_blas_thread():
        reach = _reach(S, linked, alpha)
        F: Floats = (reach @ component_signs(linked)) @ reach.T
    F /= max(F.max(), -F.min())
    return F


def _reach(S: Floats, linked: LinkedRows, alpha: float) -> Floats:
    """Return how much of each component arrives at each landmark."""
    K = -alpha * S
    K.flat[:: len(K) + 1] += 1.0
    members = linked.membership(len(S)).toarray()
    # K is symmetric; its transpose has the order of Fortran, which is factorised in place
    arrived: Floats = cho_solve(cho_factor(K.T, overwrite_a=True), members, overwrite_b=True)
    return arrived


def _set_known(W: Floats, linked: LinkedRows) -> None:
    """Move similarities of linked landmarks to 1 or 0, as far as the links are firm."""
    component, n = linked.component, len(linked.rows)
    firm = np.outer(linked.firmness, linked.firmness)
    known = W[:n, :n]
    known *= 1.0 - firm * linked.apart.toarray()[np.ix_(component, component)]
    firm *= component[:, None] == component
    known += firm * (1.0 - known)
