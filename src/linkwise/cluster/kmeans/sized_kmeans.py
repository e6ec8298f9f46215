"""K-means with limits on the sizes of clusters, in which every link holds."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.kmeans.groups_within import place_groups
from linkwise.cluster.kmeans.linked_lloyd import lloyd_with_links
from linkwise.cluster.starts import complete_centers
from linkwise.constraints import Links
from linkwise.constraints.groups import Groups
from linkwise.errors import Infeasible, InvalidInput
from linkwise.kernels.transport import assign_within
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_number

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class SizedKMeans(ConstrainedClusterer):
    r"""K-means whose clusters have at least ``min_size`` and at most ``max_size`` rows.

    Minimises :math:`\sum_i \|x_i - \mu_{z_i}\|^2` over labels and centres under these limits and
    under hard must-links and cannot-links. Each round gives all rows at once the cheapest clusters
    that the limits allow, a minimum cost flow that is solved exactly. Where there are links, groups
    of must-linked rows are placed first, as wholes, at the prices that the flow put on a place in
    each cluster, so that no cannot-link breaks and the limits can still be kept; the flow then
    places the other rows.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters; "auto" finds one as :func:`choose_k` does.
    min_size : int or None, default=None
        Fewest rows of a cluster; None is no limit.
    max_size : int or None, default=None
        Most rows of a cluster; None is no limit.
    n_init : int, default=1
        Number of k-means++ starts; the lowest sum is kept.
    max_iter : int, default=300
        Most rounds from one start.
    report : {"brief", "full"}, default="brief"
        "full" also fits without constraints and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Draws the first centres (k-means++).

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters that were looked for.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row; no link is broken and no limit exceeded.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Mean of each cluster.
    inertia_ : float
        The sum above.
    n_iter_ : int
        Rounds of the start that was kept.
    report_ : FitReport
        What the links bought.

    See Also
    --------
    COPKMeans : The same without limits on sizes, and quicker.

    Notes
    -----
    Without links every round is exact, so the sum never rises. With links, placing groups under
    limits is as hard as packing bins: groups choose greedily, and where that exceeds a limit an
    integer program is solved, up to a number of nodes. A round that would raise the sum is not
    taken. If no labelling is found the fit raises :class:`~linkwise.errors.Infeasible` and says
    whether there is none. Contradictory links raise :class:`~linkwise.errors.Contradiction`.

    ``predict`` gives new rows their nearest centre: limits are about the rows of ``fit``.

    Not the method when sizes are a guess: limits are kept at any cost in distance. A round takes
    memory for n_samples × n_clusters distances, and time that grows with how many rows have to
    leave their nearest centre.

    References
    ----------
    .. [1] P. S. Bradley, K. P. Bennett, A. Demiriz. Constrained k-means clustering. Microsoft
       Research, MSR-TR-2000-65, 2000.

    Examples
    --------
    >>> from linkwise import Links, SizedKMeans
    >>> X = [[0.0], [1.0], [2.0], [3.0], [9.0], [10.0]]
    >>> links = Links(6, must=[(0, 1)], cannot=[(4, 5)])
    >>> model = SizedKMeans(n_clusters=2, min_size=3, max_size=3, random_state=0)
    >>> model.fit_predict(X, constraints=links).tolist()
    [0, 0, 1, 1, 0, 1]
    """

    _sparse: ClassVar[bool] = True
    _refuses: ClassVar[bool] = True
    _counts: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        min_size: int | None = None,
        max_size: int | None = None,
        n_init: int = 1,
        max_iter: int = 300,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.min_size = min_size
        self.max_size = max_size
        self.n_init = n_init
        self.max_iter = max_iter
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_number(self, "min_size", low=0, integer=True, or_in=(None,))
        check_number(self, "max_size", low=1, integer=True, or_in=(None,))
        check_number(self, "n_init", low=1, integer=True)
        check_number(self, "max_iter", low=1, integer=True)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:
        knowledge.closure()  # raises Contradiction and names the chain
        low, high = self._limits(X.shape[0])
        nothing = np.empty((0, X.shape[1]))
        self.inertia_ = np.inf
        for _ in range(self.n_init):
            rows = _SizedRows(Groups.of(knowledge), low, high)
            centers = complete_centers(X, nothing, self.n_clusters_, rng)
            end = lloyd_with_links(X, rows, centers, self.max_iter)
            inertia = _total(euclidean_distances(X, end.centers, squared=True), end.labels)
            if inertia < self.inertia_:
                self.labels_, self.cluster_centers_, self.n_iter_ = end
                self.inertia_ = inertia

    def _limits(self, n_rows: int) -> tuple[Ints, Ints]:
        """Return least and most rows of each cluster; refuse what no labelling can keep."""
        k = self.n_clusters_
        low = 0 if self.min_size is None else int(self.min_size)
        high = n_rows if self.max_size is None else min(int(self.max_size), n_rows)
        if k * low > n_rows:
            raise InvalidInput(
                f"SizedKMeans(min_size={low}): {k} clusters of {low} need {k * low} rows, X has "
                f"{n_rows}. Ask for at most {n_rows // k}."
            )
        if k * high < n_rows:
            raise InvalidInput(
                f"SizedKMeans(max_size={high}): {k} clusters of {high} hold {k * high} rows, X has "
                f"{n_rows}. Allow at least {-(-n_rows // k)}."
            )
        if low > high:
            raise InvalidInput(
                f"SizedKMeans(min_size={low}, max_size={high}): min_size must not exceed max_size."
            )
        return np.full(k, low), np.full(k, high)


class _SizedRows:
    """All rows, and how they are assigned within limits, must-link groups as wholes."""

    def __init__(self, groups: Groups, low: Ints, high: Ints) -> None:
        self.groups, self.low, self.high = groups, low, high
        self.prices = np.zeros(len(low))
        self.group_prices = np.zeros(len(low))

    def assign(self, X: Matrix, centers: NDArray[Any], labels: Labels, previous: Labels) -> None:
        """Give all rows clusters within the limits; stay with ``previous`` if that is cheaper."""
        cost = np.asarray(euclidean_distances(X, centers, squared=True), dtype=np.float64)
        known = len(previous) == 0 or previous[0] >= 0
        found = self._assigned(cost, known)
        if found is None or (known and _total(cost, previous) <= _total(cost, found)):
            labels[:] = previous
        else:
            labels[:] = found

    def _assigned(self, cost: Floats, known: bool) -> Ints | None:
        labels, self.prices, _ = assign_within(cost, self.low, self.high, self.prices)
        groups, rows = self.groups, self.groups.rows
        if len(rows) == 0:
            return np.asarray(labels)
        priced = groups.sums(cost[rows]) + groups.sizes[:, None] * self.prices
        others = np.setdiff1d(np.arange(len(cost)), rows)
        clusters, proven = place_groups(groups, priced, self.low, self.high, len(others))
        if clusters is None:
            if known:
                return None
            raise Infeasible(self._complaint(proven))
        labels[rows] = clusters[groups.group]
        load = np.bincount(labels[rows], minlength=len(self.low))
        labels[others], self.group_prices, _ = assign_within(
            cost[others], np.maximum(self.low - load, 0), self.high - load, self.group_prices
        )
        return np.asarray(labels)

    def _complaint(self, proven: bool) -> str:
        largest = int(self.groups.sizes.argmax())
        size, most = int(self.groups.sizes[largest]), int(self.high[0])
        if size > most:
            return (
                f"SizedKMeans: row {self.groups.members(largest)[0]} is must-linked to "
                f"{size - 1} others, and a cluster has at most {most} rows. Allow at least {size}."
            )
        verdict = "No labelling" if proven else "No labelling that was found"
        return (
            f"SizedKMeans: {verdict} with {len(self.low)} clusters of {int(self.low[0])} to {most} "
            "rows keeps all links. Widen the limits, ask for more clusters, or drop links."
        )


def _total(cost: NDArray[Any], labels: NDArray[np.integer[Any]]) -> float:
    """Return the sum over rows of the cost of their cluster."""
    return float(cost[np.arange(len(labels)), labels].sum(dtype=np.float64))
