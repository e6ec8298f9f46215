"""The answers, heard in any number of clusters: what they make of each, each heard once."""

from __future__ import annotations

from collections.abc import Callable

import scipy.sparse as sp

from linkwise.cluster.how_many import LANDMARKS_PER_CLUSTER
from linkwise.cluster.sequential.answers import Answers
from linkwise.cluster.sequential.committee import Posterior, listen
from linkwise.cluster.sequential.follow import climb
from linkwise.cluster.sequential.landmarks import Basis, lift, one_hot
from linkwise.cluster.sequential.model_layout import MOST_CLUSTERS
from linkwise.cluster.sequential.places import Places
from linkwise.ensemble import Ensemble
from linkwise.ensemble.blas import one_blas_thread
from linkwise.errors import Cancelled
from linkwise.running import current_options


class Hearing:
    """What answers make of the landmarks in any number of clusters, each heard once.

    ``with_number`` returns the landmarks in so many clusters.
    """

    def __init__(
        self,
        with_number: Callable[[int], Basis],
        answers: Answers,
        ensemble: Ensemble,
        n_classes: int,
    ) -> None:
        self.answers, self._with_number, self._n_classes = answers, with_number, n_classes
        self._blocks = ensemble.labels.rows(answers.rows)
        self._mixture: sp.csr_array | None = None
        self._heard: dict[int, Posterior] = {}

    def posterior(self, n_clusters: int) -> Posterior:
        """Return what the answers make of so many clusters."""
        if n_clusters not in self._heard:
            basis = self._with_number(n_clusters)
            with one_blas_thread():
                self._heard[n_clusters] = listen(basis, self._places(basis), self.answers)
        return self._heard[n_clusters]

    def climb(self, start: int, n_landmarks: int) -> dict[int, float]:
        """Return the evidence for numbers of clusters around ``start``, as far as it rises.

        Every number takes a while, so whoever waits is asked before each whether to go on.
        """
        low = max(2, self._n_classes)
        high = max(start, min(MOST_CLUSTERS, n_landmarks // LANDMARKS_PER_CLUSTER))
        return climb(self._evidence_if_wanted, start, min(low, start), high)

    def _evidence_if_wanted(self, n_clusters: int) -> float:
        if current_options().wants_to_stop():
            raise Cancelled(f"cancelled while {n_clusters} clusters were looked at.")
        return self.evidence(n_clusters)

    def evidence(self, n_clusters: int) -> float:
        """Return the log-likelihood of the answers that were left out, in so many clusters."""
        return self.posterior(n_clusters).evidence

    def contradictions(self, n_clusters: int) -> tuple[int, int]:
        """Count the answers that tear one of the clusters without answers apart, or join two."""
        basis = self._with_number(n_clusters)
        alone = one_hot(basis.labels, n_clusters)
        _, votes = basis.voters.votes(alone, basis.voters.see(self._blocks.T))
        cluster = votes.argmax(axis=1)
        same, must = cluster[self.answers.i] == cluster[self.answers.j], self.answers.must
        return int((same & ~must).sum()), int((~same & must).sum())

    def _places(self, basis: Basis) -> Places:
        if self._mixture is None:
            self._mixture = lift(basis, self.answers.rows, self._blocks)
        return Places.of(basis, self._mixture, self._blocks.T)
