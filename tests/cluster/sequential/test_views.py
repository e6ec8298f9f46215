"""How answers stretch the features: against slow sums, and what they leave."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import Links
from linkwise.cluster.sequential.answers import PRIOR_ANSWERS
from linkwise.cluster.sequential.views import RIDGE, learn_metric, see_likeness


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


def test_without_must_links_the_metric_is_plain(nothing, small, gather, place):
    assert_array_equal(learn_metric(*nothing[1:]), np.eye(5))
    answers = gather(Links(240, cannot=[(0, 1), (2, 3)]))
    assert_array_equal(learn_metric(place(small, answers), answers), np.eye(5))


def test_answers_that_nobody_believes_have_no_effect(said):
    _, places, answers = said
    assert_array_equal(learn_metric(places, replace(answers, weight=np.zeros(60))), np.eye(5))


def test_an_answer_that_nobody_believes_is_as_good_as_left_out(said):
    basis, places, answers = said
    out = answers.left_out(2)
    answers = replace(answers, weight=np.where(out, 0.0, np.linspace(0.5, 1.0, 60)))
    rows = see_likeness(basis, places, answers).rows
    assert_allclose(alike(rows), alike(see_likeness(basis, places, answers.without(2)).rows))


def test_a_model_without_features_has_the_graph_alone(said):
    basis, places, answers = said
    basis = replace(basis, features=np.empty((240, 0), dtype=np.float32))
    places = replace(places, features=np.empty((len(answers.rows), 0)))
    assert np.isfinite(see_likeness(basis, places, answers).landmarks).all()


def test_the_metric_makes_must_linked_rows_differ_alike(said):
    _, places, answers = said
    answers = replace(answers, weight=np.linspace(0.2, 1.0, 60))
    scatter, total = np.zeros((5, 5)), 0.0
    for i, j, b in zip(
        answers.i[answers.must],
        answers.j[answers.must],
        answers.reach[answers.must],
        strict=True,
    ):
        gap = places.features[i] - places.features[j]
        scatter += b * np.outer(gap, gap)
        total += b
    plain = np.trace(scatter) / (5 * total) * np.eye(5)
    within = (scatter + RIDGE * 5 * plain) / (total + RIDGE * 5)
    scaling = learn_metric(places, answers)
    assert_allclose(scaling.T @ within @ scaling, np.eye(5), atol=1e-10)


def test_a_direction_in_which_must_linked_rows_differ_much_counts_little(small, gather, place):
    features = small._basis.features
    i, j = np.triu_indices(240, 1)
    gap = np.square(features[i] - features[j])
    lengthwise = np.argsort(-gap[:, 0] / gap.sum(axis=1))[:60]
    answers = gather(Links(240, must=np.column_stack([i, j])[lengthwise]))
    scaling = learn_metric(place(small, answers), answers)
    length = np.linalg.norm(scaling, axis=1)
    assert length[0] < 0.5 * length[1:].min()


def test_rows_that_are_landmarks_are_seen_as_these(said):
    basis, places, answers = said
    view = see_likeness(basis, places, answers)
    assert_allclose(view.rows, view.landmarks[answers.rows], atol=1e-6)  # float32 features
    assert_allclose(np.square(view.landmarks).sum(axis=1), 1.0)


def test_of_few_answers_each_reaches_little_and_a_fact_fully(gather):
    answers = gather(Links(240, must=[(0, 1), (2, 3)], cannot=[(4, 5)], weight=[1.0, 2.0, 1.0]))
    assert_allclose(answers.reach, [2 / (2 + PRIOR_ANSWERS), 1.0, 2 / (2 + PRIOR_ANSWERS)])
