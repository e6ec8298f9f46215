"""What SequentialClustering and SCSC share: an ensemble built once, answers that come and go.

``fit`` builds the ensemble. ``update`` and ``retract`` change the set of links and solve a problem
whose size does not depend on the number of rows. ``labels_`` and ``margins_`` are voted over all
rows when somebody asks for them, and kept until the next change.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.report import FitReport
from linkwise.cluster.sequential.model_file import StoredModel, write_model
from linkwise.constraints import Knowledge, Links, PartialLabels, as_constraints
from linkwise.ensemble import Ensemble, RowSource, SourceLike, as_source
from linkwise.errors import InvalidInput
from linkwise.running import NO_WISHES, RunOptions, current_options
from linkwise.scores import nmi
from linkwise.validation import check_number, check_sparse

Margins = NDArray[np.float32]


@dataclass(frozen=True)
class Rows:
    """Rows that need not be in memory, with the one attribute every fit looks at."""

    source: RowSource

    @property
    def shape(self) -> tuple[int, int]:
        return self.source.n_rows, self.source.n_features


class OnlineClusterer(ConstrainedClusterer):
    """Base of the clusterers that answers reach one by one.

    A subclass builds its ensemble (``_build``), prepares what never changes (``_prepare``), finds
    its small state from all that was said (``_solve``), and votes (``_vote``, ``_settled``).
    It names the arrays that are its state (``_arrays``) and takes them back (``_restore``).
    """

    _sparse: ClassVar[bool] = True

    links_: Links
    named_: PartialLabels
    _voted: tuple[Labels, Margins] | None
    #: What the constructor was told about running, which it should not be.
    _wishes: RunOptions = NO_WISHES

    def _fit(self, X: Rows, knowledge: Links | PartialLabels, rng: np.random.RandomState) -> None:
        self.ensemble_: Ensemble = self._build(X.source, int(rng.randint(2**31 - 1)))
        self._prepare(X.source, rng)
        self.n_iter_ = 1
        links, named = self._split(knowledge)
        self._say(links, PartialLabels.of_rows({}, len(links)) if named is None else named)

    if TYPE_CHECKING:  # more can be rows here than elsewhere; the ritual is the same

        def fit(
            self, X: SourceLike, y: object = None, *, constraints: Knowledge | None = None
        ) -> Self: ...

        def fit_predict(
            self, X: SourceLike, y: object = None, *, constraints: Knowledge | None = None
        ) -> Labels: ...

        def predict(self, X: SourceLike) -> Labels: ...

    def update(self, constraints: Knowledge, *more: Knowledge) -> Self:
        """Hear more answers; the cost does not depend on the number of rows.

        Parameters
        ----------
        constraints : Links, PartialLabels or array-like of shape (n_samples,)
            New answers about the same rows. An answer given again keeps the larger weight; a row
            keeps its label until that is taken back.
        *more : Links, PartialLabels or array-like of shape (n_samples,)
            What is to be heard at the same time, such as labels beside links.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        links, named = self.links_, self.named_
        for given in (constraints, *more):
            said, called = self._parted(given)
            links, named = links | said, named if called is None else named | called
        return self._say(links, named)

    def retract(self, constraints: Knowledge) -> Self:
        """Take answers back, as if they had never been given.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        unwanted, unnamed = self._parted(constraints)
        named = self.named_ if unnamed is None else self._named_without(unnamed)
        for kind in ("must", "cannot"):
            held = {tuple(pair) for pair in getattr(self.links_, kind).tolist()}
            for pair in getattr(unwanted, kind).tolist():
                if tuple(pair) not in held:
                    raise InvalidInput(
                        f"{pair[0]}-{pair[1]} was never given as a {kind}-link, so it cannot be "
                        "taken back. Nothing was changed."
                    )
        return self._say(self.links_.without(unwanted), named)

    def _named_without(self, labels: PartialLabels) -> PartialLabels:
        """Take labels back; one that was never given is refused."""
        held, unwanted = self.named_.labels, labels.labels
        for row in labels.known_rows[(held != unwanted)[labels.known_rows]][:1]:
            raise InvalidInput(
                f"row {row} was never labelled {unwanted[row]!r}, so that cannot be taken back. "
                "Nothing was changed."
            )
        return self.named_.without(labels)

    def extend(self, X: SourceLike) -> Self:
        """Append rows; they are labelled by the partitions that exist, and can be linked.

        Parameters
        ----------
        X : array-like, sparse matrix, path or RowSource
            New rows with the same features. They follow the rows known so far.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        rows = self._validate_rows(X, reset=False)
        options = self._options()
        self.ensemble_.extend(
            rows.source,
            n_threads=self.n_jobs,
            progress=options.progress,
            cancel=options.cancel,
        )
        held, n_rows = self.links_, self.ensemble_.n_rows
        self.links_ = Links(n_rows, must=held.must, cannot=held.cannot, weight=held.weight)
        self.named_ = self.named_.extended(n_rows)
        self._voted = None
        return self

    @property
    def labels_(self) -> Labels:  # type: ignore[override]  # voted when asked for
        """Cluster of each row, linked rows as the answers say."""
        return self._ballot()[0]

    @property
    def margins_(self) -> Margins:
        """Lead of each row's cluster over the next, as a share of the votes; 0 is a toss-up."""
        return self._ballot()[1]

    @property
    def report_(self) -> FitReport:  # type: ignore[override]  # made when asked for
        """What the answers so far bought."""
        check_is_fitted(self)
        agreement = None
        if self.report == "full":
            agreement = nmi(self._vote(self.ensemble_.labels.array, silent=True)[0], self.labels_)
        rows, settled = self._settled()
        _, withdrawn = self.links_.repair()
        counted = FitReport.compare(self.links_[rows], withdrawn, settled, agreement)
        return counted.with_names(self.named_.codes[rows], settled)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a folder of JSON and ``.npy`` files; see :func:`load`."""
        check_is_fitted(self)
        stored = StoredModel(
            kind=type(self).__name__,
            params=self.get_params(),
            n_features=int(self.n_features_in_),
            feature_names=list(getattr(self, "feature_names_in_", ())),
            ensemble=self.ensemble_,
            links=self.links_,
            named=self.named_,
            arrays=self._arrays(),
        )
        write_model(stored, Path(path))

    @classmethod
    def restore(cls, stored: StoredModel) -> Self:
        """Return the model that was stored; :func:`load` finds its class and calls this."""
        model = cls(**stored.params)
        model.ensemble_ = stored.ensemble
        model.n_features_in_ = stored.n_features
        if stored.feature_names:
            model.feature_names_in_ = np.array(stored.feature_names, dtype=object)
        model.n_iter_ = 1
        model.links_, model.named_ = stored.links, stored.named
        model._restore(stored.arrays, stored.version)
        model._voted = None
        return model

    def _build(self, source: RowSource, seed: int) -> Ensemble:
        raise NotImplementedError

    def _prepare(self, source: RowSource, rng: np.random.RandomState) -> None:
        raise NotImplementedError

    def _solve(self) -> None:
        raise NotImplementedError

    def _vote(self, blocks: NDArray[np.uint8], *, silent: bool = False) -> tuple[Labels, Margins]:
        """Vote on rows given by their blocks; ``silent`` as if nothing had been said."""
        raise NotImplementedError

    def _settled(self) -> tuple[NDArray[np.int64], NDArray[np.integer[Any]]]:
        """Return the rows spoken about, increasing, and their clusters."""
        raise NotImplementedError

    def _split(self, given: Links | PartialLabels) -> tuple[Links, PartialLabels | None]:
        """Part what was said into links and labels, None without any; here labels become links."""
        return given.to_links() if isinstance(given, PartialLabels) else given, None

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that are the fitted state, besides ensemble and links."""
        raise NotImplementedError

    def _restore(self, arrays: Mapping[str, NDArray[Any]], version: int) -> None:
        """Take back what ``_arrays`` returned when the file's ``version`` was written."""
        raise NotImplementedError

    def _say(self, links: Links, named: PartialLabels) -> Self:
        self._check_classes(named)
        self.links_, self.named_ = links, named
        self._solve()
        self._voted = None
        return self

    def _check_classes(self, named: PartialLabels) -> None:
        if len(named.classes) > self.n_clusters:
            raise InvalidInput(
                f"{type(self).__name__}(n_clusters={self.n_clusters}): the labels name "
                f"{len(named.classes)} classes. Ask for at least that many clusters."
            )

    def _ballot(self) -> tuple[Labels, Margins]:
        check_is_fitted(self)
        if self._voted is None:
            labels, margins = self._vote(self.ensemble_.labels.array)
            rows, said = self._settled()
            margins[rows[labels[rows] != said]] = 0.0
            labels[rows] = said
            for array in (labels, margins):
                array.setflags(write=False)
            self._voted = labels, margins
        return self._voted

    def _predict(self, X: Rows) -> Labels:
        blocks = self.ensemble_.assign(X.source, n_threads=self.n_jobs)
        return self._vote(blocks)[0]

    def _parted(self, constraints: Knowledge) -> tuple[Links, PartialLabels | None]:
        given = as_constraints(constraints, self.ensemble_.n_rows)
        return self._split(Links(self.ensemble_.n_rows) if given is None else given)

    def _report(self, *_: object) -> None:
        """Nothing to store: ``report_`` is made when asked for."""

    def _validate_rows(self, X: SourceLike | Rows, *, reset: bool) -> Rows:
        if isinstance(X, Rows):
            return X
        if not isinstance(X, str | os.PathLike) and not hasattr(X, "read"):
            check_sparse(X)
            X = validate_data(
                self,
                X,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32, np.uint8],
            )
            return Rows(as_source(X))
        source = as_source(X)
        if reset:
            self.n_features_in_ = source.n_features
        elif source.n_features != self.n_features_in_:
            raise InvalidInput(
                f"{type(self).__name__} was fitted on {self.n_features_in_} features, "
                f"{X} has {source.n_features}."
            )
        return Rows(source)

    def _check_online_params(self) -> None:
        check_number(self, "n_partitions", low=1, integer=True)
        check_number(self, "n_jobs", low=1, integer=True, or_in=(None,))

    def __sklearn_clone__(self) -> Self:
        twin: Self = super().__sklearn_clone__()
        if self._wishes is not NO_WISHES:
            twin._wishes = self._wishes
        return twin

    def _options(self) -> RunOptions:
        return current_options().over(self._wishes)


Model = TypeVar("Model", bound=OnlineClusterer)
P = ParamSpec("P")


def accepts_old_options(
    init: Callable[Concatenate[Model, P], None],
) -> Callable[Concatenate[Model, P], None]:
    """Let a constructor hear, with a warning, the keywords that were parameters once.

    Its signature, which scikit-learn reads the parameters from, stays as it is.
    """

    @wraps(init)
    def hear(self: Model, /, *args: P.args, **given: P.kwargs) -> None:
        wishes: dict[str, Any] = {
            field.name: given.pop(field.name) for field in fields(RunOptions) if field.name in given
        }
        init(self, *args, **given)
        if wishes:
            where, listed = type(self).__name__, ", ".join(f"{name}=..." for name in wishes)
            warnings.warn(
                f"{where}({listed}): how a fit is run is no parameter of a model and will be "
                f"refused here by the next version. Say it around the fit instead: "
                f"with linkwise.run_options({listed}): model.fit(X).",
                FutureWarning,
                stacklevel=2,
            )
            self._wishes = RunOptions(**wishes)

    return hear
