"""SequentialClustering: answers arrive one by one, all rows follow at once."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from linkwise.cluster.base import Labels
from linkwise.cluster.report import FitReport
from linkwise.cluster.sequential.answers import Answers
from linkwise.cluster.sequential.ask import Choice, choose_choices, choose_pairs
from linkwise.cluster.sequential.committee import listen
from linkwise.cluster.sequential.honour import settle_rows
from linkwise.cluster.sequential.landmarks import (
    Basis,
    Floats,
    Ints,
    build_basis,
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
from linkwise.typing import Seed
from linkwise.validation import check_choice, check_number, require_number

#: An answer that is wrong with at least this probability is set aside, and that is said.
SET_ASIDE = 0.8
#: Among so few answers none is set aside: there is too little to judge them by.
FIRST_ANSWERS = 30
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
    n_clusters : int, default=8
        Number of clusters.
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
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row; voted when asked for, then kept until the next answer.
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

    @accepts_old_options
    def __init__(
        self,
        n_clusters: int = 8,
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
        check_number(self, "n_clusters", low=1, high=256, integer=True)
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
        with one_blas_thread():  # the same questions whatever the threads
            votes = basis.votes(self._solution.memberships, basis.blocks)
            said = self.links_[basis.rows] | self.named_[basis.rows].to_links()
            if kind == "choice":
                return choose_choices(basis, votes, said, n)
            return choose_pairs(basis, votes, said, n_asked, n)

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
        classes = np.full(self.n_clusters, None, dtype=object)
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
        shares[rows[moved]] = one_hot(settled[moved], self.n_clusters)
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
        return np.concatenate([np.empty((0, self.n_clusters)), *parts])

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

    def _build(self, source: RowSource, seed: int) -> Ensemble:
        options = self._options()
        return build_ensemble(
            source,
            self.n_clusters,
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
                ensemble.labels,
                source,
                self.n_clusters,
                ensemble.n_blocks,
                rng,
                ensemble.preparation,
            )

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
        basis, answers = self._basis, Answers.of(self.links_, self.named_)
        if len(answers.rows) == 0:
            nothing = np.empty(0, dtype=np.int64)
            alone = one_hot(basis.labels, self.n_clusters)
            self._solution = Solution(alone, nothing, nothing, np.empty(0), nothing)
            return
        blocks = self.ensemble_.labels.rows(answers.rows)
        with one_blas_thread():
            mixture = lift(basis, answers.rows, blocks)
            places = Places.of(basis, mixture, np.ascontiguousarray(blocks.T))
            posterior = listen(basis, places, answers)
            honoured = self._honoured(posterior.suspicion)
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
        shares = np.empty((blocks.shape[1], self.n_clusters), dtype=np.float32)
        for start in range(0, len(shares), _CHUNK):
            part = scores(np.ascontiguousarray(blocks[:, start : start + _CHUNK]), tables)
            total = np.maximum(part.sum(axis=1, keepdims=True), np.finfo(float).tiny)
            shares[start : start + _CHUNK] = part / total
        return shares

    def _vote(self, blocks: NDArray[np.uint8], *, silent: bool = False) -> tuple[Labels, Margins]:
        basis = self._basis
        alone = one_hot(basis.labels, self.n_clusters)
        tables = basis.tables(alone if silent else self._solution.memberships)
        labels, margins = vote(blocks, tables, n_threads=self.n_jobs)
        return labels, margins / np.float32(self.n_partitions)

    def _settled(self) -> tuple[Ints, Ints]:
        return self._solution.rows, self._solution.settled

    def _arrays(self) -> dict[str, NDArray[Any]]:
        basis = {name: getattr(self._basis, name) for name in _BASIS_ARRAYS}
        solution = {part.name: getattr(self._solution, part.name) for part in fields(Solution)}
        return {
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
        self._basis = Basis(
            **basis, n_clusters=self.n_clusters, n_blocks=int(self.ensemble_.n_blocks)
        )
        if version < 3:  # answers were heard by another rule
            self._solve()
            return
        solution = {part.name: arrays[f"_solution.{part.name}"] for part in fields(Solution)}
        self._solution = Solution(**solution)


#: The arrays of the basis that are written, and what they are called in files.
_BASIS_ARRAYS = ("rows", "blocks", "vectors", "smoothness", "labels", "order", "features")
_OLD_NAMES = {"order": "lot"}
