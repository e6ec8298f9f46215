"""Discriminative component analysis: the directions in which groups differ, whitened within."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from linkwise.constraints import Links
from linkwise.metric.base import LinearMap
from linkwise.metric.chunklets import Chunklets, shrink
from linkwise.validation import check_number

Floats = NDArray[np.float64]


class DCA(LinearMap):
    r"""Linear map that spreads cannot-linked groups while must-linked rows vary alike.

    Chunklets are must-link components; a row that only cannot-links name is one by itself. With
    :math:`\Sigma` the covariance within chunklets, shrunk as in :class:`RCA`, and :math:`B` the
    mean of :math:`(m_a - m_b)(m_a - m_b)^\top` over the chunklets :math:`a, b` that a cannot-link
    separates (:math:`m` their means), the map is

    .. math:: x \mapsto \sqrt{t} A^\top x, \qquad
              A = \arg\max_A \frac{|A^\top B A|}{|A^\top \Sigma A|}, \quad A^\top \Sigma A = I,

    over matrices :math:`A` with columns in the range of :math:`B`; :math:`t` is the mean variance
    within chunklets. Columns are ordered by how well they separate.

    Parameters
    ----------
    n_components : int or None, default=None
        How many directions to keep; None keeps the range of :math:`B`.
    ridge : float, default=1.0
        Weight of the plain metric in :math:`\Sigma`, in must-links per feature. 0 is the original
        DCA, which does harm unless there are far more must-links than features.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map; ``transform(X)`` is ``X @ components_.T``.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    RCA : The same distances once the cannot-links reach into every direction.

    Notes
    -----
    Not the method when cannot-links are few: directions in which no two cannot-linked groups differ
    are thrown away, good or not. Without cannot-links all are kept. As soon as :math:`B` has full
    rank and all components are kept, distances are exactly those of :class:`RCA`: the two differ
    with few links, or with ``n_components``.

    References
    ----------
    .. [1] S. C. H. Hoi, W. Liu, M. R. Lyu, W.-Y. Ma. Learning distance metrics with contextual
       constraints for image retrieval. CVPR, 2006.

    Examples
    --------
    >>> from linkwise import Links
    >>> from linkwise.metric import DCA
    >>> X = [[0.0, 0.0], [8.0, 0.2], [1.0, 5.0], [9.0, 5.2]]
    >>> links = Links(4, must=[(0, 1), (2, 3)], cannot=[(0, 2)])
    >>> DCA(n_components=1).fit_transform(X, constraints=links).shape
    (4, 1)
    """

    def __init__(self, n_components: int | None = None, *, ridge: float = 1.0) -> None:
        self.n_components = n_components
        self.ridge = ridge

    def _check_params(self, X: NDArray[Any]) -> None:  # noqa: ARG002
        check_number(self, "n_components", low=1, integer=True, or_in=(None,))
        check_number(self, "ridge", low=0)

    def _components(self, X: NDArray[Any], links: Links) -> Floats:
        chunklets = Chunklets(links)
        within, variance = shrink(
            chunklets.within_covariance(X), chunklets.n_deviations, self.ridge
        )
        between = _between(chunklets, X)
        axes = _range(within) if self.ridge == 0 else np.eye(X.shape[1])
        axes = axes @ _range(axes.T @ between @ axes)
        _, directions = scipy.linalg.eigh(axes.T @ between @ axes, axes.T @ within @ axes)
        best_first = (axes @ directions)[:, ::-1].T
        kept: Floats = np.sqrt(variance) * best_first[: self.n_components]
        return kept


def _between(chunklets: Chunklets, X: NDArray[Any]) -> Floats:
    """Return the mean outer product of separated means' differences; identity if there are none."""
    means = chunklets.means(X)
    apart = means[chunklets.differ[:, 0]] - means[chunklets.differ[:, 1]]
    if not apart.any():
        return np.eye(X.shape[1])
    mean: Floats = apart.T @ apart / len(apart)
    return mean


def _range(covariance: Floats) -> Floats:
    """Return orthonormal columns that span the range of a symmetric matrix."""
    values, vectors = np.linalg.eigh(covariance)
    spanned: Floats = vectors[:, values > values[-1] * len(values) * np.finfo(np.float64).eps]
    return spanned
