"""How answers bend the graph and stretch the features: against slow sums, and what they leave."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh, subspace_angles

from linkwise import Links
from linkwise.cluster.consensus import FEATURE_WEIGHT, unit_rows
from linkwise.cluster.sequential.answers import PRIOR_ANSWERS
from linkwise.cluster.sequential.views import (
    BEND,
    RIDGE,
    bend_graph,
    learn_metric,
    see_clusters,
    see_likeness,
)


def alike(coordinates):
    """What is the same however the axes are turned."""
    return coordinates @ coordinates.T


@pytest.fixture
def said(small, blobs, gather, place):
    answers = gather(Links.sample(blobs[1], 60, noise=0.1, random_state=0))
    return small._basis, place(small, answers), answers


@pytest.fixture
def nothing(small, gather, place):
    answers = gather(Links(240))
    return small._basis, place(small, answers), answers


def test_without_answers_the_graph_has_its_own_leading_directions(nothing):
    basis, places, answers = nothing
    found = bend_graph(basis, places, answers, np.empty(0))
    assert_allclose(alike(found), alike(unit_rows(basis.vectors[:, :4])), atol=1e-8)


def test_without_must_links_the_metric_is_plain(nothing, small, gather, place):
    assert_array_equal(learn_metric(*nothing[1:], np.empty(0)), np.eye(5))
    answers = gather(Links(240, cannot=[(0, 1), (2, 3)]))
    assert_array_equal(learn_metric(place(small, answers), answers, np.ones(2)), np.eye(5))


def test_answers_that_nobody_believes_have_no_effect(said):
    basis, places, answers = said
    found = bend_graph(basis, places, answers, np.zeros(60))
    assert_allclose(alike(found), alike(unit_rows(basis.vectors[:, :4])), atol=1e-8)
    assert_array_equal(learn_metric(places, answers, np.zeros(60)), np.eye(5))


def test_a_fact_that_nobody_believes_is_as_good_as_left_out(said):
    """An answer, too; but how far others reach depends on how many there are."""
    basis, places, answers = said
    answers = replace(answers, is_fact=np.ones(60, dtype=bool))
    out, rest = answers.left_out(2), answers.without(2)
    believed = np.where(out, 0.0, np.linspace(0.5, 1.0, 60))
    all_of_it, without = (basis, places, answers, believed), (basis, places, rest, believed[~out])
    assert_allclose(alike(see_clusters(*all_of_it)), alike(see_clusters(*without)), atol=1e-8)
    rows, other_rows = see_likeness(*all_of_it).rows, see_likeness(*without).rows
    assert_allclose(alike(rows), alike(other_rows), atol=1e-8)


def test_without_answers_landmarks_are_seen_as_they_were_first_clustered(small, gather, place):
    answers = gather(Links(240))
    seen = see_clusters(small._basis, place(small, answers), answers, np.empty(0))
    assert_allclose(alike(seen), alike(small._basis.coordinates), atol=1e-6)


def test_the_graph_is_bent_by_the_sum_over_the_answers(said):
    basis, places, answers = said
    believed = np.linspace(0.2, 1.0, 60)
    gram = np.diag(basis.smoothness)
    for i, j, must, b in zip(answers.i, answers.j, answers.must, believed, strict=True):
        one, other = basis.smoothness * places.graph[i], basis.smoothness * places.graph[j]
        charge = 1 - 1 / 4 if must else -1 / 4
        gram += BEND * b * charge * (np.outer(one, other) + np.outer(other, one)) / 2
    leading = eigh(gram)[1][:, -4:]
    found = bend_graph(basis, places, answers, believed)
    assert_allclose(alike(found), alike(unit_rows(basis.vectors @ leading)), atol=1e-8)


def test_the_metric_makes_must_linked_rows_differ_alike(said):
    _, places, answers = said
    believed = np.linspace(0.2, 1.0, 60)
    scatter, total = np.zeros((5, 5)), 0.0
    for i, j, b in zip(
        answers.i[answers.must], answers.j[answers.must], believed[answers.must], strict=True
    ):
        gap = places.features[i] - places.features[j]
        scatter += b * np.outer(gap, gap)
        total += b
    plain = np.trace(scatter) / (5 * total) * np.eye(5)
    within = (scatter + RIDGE * 5 * plain) / (total + RIDGE * 5)
    scaling = learn_metric(places, answers, believed)
    assert_allclose(scaling.T @ within @ scaling, np.eye(5), atol=1e-10)


def test_a_direction_in_which_must_linked_rows_differ_much_counts_little(small, gather, place):
    features = small._basis.features
    i, j = np.triu_indices(240, 1)
    gap = np.square(features[i] - features[j])
    lengthwise = np.argsort(-gap[:, 0] / gap.sum(axis=1))[:60]
    answers = gather(Links(240, must=np.column_stack([i, j])[lengthwise]))
    scaling = learn_metric(place(small, answers), answers, np.ones(60))
    length = np.linalg.norm(scaling, axis=1)
    assert length[0] < 0.5 * length[1:].min()


def test_rows_that_are_landmarks_are_seen_as_these(said):
    basis, places, answers = said
    view = see_likeness(basis, places, answers, np.ones(60))
    assert_allclose(view.rows, view.landmarks[answers.rows], atol=1e-6)  # float32 features
    assert_allclose(np.square(view.landmarks).sum(axis=1), 1.0)


def test_graph_and_features_are_side_by_side_where_landmarks_are_clustered(said):
    variance = np.square(see_clusters(*said, np.ones(60))).mean(axis=0)
    assert_allclose([variance[:4].sum(), variance[4:].sum()], [1.0, FEATURE_WEIGHT])


def test_a_model_without_features_has_the_graph_alone(said):
    basis, places, answers = said
    basis = replace(basis, features=np.empty((240, 0), dtype=np.float32))
    places = replace(places, features=np.empty((len(answers.rows), 0)))
    said = basis, places, answers, np.ones(60)
    assert np.isfinite(see_likeness(*said).landmarks).all()
    assert see_clusters(*said).shape == (240, 4)


def test_must_links_bend_the_graph_more_than_cannot_links(small, gather, place):
    def turned(links):
        answers = gather(links)
        bent = bend_graph(small._basis, place(small, answers), answers, np.ones(links.n_links))
        return subspace_angles(bent, unit_rows(small._basis.vectors[:, :4])).max()

    pairs = [(k, 239 - k) for k in range(20)]
    assert turned(Links(240, must=pairs)) > turned(Links(240, cannot=pairs)) > 0


def test_of_few_answers_each_reaches_little_and_a_fact_fully(gather):
    answers = gather(Links(240, must=[(0, 1), (2, 3)], cannot=[(4, 5)], weight=[1.0, 2.0, 1.0]))
    assert_allclose(answers.reach, [2 / (2 + PRIOR_ANSWERS), 1.0, 2 / (2 + PRIOR_ANSWERS)])
