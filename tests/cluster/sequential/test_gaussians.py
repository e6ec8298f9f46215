"""Gaussian classes with one covariance: against a twin in loops, and where a graph is blind."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax
from scipy.stats import multivariate_normal

from linkwise import Links, SequentialClustering
from linkwise.cluster.sequential import gaussians
from linkwise.cluster.sequential.answers import PRIOR_ANSWERS
from linkwise.cluster.sequential.gaussians import TEACHING, Points, fit_gaussians
from linkwise.cluster.sequential.known import Known
from linkwise.scores import nmi


def twin(points, weight, member):
    """One step, with loops and densities."""
    n, d = points.shape
    r = member.shape[1]
    size = np.array([sum(weight[i] * member[i, c] for i in range(n)) for c in range(r)])
    means = [
        sum(weight[i] * member[i, c] * points[i] for i in range(n)) / size[c] for c in range(r)
    ]
    covariance = np.zeros((d, d))
    for i in range(n):
        for c in range(r):
            gap = points[i] - means[c]
            covariance += weight[i] * member[i, c] * np.outer(gap, gap) / size.sum()
    logs = [
        multivariate_normal(means[c], covariance).logpdf(points) + np.log(size[c]) for c in range(r)
    ]
    return softmax(np.column_stack(logs), axis=1)


def test_a_step_equals_its_twin():
    rng = np.random.default_rng(0)
    points, weight = rng.normal(size=(30, 3)) * [1.0, 5.0, 0.2], rng.uniform(1, 30, 30)
    member = rng.dirichlet(np.ones(4), 30)
    found = softmax(gaussians._scores(points, weight, member), axis=1)
    assert_allclose(found, twin(points, weight, member), atol=1e-6)


def test_without_answers_landmarks_are_fitted_alone(small, gather, place, monkeypatch):
    """A row spoken about counts for many of them, as far as answers reach; facts do fully."""
    monkeypatch.setattr(gaussians, "_N_STEPS", 1)
    basis = small._basis
    answers = gather(Links(240, must=[(0, 1)], cannot=[(2, 3)], weight=[1.0, 2.0]))
    places = place(small, answers)
    start = np.eye(4)[basis.labels]
    nobody = Known(np.full(4, -1), np.zeros(4))
    at = Points(basis.features, places.features)
    found = fit_gaussians(at, answers, start, start[:4], nobody)
    points = np.vstack([basis.features.astype(float), places.features])
    little = TEACHING / (1 + PRIOR_ANSWERS)
    weight = np.append(np.ones(240), [little, little, TEACHING, TEACHING])
    expected = twin(points, weight, np.vstack([start, start[:4]]))
    assert_allclose(found, expected[:240], atol=1e-6)


def test_landmarks_gather_around_the_rows_whose_class_is_known(small, gather, place, blobs):
    """Nothing else is known: all memberships are alike at first."""
    known = np.where(np.arange(240) % 6 == 0, blobs[1], -1)
    answers = gather(labels=known)
    alike = np.full((240, 4), 0.25)
    at = known[answers.rows]
    points = Points(small._basis.features, place(small, answers).features)
    named = Known(at, np.ones(len(at)))
    found = fit_gaussians(points, answers, alike, np.eye(4)[at], named)
    assert (found.argmax(axis=1) == blobs[1]).mean() > 0.95


@pytest.mark.parametrize("seed", range(3))
def test_classes_told_apart_by_a_quiet_direction_are_found(seed):
    """Twenty loud features mean nothing, one quiet one tells three classes apart.

    The graph of neighbours cannot see them; a few labels, and all rows together, can.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 900)
    X = rng.normal(size=(900, 20)) @ rng.normal(size=(20, 20))
    X = np.column_stack([X, 0.7 * y + 0.07 * rng.normal(size=900)])
    labels = np.full(900, -1)
    for k in range(3):
        labels[np.flatnonzero(y == k)[:20]] = k
    model = SequentialClustering(3, n_partitions=50, random_state=seed).fit(X)
    free = labels < 0
    assert nmi(y[free], model.labels_[free]) < 0.1
    model.update(labels)
    assert nmi(y[free], model.labels_[free]) > 0.8
