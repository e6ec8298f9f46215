"""The ritual of fit, written once.

``fit`` validates the rows, reads the constraints, checks the parameters, seeds the randomness,
calls the estimator's ``_fit`` and leaves a report. An estimator file holds its algorithm only.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from linkwise.cluster.how_many import count_clusters
from linkwise.cluster.report import FitReport
from linkwise.constraints import (
    Knowledge,
    Links,
    PartialLabels,
    as_constraints,
    refuse_knowledge_as_y,
)
from linkwise.constraints.conflicts import warn_of_contradictions
from linkwise.ensemble import as_source
from linkwise.ensemble.sources import is_source
from linkwise.errors import ContradictionWarning, InvalidInput
from linkwise.files.frames import is_frame, refuse_what_is_no_number
from linkwise.offering import Lacking, without_row_weights
from linkwise.scores import links_kept, nmi
from linkwise.threads import survive_fork
from linkwise.typing import Matrix, MatrixLike, Seed
from linkwise.validation import check_choice, check_number, check_row_weights, check_sparse

Labels = NDArray[np.int32]


class ConstrainedClusterer(ClusterMixin, BaseEstimator):
    """Base class: rows and knowledge come in, labels go out.

    A subclass sets the class attributes below, ``__init__`` (which stores and nothing else;
    it has at least ``n_clusters``, ``report`` and ``random_state``), ``_check_params`` for its own
    parameters, and ``_fit(X, knowledge, rng)``, which sets ``labels_``, ``n_iter_`` and either
    ``cluster_centers_`` or overrides ``_predict``.
    """

    #: "links": ``_fit`` receives Links; "labels": it receives PartialLabels.
    _reads: ClassVar[Literal["links", "labels"]] = "links"
    #: Whether CSR input is understood.
    _sparse: ClassVar[bool] = False
    #: Whether contradictory links are withdrawn (with a warning) before ``_fit`` sees them.
    _repairs: ClassVar[bool] = False
    #: Whether ``_fit`` refuses contradictory links; others that do not repair them warn.
    _refuses: ClassVar[bool] = False
    #: Whether labels may name more classes than there are clusters.
    _more_classes: ClassVar[bool] = False
    #: Whether ``n_clusters`` may be "auto".
    _counts: ClassVar[bool] = False

    #: Weights of the rows while ``_fit`` runs; None where all count alike.
    _row_weights: NDArray[np.float64] | None = None

    n_clusters: int | str
    report: str
    random_state: Seed

    labels_: Labels
    n_clusters_: int
    n_iter_: int
    report_: FitReport

    if not TYPE_CHECKING:  # who has shares of clusters overrides it
        predict_proba = Lacking(
            "puts each row into one cluster and knows no shares, so it has no predict_proba. "
            "SequentialClustering has one: the share of votes of each cluster."
        )

    @without_row_weights
    def fit(self, X: MatrixLike, y: object = None, *, constraints: Knowledge | None = None) -> Self:
        """Cluster the rows of ``X``, listening to ``constraints``.

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
        return self._run(X, y, constraints, None)

    def _run(
        self,
        X: MatrixLike,
        y: object,
        constraints: Knowledge | None,
        sample_weight: ArrayLike | None,
    ) -> Self:
        """Do what ``fit`` does, the rows weighed or not."""
        survive_fork()
        refuse_knowledge_as_y(type(self).__name__, y)
        X = self._valid_rows(X, reset=True)
        weights = check_row_weights(self, sample_weight, X.shape[0])
        given = self._given(constraints, X.shape[0])
        self._check_shared_params(X)
        self._check_params(X)
        rng = check_random_state(self.random_state)
        self.n_clusters_ = self._count(X, given, rng)
        start = rng.get_state()
        knowledge, withdrawn = self._read(given, X.shape[0])
        self._row_weights = weights
        try:
            self._fit(X, knowledge, rng)
            self._report(X, given, withdrawn, start)
        finally:
            del self._row_weights
        return self

    @without_row_weights
    def fit_predict(
        self, X: MatrixLike, y: object = None, *, constraints: Knowledge | None = None
    ) -> Labels:
        """Cluster the rows and return ``labels_``."""
        return self.fit(X, y, constraints=constraints).labels_

    def predict(self, X: MatrixLike) -> Labels:
        """Return the cluster of each row of ``X``, which need not have been seen in ``fit``."""
        survive_fork()
        check_is_fitted(self)
        return self._predict(self._valid_rows(X, reset=False))

    @without_row_weights
    def score(
        self, X: MatrixLike, y: object = None, *, constraints: Knowledge | None = None
    ) -> float:
        """Tell how many links the clusters predicted for ``X`` keep, from 0 to 1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : ignored
            Present for scikit-learn; :mod:`linkwise.scores` compares with a truth.
        constraints : Links, PartialLabels, array-like of shape (n_samples,) or None
            What is known about these rows, and best was not told to ``fit``.

        Returns
        -------
        score : float
            As :data:`linkwise.scores.links_kept`; NaN where nothing is known.
        """
        refuse_knowledge_as_y(type(self).__name__, y)
        labels = self.predict(X)
        return links_kept.of(Links(len(labels)) if constraints is None else constraints, labels)

    def _fit(self, X: Any, knowledge: Any, rng: np.random.RandomState) -> None:
        raise NotImplementedError

    def _check_params(self, X: Any) -> None:
        """Check the parameters only this estimator has; the shared ones are checked already."""

    def _predict(self, X: Any) -> Labels:
        nearest = pairwise_distances_argmin(X, self.cluster_centers_.astype(X.dtype, copy=False))
        return np.asarray(nearest, dtype=np.int32)

    def _valid_rows(self, X: Any, *, reset: bool) -> Any:
        """Return rows ready to be computed with; what a data frame lacks for it is told."""
        try:
            return self._validate_rows(X, reset=reset)
        except (TypeError, ValueError):
            if not is_source(X) and is_frame(X):
                refuse_what_is_no_number(X)
            raise

    def _validate_rows(self, X: MatrixLike, *, reset: bool) -> Any:
        check_sparse(X)
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr" if self._sparse else False,
            dtype=[np.float64, np.float32],
            order="C",
        )

    def _check_shared_params(self, X: Any) -> None:
        auto = ("auto",) if self._counts else ()
        check_number(self, "n_clusters", low=1, integer=True, or_in=auto)
        check_choice(self, "report", ("brief", "full"))
        if not isinstance(self.n_clusters, str) and self.n_clusters > X.shape[0]:
            raise InvalidInput(
                f"{type(self).__name__}(n_clusters={self.n_clusters}): X has "
                f"n_samples={X.shape[0]}, fewer rows than clusters. Ask for at most that many."
            )

    def _count(self, X: Matrix, given: object, rng: np.random.RandomState) -> int:
        """Return the number of clusters; found by the rows, and by the classes, for "auto"."""
        if not isinstance(self.n_clusters, str):
            return int(self.n_clusters)
        found = count_clusters(as_source(X), None, seed=int(rng.randint(2**31 - 1))).k
        return max(found, len(given.classes)) if isinstance(given, PartialLabels) else found

    def _given(self, constraints: Knowledge | None, n_samples: int) -> Any:
        """Check the ``constraints`` argument. A class that takes more than these overrides it."""
        return as_constraints(constraints, n_samples)

    def _read(
        self, given: Links | PartialLabels | None, n_samples: int
    ) -> tuple[Links | PartialLabels, Links]:
        """Turn what was given into what ``_fit`` understands; also the links left out."""
        nothing = Links(n_samples)
        if self._reads == "labels":
            if isinstance(given, Links):
                given = PartialLabels.from_links(given, reader=type(self).__name__)
            if given is None:
                given = PartialLabels(np.full(n_samples, -1))
            if len(given.classes) > self.n_clusters_ and not self._more_classes:
                raise InvalidInput(
                    f"{type(self).__name__}(n_clusters={self.n_clusters_}): the labels name "
                    f"{len(given.classes)} classes. Ask for at least that many clusters."
                )
            return given, nothing
        links = given.to_links() if isinstance(given, PartialLabels) else (given or nothing)
        if self._repairs:
            kept, withdrawn = links.repair()
            if withdrawn.n_links:
                warnings.warn(
                    f"{type(self).__name__}: the links contradict each other; "
                    f"{withdrawn.n_links} of {links.n_links} were left out (see "
                    f"report_.withdrawn). links.conflicts() shows why.",
                    ContradictionWarning,
                    stacklevel=3,
                )
            return kept, withdrawn
        if not self._refuses:
            warn_of_contradictions(type(self).__name__, links.must, links.cannot, stacklevel=4)
        return links, nothing

    def _report(self, X: Any, given: Any, withdrawn: Links, start: Any) -> None:
        links = given if given is None or isinstance(given, Links) else given.to_links()
        agreement = None
        if self.report == "full":
            twin_rng = np.random.RandomState()
            twin_rng.set_state(start)
            twin = clone(self).set_params(
                n_clusters=self.n_clusters_, report="brief", random_state=twin_rng
            )
            agreement = nmi(twin._run(X, None, None, self._row_weights).labels_, self.labels_)
        report = FitReport.compare(
            links if links is not None else Links(X.shape[0]), withdrawn, self.labels_, agreement
        )
        if isinstance(given, PartialLabels):
            report = report.with_names(given.codes, self.labels_)
        self.report_ = report

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        return tags
