"""COP-KMeans: k-means that never breaks a link."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances

from linkwise.cluster.base import Labels
from linkwise.cluster.kmeans.linked_lloyd import lloyd_with_links
from linkwise.cluster.row_weights import RowWeighingClusterer, weighed
from linkwise.cluster.starts import Weights, complete_centers
from linkwise.constraints import Links
from linkwise.constraints.groups import Groups
from linkwise.errors import Infeasible
from linkwise.kernels.colouring import colour_groups
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_number

#: How often the search for a labelling without broken links steps back before it gives up.
SEARCH_STEPS = 10_000


class COPKMeans(RowWeighingClusterer):
    r"""K-means under hard must-links and cannot-links.

    Each round gives every must-link component, as one, the nearest centre that no cannot-linked
    component has taken, those with the fewest clusters left first; where none is left the search
    steps back. Either every link holds in the result, or the fit raises
    :class:`~linkwise.errors.Infeasible` and names a row and the links that leave it no cluster.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters; "auto" finds one as :func:`choose_k` does.
    max_iter : int, default=300
        Most rounds.
    report : {"brief", "full"}, default="brief"
        "full" also fits without constraints and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Draws the first centres (k-means++).

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters that were looked for.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row; no link is broken.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Mean of each cluster.
    n_iter_ : int
        Rounds done.
    report_ : FitReport
        What the links bought.

    See Also
    --------
    PCKMeans : May break links at a price, and survives wrong ones.

    Notes
    -----
    Not the method when an answer may be wrong: one wrong link can make the task impossible.
    Contradictory links raise :class:`~linkwise.errors.Contradiction`. The original takes rows in
    the order of the table and fails where its first greedy choice fails; the search above fails
    only when no labelling exists or none was found after stepping back ten thousand times, and says
    which.

    References
    ----------
    .. [1] K. Wagstaff, C. Cardie, S. Rogers, S. Schrödl. Constrained k-means clustering with
       background knowledge. ICML, 2001.

    Examples
    --------
    >>> from linkwise import COPKMeans, Links
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> links = Links(4, cannot=[(0, 1)])
    >>> labels = COPKMeans(n_clusters=2, random_state=0).fit_predict(X, constraints=links)
    >>> bool(labels[0] != labels[1])
    True
    """

    _sparse: ClassVar[bool] = True
    _refuses: ClassVar[bool] = True
    _counts: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        max_iter: int = 300,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_number(self, "max_iter", low=1, integer=True)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:
        knowledge.closure()  # raises Contradiction and names the chain
        weights = self._row_weights
        linked = _LinkedRows(knowledge, weights)
        centers = complete_centers(X, np.empty((0, X.shape[1])), self.n_clusters_, rng, weights)
        end = lloyd_with_links(X, linked, centers, self.max_iter, weights)
        self.labels_, self.cluster_centers_, self.n_iter_ = end


class _LinkedRows:
    """The rows that links name, and how they are assigned, a must-link component as one."""

    def __init__(self, links: Links, weights: Weights) -> None:
        self.links = links
        self.weights = weights
        self.groups = Groups.of(links)
        self.differ = self.groups.separation()

    def assign(self, X: Matrix, centers: NDArray[Any], labels: Labels, previous: Labels) -> None:
        """Give the linked rows in ``labels`` near centres such that every link holds."""
        rows = self.groups.rows
        if len(rows) == 0:
            return
        apart = euclidean_distances(X[rows], centers, squared=True)
        cost = self.groups.sums(weighed(apart, rows, self.weights))
        found, stuck, proven = colour_groups(
            cost, self.differ.indptr, self.differ.indices, SEARCH_STEPS
        )
        if stuck < 0:
            labels[rows] = found[self.groups.group]
        elif previous[rows[0]] >= 0:  # one labelling is known: stay with it
            labels[rows] = previous[rows]
        else:
            raise Infeasible(self._complaint(stuck, proven, len(centers)))

    def _complaint(self, stuck: int, proven: bool, n_clusters: int) -> str:
        members = self.groups.members(stuck)
        blocking = self.links.cannot[np.isin(self.links.cannot, members).any(axis=1)]
        listed = ", ".join(f"{i}-{j}" for i, j in blocking[:10])
        more = f" and {len(blocking) - 10} more" if len(blocking) > 10 else ""
        verdict = (
            f"No labelling with {n_clusters} clusters keeps all links."
            if proven
            else f"None was found in {SEARCH_STEPS:,} attempts."
        )
        return (
            f"COPKMeans: row {members[0]} is cannot-linked to all {n_clusters} clusters "
            f"({listed}{more}). {verdict} PCKMeans may break links at a price."
        )
