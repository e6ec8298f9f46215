"""Troubles: answers that contradict each other, and answers that are probably wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.sequential.answers import CONFIRMED
from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.cluster.sequential.solution import FIRST_ANSWERS, is_doubtful
from linkwise.constraints.closure import contradicted
from linkwise.constraints.conflicts import Conflict, find_conflicts
from linkwise.session.journal.log import Log
from linkwise.session.state.labelling import Labelling
from linkwise.session.state.statements import Statements, events_of_pair, known_pairs
from linkwise.session.state.structure import names_joined

MAX_TROUBLES = 50
MAX_CANDIDATES = 30
MAX_SUSPECTS = 50

Name = Callable[[int], str]
Suspicious = Callable[[int], float]


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
        The event to withdraw first: the most suspicious of those, else the latest.
    rows : list of int
        Rows that contradict each other; one that was put together with others by mistake is
        among them.
    """

    sentence: str
    events: list[int]
    proposal: int
    rows: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Suspicion:
    """An answer that the ensemble and the other answers speak against.

    ``event`` is one that gave the answer, ``suspicion`` the probability that it is wrong.
    ``holds`` tells whether the rows are where it says all the same, ``asked_again`` whether the
    pair was told more than once, and that did not settle it.
    """

    event: int
    i: int
    j: int
    verdict: str
    suspicion: float
    sentence: str
    holds: bool
    asked_again: bool


def find_troubles(
    statements: Statements,
    n_clusters: int,
    name: Name,
    suspicion: Suspicious = lambda event: 0.0,  # noqa: ARG005
) -> list[Trouble]:
    """Return the contradictions among the standing statements, in words.

    ``suspicion(event)`` is the probability that what an event says is wrong.
    """
    links = statements.links()
    clashes = statements.clashes()[:MAX_TROUBLES]
    troubles = [_two_names(statements, *clash, name) for clash in clashes]
    troubles += _homeless(statements, n_clusters)
    if not len(contradicted(links.must, links.cannot)):
        return troubles[:MAX_TROUBLES]
    component = links.components()
    knots: dict[int, _Knot] = {}
    for conflict in find_conflicts(links.must, links.cannot):
        if len(troubles) >= MAX_TROUBLES:
            break
        number = int(component[conflict.cannot[0]])
        if number not in knots:
            knots[number] = _Knot(statements.about(np.flatnonzero(component == number)))
        troubles.append(_trouble(knots[number], conflict, name, suspicion))
    return troubles


class _Knot:
    """What is said about rows that are all together and contradict each other.

    Many contradictions often hang together, so what is left without an event is worked out once.
    """

    def __init__(self, statements: Statements) -> None:
        self.statements = statements
        self._left: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def settles(self, event: int, conflict: Conflict) -> bool:
        """Tell whether without ``event`` the rows of the conflict may be the same or different."""
        component, torn = self._without(event)
        i, j = conflict.cannot
        return bool(component[i] != component[j] or component[i] not in torn)

    def _without(self, event: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the components of rows without an event, and those that still contradict."""
        if event not in self._left:
            links = self.statements.without(event).links()
            component = links.components()
            left = contradicted(links.must, links.cannot)
            self._left[event] = component, component[links.cannot[left][:, 0]]
        return self._left[event]


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


def _trouble(knot: _Knot, conflict: Conflict, name: Name, suspicion: Suspicious) -> Trouble:
    statements, (i, j) = knot.statements, conflict.cannot
    against = events_of_pair(statements, i, j, same=False)
    chain = [(a, b, events_of_pair(statements, a, b, same=True)) for a, b in conflict.chain]
    involved = sorted({*against, *(event for *_, events in chain for event in events)})
    settling = [e for e in involved[-MAX_CANDIDATES:] if knot.settles(e, conflict)]
    reasons = _reasons(statements, chain, name)
    advice = "" if settling else " No single event settles it: withdraw one after the other."
    sentence = (
        f"{name(i)} and {name(j)} were said to be different ({_list(against)}), but "
        f"{reasons}.{advice}"
    )
    proposal = max(settling or involved, key=lambda event: (suspicion(event), event))
    return Trouble(sentence, settling, proposal, [int(i), int(j)])


def _reasons(statements: Statements, chain: list[tuple[int, int, list[int]]], name: Name) -> str:
    """Say why the rows of a chain are the same: pairs that were answered, rows put together."""
    answered, sizes = (
        known_pairs(statements, same=True),
        {s.seq: len(s.rows) for s in statements.sets},
    )
    pairs: list[str] = []
    sets: dict[int, str] = {}
    for a, b, events in chain:
        if (min(a, b), max(a, b)) in answered:
            pairs.append(f"{name(a)} and {name(b)} ({_list(events)})")
        else:
            sets |= {event: f"{sizes[event]} rows (event {event})" for event in events[:1]}
    more = f" and so on over {len(pairs)} pairs" if len(pairs) > 6 else ""
    said = f"these pairs were said to be the same: {', '.join(pairs[:6])}{more}" if pairs else ""
    together = f"these were put together: {', '.join(list(sets.values())[:6])}" if sets else ""
    return ", and ".join(part for part in (said, together) if part)


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
    return Trouble(sentence, settling, (settling or events)[-1], rows[:5].tolist())


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
    statements: Statements,
    model: SequentialClustering,
    name: Name,
    once: set[tuple[int, int]],
) -> list[Suspicion]:
    """Return the answers that the model sets aside, the most suspicious first.

    ``once`` are the pairs that were told once.
    """
    links, found = model.links_, []
    if (links.weight < CONFIRMED).sum() <= FIRST_ANSWERS:
        return []
    n_must, holds = len(links.must), links.satisfied(model.labels_)
    doubtful = np.flatnonzero(is_doubtful(model.suspicion_))
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
                f"{name(i)} and {name(j)} were said to be {said} ({_list(events)}). The other "
                "answers speak against it, so it does not count for now."
            )
            verdict = "same" if same else "different"
            again = (min(i, j), max(i, j)) not in once
            found.append(
                Suspicion(events[-1], i, j, verdict, suspicion, sentence, bool(holds[k]), again)
            )
    return found


def asked_once(log: Log) -> set[tuple[int, int]]:
    """Return the pairs that were told exactly once, taken back or not, smaller row first."""
    told = log.compares(log.n)
    pairs = np.sort(np.column_stack([log.column("i")[told], log.column("j")[told]]), axis=1)
    found, times = np.unique(pairs, axis=0, return_counts=True)
    return {(i, j) for i, j in found[times == 1].tolist()}


def suspicion_of(statements: Statements, model: SequentialClustering, event: int) -> float:
    """Return the probability that what an event says is wrong; 0 where it is not doubted."""
    at = np.flatnonzero(statements.seq == event)
    if not len(at):
        return 0.0
    links = model.links_
    i, j = sorted((int(statements.i[at[0]]), int(statements.j[at[0]])))
    pairs = np.sort(np.concatenate([links.must, links.cannot]), axis=1)
    is_must = np.arange(len(pairs)) < len(links.must)
    found = (pairs == (i, j)).all(axis=1) & (is_must == statements.same[at[0]])
    return float(model.suspicion_[found].max(initial=0.0))


def _quoted(names: list[str]) -> str:
    *first, last = (repr(name) for name in names)
    return f"{', '.join(first)} and {last}" if first else last


def _list(events: list[int]) -> str:
    listed = ", ".join(str(event) for event in events[:5])
    more = ", ..." if len(events) > 5 else ""
    return f"event{'s' if len(events) > 1 else ''} {listed}{more}"
