"""What is asked: pairs, choices or groups, without the rows that belong nowhere."""

from __future__ import annotations

import numpy as np

from linkwise.cluster.sequential.ask import (
    Choice,
    Groups,
    choose_choices,
    choose_groups,
    choose_pairs,
)
from linkwise.cluster.sequential.landmarks import Basis, Ints
from linkwise.cluster.sequential.moment import Moment
from linkwise.cluster.sequential.solution import Solution
from linkwise.ensemble.blas import one_blas_thread


def questions(
    now: Moment[Basis, Solution], n: int, kind: str
) -> Ints | list[Choice] | list[Groups]:
    """Return up to ``n`` questions of a kind, the most useful first.

    What is chosen may be about rows that belong nowhere; then more are chosen, until there are
    enough without these.
    """
    basis, out, n_wanted = now.basis, now.left_out, n
    with one_blas_thread():  # the same questions whatever the threads
        votes = basis.voters.votes_on_themselves(now.solution.memberships)
        said = now.links[basis.rows] | now.named[basis.rows].to_links()
        if kind == "groups":
            groups = choose_groups(basis, votes, said, basis.n_landmarks)
            return [some for g in groups if all(some := _of_these(g, out))][:n]
        while True:
            if kind == "choice":
                choices = choose_choices(basis, votes, said, n_wanted)
                kept = [choice for c in choices if (choice := _without(c, out)) is not None]
                if len(kept) >= n or len(choices) < n_wanted:
                    return kept[:n]
            else:
                n_asked = now.links.n_links + now.named.n_known
                pairs = choose_pairs(basis, votes, said, n_asked, n_wanted)
                clear = pairs[~np.isin(pairs, out).any(axis=1)]
                if len(clear) >= n or len(pairs) < n_wanted:
                    return clear[:n]
            n_wanted *= 2


def _without(choice: Choice, out: Ints) -> Choice | None:
    """Leave out rows that belong nowhere; None if the choice is about one."""
    examples = tuple(row for row in choice.examples if row not in out)
    return Choice(choice.row, examples) if examples and choice.row not in out else None


def _of_these(groups: Groups, out: Ints) -> Groups:
    """Leave out rows that belong nowhere."""
    return Groups(*(tuple(row for row in group if row not in out) for group in groups))
