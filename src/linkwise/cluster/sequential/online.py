"""What SequentialClustering and SCSC share: an ensemble built once, answers that come and go.

``fit`` builds the ensemble. ``update`` and ``retract`` change the set of links and solve a problem
whose size does not depend on the number of rows. ``labels_`` and ``margins_`` are voted over all
rows when somebody asks for them, and kept until the next change.

All that a fitted model knows is one :class:`Moment`, which never changes: a change makes the next
one and puts it in the place of the last by one assignment. So threads may read while another one
changes the model; each sees it as it was before or as it is after. Changes come one at a time.
"""

from __future__ import annotations

import copy
import os
from dataclasses import replace
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    NamedTuple,
    Self,
)

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.report import FitReport
from linkwise.cluster.sequential.model_file import StoredModel, write_model
from linkwise.cluster.sequential.moment import Moment, Prepared, Restored, Rows, Solved
from linkwise.constraints import Knowledge, Links, PartialLabels, as_constraints
from linkwise.constraints.conflicts import warn_of_contradictions
from linkwise.engines.base import Ballot, Engine, Margins, Outcome, Rule
from linkwise.engines.find import find_engine
from linkwise.engines.label_files import make_folder
from linkwise.ensemble import Ensemble, RowSource, SourceLike
from linkwise.ensemble.execution import Execution
from linkwise.ensemble.sources import is_source
from linkwise.errors import InvalidInput
from linkwise.running import NO_WISHES, RunOptions, current_options
from linkwise.scores import nmi
from linkwise.threads import survive_fork
from linkwise.validation import check_number, check_sparse


class _Ballot(NamedTuple):
    """What was voted, and at which moment."""

    moment: object
    outcome: Outcome


