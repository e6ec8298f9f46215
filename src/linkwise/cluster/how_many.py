r"""How many clusters: as many as two halves of an ensemble tell alike.

For each number :math:`k` of clusters, landmarks and partitions are parted into halves at random.
Each half clusters its landmarks by its partitions alone, and says by vote what all landmarks are.
What a half tells has an entropy of :math:`H_k` nats a landmark. Of these the other half foretells
:math:`I_k`: it knows which clusters of the two go together by the landmarks before, and by one
landmark more for each cluster, spread evenly, that stands for knowing nothing at first (a
Dirichlet prior of total mass one). More clusters tell more, but less and less of it alike;

.. math:: I_k - \theta H_k

is largest where a further cluster would no longer be told alike to the share :math:`\theta`. Both
are averaged over some such partings.

The graph of the landmarks of a half has eigenvalues :math:`\lambda`; a random walk on it that
begins anew once in :math:`1/\rho` steps leaves the k-th group at the rate
:math:`1 - \lambda_k + \rho`, and

.. math:: g_k = \log \frac{1 - \lambda_{k+1} + \rho}{1 - \lambda_k + \rho}

is the gap between k groups that hold together and one more that does not. It is told, for people to
look at, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from linkwise.cluster.consensus import (
    N_LANDMARKS,
    Floats,
    Ints,
    best_kmeans,
    block_members,
    coordinates,
    landmark_features,
    one_hot,
    smooth_directions,
)
from linkwise.ensemble import RowSource, SourceLike, as_source, build_ensemble
from linkwise.ensemble.blas import one_blas_thread
from linkwise.ensemble.sources import sample_rows
from linkwise.errors import InvalidInput
from linkwise.kernels.vote.vote import scores
from linkwise.plot.choice_of_k import choice_of_k

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Clusters that are looked for at most, where nobody says how many may be there.
MOST_CLUSTERS = 40
#: Landmarks for each cluster at least.
LANDMARKS_PER_CLUSTER = 8
#: How often landmarks and partitions are parted into halves.
N_PARTINGS = 3
#: Share of what clusters tell that both halves must tell, for the clusters to be worth having.
TOLD_ALIKE = 0.75
#: A walk on the graph begins anew once in so many steps: gaps that only longer walks would see,
#: such as a few rows that hang together with nothing, count little.
WALK = 50
#: Clusters for which an ensemble is built while nobody knows how many there are.
ASSUMED_CLUSTERS = 16
_N_INIT = 2
#: Rows of which the ensemble is made where only the number of clusters is wanted.
_MAX_ROWS = 20_000


@dataclass(frozen=True)
class KChoice:
    """A number of clusters, and what spoke for it.

    Attributes
    ----------
    k : int
        The number.
    scores : dict of int to float
        What numbers were compared by, in nats, larger is better: what two halves of the ensemble
        foretell of each other, less three quarters of what each tells; or, once there are answers,
        how well those that were left out are predicted.
    stability : dict of int to float
        Share of what a half of the ensemble tells that the other one foretells; 1 is everything,
        0 or less is nothing.
    gap : dict of int to float
        By how much the clusters hold together better than one more would.
    answers : dict of int to float
        Log-likelihood of answers that were left out; empty without answers.

    Examples
    --------
    >>> import numpy as np
    >>> import linkwise as lw
    >>> X = np.repeat([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]], 40, axis=0)
    >>> X = X + np.random.default_rng(0).normal(size=X.shape) / 2
    >>> lw.choose_k(X).k
    3
    """

    k: int
    scores: dict[int, float]
    stability: dict[int, float] = field(repr=False)
    gap: dict[int, float] = field(repr=False)
    answers: dict[int, float] = field(repr=False, default_factory=dict)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores of all numbers, and mark the one that was chosen.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        return choice_of_k(self, ax=ax)


@runtime_checkable
class Counted(Protocol):
    """A model that can say how many clusters there are."""

    def choose_k(self, k_range: Iterable[int] | None = None) -> KChoice:
        """Find a number of clusters by what the model knows."""


def choose_k(model_or_X: SourceLike | Counted, k_range: Iterable[int] | None = None) -> KChoice:
    """Find a number of clusters, and what speaks for each.

    Parameters
    ----------
    model_or_X : fitted SequentialClustering, array-like, sparse matrix, path or RowSource
        A model, whose answers count if it has any, or rows.
    k_range : iterable of int or None
        The numbers to compare, each 2 or more. None is 2 to 40, but no more than an eighth of the
        rows; a model with answers then goes from the best number without them only as far as the
        answers become likelier.

    Returns
    -------
    choice : KChoice

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import linkwise as lw
    >>> model = lw.SequentialClustering(3, n_partitions=50, random_state=0)
    >>> lw.choose_k(model.fit(load_iris().data), range(2, 7)).k
    2
    """
    if isinstance(model_or_X, Counted):
        return model_or_X.choose_k(k_range)
    if hasattr(model_or_X, "fit"):
        raise InvalidInput(
            f"choose_k reads rows, or a fitted SequentialClustering; got "
            f"{type(model_or_X).__name__}. Give it the rows."
        )
    return count_clusters(as_source(model_or_X), k_range, seed=0)


def count_clusters(source: RowSource, k_range: Iterable[int] | None, seed: int) -> KChoice:
    """Build an ensemble of some of the rows, and choose by it."""
    rng = np.random.RandomState(seed)
    n_rows = min(source.n_rows, _MAX_ROWS)
    rows = sample_rows(source, np.sort(rng.choice(source.n_rows, n_rows, replace=False)))
    some = as_source(rows)
    ensemble = build_ensemble(some, min(ASSUMED_CLUSTERS, n_rows), seed=int(rng.randint(2**31 - 1)))
    landmarks = np.sort(rng.choice(n_rows, min(n_rows, N_LANDMARKS), replace=False))
    blocks = np.ascontiguousarray(ensemble.labels.rows(landmarks).T)
    with one_blas_thread():
        features = landmark_features(some, landmarks.astype(np.int64))
        return choose_by_structure(blocks, features, ensemble.n_blocks, k_range, seed)


def choose_by_structure(
    blocks: NDArray[np.uint8],
    features: NDArray[np.float32],
    n_blocks: int,
    k_range: Iterable[int] | None,
    seed: int,
) -> KChoice:
    """Choose by what the ensemble says of the landmarks, without any answer.

    Parameters
    ----------
    blocks : uint8 array of shape (n_partitions, n_landmarks)
        Block of each landmark in each partition.
    features : float32 array of shape (n_landmarks, n_kept)
        The landmarks themselves.
    n_blocks : int
        Blocks of a partition.
    k_range : iterable of int or None
        Numbers of clusters to compare.
    seed : int
        Draws the halves.
    """
    ks = numbers_to_compare(k_range, blocks.shape[1])
    if len(ks) == 1:
        return KChoice(ks[0], {ks[0]: 0.0}, {}, {})
    alike, told, gap = _compare_halves(blocks, features, n_blocks, ks, np.random.RandomState(seed))
    stability = alike / np.maximum(told, np.finfo(float).tiny)
    score = alike - TOLD_ALIKE * told
    by_number = (dict(zip(ks, found.tolist(), strict=True)) for found in (score, stability, gap))
    return KChoice(ks[int(score.argmax())], *by_number)


def numbers_to_compare(k_range: Iterable[int] | None, n_landmarks: int) -> list[int]:
    """Return the numbers of clusters to compare, increasing; those given are checked."""
    if k_range is None:
        most = min(MOST_CLUSTERS, n_landmarks // LANDMARKS_PER_CLUSTER)
        return list(range(2, most + 1)) or [min(2, n_landmarks)]
    if not isinstance(k_range, Iterable) or isinstance(k_range, str):
        raise InvalidInput(
            f"choose_k(k_range={k_range!r}): k_range must be the numbers to compare, such as "
            "range(2, 11)."
        )
    given = list(k_range)
    for k in given:
        whole = isinstance(k, int | np.integer) and not isinstance(k, bool)
        if not whole or not 2 <= k <= min(256, n_landmarks):
            raise InvalidInput(
                f"choose_k(k_range=...): {k!r} is no number of clusters to compare; there can be "
                f"2 to {min(256, n_landmarks)} of {n_landmarks} landmarks."
            )
    if not given:
        raise InvalidInput("choose_k(k_range=...): there is no number in it to choose from.")
    return sorted({int(k) for k in given})


def _compare_halves(
    blocks: NDArray[np.uint8],
    features: NDArray[np.float32],
    n_blocks: int,
    ks: list[int],
    rng: np.random.RandomState,
) -> tuple[Floats, Floats, Floats]:
    """Return what two halves tell alike, what each tells, and their gap, for every number."""
    if len(blocks) < 2 or blocks.shape[1] < 4:
        nothing = np.zeros(len(ks))
        return nothing, nothing, nothing
    shared, gaps = [], []
    for _ in range(N_PARTINGS):
        partitions, landmarks = (_halves(n, rng) for n in blocks.shape)
        one, other = (
            _told_by_half(blocks[some], chosen, features, n_blocks, ks, rng)
            for some, chosen in zip(partitions, landmarks, strict=True)
        )
        shared.append([told_alike(one.labels[k], other.labels[k], k) for k in ks])
        gaps += [[gap(half.eigenvalues, k) for k in ks] for half in (one, other)]
    alike, told = np.mean(shared, axis=0).T
    return alike, told, np.mean(gaps, axis=0)


def told_alike(one: Ints, other: Ints, k: int) -> tuple[float, float]:
    """Return the nats a landmark that two labellings foretell of each other, and those they have.

    Both are means over the two directions; the first is negative where more is lost by not knowing
    which clusters go together than is gained by it.
    """
    together = np.zeros((k, k))
    np.add.at(together, (one, other), 1.0)
    foretold = (_log_evidence(together) + _log_evidence(together.T)) / 2
    told = (_entropy(together.sum(axis=1)) + _entropy(together.sum(axis=0))) / 2
    return told + foretold / len(one), told


def _log_evidence(together: Floats) -> float:
    """Return the logarithm of how likely the columns are where the rows are known."""
    share = 1.0 / together.shape[1]
    size = together.sum(axis=1)
    return float((gammaln(together + share) - gammaln(share)).sum() - gammaln(1.0 + size).sum())


def _entropy(counts: Floats) -> float:
    """Return the entropy of a labelling, in nats."""
    shares = counts / counts.sum()
    return float(-xlogy(shares, shares).sum())


def gap(eigenvalues: Floats, k: int) -> float:
    """Return how much better k groups hold together than one more would."""
    leaves = np.append(1.0 - eigenvalues, 1.0) + 1.0 / WALK
    last = len(leaves) - 1
    return float(np.log(leaves[min(k, last)] / leaves[min(k - 1, last)]))


class Half(NamedTuple):
    """What one half says of all landmarks, for each number, and the spectrum of its graph."""

    labels: dict[int, Ints]
    eigenvalues: Floats


def _halves(n: int, rng: np.random.RandomState) -> tuple[Ints, Ints]:
    order = rng.permutation(n)
    return np.sort(order[: n // 2]), np.sort(order[n // 2 :])


def _told_by_half(
    blocks: NDArray[np.uint8],
    chosen: Ints,
    features: NDArray[np.float32],
    n_blocks: int,
    ks: list[int],
    rng: np.random.RandomState,
) -> Half:
    """Cluster the chosen landmarks, and let their partitions vote on all of them."""
    seen = np.ascontiguousarray(blocks[:, chosen])
    values, vectors = smooth_directions(seen, max(ks) + 1)
    holds = block_members(seen, n_blocks)
    members = sp.diags_array(1.0 / np.maximum(holds.sum(axis=1), 1.0)) @ holds
    whole = np.ascontiguousarray(blocks)

    def told(k: int) -> Ints:
        places: Floats = coordinates(vectors, features[chosen], k)
        labels = best_kmeans(places, min(k, len(chosen)), _N_INIT, rng)
        tables = np.asarray(members @ one_hot(labels, k)).reshape(len(blocks), n_blocks, k)
        return np.asarray(scores(whole, tables).argmax(axis=1))

    return Half({k: told(k) for k in ks}, values)
