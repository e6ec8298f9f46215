r"""Which answers are probably wrong: the answers judge each other, and the clusters judge them.

A row is misplaced by its clusters with probability :math:`\delta`, an answer is wrong with
probability :math:`\varepsilon`. A misplaced row disagrees with all of its answers, a wrong answer
with one: belief propagation tells them apart. For every answer it says how likely its rows are
together by everything *but* this answer, and so does the similarity that the other answers teach.
The mean of their log-odds counts: clusters may be wrong about two groups as a whole, and nobody is
accused whom one of the two believes. :math:`\delta` and :math:`\varepsilon` are averaged over a
grid, weighed by how likely they make each answer given all others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwise.cluster.sequential.answers import ERROR_RATE, PRIOR_ANSWERS, Answers, Floats
from linkwise.kernels.belief import propagate, softmax_rows

#: Share of the pairs about which both are wrong, however sure they are.
MISJUDGED = 0.005
#: Shares of rows that clusters may misplace, and rates at which people may be wrong.
_MISPLACED = np.array([0.02, 0.05, 0.15, 0.5])
_RATES = np.array([0.005, 0.02, 0.05, 0.1, 0.2, 0.35])
_N_SWEEPS = 8
#: The least chance a witness gives to anything.
_LEAST = 1e-3


@dataclass(frozen=True, eq=False)
class Verdict:
    """What all answers together say about each one, and about the rows in them.

    ``suspicion`` (n_pairs,) is the probability that an answer is wrong, 0 for facts; ``rows``
    (n_rows, n_clusters) are the memberships of the rows spoken about; ``error_rate`` is the
    posterior mean.
    """

    suspicion: Floats
    rows: Floats
    error_rate: float


def judge(answers: Answers, votes: Floats, alike: Floats) -> Verdict:
    """Judge the answers.

    ``votes`` (n_rows, n_clusters) are what the rows look like, ``alike`` (n_pairs,) how alike the
    rows of each pair are by the answers about others.
    """
    r = votes.shape[1]
    cases, values = [], []
    for rate in _RATES:
        prior = PRIOR_ANSWERS * (ERROR_RATE * np.log(rate) + (1 - ERROR_RATE) * np.log1p(-rate))
        for misplaced in _MISPLACED:
            case = _judge(answers, (1.0 - misplaced) * votes + misplaced / r, rate, alike)
            cases.append(case)
            values.append(case.log_likelihood + prior)
    weight = softmax_rows(np.array([values]))[0]
    return Verdict(
        suspicion=sum(w * case.suspicion for w, case in zip(weight, cases, strict=True)),
        rows=sum(w * case.rows for w, case in zip(weight, cases, strict=True)),
        error_rate=float(weight @ np.repeat(_RATES, len(_MISPLACED))),
    )


@dataclass(frozen=True, eq=False)
class _Case:
    suspicion: Floats
    rows: Floats
    log_likelihood: float


def _mean(one: Floats, other: Floats) -> Floats:
    """Return the chances whose log-odds are the mean of those of two; none is beyond doubt."""
    sure = [np.clip(chance, _LEAST, 1.0 - _LEAST) for chance in (one, other)]
    odds = np.sqrt(np.prod([chance / (1.0 - chance) for chance in sure], axis=0))
    return np.asarray(odds / (1.0 + odds))


def _judge(answers: Answers, prior: Floats, rate: float, alike: Floats) -> _Case:
    """Judge by one share of misplaced rows and one error rate."""
    messages = np.zeros((len(answers), 2, prior.shape[1]))
    if_same, if_not = answers.chances(rate)
    told = propagate(prior, messages, answers.i, answers.j, if_same, if_not, _N_SWEEPS)
    thinks = np.log(prior) + told
    without_i = softmax_rows(thinks[answers.i] - messages[:, 0])
    without_j = softmax_rows(thinks[answers.j] - messages[:, 1])
    together = np.einsum("lc,lc->l", without_i, without_j)
    together = MISJUDGED + (1.0 - 2.0 * MISJUDGED) * _mean(together, alike)
    chance = if_not + (if_same - if_not) * together
    wrong = answers.error(rate) * (1.0 - answers.holds(together)) / chance
    return _Case(
        suspicion=np.where(answers.is_fact, 0.0, wrong),
        rows=softmax_rows(thinks),
        log_likelihood=float(np.log(chance).sum()),
    )