class OnlineClusterer(ConstrainedClusterer, Generic[Prepared, Solved]):
    """Base of the clusterers that answers reach one by one.

    A subclass builds its ensemble (``_build``), prepares what never changes (``_prepare``), finds
    its small state from all that was said (``_solve``), and tells by which rule rows are voted on
    (``_rule``) and on which ones something else was settled (``_settled``).
    It names the arrays that are its state (``_arrays``) and takes them back (``_restore``).
    Whatever reads more than one thing takes ``_now`` once and reads from that.
    """

    _sparse: ClassVar[bool] = True

    engine: str | Engine
    _moment: Moment[Prepared, Solved]
    _voted: _Ballot | None = None
    #: The number of clusters that an ensemble is built for; ``fit`` tells it before it builds one.
    _assumed: int
    #: What the constructor was told about running, which it should not be.
    _wishes: RunOptions = NO_WISHES

    def _fit(self, X: Rows, knowledge: Links | PartialLabels, rng: np.random.RandomState) -> None:
        engine = find_engine(self.engine)
        ensemble = self._build(engine, X.source, int(rng.randint(2**31 - 1)))
        basis = self._prepare(ensemble, X.source, rng)
        links, given = self._split(knowledge)
        named = PartialLabels.of_rows({}, len(links)) if given is None else given
        self._check_classes(named, self._assumed, self.n_clusters)
        basis, solution, number = self._solve(ensemble, basis, links, named, self.n_clusters)
        self.n_iter_ = 1
        nowhere = np.empty(0, dtype=np.int64)
        said = (links, named, solution, number, self.n_clusters, nowhere)
        self._become(Moment(engine, ensemble, ensemble.n_rows, basis, *said))

    @property
    def _now(self) -> Moment[Prepared, Solved]:
        check_is_fitted(self)
        return self._moment

    def _become(self, moment: Moment[Prepared, Solved]) -> Self:
        """Put another moment in the place of the last, in one step."""
        self._moment = moment
        self._voted = None
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "_moment" in vars(self)

    @property
    def n_clusters_(self) -> int:
        """Number of clusters there are."""
        return self._now.n_clusters

    @n_clusters_.setter
    def n_clusters_(self, number: int) -> None:
        self._assumed = number

    @property
    def ensemble_(self) -> Ensemble:
        """The partitions."""
        return self._now.ensemble

    @property
    def links_(self) -> Links:
        """All links that were given."""
        return self._now.links

    @property
    def named_(self) -> PartialLabels:
        """All labels that were given."""
        return self._now.named

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
        now = self._now
        links, named = now.links, now.named
        for given in (constraints, *more):
            said, called = self._parted(given)
            links, named = links | said, named if called is None else named | called
        warn_of_contradictions(type(self).__name__, links.must, links.cannot)
        return self._say(links, named)

    def retract(self, constraints: Knowledge) -> Self:
        """Take answers back, as if they had never been given.

        Returns
        -------
        self
        """
        now = self._now
        unwanted, unnamed = self._parted(constraints)
        named = now.named if unnamed is None else self._named_without(unnamed)
        for kind in ("must", "cannot"):
            held = {tuple(pair) for pair in getattr(now.links, kind).tolist()}
            for pair in getattr(unwanted, kind).tolist():
                if tuple(pair) not in held:
                    raise InvalidInput(
                        f"{pair[0]}-{pair[1]} was never given as a {kind}-link, so it cannot be "
                        "taken back. Nothing was changed."
                    )
        return self._say(now.links.without(unwanted), named)

    def _named_without(self, labels: PartialLabels) -> PartialLabels:
        """Take labels back; one that was never given is refused."""
        held, unwanted = self._now.named.labels, labels.labels
        for row in labels.known_rows[(held != unwanted)[labels.known_rows]][:1]:
            raise InvalidInput(
                f"row {row} was never labelled {unwanted[row]!r}, so that cannot be taken back. "
                "Nothing was changed."
            )
        return self._now.named.without(labels)

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
        now = self._now
        rows = self._validate_rows(X, reset=False)
        options = self._options()
        execution = Execution(self.n_jobs, progress=options.progress, cancel=options.cancel)
        now.engine.extend(now.ensemble, rows.source, execution)
        held, n_rows = now.links, now.ensemble.n_rows
        links = Links(n_rows, must=held.must, cannot=held.cannot, weight=held.weight)
        named = now.named.extended(n_rows)
        return self._become(replace(now, n_rows=n_rows, links=links, named=named))

    def twin(self) -> Self:
        """Return a model that knows the same and goes its own way from here.

        It reads the same partitions, also where those are a file, and appends to a copy of them.
        """
        now, twin = self._now, copy.copy(self)
        return twin._become(replace(now, ensemble=now.ensemble.borrowed()))

    def of_first(self, n_rows: int) -> Self:
        """Return a model of the first rows alone, as if the others had never been appended."""
        now = self._now
        if not 1 <= n_rows <= now.n_rows:
            raise InvalidInput(f"there are {now.n_rows} rows, so there are no first {n_rows}.")
        rows = np.arange(n_rows)
        links, named, solution = now.links[rows], now.named[rows], now.solution
        basis, number = now.basis, now.n_clusters
        if links.n_links < now.links.n_links or named.n_known < now.named.n_known:
            basis, solution, number = self._solve(now.ensemble, basis, links, named, now.wanted)
        left_out = now.left_out[now.left_out < n_rows]
        said = (links, named, solution, number, now.wanted, left_out)
        ensemble = now.ensemble.borrowed(n_rows)
        return copy.copy(self)._become(Moment(now.engine, ensemble, n_rows, basis, *said))

    @property
    def labels_(self) -> Labels:  # type: ignore[override]  # voted when asked for
        """Cluster of each row, linked rows as the answers say."""
        return self._outcome().labels

    @property
    def margins_(self) -> Margins:
        """Lead of each row's cluster over the next, as a share of the votes; 0 is a toss-up."""
        return self._outcome().margins

    def count_labels(self) -> NDArray[np.int64]:
        """Return how many rows each cluster has, (n_clusters,); no engine gathers labels for it."""
        now = self._now
        return self._voted_at(now).sizes(now.n_clusters)

    def write_labels(self, path: str | os.PathLike[str]) -> None:
        """Write the labels to a new folder of Parquet files, with the columns row, label, margin.

        An engine that has the rows on many machines writes a file for each of its shards, with a
        column ``id`` where the rows have names, and gathers nothing.

        Parameters
        ----------
        path : path-like
            A folder that is not there or empty, or an address such as ``s3://bucket/folder``. It
            must be the same folder for all machines.
        """
        folder = make_folder(os.fspath(path))
        self._outcome().write(folder)

    @property
    def report_(self) -> FitReport:  # type: ignore[override]  # made when asked for
        """What the answers so far bought."""
        return self._report_at(self._now)

    def _report_at(self, now: Moment[Prepared, Solved]) -> FitReport:
        agreement = None
        if self.report == "full":
            nobody = np.empty(0, dtype=np.int64)
            ballot = Ballot(self._rule(now, silent=True), now.n_rows, nobody, nobody, nobody)
            silent = now.engine.vote(now.ensemble, ballot, self.n_jobs)
            agreement = nmi(silent.labels, self._voted_at(now).labels)
        rows, settled = self._settled(now)
        _, withdrawn = now.links.repair()
        counted = FitReport.compare(now.links[rows], withdrawn, settled, agreement)
        return counted.with_names(now.named.codes[rows], settled)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a folder of JSON and ``.npy`` files; see :func:`load`."""
        now = self._now
        stored = StoredModel(
            kind=type(self).__name__,
            params=self.get_params(),
            n_features=int(self.n_features_in_),
            feature_names=list(getattr(self, "feature_names_in_", ())),
            ensemble=now.ensemble,
            links=now.links,
            named=now.named,
            arrays=self._arrays(now),
            n_clusters=now.n_clusters,
        )
        write_model(stored, Path(path))

    @classmethod
    def restore(cls, stored: StoredModel) -> Self:
        """Return the model that was stored; :func:`load` finds its class and calls this."""
        model = cls(**stored.params)
        model._check_stored_params()
        model.n_features_in_ = stored.n_features
        if stored.feature_names:
            model.feature_names_in_ = np.array(stored.feature_names, dtype=object)
        model.n_iter_ = 1
        model._assumed = stored.n_clusters
        found = model._restore(stored)
        basis, solution, number = found.basis, found.solution, stored.n_clusters
        if solution is None:
            basis, solution, number = model._solve(
                stored.ensemble, basis, stored.links, stored.named, found.wanted
            )
        moment = Moment(
            find_engine(model.engine),
            stored.ensemble,
            stored.ensemble.n_rows,
            basis,
            stored.links,
            stored.named,
            solution,
            number,
            found.wanted,
            found.left_out,
        )
        return model._become(moment)

    def _build(self, engine: Engine, source: RowSource, seed: int) -> Ensemble:
        raise NotImplementedError

    def _prepare(
        self, ensemble: Ensemble, source: RowSource, rng: np.random.RandomState
    ) -> Prepared:
        raise NotImplementedError

    def _solve(
        self,
        ensemble: Ensemble,
        basis: Prepared,
        links: Links,
        named: PartialLabels,
        wanted: int | str,
    ) -> tuple[Prepared, Solved, int]:
        """Find what was said amounts to, on which basis, and in how many clusters."""
        raise NotImplementedError

    def _rule(self, now: Moment[Prepared, Solved], *, silent: bool = False) -> Rule:
        """Return the rule by which rows are voted on; ``silent`` as if nothing had been said."""
        raise NotImplementedError

    def _settled(
        self, now: Moment[Prepared, Solved]
    ) -> tuple[NDArray[np.int64], NDArray[np.integer[Any]]]:
        """Return the rows spoken about, increasing, and their clusters."""
        raise NotImplementedError

    def _split(self, given: Links | PartialLabels) -> tuple[Links, PartialLabels | None]:
        """Part what was said into links and labels, None without any; here labels become links."""
        return given.to_links() if isinstance(given, PartialLabels) else given, None

    def _arrays(self, now: Moment[Prepared, Solved]) -> dict[str, NDArray[Any]]:
        """Return the arrays that are the fitted state, besides ensemble and links."""
        raise NotImplementedError

    def _restore(self, stored: StoredModel) -> Restored[Prepared, Solved]:
        """Return what ``_arrays`` took apart."""
        raise NotImplementedError

    def _say(self, links: Links, named: PartialLabels, wanted: int | str | None = None) -> Self:
        survive_fork()
        now = self._now
        number = now.wanted if wanted is None else wanted
        most = now.n_clusters if isinstance(number, str) else int(number)
        self._check_classes(named, most, number)
        basis, solution, found = self._solve(now.ensemble, now.basis, links, named, number)
        moment = replace(
            now,
            basis=basis,
            links=links,
            named=named,
            solution=solution,
            n_clusters=found,
            wanted=number,
        )
        return self._become(moment)

    def _check_classes(self, named: PartialLabels, n_clusters: int, wanted: int | str) -> None:  # noqa: ARG002
        """Refuse labels of more classes than there are clusters."""
        if len(named.classes) > n_clusters:
            raise InvalidInput(
                f"{type(self).__name__}(n_clusters={n_clusters}): the labels name "
                f"{len(named.classes)} classes. Ask for at least that many clusters."
            )

    def _outcome(self) -> Outcome:
        return self._voted_at(self._now)

    def _voted_at(self, now: Moment[Prepared, Solved]) -> Outcome:
        """Return what is voted at a moment; what was voted last is kept."""
        known = self._voted
        if known is not None and known.moment is now:
            return known.outcome
        ballot = Ballot(self._rule(now), now.n_rows, *self._settled(now), now.left_out)
        outcome = now.engine.vote(now.ensemble, ballot, self.n_jobs)
        self._voted = _Ballot(now, outcome)
        return outcome

    def _predict(self, X: Rows) -> Labels:
        now = self._now
        return now.engine.predict(now.ensemble, X.source, self._rule(now), self.n_jobs)

    def _parted(self, constraints: Knowledge) -> tuple[Links, PartialLabels | None]:
        n_rows = self._now.n_rows
        given = as_constraints(constraints, n_rows)
        return self._split(Links(n_rows) if given is None else given)

    def _report(self, *_: object) -> None:
        """Nothing to store: ``report_`` is made when asked for."""

    def _validate_rows(self, X: SourceLike | Rows, *, reset: bool) -> Rows:
        if isinstance(X, Rows):
            return X
        engine = find_engine(self.engine) if reset else self._now.engine
        if not is_source(X):
            check_sparse(X)
            X = validate_data(
                self,
                X,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32, np.uint8],
            )
            return Rows(engine.open(X))
        source = engine.open(X)
        if reset:
            self.n_features_in_ = source.n_features
        elif source.n_features != self.n_features_in_:
            raise InvalidInput(
                f"{type(self).__name__} was fitted on {self.n_features_in_} features, "
                f"{X} has {source.n_features}."
            )
        return Rows(source)

    def _check_stored_params(self) -> None:
        """Refuse what a file says that no ``fit`` would have taken."""
        self._check_params(None)

    def _check_online_params(self) -> None:
        find_engine(self.engine)
        check_number(self, "n_partitions", low=1, integer=True)
        check_number(self, "n_jobs", low=1, integer=True, or_in=(None,))

    def __sklearn_clone__(self) -> Self:
        twin: Self = super().__sklearn_clone__()
        if self._wishes is not NO_WISHES:
            twin._wishes = self._wishes
        return twin

    def _options(self) -> RunOptions:
        return current_options().over(self._wishes)
