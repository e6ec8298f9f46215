"""SequentialClustering: answers arrive one by one, all rows follow at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self, overload

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from linkwise.cluster.base import Labels
from linkwise.cluster.how_many import (
    ASSUMED_CLUSTERS,
    LANDMARKS_PER_CLUSTER,
    KChoice,
    choose_by_structure,
    numbers_to_compare,
)
from linkwise.cluster.report import FitReport
from linkwise.cluster.sequential.answers import Answers
from linkwise.cluster.sequential.ask import Choice, choose_choices, choose_pairs
from linkwise.cluster.sequential.committee import Posterior, listen
from linkwise.cluster.sequential.follow import Proposal, climb, follow
from linkwise.cluster.sequential.honour import settle_rows
from linkwise.cluster.sequential.landmarks import (
    Basis,
    Clusters,
    Floats,
    Ints,
    build_basis,
    draws_of,
    lift,
    one_hot,
)
from linkwise.cluster.sequential.online import Margins, OnlineClusterer, accepts_old_options
from linkwise.cluster.sequential.views import Places
from linkwise.constraints import Links, PartialLabels
from linkwise.ensemble import Ensemble, RowSource, SourceLike, build_ensemble
from linkwise.ensemble.blas import one_blas_thread
from linkwise.errors import ConstraintWarning, InvalidInput
from linkwise.kernels.vote.vote import scores, vote
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_choice, check_number, require_number

#: An answer that is wrong with at least this probability is set aside, and that is said.
SET_ASIDE = 0.8
#: Among so few answers none is set aside: there is too little to judge them by.
FIRST_ANSWERS = 30
#: Labels are stored in one byte.
_MAX_CLUSTERS = 256
#: Rows whose votes are counted at once.
_CHUNK = 100_000


class Suspect(NamedTuple):
    """An answer, and the probability that it is wrong."""

    i: int
    j: int
    kind: str
    suspicion: float


@dataclass(frozen=True, eq=False)
class Solution:
    """What the answers so far amount to; independent of the number of rows.

    ``memberships`` are those of the landmarks; ``rows`` are spoken about and ``settled`` are their
    clusters; ``suspicion`` is per link, must-links first; ``cluster_of`` is per named class.
    """

    memberships: Floats
    rows: Ints
    settled: Ints
    suspicion: Floats
    cluster_of: Ints


@dataclass(frozen=True, eq=False)
class Landmarks:
    """The rows that stand for all others, and what the answers so far make of them; read-only.

    Attributes
    ----------
    rows : int64 array of shape (n_landmarks,)
        Row numbers, increasing.
    features : float32 array of shape (n_landmarks, n_kept)
        At most 64 principal components; none in models that an older version wrote.
    vectors : float64 array of shape (n_landmarks, n_directions)
        Leading eigenvectors of the landmarks' graph, smoothest first.
    smoothness : float64 array of shape (n_directions,)
        How far each of these directions carries an answer.
    memberships : float64 array of shape (n_landmarks, n_clusters)
        Share of each landmark in each cluster; rows sum to 1.
    labels : int64 array of shape (n_landmarks,)
        Cluster of each landmark.
    """

    rows: Ints
    features: NDArray[np.float32]
    vectors: Floats
    smoothness: Floats
    memberships: Floats
    labels: Ints

    def __post_init__(self) -> None:
        for part in fields(self):
            shown = getattr(self, part.name).view()
            shown.setflags(write=False)
            object.__setattr__(self, part.name, shown)


class SequentialClustering(OnlineClusterer):
    r"""Clustering that listens: one more answer costs the same at any number of rows.

    ``fit`` builds an ensemble of partitions once. From then on the answers, must-links and
    cannot-links, only change tables :math:`T` of a few thousand numbers, and row :math:`i` goes to
    the cluster :math:`c` with the largest vote

    .. math:: F_{ic} = \sum_k T_{k, L_{ki}, c}

    where :math:`L_{ki}` is the block of row :math:`i` in partition :math:`k`. The tables are the
    shares of the clusters among 2000 landmark rows. A landmark or a row that was spoken about is of
    class

    .. math:: z_i \sim \mathrm{softmax}(\log[(1-\delta) v_i + \delta / r] + \phi_i W)

    where :math:`v_i` are the votes of clusters that k-means finds once answers have bent the
    landmarks' graph and their features' metric; :math:`\phi_i` are the row's coordinates in both,
    and :math:`W` corrects the clusters so that the answers :math:`[z_i = z_j]`, each wrong with a
    small probability, become likely. This is done with each of five parts of the answers left out,
    and averaged. How much better the average predicts what was left out than no answers do says
    how much it counts; the same predictions give the error rate and each answer's ``suspicion_``.

    The result depends on the *set* of answers alone, not on the order or the batches in which they
    came; taking an answer back is as if it had never been given. Labels of rows always hold, and
    so do links confirmed by a weight of 2 or more, unless they contradict labels or each other.
    Other links hold in ``labels_`` whenever they can all hold, except those that are wrong with a
    probability of .8 or more: these are set aside with a warning, but never among the first 30.
    ``suspects_`` lists all links by that probability.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters, 256 at most. "auto" begins with the one that :func:`choose_k` finds,
        has a cluster for every class that labels name, and follows the answers: see
        ``propose_k``.
    n_partitions : int, default=200
        Partitions in the ensemble.
    n_blocks : int or "auto", default="auto"
        Base clusters per partition, 256 at most. "auto" is the smallest of 128, an eighth of the
        rows, and the larger of eight per cluster and the square root of the number of rows.
    honour : {"trusted", "all"}, default="trusted"
        Which links must hold: all but those that are probably wrong, or all.
    fast : bool, default=False
        Build the ensemble on the 64 leading principal components when there are more features.
    n_jobs : int or None, default=None
        Threads; None is all cores. The result does not depend on it.
    report : {"brief", "full"}, default="brief"
        "full" adds to ``report_`` the agreement with the clustering without answers.
    random_state : int, RandomState instance or None, default=None
        Draws the ensemble and the landmarks.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters there are.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row, -1 for those that belong nowhere; voted when asked for, then kept
        until the next answer.
    margins_ : ndarray of shape (n_samples,)
        How far the cluster leads, as a share of the votes.
    memberships_ : ndarray of shape (n_samples, n_clusters)
        Share of each row in each cluster; rows sum to 1.
    links_ : Links
        All links that were given.
    named_ : PartialLabels
        All labels that were given.
    classes_ : ndarray of shape (n_clusters,)
        The class that labels gave each cluster, None where they gave none.
    left_out_ : ndarray of shape (n_left_out,)
        Rows that belong nowhere, as somebody said.
    suspicion_ : ndarray of shape (n_links,)
        Probability that each of ``links_`` is wrong, must-links first.
    suspects_ : list of Suspect
        All answers, the most suspicious first.
    landmarks_ : Landmarks
        The rows that stand for all others, and what the answers make of them.
    ensemble_ : Ensemble
        The partitions.
    n_iter_ : int
        Always 1.
    report_ : FitReport
        What the answers bought.

    See Also
    --------
    SCSC : The published method this one grew out of.

    Notes
    -----
    ``X`` may also be the path of a ``.npy`` or Parquet file, or any object with ``n_rows``,
    ``n_features`` and ``read(start, stop)``: the rows are read block by block and never held.
    ``predict`` is the vote alone; a linked row of ``fit`` may get another label there.
    Not the method for a few hundred rows of which most are linked: there a method that uses the
    rows' own distances, such as :class:`PCKMeans`, loses nothing and is simpler.

    References
    ----------
    .. [1] J. Yi, L. Zhang, T. Yang, W. Liu, J. Wang. An efficient semi-supervised clustering
       algorithm with sequential constraints. KDD, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from linkwise import Links, SequentialClustering
    >>> X, y = load_digits(return_X_y=True)
    >>> model = SequentialClustering(n_clusters=10, n_partitions=50, random_state=0).fit(X)
    >>> before = model.labels_
    >>> links = Links.sample(y, 200, random_state=0)
    >>> model.update(links).report_.n_links
    200
    >>> bool((model.retract(links).labels_ == before).all())
    True
    """

    _counts: ClassVar[bool] = True

    left_out_: Ints
    #: The number of clusters that was asked for last.
    _wanted: int | str
    #: The clusters of the landmarks without answers, for each number that was looked at.
    _alone: dict[int, Clusters]
    #: What the landmarks alone say about the number, once somebody asked.
    _choice: KChoice | None

    @accepts_old_options
    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        n_partitions: int = 200,
        n_blocks: int | str = "auto",
        honour: str = "trusted",
        fast: bool = False,
        n_jobs: int | None = None,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_partitions = n_partitions
        self.n_blocks = n_blocks
        self.honour = honour
        self.fast = fast
        self.n_jobs = n_jobs
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: object) -> None:  # noqa: ARG002
        self._check_online_params()
        check_number(self, "n_clusters", low=1, high=_MAX_CLUSTERS, integer=True, or_in=("auto",))
        check_number(self, "n_blocks", low=1, high=256, integer=True, or_in=("auto",))
        check_choice(self, "honour", ("trusted", "all"))
        check_choice(self, "fast", (True, False))

    @overload
    def query(self, n: int = 1, *, kind: Literal["pair"] = "pair") -> Ints: ...

    @overload
    def query(self, n: int = 1, *, kind: Literal["choice"]) -> list[Choice]: ...

    def query(self, n: int = 1, *, kind: str = "pair") -> Ints | list[Choice]:
        """Return up to ``n`` questions worth asking, the most useful first.

        Parameters
        ----------
        n : int, default=1
            How many questions.
        kind : {"pair", "choice"}, default="pair"
            "pair": do these two rows belong together? "choice": with which of up to five rows does
            this one belong? :meth:`Links.from_choice` turns the answer into links.

        Returns
        -------
        questions : ndarray of shape (n_pairs, 2), or list of Choice
            Row numbers; fewer than ``n`` when no useful question is left.
        """
        check_is_fitted(self)
        require_number("query", "n", n, low=1, integer=True)
        if kind not in ("pair", "choice"):
            raise InvalidInput(f'query(kind={kind!r}): kind must be "pair" or "choice".')
        basis, n_asked = self._basis, self.links_.n_links + self.named_.n_known
        out, n_wanted = self.left_out_, n
        with one_blas_thread():  # the same questions whatever the threads
            votes = basis.votes(self._solution.memberships, basis.blocks)
            said = self.links_[basis.rows] | self.named_[basis.rows].to_links()
            while True:  # until there are enough without the rows that belong nowhere
                if kind == "choice":
                    choices = choose_choices(basis, votes, said, n_wanted)
                    kept = [choice for c in choices if (choice := _without(c, out)) is not None]
                    if len(kept) >= n or len(choices) < n_wanted:
                        return kept[:n]
                else:
                    pairs = choose_pairs(basis, votes, said, n_asked, n_wanted)
                    clear = pairs[~np.isin(pairs, out).any(axis=1)]
                    if len(clear) >= n or len(pairs) < n_wanted:
                        return clear[:n]
                n_wanted *= 2

    def recluster(self, n_clusters: int | str) -> Self:
        """Have another number of clusters; what was said is kept, the ensemble too.

        The result is that of a fit with this number on the same ensemble, in about the time of an
        update.

        Parameters
        ----------
        n_clusters : int or "auto"
            The number, or "auto" to follow the answers from now on.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        most = min(_MAX_CLUSTERS, len(self._basis.rows))
        require_number(
            "recluster", "n_clusters", n_clusters, low=1, high=most, integer=True, or_in=("auto",)
        )
        n_classes = len(self.named_.classes)
        if not isinstance(n_clusters, str) and n_classes > n_clusters:
            raise InvalidInput(
                f"recluster(n_clusters={n_clusters}): the labels name {n_classes} classes. Ask for "
                "at least that many clusters."
            )
        self._wanted = n_clusters if isinstance(n_clusters, str) else int(n_clusters)
        return self._say(self.links_, self.named_)

    def choose_k(self, k_range: Iterable[int] | None = None) -> KChoice:
        """Find a number of clusters by the landmarks and the answers so far; see :func:`choose_k`.

        Nothing is changed: ``recluster`` does that.
        """
        check_is_fitted(self)
        basis = self._basis
        if k_range is None:
            alone = self._unasked()
        else:
            ks = numbers_to_compare(k_range, basis.n_landmarks)
            with one_blas_thread():
                alone = choose_by_structure(
                    basis.blocks, basis.features, basis.n_blocks, ks, basis.seed
                )
        if self.links_.n_links + self.named_.n_known == 0:
            return alone
        hearing = self._hearing()
        start = max(alone.k, len(self.named_.classes))
        if k_range is None:
            found = self._climb(hearing, start)
        else:
            least = len(self.named_.classes)
            found = {k: hearing.evidence(k) for k in {start, *alone.scores} if k >= least}
        return replace(alone, k=follow(found, start), scores=found, answers=found)

    def propose_k(self) -> Proposal | None:
        """Return another number of clusters that the answers speak for, or None.

        It is proposed when it predicts the answers that were left out better than the present
        number does, by more than 2 nats and what the best of forty numbers gains by chance. With
        ``n_clusters="auto"`` the model follows by itself, and there is nothing to propose.
        """
        check_is_fitted(self)
        if self._wanted == "auto" or self.links_.n_links + self.named_.n_known == 0:
            return None
        hearing, now = self._hearing(), self.n_clusters_
        found = self._climb(hearing, now)
        best = follow(found, now)
        if best == now:
            return None
        apart, joined = hearing.contradictions(now)
        gain = found[best] - found[now]
        more = f"{abs(best - now)} {'more' if best > now else 'fewer'}"
        return Proposal(
            best,
            f"{more}: {best} clusters predict answers that were left out better than {now} do, by "
            f"{gain:.1f} nats. With {now} clusters, {apart} of {len(hearing.answers)} answers say "
            f"that rows of one cluster differ, and {joined} that rows of two are the same.",
            gain,
        )

    def outliers(self, share: float = 0.01) -> Ints:
        """Return the rows that are farthest from everything, the farthest first.

        A row is far from everything when it shares its blocks with few others: it is judged by
        the mean, over the partitions, of the logarithm of the size of its block.

        Parameters
        ----------
        share : float, default=0.01
            How many, as a share of all rows.

        Returns
        -------
        rows : ndarray of shape (n_rows,)
            Row numbers; rows that were left out already are not among them.
        """
        check_is_fitted(self)
        require_number("outliers", "share", share, low=0, high=1)
        blocks = self.ensemble_.labels.array
        company = np.zeros(blocks.shape[1])
        for block in blocks:
            company += np.log(np.bincount(block, minlength=1))[block]
        company[self.left_out_] = np.inf
        n_far = min(int(np.ceil(share * len(company))), int(np.isfinite(company).sum()))
        return np.argsort(company, kind="stable")[:n_far].astype(np.int64)

    def leave_out(self, rows: ArrayLike) -> Self:
        """Say of rows that they belong nowhere: they get the label -1.

        What else was said about them is still heard, and nobody is asked about them any more.

        Parameters
        ----------
        rows : array-like of shape (n_rows,)
            Row numbers.

        Returns
        -------
        self
        """
        left = self._rows("leave_out", rows)
        return self._leave_out(np.union1d(self.left_out_, left))

    def take_in(self, rows: ArrayLike) -> Self:
        """Take back that rows belong nowhere, as if it had never been said.

        Returns
        -------
        self
        """
        wanted = self._rows("take_in", rows)
        for row in np.setdiff1d(wanted, self.left_out_)[:1]:
            raise InvalidInput(
                f"row {row} was never left out, so it cannot be taken in. Nothing was changed."
            )
        return self._leave_out(np.setdiff1d(self.left_out_, wanted))

    def _leave_out(self, rows: Ints) -> Self:
        self.left_out_, self._voted = rows.astype(np.int64), None
        return self

    def _rows(self, where: str, rows: ArrayLike) -> Ints:
        check_is_fitted(self)
        given, n_rows = np.atleast_1d(np.asarray(rows)), self.ensemble_.n_rows
        if given.size == 0:
            return np.empty(0, dtype=np.int64)
        if given.dtype.kind not in "iu" or given.ndim != 1:
            raise InvalidInput(f"{where}(rows={rows!r}): rows must be whole numbers.")
        outside = given[(given < 0) | (given >= n_rows)]
        for row in outside[:1]:
            raise InvalidInput(
                f"{where}: row {row} is outside the {n_rows} rows (0 to {n_rows - 1})."
            )
        return np.unique(given).astype(np.int64)

    @property
    def landmarks_(self) -> Landmarks:
        """The rows that stand for all others, and what the answers so far make of them."""
        check_is_fitted(self)
        basis, memberships = self._basis, self._solution.memberships
        return Landmarks(
            rows=basis.rows,
            features=basis.features,
            vectors=basis.vectors,
            smoothness=basis.smoothness,
            memberships=memberships,
            labels=memberships.argmax(axis=1),
        )

    @property
    def classes_(self) -> NDArray[Any]:
        """The class that labels gave each cluster, None where they gave none."""
        check_is_fitted(self)
        classes = np.full(self.n_clusters_, None, dtype=object)
        classes[self._solution.cluster_of] = self.named_.classes
        return classes

    @property
    def memberships_(self) -> NDArray[np.float32]:
        """Share of each row in each cluster, (n_samples, n_clusters); rows sum to 1.

        The vote, except that a row which answers put elsewhere is wholly there.
        """
        check_is_fitted(self)
        shares = self._memberships(self.ensemble_.labels.array)
        rows, settled = self._settled()
        moved = shares[rows].argmax(axis=1) != settled
        moved |= self.named_.codes[rows] >= 0
        shares[rows[moved]] = one_hot(settled[moved], self.n_clusters_)
        return shares

    def predict_proba(self, X: SourceLike) -> NDArray[np.float32]:
        """Return the share of each row of ``X`` in each cluster, by the vote alone."""
        check_is_fitted(self)
        rows = self._validate_rows(X, reset=False)
        return self._memberships(self.ensemble_.assign(rows.source, n_threads=self.n_jobs))

    def votes(self, rows: NDArray[np.integer[Any]]) -> Floats:
        """Return the share of votes that each cluster has for some rows.

        Parameters
        ----------
        rows : array-like of shape (n_rows,)
            Row numbers.

        Returns
        -------
        votes : ndarray of shape (n_rows, n_clusters)
            The vote alone: a row spoken about may have been settled otherwise.
        """
        check_is_fitted(self)
        rows, labels = np.asarray(rows, dtype=np.int64), self.ensemble_.labels
        starts = range(0, len(rows), _CHUNK)
        tables = self._basis.tables(self._solution.memberships)
        blocks = (np.ascontiguousarray(labels.rows(rows[s : s + _CHUNK]).T) for s in starts)
        parts = [np.asarray(scores(some, tables) / self.n_partitions) for some in blocks]
        return np.concatenate([np.empty((0, self.n_clusters_)), *parts])

    @property
    def suspicion_(self) -> Floats:
        """Probability that each of ``links_`` is wrong, must-links first."""
        check_is_fitted(self)
        return self._solution.suspicion

    @property
    def suspects_(self) -> list[Suspect]:
        """All answers, the most suspicious first."""
        return [self._suspect(int(k)) for k in np.argsort(-self.suspicion_, kind="stable")]

    def _suspect(self, k: int) -> Suspect:
        n_must = len(self.links_.must)
        is_must = k < n_must
        i, j = self.links_.must[k] if is_must else self.links_.cannot[k - n_must]
        kind = "must" if is_must else "cannot"
        return Suspect(int(i), int(j), kind, float(self.suspicion_[k]))

    @property
    def report_(self) -> FitReport:  # type: ignore[override]  # made when asked for
        """What the answers so far bought."""
        report = super().report_
        return replace(report, set_aside=int((~self._honoured(self.suspicion_)).sum()))

    def _count(self, X: Matrix, given: object, rng: np.random.RandomState) -> int:
        """Return the number; for "auto" that for which an ensemble is built, not the one found."""
        self._wanted = self.n_clusters
        if self.n_clusters == "auto":
            return min(ASSUMED_CLUSTERS, int(X.shape[0]))
        return super()._count(X, given, rng)

    def _build(self, source: RowSource, seed: int) -> Ensemble:
        options = self._options()
        return build_ensemble(
            source,
            self.n_clusters_,
            n_partitions=self.n_partitions,
            n_blocks=self.n_blocks,
            fast=self.fast,
            seed=seed,
            n_threads=self.n_jobs,
            path=options.folder,
            progress=options.progress,
            cancel=options.cancel,
        )

    def _prepare(self, source: RowSource, rng: np.random.RandomState) -> None:
        ensemble = self.ensemble_
        with one_blas_thread():
            self._basis: Basis = build_basis(
                ensemble.labels, source, self.n_clusters_, ensemble.n_blocks, rng
            )
        self._alone, self._choice = {}, None
        self.left_out_ = np.empty(0, dtype=np.int64)

    def _check_classes(self, named: PartialLabels) -> None:
        """Refuse more classes than clusters; where their number is "auto", it grows."""
        if self._wanted != "auto":
            super()._check_classes(named)
        elif len(named.classes) > _MAX_CLUSTERS:
            raise InvalidInput(
                f"{type(self).__name__}(n_clusters='auto'): the labels name {len(named.classes)} "
                f"classes, and there can be {_MAX_CLUSTERS} clusters at most."
            )

    def _unasked(self) -> KChoice:
        """Return what the landmarks say about the number of clusters without any answer."""
        if self._choice is None:
            basis = self._basis
            with one_blas_thread():
                self._choice = choose_by_structure(
                    basis.blocks, basis.features, basis.n_blocks, None, basis.seed
                )
        return self._choice

    def _with(self, n_clusters: int) -> Basis:
        """Return the landmarks in so many clusters, as they are without answers."""
        basis = self._basis
        if n_clusters != basis.n_clusters:
            with one_blas_thread():
                basis = basis.reclustered(n_clusters, self._alone.get(n_clusters))
            self._alone[n_clusters] = Clusters(basis.labels, basis.order)
        return basis

    def _hearing(self) -> _Hearing:
        return _Hearing(self._with, Answers.of(self.links_, self.named_), self.ensemble_)

    def _climb(self, hearing: _Hearing, start: int) -> dict[int, float]:
        low = max(2, len(self.named_.classes))
        high = max(start, min(_MAX_CLUSTERS, self._basis.n_landmarks // LANDMARKS_PER_CLUSTER))
        return climb(hearing.evidence, start, min(low, start), high)

    def _read(
        self, given: Links | PartialLabels | None, n_samples: int
    ) -> tuple[Links | PartialLabels, Links]:
        """Labels stay labels: they are facts about rows, not links that could be doubted."""
        if isinstance(given, PartialLabels):
            self._check_classes(given)
            return given, Links(n_samples)
        return super()._read(given, n_samples)

    def _split(self, given: Links | PartialLabels) -> tuple[Links, PartialLabels | None]:
        return (Links(len(given)), given) if isinstance(given, PartialLabels) else (given, None)

    def _solve(self) -> None:
        hearing = self._hearing()
        answers, number = hearing.answers, self._wanted
        if isinstance(number, str):
            number = max(self._unasked().k, len(self.named_.classes))
            if len(answers.rows):
                number = follow(self._climb(hearing, number), number)
        self._basis, self.n_clusters_ = self._with(number), number
        if len(answers.rows) == 0:
            nothing = np.empty(0, dtype=np.int64)
            alone = one_hot(self._basis.labels, number)
            self._solution = Solution(alone, nothing, nothing, np.empty(0), nothing)
            return
        posterior = hearing.posterior(number)
        honoured = self._honoured(posterior.suspicion)
        with one_blas_thread():
            settled = settle_rows(
                posterior.spoken, answers, posterior.cluster_of, posterior.suspicion, honoured
            )
        self._solution = Solution(
            memberships=posterior.memberships,
            rows=answers.rows,
            settled=settled,
            suspicion=posterior.suspicion,
            cluster_of=posterior.cluster_of,
        )
        self._say_what_is_set_aside(honoured)

    def _honoured(self, suspicion: Floats) -> NDArray[np.bool_]:
        """Tell which links must hold."""
        if self.honour == "all" or len(suspicion) <= FIRST_ANSWERS:
            return np.ones(len(suspicion), dtype=bool)
        return np.asarray(suspicion < SET_ASIDE)

    def _say_what_is_set_aside(self, honoured: NDArray[np.bool_]) -> None:
        n_aside = int((~honoured).sum())
        if n_aside:
            i, j, kind, doubt = self._suspect(int(self.suspicion_.argmax()))
            warnings.warn(
                f"{type(self).__name__}: {n_aside} of {len(honoured)} answers are probably wrong "
                f"and were set aside, {i}-{j} ({kind}-link, {doubt:.0%}) first; suspects_ lists "
                "them. One that is right after all holds once it is given again with weight 2.",
                ConstraintWarning,
                stacklevel=5,
            )

    def _memberships(self, blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the vote as shares that sum to 1, some rows at a time."""
        tables = self._basis.tables(self._solution.memberships)
        shares = np.empty((blocks.shape[1], self.n_clusters_), dtype=np.float32)
        for start in range(0, len(shares), _CHUNK):
            part = scores(np.ascontiguousarray(blocks[:, start : start + _CHUNK]), tables)
            total = np.maximum(part.sum(axis=1, keepdims=True), np.finfo(float).tiny)
            shares[start : start + _CHUNK] = part / total
        return shares

    def _vote(self, blocks: NDArray[np.uint8], *, silent: bool = False) -> tuple[Labels, Margins]:
        basis = self._basis
        alone = one_hot(basis.labels, self.n_clusters_)
        tables = basis.tables(alone if silent else self._solution.memberships)
        labels, margins = vote(blocks, tables, n_threads=self.n_jobs)
        return labels, margins / np.float32(self.n_partitions)

    def _settled(self) -> tuple[Ints, Ints]:
        return self._solution.rows, self._solution.settled

    def _ballot(self) -> tuple[Labels, Margins]:
        """Vote, and leave out the rows that belong nowhere."""
        check_is_fitted(self)
        if self._voted is None and len(self.left_out_):
            voted = super()._ballot()
            labels, margins = voted[0].copy(), voted[1].copy()
            labels[self.left_out_], margins[self.left_out_] = -1, 0.0
            for array in (labels, margins):
                array.setflags(write=False)
            self._voted = labels, margins
        return super()._ballot()

    def _arrays(self) -> dict[str, NDArray[Any]]:
        basis = {name: getattr(self._basis, name) for name in _BASIS_ARRAYS}
        solution = {part.name: getattr(self._solution, part.name) for part in fields(Solution)}
        counted = {
            "_count.draws": self._basis.draws,
            "_count.wanted": np.array(-1 if self._wanted == "auto" else self._wanted),
            "_count.left_out": self.left_out_,
        }
        return {
            **counted,
            **{f"_basis.{_OLD_NAMES.get(name, name)}": array for name, array in basis.items()},
            **{f"_solution.{name}": array for name, array in solution.items()},
        }

    def _restore(self, arrays: Mapping[str, NDArray[Any]], version: int) -> None:
        basis = {
            name: arrays[f"_basis.{_OLD_NAMES.get(name, name)}"]
            for name in _BASIS_ARRAYS
            if not (version == 1 and name == "features")  # it kept none
        }
        basis.setdefault("features", np.empty((len(basis["rows"]), 0), dtype=np.float32))
        self._wanted, self.left_out_ = self.n_clusters, np.empty(0, dtype=np.int64)
        draws = draws_of(np.random.RandomState(0))  # older versions kept none
        if version >= 4:
            wanted, draws = int(arrays["_count.wanted"]), arrays["_count.draws"]
            self._wanted = wanted if wanted > 0 else "auto"
            self.left_out_ = arrays["_count.left_out"]
        self._basis = Basis(
            **basis, n_clusters=self.n_clusters_, n_blocks=int(self.ensemble_.n_blocks), draws=draws
        )
        self._alone, self._choice = {}, None
        if version < 3:  # answers were heard by another rule
            self._solve()
            return
        solution = {part.name: arrays[f"_solution.{part.name}"] for part in fields(Solution)}
        self._solution = Solution(**solution)


def _without(choice: Choice, out: Ints) -> Choice | None:
    """Leave out rows that belong nowhere; None if the choice is about one."""
    examples = tuple(row for row in choice.examples if row not in out)
    return Choice(choice.row, examples) if examples and choice.row not in out else None


class _Hearing:
    """What answers make of the landmarks in any number of clusters, each heard once.

    ``with_number`` returns the landmarks in so many clusters.
    """

    def __init__(
        self, with_number: Callable[[int], Basis], answers: Answers, ensemble: Ensemble
    ) -> None:
        self.answers, self._with_number = answers, with_number
        self._blocks = ensemble.labels.rows(answers.rows)
        self._mixture: sp.csr_array | None = None
        self._heard: dict[int, Posterior] = {}

    def posterior(self, n_clusters: int) -> Posterior:
        """Return what the answers make of so many clusters."""
        if n_clusters not in self._heard:
            basis = self._with_number(n_clusters)
            with one_blas_thread():
                self._heard[n_clusters] = listen(basis, self._places(basis), self.answers)
        return self._heard[n_clusters]

    def evidence(self, n_clusters: int) -> float:
        """Return the log-likelihood of the answers that were left out, in so many clusters."""
        return self.posterior(n_clusters).evidence

    def contradictions(self, n_clusters: int) -> tuple[int, int]:
        """Count the answers that tear one of the clusters without answers apart, or join two."""
        basis = self._with_number(n_clusters)
        blocks = np.ascontiguousarray(self._blocks.T)
        cluster = basis.votes(one_hot(basis.labels, n_clusters), blocks).argmax(axis=1)
        same, must = cluster[self.answers.i] == cluster[self.answers.j], self.answers.must
        return int((same & ~must).sum()), int((~same & must).sum())

    def _places(self, basis: Basis) -> Places:
        if self._mixture is None:
            self._mixture = lift(basis, self.answers.rows, self._blocks)
        return Places.of(basis, self._mixture, np.ascontiguousarray(self._blocks.T))


#: The arrays of the basis that are written, and what they are called in files.
_BASIS_ARRAYS = ("rows", "blocks", "vectors", "smoothness", "labels", "order", "features")
_OLD_NAMES = {"order": "lot"}
