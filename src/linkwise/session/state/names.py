"""Names: rows that have one are in the cluster that has it, whatever was done to the clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from linkwise.constraints import Links
from linkwise.session.events.kinds import Naming
from linkwise.session.state.statements import Statements
from linkwise.session.state.structure import Change

Ints = NDArray[np.int64]


def keep_names(
    labels: NDArray[np.integer[Any]],
    names: dict[str, Ints],
    links: Links,
    n_clusters: int,
    changes: tuple[Change, ...] = (),
) -> None:
    """Bring the rows of every name, in place, to a cluster that no other name has.

    It is the cluster that somebody called so, or else the one that holds most of them. Rows that
    must be together with a row that is brought there follow it, unless they have a name themselves.
    """
    if not names:
        return
    held = np.zeros((len(names), max(n_clusters, int(labels.max(initial=0)) + 1)))
    homes = {name: cluster for cluster, (_, _, name) in _renamed(changes, labels).items()}
    for k, (name, rows) in enumerate(names.items()):
        np.add.at(held[k], labels[rows], 1.0)
        if name in homes:
            held[k, homes[name]] += len(rows) + 1  # more than all of them elsewhere
    _, clusters = linear_sum_assignment(held, maximize=True)
    stray = {
        int(cluster): away
        for rows, cluster in zip(names.values(), clusters, strict=True)
        if len(away := rows[labels[rows] != cluster])
    }
    if not stray:
        return
    component = links.components()
    is_named = np.zeros(len(labels), dtype=bool)
    is_named[np.concatenate(list(names.values()))] = True
    for cluster, away in stray.items():
        follows = np.isin(component, component[away]) & np.isin(labels, labels[away]) & ~is_named
        labels[follows] = cluster
        labels[away] = cluster


def cluster_names(
    statements: Statements, changes: tuple[Change, ...], labels: NDArray[np.integer[Any]]
) -> dict[int, str]:
    """Return what the clusters are called: as their rows are, unless they were renamed later.

    The name of a renamed cluster stays with the rows that were surest of it then, unless rows were
    given that name which cannot be there. Of two names of rows without clusters of their own the
    one with more rows is told.
    """
    given = {one.name: one.seq for one in sorted(statements.sets, key=lambda one: one.seq)}
    held = []
    for name, rows in statements.names.items():
        count = np.bincount(labels[rows])
        held.append((-int(count.max()), name, int(count.argmax())))
    names: dict[int, str] = {}
    for _, name, cluster in sorted(held):
        names.setdefault(cluster, name)
    last_said = {cluster: given[name] for cluster, name in names.items()}
    elsewhere = {name: cluster for cluster, name in names.items()}
    for cluster, (_, seq, name) in _renamed(changes, labels).items():
        if seq > last_said.get(cluster, 0) and elsewhere.get(name, cluster) == cluster:
            names[cluster] = name
    return names


def _renamed(
    changes: tuple[Change, ...], labels: NDArray[np.integer[Any]]
) -> dict[int, tuple[int, int, str]]:
    """Return what clusters were renamed to: rows there that carry the name, the event, the name.

    A name is where most of the rows are that carry it. Of two in one cluster, the one that more
    rows carry there is its name, the later one where that is the same.
    """
    standing: dict[tuple[str, int | None], tuple[int, Naming]] = {}
    for change in changes:
        if change.effect.names:
            naming = change.effect.names(change.payload)
            for cluster in (None, naming.cluster):
                standing.pop((naming.instead or "", cluster), None)
            cluster = naming.cluster if naming.rows is None else None
            standing[naming.name, cluster] = (change.seq, naming)
    found: dict[int, tuple[int, int, str]] = {}
    for seq, naming in standing.values():
        home, carried = naming.cluster, len(labels)
        if naming.rows is not None:
            count = np.bincount(labels[naming.rows])
            home, carried = int(count.argmax()), int(count.max())
        found[home] = max(found.get(home, (0, 0, "")), (carried, seq, naming.name))
    return found
