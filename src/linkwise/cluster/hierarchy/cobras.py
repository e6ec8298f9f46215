"""COBRAS: super-instances that are split where answers differ and merged where they agree."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances_argmin
from sklearn.metrics.pairwise import euclidean_distances

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.hierarchy.super_instances import (
    Ask,
    Evidence,
    example_of,
    mean_of,
    split_rows,
)
from linkwise.constraints import Knowledge, Links
from linkwise.offering import without_row_weights
from linkwise.typing import Matrix, MatrixLike, Seed
from linkwise.validation import check_number

Ints = NDArray[np.int64]


class COBRAS(ConstrainedClusterer):
    r"""Constraint-based repeated aggregation and splitting; it asks by itself and needs no number.

    Rows are held in super-instances, small groups that are believed to belong together; a cluster
    is a set of them. All rows are one super-instance at first. Again and again the largest is split
    by k-means, into as many parts as answers ask for: it is halved in thought, and one half again,
    until the two halves belong together. Its parts become clusters of their own, and clusters are
    merged, the nearest first, where the answer about their nearest examples is that they belong
    together. The example of a super-instance is the row nearest to its mean.

    Answers come from ``ask``, up to ``n_questions`` of them, unless ``constraints`` and the answers
    so far entail them. A round for which the questions do not suffice is undone, unless it is the
    first. Without ``ask``, and after the last question, it is decided by the weight of all answers
    between their rows whether two sets of rows belong together, and super-instances are split as
    long as more was given against than for the rows inside them.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        "auto" is as many as the answers make. A number is reached in the end: the largest
        super-instances are split, or the nearest clusters merged that nothing speaks against.
    n_questions : int, default=100
        Most questions.
    report : {"brief", "full"}, default="brief"
        "full" also fits without constraints and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Draws the starts of k-means.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters asked for, or found.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    super_instances_ : ndarray of shape (n_samples,)
        Super-instance of each row.
    asked_ : Links
        The answers to the questions, as links.
    n_questions_ : int
        Questions asked, those included to which the answer was cannot tell.
    n_iter_ : int
        Rounds of splitting and merging, at least 1.
    report_ : FitReport
        What the links given as ``constraints`` bought.

    See Also
    --------
    SequentialClustering : Asks too, can be told more later, and doubts answers.

    Notes
    -----
    Answers are believed: a wrong one may merge two clusters for good. With nothing said and a
    number of clusters given it is k-means. ``predict`` gives a new row the cluster of the
    super-instance whose mean is nearest.

    Not the method for links that were drawn at random: they seldom speak of the super-instances
    that matter, and "auto" then leaves many small clusters about which nothing is known.

    References
    ----------
    .. [1] T. Van Craenendonck, S. Dumančić, E. Van Wolputte, H. Blockeel. COBRAS: interactive
       clustering with pairwise queries. IDA, 2018.

    Examples
    --------
    >>> from linkwise import COBRAS
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [9.0], [9.1], [9.2]]
    >>> kind = [0, 0, 0, 1, 1, 0, 0, 0]
    >>> model = COBRAS(random_state=0).fit(X, ask=lambda i, j: kind[i] == kind[j])
    >>> model.labels_.tolist(), model.n_clusters_
    ([0, 0, 0, 1, 1, 0, 0, 0], 2)
    """

    _sparse: ClassVar[bool] = True
    _counts: ClassVar[bool] = True
    _repairs: ClassVar[bool] = True
    _ask: Ask | None = None

    def __init__(
        self,
        n_clusters: int | str = "auto",
        *,
        n_questions: int = 100,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_questions = n_questions
        self.report = report
        self.random_state = random_state

    @without_row_weights
    def fit(
        self,
        X: MatrixLike,
        y: object = None,
        *,
        constraints: Knowledge | None = None,
        ask: Ask | None = None,
    ) -> Self:
        """Cluster the rows of ``X``, asking about pairs of them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : ignored
            Present for scikit-learn.
        constraints : Links, PartialLabels, array-like of shape (n_samples,) or None
            What is known already.
        ask : callable or None
            ``ask(i, j)`` tells whether rows ``i`` and ``j`` belong together: True, False, or None
            for cannot tell. No pair is asked twice.

        Returns
        -------
        self
        """
        self._ask = ask
        try:
            return super().fit(X, y, constraints=constraints)
        finally:
            del self._ask

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_number(self, "n_questions", low=0, integer=True)

    def _count(self, X: Matrix, given: object, rng: np.random.RandomState) -> int:  # noqa: ARG002
        return 1 if isinstance(self.n_clusters, str) else int(self.n_clusters)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:
        wanted = None if isinstance(self.n_clusters, str) else int(self.n_clusters)
        evidence = Evidence(knowledge, self._ask, self.n_questions)
        state = _State(X, evidence, rng)
        if knowledge.n_links == 0 and not evidence.may_ask and wanted is not None:
            state.start_as_k_means(wanted)
        self.n_iter_ = 1
        while (chosen := state.to_split()) is not None:
            asking, before = evidence.may_ask, state.kept()
            state.split(chosen)
            state.merge()
            if asking and not evidence.may_ask and self.n_iter_ > 1:  # parts may wait for merging
                state.restore(before)
            self.n_iter_ += 1
        if wanted is not None:
            state.reach(wanted)
        self.labels_, self.super_instances_ = state.labels()
        self.n_clusters_ = wanted or int(self.labels_.max()) + 1
        self.n_questions_ = len(evidence.asked)
        same = [pair for pair, answer in evidence.asked.items() if answer is True]
        differ = [pair for pair, answer in evidence.asked.items() if answer is False]
        self.asked_ = Links(X.shape[0], must=same, cannot=differ)
        self._means = state.means(state.parts).astype(X.dtype)
        self._cluster = np.array([self.labels_[rows[0]] for rows in state.parts], dtype=np.int32)

    def _predict(self, X: Matrix) -> Labels:
        return np.asarray(self._cluster[pairwise_distances_argmin(X, self._means)])


class _State:
    """Super-instances, each a list of rows, and the cluster that each is in."""

    def __init__(self, X: Matrix, evidence: Evidence, rng: np.random.RandomState) -> None:
        self.X, self.evidence, self.rng = X, evidence, rng
        self.cluster: list[int] = [0]
        self._means: dict[bytes, NDArray[Any]] = {}
        self._examples: dict[bytes, int] = {}
        self.parts: list[Ints] = [np.arange(X.shape[0])]
        self._whole: set[int] = set()  # first rows of super-instances whose rows are all the same

    def start_as_k_means(self, n_clusters: int) -> None:
        """Begin with the clusters of k-means, a super-instance each."""
        seed = int(self.rng.randint(2**31 - 1))
        label = KMeans(n_clusters, n_init=1, random_state=seed).fit(self.X).labels_
        self.parts = [np.flatnonzero(label == k) for k in range(n_clusters) if (label == k).any()]
        self.cluster = list(range(len(self.parts)))

    def means(self, parts: list[Ints]) -> NDArray[Any]:
        """Return the mean rows of super-instances; each is computed once."""
        for rows in parts:
            if rows.tobytes() not in self._means:
                self._means[rows.tobytes()] = mean_of(self.X, rows)
        return np.vstack([self._means[rows.tobytes()] for rows in parts])

    def example(self, rows: Ints) -> int:
        """Return the example of a super-instance; it is looked for once."""
        name = rows.tobytes()
        if name not in self._examples:
            self._examples[name] = example_of(self.X, rows)
        return self._examples[name]

    def place(self) -> Ints:
        """Return the super-instance of each row."""
        place = np.empty(self.X.shape[0], dtype=np.int64)
        for number, rows in enumerate(self.parts):
            place[rows] = number
        return place

    def kept(self) -> tuple[list[Ints], list[int]]:
        """Return what :meth:`restore` needs to undo a round."""
        return list(self.parts), list(self.cluster)

    def restore(self, kept: tuple[list[Ints], list[int]]) -> None:
        """Undo a round."""
        self.parts, self.cluster = kept

    def to_split(self) -> int | None:
        """Return the largest super-instance that there is a reason to split.

        There is one where more was given against than for the rows inside, and in all as long as
        questions are left.
        """
        inside = self.evidence.given_inside(self.place())
        candidates = [
            number
            for number, rows in enumerate(self.parts)
            if len(rows) > 1 and int(rows[0]) not in self._whole
            if self.evidence.may_ask or inside[number] < 0
        ]
        return max(candidates, key=lambda number: len(self.parts[number]), default=None)

    def split(self, number: int) -> None:
        """Replace a super-instance by as many as answers ask for, each a cluster of its own."""
        rows = self.parts[number]
        parts = split_rows(self.X, rows, self._n_parts(rows), self.rng)
        if len(parts) == 1:
            self._whole.add(int(rows[0]))
            return
        del self.parts[number], self.cluster[number]
        first = max(self.cluster, default=-1) + 1
        self.parts += parts
        self.cluster += range(first, first + len(parts))

    def _n_parts(self, rows: Ints) -> int:
        """Return 2 to the number of halvings until two halves belong together, at least 2."""
        n_parts = 1
        while len(rows) > 1:
            halves = split_rows(self.X, rows, 2, self.rng)
            if len(halves) == 1:
                break
            n_parts *= 2
            if self._related(*halves) is not False:
                break
            rows = max(halves, key=len)
        return max(n_parts, 2)

    def _related(self, some: Ints, others: Ints) -> bool | None:
        """Tell whether two sets of rows belong together: their examples, else all answers."""
        if self.evidence.asks:
            answer = self.evidence.question(self.example(some), self.example(others))
            if answer is not None:
                return answer
        place = np.full(self.X.shape[0], 2)
        place[some], place[others] = 0, 1
        weight = self.evidence.between(place)[0, 1]
        return bool(weight > 0) if weight != 0 else None

    def merge(self) -> None:
        """Merge clusters, the nearest first, that belong together."""
        merged = True
        while merged:
            merged = False
            clusters, weight, distance = self._clusters()
            leaders = self._leaders(clusters)
            i, j = np.triu_indices(len(clusters), 1)
            for at in np.argsort(distance[i, j], kind="stable").tolist():
                a, b = int(i[at]), int(j[at])
                known = self._known(leaders[a], leaders[b])
                if known is None and self.evidence.may_ask:
                    known = self._ask_nearest(clusters[a], clusters[b])
                elif known is None:
                    known = bool(weight[a, b] > 0)
                if known:
                    self._join(clusters[a], clusters[b])
                    merged = True
                    break

    def _leaders(self, clusters: list[int]) -> list[set[int]]:
        """Return, for each cluster, who leads the examples of its super-instances."""
        found: dict[int, set[int]] = {cluster: set() for cluster in clusters}
        if self.evidence.asks:
            for rows, cluster in zip(self.parts, self.cluster, strict=True):
                found[cluster].add(self.evidence.leader(self.example(rows)))
        return list(found.values())

    def _known(self, some: set[int], others: set[int]) -> bool | None:
        """Return what is known about the examples of two clusters."""
        if some & others:
            return True
        against = any(self.evidence.enemies(leader) & others for leader in some)
        return False if against else None

    def reach(self, n_clusters: int) -> None:
        """Split the largest super-instances, or merge clusters nothing speaks against."""
        while len(set(self.cluster)) < n_clusters:
            open_parts = [
                number
                for number, rows in enumerate(self.parts)
                if len(rows) > 1 and int(rows[0]) not in self._whole
            ]
            if not open_parts:
                break
            number = max(open_parts, key=lambda one: len(self.parts[one]))
            halves = split_rows(self.X, self.parts[number], 2, self.rng)
            if len(halves) == 1:
                self._whole.add(int(self.parts[number][0]))
                continue
            self.parts[number] = halves[0]
            self.parts.append(halves[1])
            self.cluster.append(max(self.cluster) + 1)
        while len(set(self.cluster)) > n_clusters:
            clusters, weight, distance = self._clusters()
            leaders = self._leaders(clusters)
            i, j = np.triu_indices(len(clusters), 1)
            apart = np.array(
                [self._known(leaders[a], leaders[b]) is False for a, b in zip(i, j, strict=True)]
            )
            at = np.lexsort((distance[i, j], -np.minimum(weight[i, j], 0.0), apart))[0]
            self._join(clusters[i[at]], clusters[j[at]])

    def labels(self) -> tuple[Labels, Ints]:
        """Return the cluster of each row, numbered by first appearance, and its super-instance."""
        place = self.place()
        of_rows = np.array(self.cluster)[place]
        _, first, label = np.unique(of_rows, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int32)
        rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        return rank[label.reshape(-1)], place

    def _clusters(self) -> tuple[list[int], NDArray[np.float64], NDArray[np.float64]]:
        """Return the clusters, the weight of answers between them, and their distances."""
        clusters = sorted(set(self.cluster))
        number = {cluster: at for at, cluster in enumerate(clusters)}
        of_part = np.array([number[cluster] for cluster in self.cluster])
        weight = self.evidence.between(of_part[self.place()])
        apart = euclidean_distances(self.means(self.parts))
        distance = np.full((len(clusters), len(clusters)), np.inf)
        np.minimum.at(distance, (of_part[:, None], of_part[None, :]), apart)
        return clusters, weight, distance

    def _ask_nearest(self, a: int, b: int) -> bool:
        """Ask about the examples of the nearest super-instances of two clusters."""
        some, others = self._parts_of(a), self._parts_of(b)
        apart = euclidean_distances(self.means(some), self.means(others))
        i, j = np.unravel_index(apart.argmin(), apart.shape)
        return self.evidence.question(self.example(some[i]), self.example(others[j])) is True

    def _parts_of(self, chosen: int) -> list[Ints]:
        both = zip(self.parts, self.cluster, strict=True)
        return [rows for rows, cluster in both if cluster == chosen]

    def _join(self, a: int, b: int) -> None:
        self.cluster = [a if cluster == b else cluster for cluster in self.cluster]
