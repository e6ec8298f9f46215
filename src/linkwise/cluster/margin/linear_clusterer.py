"""How every fit of the maximum margin family ends: weights are kept, the best score wins."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.margin.cccp import Descent
from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.fourier_features import FourierFeatures
from linkwise.cluster.margin.linear_scores import LinearScores, best_cluster, lead
from linkwise.typing import Matrix, MatrixLike

Floats = NDArray[np.float64]


class LinearClusterer(ConstrainedClusterer):
    """Base of the clusterers in which every cluster has a linear score."""

    _sparse: ClassVar[bool] = True

    def decision_function(self, X: MatrixLike) -> Floats:
        """Return the score of each row of ``X`` for each cluster, shape (n_samples, n_clusters)."""
        check_is_fitted(self)
        return self._scores(self._validate_rows(X, reset=False))

    def _keep(
        self, rows: CentredRows, found: Descent, features: FourierFeatures | None = None
    ) -> None:
        """Become the model that the procedure ended with; ``features`` of ``rows``, if any."""
        self.coef_ = np.ascontiguousarray(found.W.T)
        self.objective_, self.n_iter_ = found.path[-1], max(found.n_iter, 1)
        self._scores = LinearScores(rows, found.W, features)
        scores = rows.scores(found.W)
        self.labels_, self.margins_ = best_cluster(scores), lead(scores)

    def _predict(self, X: Matrix) -> Labels:
        return best_cluster(self._scores(X))
