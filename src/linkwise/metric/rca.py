"""Relevant component analysis: divide by how rows vary inside their groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links
from linkwise.metric.base import LinearMap
from linkwise.metric.chunklets import Chunklets, shrink
from linkwise.metric.roots import inverse_root
from linkwise.validation import check_number


class RCA(LinearMap):
    r"""Linear map under which must-linked rows vary alike in every direction.

    With :math:`C` the covariance of the :math:`m` independent deviations of must-linked rows from
    the mean of their must-link component, and :math:`t = \operatorname{tr} C / d`,

    .. math:: x \mapsto \sqrt{t}\,\Sigma^{-1/2} x, \qquad
              \Sigma = \frac{m\,C + \rho\,d\,t\,I}{m + \rho\,d}.

    Directions in which rows of one group differ are shrunk, the others come forward. The ridge
    :math:`\rho` keeps the map near the identity until there is enough to learn from: without
    must-links it is the identity.

    Parameters
    ----------
    ridge : float, default=1.0
        Weight :math:`\rho` of the plain metric, in must-links per feature. 0 is the original RCA,
        which needs at least as many independent must-links as features and does harm with fewer.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map; ``transform(X)`` is ``X @ components_.T``.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Not the method when groups have different shapes (one metric serves all), nor when many answers
    are wrong: one wrong must-link joins two groups and stretches :math:`C` along what separates
    them. Cannot-links are not read, and weights only in so far as a link of weight 0 says nothing.

    References
    ----------
    .. [1] N. Shental, T. Hertz, D. Weinshall, M. Pavel. Adjustment learning and relevant component
       analysis. ECCV, 2002.

    Examples
    --------
    The first feature varies inside the groups and is damped.

    >>> from linkwise import Links
    >>> from linkwise.metric import RCA
    >>> X = [[0.0, 0.0], [8.0, 0.2], [1.0, 5.0], [9.0, 5.2]]
    >>> links = Links(4, must=[(0, 1), (2, 3)])
    >>> RCA().fit(X, constraints=links).components_.round(2).tolist()
    [[0.82, -0.01], [-0.01, 1.41]]
    """

    def __init__(self, *, ridge: float = 1.0) -> None:
        self.ridge = ridge

    def _check_params(self, X: NDArray[Any]) -> None:  # noqa: ARG002
        check_number(self, "ridge", low=0)

    def _components(self, X: NDArray[Any], links: Links) -> NDArray[np.float64]:
        chunklets = Chunklets(links)
        covariance, variance = shrink(
            chunklets.within_covariance(X), chunklets.n_deviations, self.ridge
        )
        whitened: NDArray[np.float64] = np.sqrt(variance) * inverse_root(covariance)
        return whitened
