r"""Clusters that the answers ask for: atoms, small pieces of the clusters, move as a whole.

The clusters without answers are cut into atoms once. Two atoms attract each other as far as they
looked like one class before anybody spoke; an answer adds to, or takes from, the attraction between
the atoms that its rows are in. What clusters are worth is the sum over all pairs of atoms in one
cluster,

.. math:: \sum_{a < b,\ c_a = c_b} J_{ab}, \qquad J_{ab} = N \frac{n_a n_b}{n^2}
   \left[p_{ab} \lambda^+ + (1 - p_{ab}) \lambda^-\right] + \sum_l \eta_l\, s_{ia} s_{jb} \lambda_l

where :math:`\lambda` is the log-odds that a "same" or a "different" gives. An answer changes
nothing but the attraction of its own atoms: what is said elsewhere stays as it was. Where answers
tear a cluster apart no single atom helps, because there is no cluster to go to; so exchanges are
tried as a whole: one cluster is given up, another is cut in two. All clusters on the way count, by
what they are worth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwise.cluster.sequential.answers import ERROR_RATE, PRIOR_ANSWERS, Answers, Floats, Ints
from linkwise.cluster.sequential.landmarks import Basis, one_hot, shares, unit_rows
from linkwise.kernels.belief import softmax_rows
from linkwise.kernels.potts import exchanges, polish, worth

#: Nats that a change must be worth: what is thought of a change before answers speak for it.
CHANGE = 2.0
#: Share of rows that clusters are taken to misplace, while exchanges are weighed.
MISPLACED = 0.1
#: Power to which votes for atoms are raised: a row is in the one that has most of them, unless
#: others have nearly as many. Softer, what is said inside a class would leak into its neighbours.
ATOM_SHARPNESS = 8.0
#: Share of an answer that is news: answers share rows and err together, so four count as one where
#: groupings or views are weighed against each other.
NEWS = 0.25
#: Clusters that are tried for giving up, and for cutting: with ten clusters all of them.
_MAX_TRIED = 10


@dataclass(frozen=True, eq=False)
class Atoms:
    """The pieces of the clusters, and what is known of them before anybody spoke.

    Attributes
    ----------
    couplings : float64 array of shape (n_atoms, n_atoms)
        How they attract each other.
    start : int64 array of shape (n_atoms,)
        Their clusters without answers.
    anchors : float64 array of shape (n_atoms, n_clusters)
        How much each holds of what gives a cluster its name.
    shares : float64 array of shape (n_rows, n_atoms)
        Where the rows spoken about are among them.
    """

    couplings: Floats
    start: Ints
    anchors: Floats
    shares: Floats

    @classmethod
    def of(cls, basis: Basis, looks: Floats, votes: Floats) -> Atoms:
        """Gather the atoms.

        ``looks`` are what landmarks look like without answers, ``votes`` those that rows have for
        each atom. Two atoms are of one class half as they look by the clusters, and half as they
        are alike; all pairs of landmarks together are worth so many answers.
        """
        member = one_hot(basis.atoms, basis.n_atoms)
        size = member.sum(axis=0)
        look = member.T @ looks / size[:, None]
        middle = unit_rows(member.T @ basis.likeness)
        chance = (look @ look.T + np.clip(middle @ middle.T, 0.0, 1.0)) / 2
        same, different = _log_odds(np.zeros(1), basis.n_clusters)
        share = np.outer(size, size) / size.sum() ** 2
        return cls(
            couplings=PRIOR_ANSWERS * share * (chance * same + (1.0 - chance) * different),
            start=basis.labels[np.unique(basis.atoms, return_index=True)[1]],
            anchors=member.T @ basis.anchors,
            shares=shares(votes**ATOM_SHARPNESS, axis=1),
        )

    def told(self, answers: Answers) -> Floats:
        """Return how atoms attract each other once these answers have been given."""
        same, different = _log_odds(answers.error(ERROR_RATE), self.anchors.shape[1])
        odds = answers.reach * np.where(answers.must, same, different)
        between = (self.shares[answers.i] * odds[:, None]).T @ self.shares[answers.j]
        return np.asarray(self.couplings + between + between.T)


def _log_odds(error: Floats, n_clusters: int) -> tuple[Floats, Floats]:
    """Return what a "same" and a "different" say for two atoms being of one class."""
    kept = (1.0 - MISPLACED) ** 2
    chances = [kept + (1.0 - kept) / n_clusters, (1.0 - kept) / n_clusters]
    together, apart = ((1.0 - error) * same + error * (1.0 - same) for same in chances)
    return np.log(together / apart), np.log1p(-together) - np.log1p(-apart)


def regroup(atoms: Atoms, answers: Answers) -> Floats:
    """Return memberships of the atoms: all clusters on the way to the best, by what they are worth.

    The way begins at the clusters without answers; first single atoms move, then one exchange is
    made after the other.
    """
    couplings, anchors, n_clusters = atoms.told(answers), atoms.anchors, atoms.anchors.shape[1]
    price = CHANGE + np.log(max(n_clusters * (n_clusters - 1), 1))
    best = polish(couplings, atoms.start, n_clusters)
    values = {
        _key(_named(one, anchors)): float(worth(couplings, one)) for one in (atoms.start, best)
    }
    for number in range(1, n_clusters + 1):
        tried, gained = exchanges(couplings, best, n_clusters, _MAX_TRIED)
        most = max(values.values())
        for one, value in zip(tried, gained - number * price, strict=True):
            values.setdefault(_key(_named(one, anchors)), float(value))
        if len(gained) == 0 or gained.max() - number * price <= most:
            break
        best = tried[gained.argmax()]
    chances = softmax_rows(NEWS * np.array([list(values.values())]))[0]
    member = np.zeros(anchors.shape)
    for chance, key in zip(chances, values, strict=True):
        member += chance * one_hot(np.frombuffer(key, dtype=np.int64), n_clusters)
    return member


def _key(labels: Ints) -> bytes:
    return labels.astype(np.int64).tobytes()


def _named(labels: Ints, anchors: Floats) -> Ints:
    """Return the labels, every cluster named by what it holds."""
    held = anchors.T @ one_hot(labels, anchors.shape[1])
    return np.asarray(np.argsort(claims(held))[labels])


def claims(held: Floats) -> Ints:
    """Return which cluster gets each name; ``held`` is the share of each name that a cluster holds.

    A cluster that holds most of a name gets it, of several names the first, which was the largest
    cluster's; the others go by the largest share that is left. So nothing changes unless a share
    tips over a half; the best sum of all shares may change many names at once.
    """
    first = 2.0 - np.arange(len(held)) / len(held)
    held = np.where(held > 0.5, first[:, None], held)
    cluster = np.empty(len(held), dtype=np.int64)
    for _ in range(len(held)):
        name, taken = divmod(int(held.argmax()), len(held))
        cluster[name] = taken
        held[name] = held[:, taken] = -np.inf
    return cluster
