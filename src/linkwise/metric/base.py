"""The ritual of learning a linear map, written once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from linkwise.constraints import (
    Knowledge,
    Links,
    PartialLabels,
    as_constraints,
    refuse_knowledge_as_y,
)
from linkwise.constraints.conflicts import warn_of_contradictions
from linkwise.offering import Lacking, without_row_weights
from linkwise.threads import survive_fork
from linkwise.typing import MatrixLike


class LinearMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class: rows and links come in, a matrix ``components_`` goes out.

    A subclass sets ``__init__`` (which stores and nothing else), ``_check_params`` and
    ``_components(X, links)``, which returns the map as an array of shape
    (n_components, n_features).
    """

    if not TYPE_CHECKING:
        predict_proba = score = Lacking(
            "learns a map and makes no clusters. Put an estimator behind it: "
            "make_pipeline(map, SequentialClustering(k))."
        )

    @without_row_weights
    def fit(self, X: MatrixLike, y: object = None, *, constraints: Knowledge | None = None) -> Self:
        """Learn the map from what is known about the rows of ``X``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : ignored
            Present for scikit-learn; truth belongs to the scorer. Links and PartialLabels are
            refused here: they are ``constraints``.
        constraints : Links, PartialLabels, array-like of shape (n_samples,) or None
            What is known. A one-dimensional array is read as partial labels; -1, None, NaN
            and empty text mean unknown.

        Returns
        -------
        self
        """
        survive_fork()
        refuse_knowledge_as_y(type(self).__name__, y)
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        given = as_constraints(constraints, X.shape[0])
        self._check_params(X)
        links = self._links_of(given) if isinstance(given, PartialLabels) else given
        links = Links(X.shape[0]) if links is None else links
        warn_of_contradictions(type(self).__name__, links.must, links.cannot)
        components = self._components(X, links)
        self.components_ = components.astype(X.dtype, copy=False)
        return self

    def transform(self, X: MatrixLike) -> NDArray[Any]:
        """Return the rows of ``X`` under the map: ``X @ components_.T``."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        mapped: NDArray[Any] = X @ self.components_.T.astype(X.dtype, copy=False)
        return mapped

    def _links_of(self, labels: PartialLabels) -> Links:
        """Turn labels into the links that are read."""
        return labels.to_links()

    def _components(self, X: NDArray[Any], links: Links) -> NDArray[Any]:
        raise NotImplementedError

    def _check_params(self, X: NDArray[Any]) -> None:
        """Check the parameters."""

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
