"""SequentialClustering: answers arrive one by one, all rows follow at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from linkwise.cluster.base import Labels
from linkwise.cluster.sequential.ask import choose_questions, lead
from linkwise.cluster.sequential.choice import choose_labels
from linkwise.cluster.sequential.honour import settle_rows
from linkwise.cluster.sequential.landmarks import Basis, Floats, Ints, build_basis
from linkwise.cluster.sequential.online import Margins, OnlineClusterer, hears_old_wishes
from linkwise.cluster.sequential.spread import spread_answers
from linkwise.cluster.sequential.trust import (
    LiftedLinks,
    Testimony,
    belief,
    error_rate,
    hear,
    lift_links,
    one_hot,
    trust,
)
from linkwise.ensemble import Ensemble, RowSource, build_ensemble
from linkwise.ensemble.blas import one_blas_thread
from linkwise.kernels.vote.vote import scores, vote
from linkwise.typing import Seed
from linkwise.validation import check_choice, check_number, require_number

#: Among many answers, one that is right with at least this probability is followed.
MIN_RIGHT = 2 / 3
#: However many answers are wrong, no more than this probability is asked for.
MOST_NEEDED = 0.8
#: Among so many answers, half of that is enough.
FEW_ANSWERS = 50
#: Weight from which on an answer is confirmed and never doubted.
CONFIRMED = 2.0
#: Rows whose votes are counted at once.
CHUNK = 100_000


class Suspect(NamedTuple):
    """An answer, and the probability that it is wrong."""

    i: int
    j: int
    kind: str
    suspicion: float


@dataclass(frozen=True, eq=False)
class Solution:
    """What the answers so far amount to; independent of the number of rows.

    ``landmarks`` are the clusters of the landmarks; ``linked`` those of the linked rows;
    ``suspicion`` is per link, must-links first.
    """

    landmarks: Ints
    linked: Ints
    suspicion: Floats


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
    shares of the clusters among 2000 landmark rows, and the landmarks are clustered by the leading
    eigenvectors of their co-association graph plus a low-rank term made of the answers, or by their
    features in a metric learned from the answers. Each answer counts as much as the ensemble and
    the other answers make it believable; links left out choose the view and how strongly all of
    them count; and a clustering that does not keep more links than chance explains never replaces
    the one without answers.

    The result depends on the *set* of answers alone, not on the order or the batches in which they
    came; taking an answer back is as if it had never been given. Links that are believed hold in
    ``labels_`` whenever they can all hold; answers that are probably wrong are listed in
    ``suspects_`` and hold once they are confirmed by giving them a weight of 2 or more.

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
        Which links must hold: all that are not suspected, or all.
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
    links_ : Links
        All answers that count.
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

    @hears_old_wishes
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

    def query(self, n: int = 1) -> Ints:
        """Return up to ``n`` pairs of rows worth asking about, the most useful first.

        Returns
        -------
        pairs : ndarray of shape (n_pairs, 2)
            Row numbers; fewer than ``n`` when no useful question is left.
        """
        check_is_fitted(self)
        require_number("query", "n", n, low=1, integer=True)
        landmarks = self._solution.landmarks
        votes = self._shares(self._basis.blocks, landmarks)
        return choose_questions(self._basis, landmarks, votes, self.links_, n)

    @property
    def landmarks_(self) -> Landmarks:
        """The rows that stand for all others, and what the answers so far make of them."""
        check_is_fitted(self)
        basis, labels = self._basis, self._solution.landmarks
        return Landmarks(
            rows=basis.rows,
            features=basis.features,
            vectors=basis.vectors,
            smoothness=basis.smoothness,
            memberships=one_hot(labels, self.n_clusters),
            labels=labels,
        )

    def votes(self, rows: NDArray[np.integer[Any]]) -> Floats:
        """Return the share of votes that each cluster has for some rows.

        Parameters
        ----------
        rows : array-like of shape (n_rows,)
            Row numbers.

        Returns
        -------
        votes : ndarray of shape (n_rows, n_clusters)
            The vote alone: a linked row may have been settled otherwise.
        """
        check_is_fitted(self)
        rows, labels = np.asarray(rows, dtype=np.int64), self.ensemble_.labels
        starts = range(0, len(rows), CHUNK)
        blocks = (np.ascontiguousarray(labels.rows(rows[s : s + CHUNK]).T) for s in starts)
        parts = [self._shares(some, self._solution.landmarks) for some in blocks]
        return np.concatenate([np.empty((0, self.n_clusters)), *parts])

    @property
    def suspicion_(self) -> Floats:
        """Probability that each of ``links_`` is wrong, must-links first."""
        check_is_fitted(self)
        return self._solution.suspicion

    @property
    def suspects_(self) -> list[Suspect]:
        """All answers, the most suspicious first."""
        pairs = np.concatenate([self.links_.must, self.links_.cannot])
        kinds = ["must"] * len(self.links_.must) + ["cannot"] * len(self.links_.cannot)
        order = np.argsort(-self.suspicion_, kind="stable")
        return [
            Suspect(int(pairs[k, 0]), int(pairs[k, 1]), kinds[k], float(self.suspicion_[k]))
            for k in order
        ]

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
        with one_blas_thread():
            self._basis: Basis = build_basis(self.ensemble_.labels, source, self.n_clusters, rng)

    def _solve(self) -> None:
        basis, rows = self._basis, self.links_.linked_rows
        if len(rows) == 0:
            nothing = np.empty(0, dtype=np.int64)
            self._solution = Solution(basis.labels, nothing, np.empty(0))
            return
        blocks = self.ensemble_.labels.rows(rows)
        with one_blas_thread():
            links = lift_links(basis, self.links_, rows, blocks)
            testimony, wrong = hear(basis, links), error_rate(basis, links)
            landmarks = self._cluster_landmarks(links, testimony, wrong, blocks)
            believed = self._believed(links, landmarks, testimony)
            suspicion = _suspicion(believed, wrong)
            honoured = (suspicion < 0.5) | (self.honour == "all")
            votes = self._shares(blocks.T, landmarks)
            linked = settle_rows(votes, links, trust(believed, links), honoured)
        self._solution = Solution(landmarks, linked, _must_first(suspicion, links.must))

    def _cluster_landmarks(
        self, links: LiftedLinks, testimony: Testimony, wrong: float, blocks: NDArray[np.uint8]
    ) -> Ints:
        """Re-cluster the landmarks as a whole, then correct single regions.

        ``wrong`` is the share of answers that seem to be wrong.
        """
        basis = self._basis
        believed = self._believed(links, basis.labels, testimony)
        agreement = float(lead(self._shares(basis.blocks, basis.labels)).mean())
        labels = choose_labels(basis, links, trust(believed, links), agreement, wrong)
        weight = trust(self._believed(links, labels, testimony), links)
        votes, landmark_votes = (self._shares(b, labels) for b in (blocks.T, basis.blocks))
        return spread_answers(basis, links, weight, labels, votes, landmark_votes)

    def _believed(self, links: LiftedLinks, labels: Ints, testimony: Testimony) -> Floats:
        """Return the probability that each answer is right; confirmed ones are."""
        judged = belief(self._basis, links, labels, testimony)
        return np.where(links.weight >= CONFIRMED, 1.0, judged)

    def _shares(self, blocks: NDArray[np.uint8], landmarks: Ints) -> Floats:
        """Return the share of votes of each cluster for rows given by their blocks."""
        return np.asarray(scores(blocks, self._tables(landmarks)) / self.n_partitions)

    def _tables(self, labels: Ints) -> Floats:
        """Return the share of each cluster among the landmarks of each block."""
        basis, r = self._basis, self.n_clusters
        n_partitions, n_blocks = len(basis.blocks), self.ensemble_.n_blocks
        block = basis.blocks + np.arange(n_partitions)[:, None] * n_blocks
        cell = (block * r + labels).ravel()
        counts = np.bincount(cell, minlength=n_partitions * n_blocks * r)
        counts = counts.reshape(n_partitions, n_blocks, r).astype(np.float64)
        return np.asarray(counts / np.maximum(counts.sum(axis=2, keepdims=True), 1.0))

    def _vote(self, blocks: NDArray[np.uint8], *, silent: bool = False) -> tuple[Labels, Margins]:
        tables = self._tables(self._basis.labels if silent else self._solution.landmarks)
        labels, margins = vote(blocks, tables, n_threads=self.n_jobs)
        return labels, margins / np.float32(self.n_partitions)

    def _linked(self) -> Ints:
        return self._solution.linked

    def _arrays(self) -> dict[str, NDArray[Any]]:
        state: dict[str, Basis | Solution] = {"_basis": self._basis, "_solution": self._solution}
        return {
            f"{name}.{part.name}": getattr(value, part.name)
            for name, value in state.items()
            for part in fields(value)
        }

    def _restore(self, arrays: Mapping[str, NDArray[Any]], version: int) -> None:
        parts = {part.name for part in fields(Basis)}
        if version == 1:  # it kept no features
            parts -= {"features"}
        basis = {name: arrays[f"_basis.{name}"] for name in parts}
        basis.setdefault("features", np.empty((len(basis["rows"]), 0), dtype=np.float32))
        self._basis = Basis(**basis)
        solution = {part.name: arrays[f"_solution.{part.name}"] for part in fields(Solution)}
        self._solution = Solution(**solution)


def _suspicion(believed: Floats, error_rate: float) -> Floats:
    """Return the probability that each answer is wrong; from one half on it is set aside.

    Following a wrong answer does more harm than not following a right one, so the odds that an
    answer is right must be two to one, and more where many answers are wrong. Two cases cannot tell
    a person's mistake from the ensemble's, and answers are taken at their word more easily: few
    answers, and an ensemble that does not find half of the answers that likely.
    """
    n_links = len(believed)
    needed = min(MIN_RIGHT, float(np.median(believed))) + error_rate
    needed = min(needed, MOST_NEEDED) * n_links / (n_links + FEW_ANSWERS)
    wrong, right = needed * (1 - believed), (1 - needed) * believed
    return np.asarray(wrong / (wrong + right))


def _must_first(per_link: Floats, must: NDArray[np.bool_]) -> Floats:
    """Reorder from pair order to the order of ``Links.weight``."""
    return np.concatenate([per_link[must], per_link[~must]])
