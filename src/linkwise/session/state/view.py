"""A view: the clustering as it stands after so many events, for people to look at."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from linkwise.markup import count, html_table
from linkwise.session.state.labelling import Labelling, Labels, Margins, nowhere

N_EXEMPLARS = 9
#: Clusters that a notebook lists.
MOST_SHOWN = 30


@dataclass(frozen=True)
class Cluster:
    """One cluster.

    Attributes
    ----------
    number : int
        Stays with the cluster for the life of the session.
    name : str
        What people call it; "cluster 3" until they do.
    size : int
        Number of rows.
    exemplars : tuple of int
        Up to nine rows, the most central first.
    sureness : float
        Mean margin of the rows, 0 to 1.
    moved_in, moved_out : int
        Rows that came and went since the view that was computed before.
    is_nowhere : bool
        Whether these are the rows that belong to no cluster.
    """

    number: int
    name: str
    size: int
    exemplars: tuple[int, ...]
    sureness: float
    moved_in: int = 0
    moved_out: int = 0
    is_nowhere: bool = False


@dataclass(frozen=True, eq=False)
class View:
    """Labels, margins and clusters after the first ``seq`` events; never changes.

    Attributes
    ----------
    seq : int
        Number of events it takes into account.
    labels : uint8 array of shape (n_rows,), uint16 beyond 256 clusters
        Cluster of each row; the largest number of the type, -1 as it were, where it is in none.
    margins : float32 array of shape (n_rows,)
        Lead of each row's cluster over the next, as a share of the votes.
    clusters : list of Cluster
        Clusters that have rows, by number; last, those that belong nowhere.
    moved : int
        Rows whose label differs from the view that was computed before.
    nowhere : int or None
        The label of rows that belong nowhere; None if there are none.

    See Also
    --------
    linkwise.session.Session : Computes them.
    """

    seq: int
    labels: Labels
    margins: Margins
    clusters: list[Cluster]
    moved: int = 0
    nowhere: int | None = None
    labelling: Labelling | None = field(default=None, repr=False)

    def _repr_html_(self) -> str:
        shown = self.clusters[:MOST_SHOWN]
        rows = [(c.name, f"{c.size:,}", f"{c.sureness:.0%}") for c in shown]
        more = len(self.clusters) - len(shown)
        return html_table(
            f"{count(len(self.labels), 'row')} in {count(len(self.clusters), 'cluster')} "
            f"after {count(self.seq, 'event')}",
            rows,
            titles=("cluster", "rows", "sure"),
            note=f"and {more:,} more" if more else "",
        )


def changed_rows(before: Labels, now: Labels) -> NDArray[np.int64]:
    """Return the rows whose label differs, and those that joined since."""
    n = min(len(before), len(now))
    return np.append(np.flatnonzero(before[:n] != now[:n]), np.arange(n, len(now)))


def make_view(
    labelling: Labelling, landmarks: NDArray[np.int64], before: Labels | None = None
) -> View:
    """Return the view of a labelling; ``before`` are the labels to count moves against."""
    labels, margins = labelling.labels, labelling.margins
    shown = [labels] if before is None else [labels, before]
    n = max(labelling.state.n_clusters, *(int(a.max(initial=0)) + 1 for a in shown))
    size = np.bincount(labels, minlength=n)
    sure = np.bincount(labels, weights=margins, minlength=n) / np.maximum(size, 1)
    came, went = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    if before is not None:
        moved, joined = np.flatnonzero(labels[: len(before)] != before), labels[len(before) :]
        came = np.bincount(np.append(labels[moved], joined), minlength=n)
        went = np.bincount(before[moved], minlength=n)
    none = nowhere(labels) if len(labelling.state.nowhere) else None
    clusters = [
        Cluster(
            number=c,
            name=labelling.names.get(c, f"cluster {c}"),
            size=int(size[c]),
            exemplars=_exemplars(c, labels, margins, landmarks),
            sureness=float(sure[c]),
            moved_in=int(came[c]),
            moved_out=int(went[c]),
            is_nowhere=c == none,
        )
        for c in np.flatnonzero(size).tolist()
    ]
    return View(labelling.state.seq, labels, margins, clusters, int(came.sum()), none, labelling)


def _exemplars(
    cluster: int, labels: Labels, margins: Margins, landmarks: NDArray[np.int64]
) -> tuple[int, ...]:
    """Return the rows with the largest margins, landmarks before others."""
    rows = landmarks[labels[landmarks] == cluster]
    if len(rows) < N_EXEMPLARS:
        rows = np.flatnonzero(labels == cluster)
    order = np.lexsort((rows, -margins[rows]))[:N_EXEMPLARS]
    return tuple(rows[order].tolist())
