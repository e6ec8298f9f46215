"""Troubles: answers that contradict each other, and answers that are probably wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.sequential.sequential import (
    FIRST_ANSWERS,
    SequentialClustering,
)
from linkwise.constraints.closure import contradicted
from linkwise.constraints.conflicts import Conflict, find_conflicts
from linkwise.session.state.labelling import Labelling
from linkwise.session.state.statements import Statements, events_of_pair
from linkwise.session.state.structure import names_joined

MAX_TROUBLES = 50
MAX_CANDIDATES = 30
MAX_SUSPECTS = 50
#: An answer more probably wrong than right is worth a second look. It holds all the same, until the
#: model sets it aside, which takes more.
DOUBTED = 0.5

Name = Callable[[int], str]


@dataclass(frozen=True)
class Trouble:
    """Statements that cannot all be true.

    Attributes
    ----------
    sentence : str
        What contradicts what.
    events : list of int
        Events any one of which, withdrawn, settles it; empty if no single one does.
    proposal : int
        The event to withdraw first: the latest of those.
    """

    sentence: str
    events: list[int]
    proposal: int


@dataclass(frozen=True)
class Suspicion:
    """An answer that the ensemble and the other answers speak against.

    ``event`` is one that gave the answer, ``suspicion`` the probability that it is wrong.
    """

    event: int
    i: int
    j: int
    verdict: str
    suspicion: float
    sentence: str


def find_troubles(statements: Statements, n_clusters: int, name: Name) -> list[Trouble]:
    """Return the contradictions among the standing statements, in words."""
    links = statements.links()
    clashes = statements.clashes()[:MAX_TROUBLES]
    troubles = [_two_names(statements, *clash, name) for clash in clashes]
    troubles += _homeless(statements, n_clusters)
    if not len(contradicted(links.must, links.cannot)):
        return troubles[:MAX_TROUBLES]
    component = links.components()
    for conflict in find_conflicts(links.must, links.cannot):
        if len(troubles) >= MAX_TROUBLES:
            break
        members = np.flatnonzero(component == component[conflict.cannot[0]])
        troubles.append(_trouble(statements.about(members), conflict, name))
    return troubles


def find_vain_joins(labelling: Labelling) -> list[Trouble]:
    """Return the changes that have no effect because rows of different names would be together."""
    names, troubles = labelling.state.clustered_names, []
    for change in labelling.state.changes:
        joined = names_joined(labelling.labels, change, names)
        if len(joined) > 1:
            sentence = (
                f"event {change.seq} makes one cluster of rows that are called "
                f"{_quoted(joined)}. It has no effect as long as they have different names."
            )
            troubles.append(Trouble(sentence, [change.seq], change.seq))
    return troubles


def _trouble(statements: Statements, conflict: Conflict, name: Name) -> Trouble:
    i, j = conflict.cannot
    against = events_of_pair(statements, i, j, same=False)
    chain = [(a, b, events_of_pair(statements, a, b, same=True)) for a, b in conflict.chain]
    involved = sorted({*against, *(event for *_, events in chain for event in events)})
    settling = [e for e in involved[-MAX_CANDIDATES:] if _settles(statements, e, conflict)]
    same = ", ".join(f"{name(a)} and {name(b)} ({_list(events)})" for a, b, events in chain[:6])
    more = f" and so on over {len(chain)} pairs" if len(chain) > 6 else ""
    advice = "" if settling else " No single event settles it: withdraw one after the other."
    sentence = (
        f"{name(i)} and {name(j)} were said to be different ({_list(against)}), but these pairs "
        f"were said to be the same: {same}{more}.{advice}"
    )
    return Trouble(sentence, settling, (settling or involved)[-1])


def _settles(statements: Statements, event: int, conflict: Conflict) -> bool:
    """Tell whether without ``event`` the rows of the conflict may be the same or different."""
    links = statements.without(event).links()
    component = links.components()
    i, j = conflict.cannot
    if component[i] != component[j]:
        return True
    left = contradicted(links.must, links.cannot)
    return not bool((component[links.cannot[left][:, 0]] == component[i]).any())


def _two_names(
    statements: Statements, a: str, b: str, rows: NDArray[np.int64], name: Name
) -> Trouble:
    """Tell of rows that were given two names."""
    said = [s for s in statements.sets if s.name in (a, b) and np.isin(s.rows, rows).any()]
    events = sorted(s.seq for s in said)
    settling = [e for e in events[-MAX_CANDIDATES:] if _parts(statements.without(e), a, b)]
    listed = ", ".join(name(int(row)) for row in rows[:5])
    more = f" and {len(rows) - 5} more" if len(rows) > 5 else ""
    sentence = (
        f"{listed}{more} {'was' if len(rows) == 1 else 'were'} labelled {a!r} and {b!r} "
        f"({_list(events)}). Neither name counts there until one of them is withdrawn."
    )
    return Trouble(sentence, settling, (settling or events)[-1])


def _parts(statements: Statements, a: str, b: str) -> bool:
    """Tell whether no row has both names."""
    given = statements.named()
    rows = [{row for one in given.get(name, ()) for row in one.rows.tolist()} for name in (a, b)]
    return rows[0].isdisjoint(rows[1])


def _homeless(statements: Statements, n_clusters: int) -> list[Trouble]:
    """Tell of names for which there is no cluster; journals of older versions may have them."""
    surplus = set(statements.names) - set(statements.clustered_names(n_clusters))
    if not surplus:
        return []
    events = sorted(s.seq for s in statements.sets if s.name in surplus)
    sentence = (
        f"there are {len(statements.names)} names and only {n_clusters} clusters, so rows called "
        f"{_quoted(sorted(surplus))} ({_list(events)}) have no cluster of their own. Split a "
        f"cluster, which adds one, or withdraw a name."
    )
    return [Trouble(sentence, events, events[-1])]


def find_suspects(
    statements: Statements, model: SequentialClustering, name: Name
) -> list[Suspicion]:
    """Return the answers that the model sets aside; there are none among the first ones."""
    links, found = model.links_, []
    if links.n_links <= FIRST_ANSWERS:
        return []
    n_must = len(links.must)
    doubtful = np.flatnonzero(model.suspicion_ >= DOUBTED)
    pairs = np.concatenate([links.must, links.cannot])
    order = doubtful[np.argsort(-model.suspicion_[doubtful], kind="stable")][:MAX_SUSPECTS]
    for k in order.tolist():
        i, j = pairs[k].tolist()
        same = k < n_must
        events = events_of_pair(statements, i, j, same=same)
        if events:
            suspicion = float(model.suspicion_[k])
            said = "the same" if same else "different"
            sentence = (
                f"{name(i)} and {name(j)} were said to be {said} ({_list(events)}), which is "
                f"wrong with a probability of {suspicion:.0%}, judging by the other answers."
            )
            verdict = "same" if same else "different"
            found.append(Suspicion(events[-1], i, j, verdict, suspicion, sentence))
    return found


def _quoted(names: list[str]) -> str:
    *first, last = (repr(name) for name in names)
    return f"{', '.join(first)} and {last}" if first else last


def _list(events: list[int]) -> str:
    listed = ", ".join(str(event) for event in events[:5])
    more = ", ..." if len(events) > 5 else ""
    return f"event{'s' if len(events) > 1 else ''} {listed}{more}"
