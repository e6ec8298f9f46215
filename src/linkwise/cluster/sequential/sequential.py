"""SequentialClustering: answers arrive one by one, all rows follow at once."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwise.cluster.how_many import (
    ASSUMED_CLUSTERS,
    KChoice,
    choose_by_structure,
    numbers_to_compare,
)
from linkwise.cluster.report import FitReport
from linkwise.cluster.sequential.answers import Answers
from linkwise.cluster.sequential.ask import Choice, Groups
from linkwise.cluster.sequential.follow import Proposal, Weighing, follow, gain_over_share
from linkwise.cluster.sequential.hearing import Hearing
from linkwise.cluster.sequential.honour import settle_rows
from linkwise.cluster.sequential.landmarks import (
    Basis,
    Clusters,
    Floats,
    Ints,
    build_basis,
    one_hot,
)
from linkwise.cluster.sequential.model_file import StoredModel
from linkwise.cluster.sequential.model_layout import MOST_CLUSTERS
from linkwise.cluster.sequential.moment import Moment, Restored
from linkwise.cluster.sequential.old_options import accepts_old_options
from linkwise.cluster.sequential.online import OnlineClusterer
from linkwise.cluster.sequential.questions import questions
from linkwise.cluster.sequential.rowwise import block_sizes, company, shares_of_votes, votes_on
from linkwise.cluster.sequential.solution import (
    FIRST_ANSWERS,
    Landmarks,
    Solution,
    Suspect,
    is_doubtful,
    suspect_at,
)
from linkwise.cluster.sequential.stored import arrays_of, restored
from linkwise.constraints import Links, PartialLabels
from linkwise.engines.base import Engine
from linkwise.engines.rules import ByTables
from linkwise.ensemble import Ensemble, RowSource, SourceLike, build_ensemble
from linkwise.ensemble.blas import one_blas_thread
from linkwise.errors import ConstraintWarning, InvalidInput
from linkwise.running import current_options
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_choice, check_number, require_number


class SequentialClustering(OnlineClusterer[Basis, Solution]):
    r"""Clustering that listens: one more answer costs the same at any number of rows.

    ``fit`` builds an ensemble of partitions once. From then on the answers, must-links and
    cannot-links, only change tables :math:`T` of a few thousand numbers, and row :math:`i` goes to
    the cluster :math:`c` with the largest vote

    .. math:: F_{ic} = \sum_k T_{k, L_{ki}, c}

    where :math:`L_{ki}` is the block of row :math:`i` in partition :math:`k`. The tables are a
    ridge regression of what 2000 landmark rows are on their blocks. Two landmarks are alike as

    .. math:: f_{ij} = t_i^\top B\, t_j

    where :math:`t_i` are the directions of a graph of the landmarks, and their features. An answer
    is :math:`f_{ij}`, 1 for "same" and 0 for "different", up to noise, and :math:`B` is a ridge
    regression of the answers: one that was expected changes nothing. The leading eigenvectors of
    :math:`f` place the landmarks, k-means finds clusters, and classes that are Gaussians with one
    covariance refine them, by these places, by the features, and by both. All is done with each of
    five parts of the answers left out, and averaged. How likely a view makes what was left out says
    how much it counts, and no answers are a view, too. Belief propagation over all answers, and
    :math:`f` learned from the others, then give each answer's ``suspicion_``.

    The result depends on the *set* of answers alone, not on the order or the batches in which they
    came; taking an answer back is as if it had never been given. Labels of rows always hold, and
    so do links confirmed by a weight of 2 or more, unless they contradict labels or each other.
    Other links hold in ``labels_`` whenever they can all hold, except those that are more likely
    wrong than right: these are set aside with a warning, but never among the first 30.
    ``suspects_`` lists all links by the probability that they are wrong.

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
    engine : {"cpu", "cuda", "ray"} or engine, default="cpu"
        Where the work over all rows is done, see :mod:`linkwise.engines`. The result does not
        depend on it.
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
        engine: str | Engine = "cpu",
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_partitions = n_partitions
        self.n_blocks = n_blocks
        self.honour = honour
        self.fast = fast
        self.n_jobs = n_jobs
        self.engine = engine
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: object) -> None:  # noqa: ARG002
        self._check_online_params()
        check_number(self, "n_clusters", low=1, high=MOST_CLUSTERS, integer=True, or_in=("auto",))
        check_number(self, "n_blocks", low=1, high=256, integer=True, or_in=("auto",))
        check_choice(self, "honour", ("trusted", "all"))
        check_choice(self, "fast", (True, False))

    @overload
    def query(self, n: int = 1, *, kind: Literal["pair"] = "pair") -> Ints: ...

    @overload
    def query(self, n: int = 1, *, kind: Literal["choice"]) -> list[Choice]: ...

    @overload
    def query(self, n: int = 1, *, kind: Literal["groups"]) -> list[Groups]: ...

    def query(self, n: int = 1, *, kind: str = "pair") -> Ints | list[Choice] | list[Groups]:
        """Return up to ``n`` questions worth asking, the most useful first.

        Parameters
        ----------
        n : int, default=1
            How many questions.
        kind : {"pair", "choice", "groups"}, default="pair"
            "pair": do these two rows belong together? "choice": with which of up to five rows does
            this one belong? :meth:`Links.from_choice` turns the answer into links. "groups": are
            these two groups of up to ten rows, five typical and five from the edge, one thing?

        Returns
        -------
        questions : ndarray of shape (n_pairs, 2), list of Choice or list of Groups
            Row numbers; fewer than ``n`` when no useful question is left.
        """
        now = self._now
        require_number("query", "n", n, low=1, integer=True)
        if kind not in ("pair", "choice", "groups"):
            raise InvalidInput(f'query(kind={kind!r}): kind must be "pair", "choice" or "groups".')
        return questions(now, n, kind)

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
        now = self._now
        most = min(MOST_CLUSTERS, len(now.basis.rows))
        require_number(
            "recluster", "n_clusters", n_clusters, low=1, high=most, integer=True, or_in=("auto",)
        )
        n_classes = len(now.named.classes)
        if not isinstance(n_clusters, str) and n_classes > n_clusters:
            raise InvalidInput(
                f"recluster(n_clusters={n_clusters}): the labels name {n_classes} classes. Ask for "
                "at least that many clusters."
            )
        wanted = n_clusters if isinstance(n_clusters, str) else int(n_clusters)
        return self._say(now.links, now.named, wanted)

    def choose_k(self, k_range: Iterable[int] | None = None) -> KChoice:
        """Find a number of clusters by the landmarks and the answers so far; see :func:`choose_k`.

        Nothing is changed: ``recluster`` does that.
        """
        now = self._now
        basis = now.basis
        if k_range is None:
            alone = self._unasked(basis)
        else:
            ks = numbers_to_compare(k_range, basis.n_landmarks)
            with one_blas_thread():
                alone = choose_by_structure(
                    basis.blocks, basis.features, basis.n_blocks, ks, basis.seed
                )
        if now.links.n_links + now.named.n_known == 0:
            return alone
        hearing = self._hearing(now.ensemble, basis, now.links, now.named)
        least = len(now.named.classes)
        start = max(alone.k, least)
        if k_range is None:
            found = hearing.climb(start, basis.n_landmarks)
        else:
            found = {k: hearing.evidence(k) for k in {start, *alone.scores} if k >= least}
        return replace(alone, k=follow(found, start), scores=found, answers=found)

    def propose_k(self) -> Proposal | None:
        """Return another number of clusters that the answers speak for, or None.

        It is proposed when it predicts the answers that were left out better than the present
        number does, by more than 2 nats and what the best of forty numbers gains by chance. With
        ``n_clusters="auto"`` the model follows by itself, and there is nothing to propose.
        """
        at = self._now
        if at.wanted == "auto":
            return None
        return self.weigh_k(at.links, at.named).proposal

    def weigh_k(self, links: Links, labels: PartialLabels) -> Weighing:
        """Return what answers say about this number of clusters; the model need not know them.

        Parameters
        ----------
        links, labels : Links and PartialLabels
            The answers, about the rows of the model.
        """
        at = self._now
        hearing, now = self._hearing(at.ensemble, at.basis, links, labels), at.n_clusters
        if len(hearing.answers) == 0:
            return Weighing(None, 0.0)
        found = hearing.climb(now, at.basis.n_landmarks)
        best, gain = follow(found, now), gain_over_share(found[now], hearing.answers.must)
        if best == now:
            return Weighing(None, gain)
        apart, joined = hearing.contradictions(now)
        better = found[best] - found[now]
        more = f"{abs(best - now)} {'more' if best > now else 'fewer'}"
        reason = (
            f"{more}: {best} clusters predict answers that were left out better than {now} do, by "
            f"{better:.1f} nats. With {now} clusters, {apart} of {len(hearing.answers)} answers "
            f"say that rows of one cluster differ, and {joined} that rows of two are the same."
        )
        return Weighing(Proposal(best, reason, better), gain)

    def compare_k(self, k: int, links: Links, labels: PartialLabels) -> float:
        """Return by how many nats ``k`` clusters foretell answers better than this number does.

        Parameters
        ----------
        k : int
            Another number of clusters.
        links, labels : Links and PartialLabels
            The answers, each left out in turn; the model need not know them.
        """
        at = self._now
        hearing = self._hearing(at.ensemble, at.basis, links, labels)
        if len(hearing.answers) == 0:
            return 0.0
        return hearing.evidence(k) - hearing.evidence(at.n_clusters)

    def foretells(self) -> float:
        """Return by how many nats the answers, each left out in turn, are foretold.

        That is how much likelier the clustering makes them than somebody who knows nothing but
        which share of them says "same". Where it is near 0 or below after many answers, what rows
        are grouped by has little to do with what was said.
        """
        now = self._now
        hearing = self._hearing(now.ensemble, now.basis, now.links, now.named)
        if len(hearing.answers) == 0:
            return 0.0
        return gain_over_share(hearing.evidence(now.n_clusters), hearing.answers.must)

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
        now = self._now
        require_number("outliers", "share", share, low=0, high=1)
        labels, n_blocks = now.ensemble.labels, now.ensemble.n_blocks
        sizes = np.sum(labels.each(now.n_rows, block_sizes, n_blocks), axis=0)
        weights = np.log(np.maximum(sizes, 1))
        near = np.concatenate(labels.each(now.n_rows, company, weights))
        near[now.left_out] = np.inf
        n_far = min(int(np.ceil(share * len(near))), int(np.isfinite(near).sum()))
        return np.argsort(near, kind="stable")[:n_far].astype(np.int64)

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
        return self._become(replace(self._now, left_out=rows.astype(np.int64)))

    @property
    def left_out_(self) -> Ints:
        """Rows that belong nowhere, increasing."""
        return self._now.left_out

    def _rows(self, where: str, rows: ArrayLike) -> Ints:
        given, n_rows = np.atleast_1d(np.asarray(rows)), self._now.n_rows
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
        now = self._now
        basis, memberships = now.basis, now.solution.memberships
        return Landmarks(
            rows=basis.rows,
            features=basis.features,
            vectors=basis.vectors,
            smoothness=basis.smoothness,
            memberships=memberships,
            labels=basis.voters.votes_on_themselves(memberships).argmax(axis=1),
        )

    @property
    def classes_(self) -> NDArray[Any]:
        """The class that labels gave each cluster, None where they gave none."""
        now = self._now
        classes = np.full(now.n_clusters, None, dtype=object)
        classes[now.solution.cluster_of] = now.named.classes
        return classes

    @property
    def memberships_(self) -> NDArray[np.float32]:
        """Share of each row in each cluster, (n_samples, n_clusters); rows sum to 1.

        The vote, except that a row which answers put elsewhere is wholly there.
        """
        now = self._now
        tables = now.basis.voters.tables(now.solution.memberships)
        shares = np.concatenate(now.ensemble.labels.each(now.n_rows, shares_of_votes, tables))
        rows, settled = self._settled(now)
        moved = shares[rows].argmax(axis=1) != settled
        moved |= now.named.codes[rows] >= 0
        shares[rows[moved]] = one_hot(settled[moved], now.n_clusters)
        return shares

    def predict_proba(self, X: SourceLike) -> NDArray[np.float32]:
        """Return the share of each row of ``X`` in each cluster, by the vote alone."""
        now = self._now
        rows = self._validate_rows(X, reset=False)
        tables = now.basis.voters.tables(now.solution.memberships)
        return shares_of_votes(now.ensemble.assign(rows.source, n_threads=self.n_jobs), tables)

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
        now = self._now
        tables = now.basis.voters.tables(now.solution.memberships)
        return votes_on(np.asarray(rows, dtype=np.int64), now.ensemble.labels, tables)

    @property
    def suspicion_(self) -> Floats:
        """Probability that each of ``links_`` is wrong, must-links first."""
        return self._now.solution.suspicion

    @property
    def suspects_(self) -> list[Suspect]:
        """All answers, the most suspicious first."""
        now = self._now
        suspicion = now.solution.suspicion
        order = np.argsort(-suspicion, kind="stable")
        return [suspect_at(now.links, suspicion, int(k)) for k in order]

    def _report_at(self, now: Moment[Basis, Solution]) -> FitReport:
        set_aside = ~self._honoured(now.solution.suspicion)
        return replace(super()._report_at(now), set_aside=int(set_aside.sum()))

    def _count(self, X: Matrix, given: object, rng: np.random.RandomState) -> int:
        """Return the number; for "auto" that for which an ensemble is built, not the one found."""
        if self.n_clusters == "auto":
            return min(ASSUMED_CLUSTERS, int(X.shape[0]))
        return super()._count(X, given, rng)

    def _build(self, engine: Engine, source: RowSource, seed: int) -> Ensemble:
        options = self._options()
        return build_ensemble(
            source,
            self._assumed,
            n_partitions=self.n_partitions,
            n_blocks=self.n_blocks,
            fast=self.fast,
            seed=seed,
            n_threads=self.n_jobs,
            path=options.folder,
            progress=options.progress,
            cancel=options.cancel,
            train=engine.train,
            label=engine.label,
        )

    @property
    def _basis(self) -> Basis:
        return self._now.basis

    def _prepare(self, ensemble: Ensemble, source: RowSource, rng: np.random.RandomState) -> Basis:
        with one_blas_thread():
            basis = build_basis(ensemble.labels, source, self._assumed, ensemble.n_blocks, rng)
        self._alone, self._choice = {}, None
        return basis

    def _check_classes(self, named: PartialLabels, n_clusters: int, wanted: int | str) -> None:
        """Refuse more classes than clusters; where their number is "auto", it grows."""
        if wanted != "auto":
            super()._check_classes(named, n_clusters, wanted)
        elif len(named.classes) > MOST_CLUSTERS:
            raise InvalidInput(
                f"{type(self).__name__}(n_clusters='auto'): the labels name {len(named.classes)} "
                f"classes, and there can be {MOST_CLUSTERS} clusters at most."
            )

    def _unasked(self, basis: Basis) -> KChoice:
        """Return what the landmarks say about the number of clusters without any answer."""
        if self._choice is None:
            with one_blas_thread():
                self._choice = choose_by_structure(
                    basis.blocks, basis.features, basis.n_blocks, None, basis.seed
                )
        return self._choice

    def _with(self, basis: Basis, n_clusters: int) -> Basis:
        """Return the landmarks in so many clusters, as they are without answers."""
        if n_clusters != basis.n_clusters:
            with one_blas_thread():
                basis = basis.reclustered(n_clusters, self._alone.get(n_clusters))
            self._alone[n_clusters] = Clusters(basis.labels, basis.order)
        return basis

    def _hearing(
        self, ensemble: Ensemble, basis: Basis, links: Links, named: PartialLabels
    ) -> Hearing:
        with_number = partial(self._with, basis)
        return Hearing(with_number, Answers.of(links, named), ensemble, len(named.classes))

    def _read(
        self, given: Links | PartialLabels | None, n_samples: int
    ) -> tuple[Links | PartialLabels, Links]:
        """Labels stay labels: they are facts about rows, not links that could be doubted."""
        if isinstance(given, PartialLabels):
            self._check_classes(given, self._assumed, self.n_clusters)
            return given, Links(n_samples)
        return super()._read(given, n_samples)

    def _split(self, given: Links | PartialLabels) -> tuple[Links, PartialLabels | None]:
        return (Links(len(given)), given) if isinstance(given, PartialLabels) else (given, None)

    def _solve(
        self,
        ensemble: Ensemble,
        basis: Basis,
        links: Links,
        named: PartialLabels,
        wanted: int | str,
    ) -> tuple[Basis, Solution, int]:
        hearing = self._hearing(ensemble, basis, links, named)
        answers = hearing.answers
        if isinstance(wanted, str):
            number = max(self._unasked(basis).k, len(named.classes))
            if len(answers.rows):
                number = follow(hearing.climb(number, basis.n_landmarks), number)
        else:
            number = int(wanted)
        basis = self._with(basis, number)
        if len(answers.rows) == 0:
            nothing = np.empty(0, dtype=np.int64)
            alone = one_hot(basis.labels, number)
            silent = Solution(alone, nothing, nothing, np.empty(0), nothing)
            return basis, silent, number
        posterior = hearing.posterior(number)
        honoured = self._honoured(posterior.suspicion)
        with one_blas_thread():
            settled = settle_rows(
                posterior.spoken, answers, posterior.cluster_of, posterior.suspicion, honoured
            )
        self._say_what_is_set_aside(links, posterior.suspicion, honoured)
        solution = Solution(
            memberships=posterior.memberships,
            rows=answers.rows,
            settled=settled,
            suspicion=posterior.suspicion,
            cluster_of=posterior.cluster_of,
        )
        return basis, solution, number

    def _honoured(self, suspicion: Floats) -> NDArray[np.bool_]:
        """Tell which links must hold: all, while few may be wrong; facts have no suspicion."""
        if self.honour == "all" or np.count_nonzero(suspicion) <= FIRST_ANSWERS:
            return np.ones(len(suspicion), dtype=bool)
        return ~is_doubtful(suspicion)

    def _say_what_is_set_aside(
        self, links: Links, suspicion: Floats, honoured: NDArray[np.bool_]
    ) -> None:
        n_aside = int((~honoured).sum())
        if n_aside and not current_options().quiet:
            i, j, kind, doubt = suspect_at(links, suspicion, int(suspicion.argmax()))
            warnings.warn(
                f"{type(self).__name__}: {n_aside} of {len(honoured)} answers are probably wrong "
                f"and were set aside, {i}-{j} ({kind}-link, {doubt:.0%}) first; suspects_ lists "
                "them. One that is right after all holds once it is given again with weight 2.",
                ConstraintWarning,
                stacklevel=5,
            )

    def _rule(self, now: Moment[Basis, Solution], *, silent: bool = False) -> ByTables:
        basis = now.basis
        alone = one_hot(basis.labels, now.n_clusters)
        return ByTables(basis.voters.tables(alone if silent else now.solution.memberships))

    def _settled(self, now: Moment[Basis, Solution]) -> tuple[Ints, Ints]:
        """Return the rows that the vote does not decide, those spoken about, and their clusters."""
        return now.solution.rows, now.solution.settled

    def _arrays(self, now: Moment[Basis, Solution]) -> dict[str, NDArray[Any]]:
        return arrays_of(now)

    def _restore(self, stored: StoredModel) -> Restored[Basis, Solution]:
        self._alone, self._choice = {}, None
        return restored(stored, self.n_clusters)
