"""NSDR: near strangers made distant and distant relatives near, then spectral clustering."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.spectral.embedding import kmeans_centers, nearest_center
from linkwise.cluster.spectral.linked_rows import LinkedRows
from linkwise.cluster.spectral.neighbour_graph import cut_embedding, nearest_row, neighbour_graph
from linkwise.cluster.spectral.neighbours import in_units, length_unit, nearest
from linkwise.constraints import Links
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_number

#: Values in one block of votes: 32 MB.
BLOCK = 1 << 22


class NSDR(ConstrainedClusterer):
    r"""Spectral clustering where links speak for the neighbours of the linked rows too.

    A must-link between two rows is a vote that every row near the one belongs with every row near
    the other; a cannot-link is a vote against. Pairs with more votes for than against get
    similarity 1 (distant relatives), those with more against than for get 0 (near strangers), all
    others keep their similarity in the graph of near rows. Then k-means runs on the unit rows of
    the leading eigenvectors of the normalised similarities.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    n_neighbors : int, default=10
        Near rows a row is connected to in the graph.
    n_propagate : int, default=5
        Rows near a linked row for which its links speak.
    n_init : int, default=10
        Starts of k-means.
    report : {"brief", "full"}, default="brief"
        "full" also fits without constraints and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Draws the starts of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    n_iter_ : int
        Rounds of k-means.
    report_ : FitReport
        What the links bought.

    See Also
    --------
    E2CP : Links reach all pairs, the farther the weaker.

    Notes
    -----
    Not the method for large tables: finding near rows compares all with all, and rows of one
    component are connected with each other. ``predict`` gives a new row the cluster of the nearest
    row seen in ``fit``. Link weights weigh the votes. Contradictory links are repaired first, with
    a warning.

    The paper was not at hand: this follows its description in [2]_ (neighbours of similar rows
    are similar, neighbours of dissimilar rows dissimilar, five of them, on top of normalised
    cuts). How votes are weighed against each other is our choice.

    References
    ----------
    .. [1] W. Chen, G. Feng. Spectral clustering: a semi-supervised approach. Neurocomputing, 2012.
    .. [2] Large-scale spectral clustering based on pairwise constraints (SC-PC). Expert Systems
       with Applications, 2015.

    Examples
    --------
    >>> from linkwise import NSDR, Links
    >>> X = [[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]]
    >>> links = Links(6, cannot=[(2, 3)])
    >>> model = NSDR(2, n_neighbors=2, n_propagate=1, random_state=0).fit(X, constraints=links)
    >>> bool(model.labels_[2] != model.labels_[3])
    True
    """

    _sparse: ClassVar[bool] = True
    _repairs: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 10,
        n_propagate: int = 5,
        n_init: int = 10,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.n_propagate = n_propagate
        self.n_init = n_init
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_number(self, "n_neighbors", low=1, integer=True)
        check_number(self, "n_propagate", low=0, integer=True)
        check_number(self, "n_init", low=1, integer=True)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:
        W = neighbour_graph(X, self.n_neighbors)
        linked = LinkedRows.of(knowledge)
        if len(linked.rows):
            W = _voted(W, _speakers(X, linked, self.n_propagate), linked.apart)
        B = cut_embedding(W, self.n_clusters_)
        centers, self.n_iter_ = kmeans_centers(B, self.n_clusters_, rng, self.n_init)
        self._rows = X
        self.labels_ = nearest_center(B, centers)

    def _predict(self, X: Matrix) -> Labels:
        return np.asarray(self.labels_[nearest_row(X, self._rows)])


def _speakers(X: Matrix, linked: LinkedRows, n_propagate: int) -> sp.csr_array:
    """Return how firmly each component speaks for each row: (n_samples, n_components)."""
    unit = length_unit(X)
    n_near = min(n_propagate + 1, X.shape[0])  # a row is nearest to itself
    index, _ = nearest(X[linked.rows], in_units(X, unit), n_near, unit)
    voice = np.repeat(linked.firmness, n_near)
    places = (index.reshape(-1), np.repeat(linked.component, n_near))
    return sp.csr_array((voice, places), shape=(X.shape[0], linked.n_components))


def _voted(W: sp.csr_array, speakers: sp.csr_array, apart: sp.csr_array) -> sp.csr_array:
    """Return the graph after the votes, made a block of rows at a time."""
    n = W.shape[0]
    signs = sp.eye_array(apart.shape[0]) - apart
    listeners = speakers.T.tocsr()
    step = max(BLOCK // n, 1)
    blocks = []
    for start in range(0, n, step):
        votes = ((speakers[start : start + step] @ signs) @ listeners).toarray()
        near = W[start : start + step].toarray()
        blocks.append(sp.csr_array(np.where(votes > 0, 1.0, np.where(votes < 0, 0.0, near))))
    voted = sp.vstack(blocks, format="csr")
    voted.setdiag(0.0)
    voted.eliminate_zeros()
    return voted
