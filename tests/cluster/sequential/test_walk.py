"""What the names around say: walks added up step by step, and classes that no cluster shows."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from linkwise import Links, PartialLabels
from linkwise.cluster.consensus import spectrum
from linkwise.cluster.sequential.answers import PRIOR_ANSWERS, Answers
from linkwise.cluster.sequential.landmarks import SMOOTHING, one_hot
from linkwise.cluster.sequential.views import Places
from linkwise.cluster.sequential.walk import walk

N = 12
CROSSING = np.arange(N) % 2


@pytest.fixture
def ring(small):
    """Landmarks in a ring of two halves that are weakly joined, and their normalised graph."""
    weights = np.ones(N)
    weights[[5, 11]] = 0.01
    graph = sp.csr_array((weights, (np.arange(N), (np.arange(N) + 1) % N)), (N, N))
    graph = sp.csr_array(graph + graph.T)
    values, vectors = spectrum(graph, N)
    basis = replace(
        small._basis,
        rows=np.arange(N),
        vectors=vectors,
        smoothness=(1 - SMOOTHING) / (1 - SMOOTHING * values),
        n_clusters=2,
    )
    scale = 1 / np.sqrt(graph.toarray().sum(axis=1))
    return basis, graph.toarray() * scale[:, None] * scale[None]


def walked(basis, names, clusters):
    """Walk to named rows, a name being the number of its cluster."""
    labels = np.full(N, -1)
    labels[list(names)] = list(names.values())
    answers = Answers.of(Links(N), PartialLabels(labels))
    places = Places(basis.vectors[answers.rows], np.empty((len(names), 0)), np.empty((0, 0)))
    return walk(basis, places, answers, np.unique(list(names.values())), one_hot(clusters, 2))


def visits(graph):
    """Count how often a walk is at each landmark after its start, step by step."""
    total, step = np.zeros((N, N)), np.eye(N)
    for _ in range(400):
        step = SMOOTHING * graph @ step
        total += step
    return total


def test_named_rows_are_met_by_walks_added_up_step_by_step(ring):
    basis, graph = ring
    found = walked(basis, {1: 0, 2: 0, 8: 1}, CROSSING)
    met = visits(graph)[:, [1, 2, 8]] @ [[1, 0], [1, 0], [0, 1]]
    assert_allclose(found, met / met.sum(axis=1, keepdims=True), atol=1e-6)


def test_names_find_the_halves_that_no_cluster_shows(ring):
    assert walked(ring[0], {2: 0, 8: 1}, CROSSING).argmax(axis=1).tolist() == [0] * 6 + [1] * 6


def test_clusters_that_nobody_named_are_worth_what_was_known_before(ring):
    basis, graph = ring
    halves = np.repeat([0, 1], 6)
    found = walked(basis, {1: 0, 2: 0}, halves)
    others = PRIOR_ANSWERS / N * one_hot(halves, 2) * [0, 1]
    met = others + visits(graph) @ others
    met += visits(graph)[:, [1, 2]] @ [[1, 0], [1, 0]]
    assert_allclose(found, met / met.sum(axis=1, keepdims=True), atol=1e-6)
    assert found.argmax(axis=1).tolist() == halves.tolist()
