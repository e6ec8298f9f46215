"""What the linked rows turned out to be, carried over to landmarks that are like them.

Re-clustering the landmarks corrects whole clusters; this corrects single regions. The rows that
answers name have an opinion of their own cluster (their votes, and what their links tell them);
where it differs from the vote alone, a ridge regression on the smooth directions spreads the
difference. As with re-clustering, links left out decide whether that is an improvement.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from linkwise.cluster.sequential.choice import folds, left_out_drop, sure_gain
from linkwise.cluster.sequential.honour import opinions
from linkwise.cluster.sequential.landmarks import Basis, Floats, Ints
from linkwise.cluster.sequential.trust import LiftedLinks

#: Variance of an opinion against that of the correction it asks for; links left out pick one.
NOISES = (0.1, 1.0, 10.0)
#: Standard errors by which a gain on links left out must exceed zero.
DOUBT = 0.5


def spread_answers(
    basis: Basis,
    links: LiftedLinks,
    weight: Floats,
    labels: Ints,
    votes: Floats,
    landmark_votes: Floats,
) -> Ints:
    """Return the clusters of the landmarks after the linked rows have told those like them.

    ``votes`` and ``landmark_votes`` are shares of votes of the linked rows and the landmarks, by
    the tables that ``labels`` give.
    """
    if len(links) < 2:
        return labels
    features, targets = basis.spread_of(links.place), basis.spread
    everything = np.arange(len(links))
    heard = [*(np.delete(everything, part) for part in folds(len(links))), everything]
    differences = [opinions(votes, links, weight, part) - votes for part in heard]

    def corrected(noise: float, fold: int, part: Ints) -> Ints:
        """Return the landmarks' clusters when only the links in ``part`` had been given."""
        difference = differences[fold]
        rows = np.unique(np.concatenate([links.i[part], links.j[part]]))
        correction = _ridge(features[rows], difference[rows], noise)
        return np.asarray((landmark_votes + targets @ correction).argmax(axis=1))

    best, best_gain = None, 0.0
    for noise in NOISES:
        drop = left_out_drop(
            links,
            present=labels,
            learn=partial(corrected, noise),
            n_clusters=basis.n_clusters,
        )
        gain = sure_gain(weight * drop, DOUBT)
        if gain > best_gain:
            best, best_gain = noise, gain
    return labels if best is None else corrected(best, -1, everything)


def _ridge(features: Floats, target: Floats, noise: float) -> Floats:
    gram = features.T @ features
    gram[np.diag_indices_from(gram)] += noise
    return np.asarray(cho_solve(cho_factor(gram, lower=True), features.T @ target))
