"""SCSC: weights on an ensemble of partitions, moved by the answers. The paper, corrected."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.base import Labels
from linkwise.cluster.sequential.model_file import StoredModel
from linkwise.cluster.sequential.moment import Moment, Restored
from linkwise.cluster.sequential.old_options import accepts_old_options
from linkwise.cluster.sequential.online import OnlineClusterer
from linkwise.constraints import Links, PartialLabels
from linkwise.engines.base import Engine
from linkwise.engines.rules import ByNearestCenter, ByWeights
from linkwise.ensemble import Ensemble, RowSource, build_paper_ensemble
from linkwise.kernels.lloyd import lloyd
from linkwise.kernels.simplex import minimise_on_simplex, project_to_simplex
from linkwise.kernels.vote.vote import scores
from linkwise.typing import Seed
from linkwise.validation import check_choice, check_number, require_number

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Rows on which the K-means finish finds its centres, and rows that ``query`` pairs up.
N_FINISH_ROWS = 20_000
N_QUERY_ROWS = 500


class Sample(NamedTuple):
    """Rows drawn once: those that ``query`` pairs up, and the blocks the finish looks at."""

    query_rows: Ints
    blocks: NDArray[np.uint8]


class SCSC(OnlineClusterer[Sample, Floats]):
    r"""Semi-supervised clustering with sequential constraints, as published.

    An ensemble of partitions :math:`P_1, \dots, P_m` with common labels is built once; the soft
    clustering is :math:`F = \sum_k \gamma_k P_k` with :math:`\gamma` on the probability simplex,
    and answers only move :math:`\gamma`. With :math:`\gamma_0 = 1/m`, ``rule="exact"`` minimises
    eq. 8

    .. math:: \sum_{(i,j) \in M} \|F_i - F_j\|^2 + \sum_{(i,j) \in C} \|F_i + F_j\|^2
              + \lambda \|\gamma - \gamma_0\|^2

    and ``rule="relaxed"`` is eq. 11 in closed form, :math:`\gamma = \Pi(\gamma_0 - \tau e / 100m)`,
    where :math:`e_k` counts the links that partition :math:`k` breaks and :math:`\Pi` projects onto
    the simplex.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    n_partitions : int, default=300
        Partitions in the ensemble, :math:`m`.
    n_features : int or "auto", default="auto"
        Features each partition looks at; "auto" is a twentieth of them, or about half when there
        are at most 60.
    rule : {"relaxed", "exact"}, default="relaxed"
        How links move the weights.
    step : float, default=20
        :math:`\tau` of the relaxed rule.
    regularisation : float or "auto", default="auto"
        :math:`\lambda` of the exact rule; "auto" is the total weight of the links.
    finish : {"kmeans", "round"}, default="kmeans"
        Labels from :math:`F`: K-means on its rows, or the largest entry of each row.
    n_jobs : int or None, default=None
        Threads; None is all cores. The result does not depend on it.
    engine : {"cpu", "cuda", "ray"} or engine, default="cpu"
        Where the work over all rows is done, see :mod:`linkwise.engines`. The result does not
        depend on it.
    report : {"brief", "full"}, default="brief"
        "full" adds to ``report_`` the agreement with the clustering without answers.
    random_state : int, RandomState instance or None, default=None
        Draws the ensemble.

    Attributes
    ----------
    weights_ : ndarray of shape (n_partitions,)
        :math:`\gamma`: entries >= 0 that sum to 1.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    margins_ : ndarray of shape (n_samples,)
        Largest minus second largest entry of the row of :math:`F`.
    links_ : Links
        All answers that count.
    ensemble_ : Ensemble
        The partitions.
    n_iter_ : int
        Always 1.
    report_ : FitReport
        What the answers bought.

    See Also
    --------
    SequentialClustering : What grew out of it; listens to the answers.

    Notes
    -----
    Corrected against the paper: eqs. 4 to 6 swap the two losses; Algorithm 1 must subtract from the
    unsorted vector; eq. 11 needs no iteration. Links act as one set, so their order is irrelevant
    and :meth:`retract` is exact. Not the method when answers should matter: on the data we tried,
    500 links move the result by about a hundredth of NMI, because a weight on a whole partition
    cannot say which part of it is wrong, and the exact rule is no better than no links at all.

    References
    ----------
    .. [1] J. Yi, L. Zhang, T. Yang, W. Liu, J. Wang. An efficient semi-supervised clustering
       algorithm with sequential constraints. KDD, 2015.
    .. [2] R. Chitta, R. Jin, T. C. Havens, A. K. Jain. Approximate kernel k-means: solution to
       large scale kernel clustering. KDD, 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linkwise import SCSC, Links
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SCSC(n_clusters=3, n_partitions=50, random_state=0).fit(X)
    >>> model.update(Links.sample(y, 30, random_state=0)).weights_.sum().round(6)
    np.float64(1.0)
    """

    @accepts_old_options
    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_partitions: int = 300,
        n_features: int | str = "auto",
        rule: str = "relaxed",
        step: float = 20.0,
        regularisation: float | str = "auto",
        finish: str = "kmeans",
        n_jobs: int | None = None,
        engine: str | Engine = "cpu",
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_partitions = n_partitions
        self.n_features = n_features
        self.rule = rule
        self.step = step
        self.regularisation = regularisation
        self.finish = finish
        self.n_jobs = n_jobs
        self.engine = engine
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: object) -> None:  # noqa: ARG002
        self._check_online_params()
        check_number(self, "n_clusters", low=1, high=256, integer=True)
        check_number(self, "n_features", low=1, integer=True, or_in=("auto",))
        check_choice(self, "rule", ("relaxed", "exact"))
        check_number(self, "step", low=0)
        check_number(self, "regularisation", low=0, or_in=("auto",))
        check_choice(self, "finish", ("kmeans", "round"))

    def query(self, n: int = 1) -> Ints:
        """Return up to ``n`` pairs of rows on which the weighted partitions disagree most.

        Returns
        -------
        pairs : ndarray of shape (n_pairs, 2)
            Row numbers; no row occurs twice.
        """
        now = self._now
        require_number("query", "n", n, low=1, integer=True)
        drawn = now.basis.query_rows
        blocks = now.basis.blocks[:, : len(drawn)]
        together = _weighted_coassociation(blocks, now.solution, now.n_clusters)
        i, j = np.triu_indices(len(blocks.T), k=1)
        pairs: list[tuple[int, int]] = []
        used: set[int] = set()
        known = {tuple(p) for p in np.concatenate([now.links.must, now.links.cannot]).tolist()}
        for k in np.argsort(np.abs(together[i, j] - 0.5), kind="stable"):
            pair = tuple(sorted((int(drawn[i[k]]), int(drawn[j[k]]))))
            if pair in known or used & set(pair):
                continue
            used.update(pair)
            pairs.append((pair[0], pair[1]))
            if len(pairs) == n:
                break
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    def _build(self, engine: Engine, source: RowSource, seed: int) -> Ensemble:
        options = self._options()
        return build_paper_ensemble(
            source,
            self._assumed,
            n_partitions=self.n_partitions,
            n_features=self.n_features,
            seed=seed,
            n_threads=self.n_jobs,
            path=options.folder,
            progress=options.progress,
            cancel=options.cancel,
            train=engine.train,
            label=engine.label,
        )

    @property
    def weights_(self) -> Floats:
        """Weight of each partition: entries >= 0 that sum to 1."""
        return self._now.solution

    def _prepare(
        self,
        ensemble: Ensemble,
        source: RowSource,  # noqa: ARG002
        rng: np.random.RandomState,
    ) -> Sample:
        n_rows = ensemble.n_rows
        sample = rng.choice(n_rows, min(n_rows, N_FINISH_ROWS), replace=False)
        blocks = np.ascontiguousarray(ensemble.labels.rows(sample).T)
        return Sample(sample[:N_QUERY_ROWS].astype(np.int64), blocks)

    def _solve(
        self,
        ensemble: Ensemble,
        basis: Sample,
        links: Links,
        named: PartialLabels,  # noqa: ARG002
        wanted: int | str,  # noqa: ARG002
    ) -> tuple[Sample, Floats, int]:
        number = self._assumed
        uniform = np.full(ensemble.n_partitions, 1.0 / ensemble.n_partitions)
        if links.n_links == 0:
            return basis, uniform, number
        ends = _ends(links, ensemble)
        if self.rule == "relaxed":
            broken = _broken_by_partition(*ends)
            step = self.step / (100.0 * ensemble.n_partitions)
            return basis, project_to_simplex(uniform - step * broken), number
        total = float(links.weight.sum())
        strength = total if self.regularisation == "auto" else float(self.regularisation)
        A = _quadratic_form(*ends, number)
        return basis, minimise_on_simplex(A, uniform, strength), number

    def _rule(
        self, now: Moment[Sample, Floats], *, silent: bool = False
    ) -> ByWeights | ByNearestCenter:
        weights = now.solution
        if silent:
            weights = np.full_like(weights, 1 / len(weights))
        if self.finish == "round":
            return ByWeights(weights, now.n_clusters)
        return ByNearestCenter(weights, self._finish_centers(now.basis, weights, now.n_clusters))

    def _finish_centers(self, sample: Sample, weights: Floats, r: int) -> Floats:
        """K-means on the soft labels of sampled rows, from their largest entries."""
        F = scores(sample.blocks, weights[:, None, None] * np.eye(r))
        labels, _ = lloyd(F, F.argmax(axis=1), r, 100)
        sums, sizes = np.zeros((r, r)), np.bincount(labels, minlength=r)
        np.add.at(sums, labels, F)
        return np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], np.eye(r))

    def _settled(self, now: Moment[Sample, Floats]) -> tuple[NDArray[np.int64], Labels]:
        rows = now.links.linked_rows
        if len(rows) == 0:
            return rows, np.empty(0, dtype=np.int32)
        blocks = np.ascontiguousarray(now.ensemble.labels.rows(rows).T)
        return rows, self._rule(now).count(blocks, self.n_jobs).labels

    def _arrays(self, now: Moment[Sample, Floats]) -> dict[str, NDArray[Any]]:
        return {
            "weights_": now.solution,
            "_query_rows": now.basis.query_rows,
            "_sample_blocks": now.basis.blocks,
        }

    def _restore(self, stored: StoredModel) -> Restored[Sample, Floats]:
        arrays, nowhere = stored.arrays, np.empty(0, dtype=np.int64)
        sample = Sample(arrays["_query_rows"], arrays["_sample_blocks"])
        return Restored(sample, arrays["weights_"], self.n_clusters, nowhere)


def _ends(
    links: Links, ensemble: Ensemble
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.bool_], Floats]:
    """Return the labels of both ends (one link a row), which links are musts, and weights."""
    pairs = np.concatenate([links.must, links.cannot])
    rows = links.linked_rows
    labels = ensemble.labels.rows(rows)
    left, right = (labels[np.searchsorted(rows, pairs[:, end])] for end in (0, 1))
    return left, right, np.arange(len(pairs)) < len(links.must), links.weight


def _broken_by_partition(
    left: NDArray[np.uint8], right: NDArray[np.uint8], must: NDArray[np.bool_], weight: Floats
) -> Floats:
    """Return the weight of the links that each partition breaks, e of eq. 11."""
    broken = (left == right) != must[:, None]
    return np.asarray(weight @ broken)


def _quadratic_form(
    left: NDArray[np.uint8],
    right: NDArray[np.uint8],
    must: NDArray[np.bool_],
    weight: Floats,
    n_clusters: int,
) -> Floats:
    """Return A with sum of losses = weights.A.weights: eq. 8 as one m by m matrix."""
    A = np.zeros((left.shape[1], left.shape[1]))
    sign = np.where(must, -1.0, 1.0)
    for c in range(n_clusters):
        column = (left == c) + sign[:, None] * (right == c)
        A += (column * weight[:, None]).T @ column
    return A


def _weighted_coassociation(blocks: NDArray[np.uint8], weights: Floats, n_clusters: int) -> Floats:
    """Return the total weight of the partitions that put each two rows together."""
    together = np.zeros((blocks.shape[1], blocks.shape[1]))
    for c in range(n_clusters):
        member = (blocks == c).astype(np.float64)
        together += (member * weights[:, None]).T @ member
    return together
