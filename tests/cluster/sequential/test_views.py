"""Views of the landmarks: what links teach them, and that they find what is hidden."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from sklearn.datasets import make_blobs

from linkwise import Links, SequentialClustering, load
from linkwise.cluster.sequential.trust import lift_links
from linkwise.cluster.sequential.views import BentSpectrum, LearnedMetric
from linkwise.metric import RCA
from linkwise.scores import nmi


@pytest.fixture(scope="module")
def hidden():
    """Three blobs in two features; a third one, ten times as wide, means nothing."""
    X, y = make_blobs(600, centers=[(0, 0), (4, 0), (2, 4)], cluster_std=0.7, random_state=0)
    noise = np.random.default_rng(0).normal(scale=40.0, size=(600, 1))
    return np.hstack([X, noise]), y


@pytest.fixture(scope="module")
def model(hidden):
    return SequentialClustering(3, n_partitions=50, random_state=0).fit(hidden[0])


def lifted(model, links):
    rows = links.linked_rows
    return lift_links(model._basis, links, rows, model.ensemble_.labels.rows(rows))


@pytest.fixture(params=[BentSpectrum, LearnedMetric])
def view(request, model, hidden):
    links = lifted(model, Links.sample(hidden[1], 200, random_state=0))
    return request.param(model._basis, links, np.linspace(0.5, 1.0, 200))


def test_what_is_learned_adds_up_over_the_links(view):
    some, rest = np.arange(0, 200, 3), np.setdiff1d(np.arange(200), np.arange(0, 200, 3))
    together = view.learn(np.arange(200))
    assert_allclose(view.learn(some) + view.learn(rest), together, rtol=1e-10, atol=1e-10)


def test_disjoint_must_links_teach_the_metric_of_relevant_component_analysis(model, hidden):
    X, y = hidden
    same = [np.flatnonzero(y == c)[:40].reshape(-1, 2) for c in range(3)]
    links = Links(600, must=np.concatenate(same))
    view = LearnedMetric(model._basis, lifted(model, links), np.ones(60))
    ridge = view.settings[0]
    seen = view.embed(ridge, view.learn(np.arange(60)))
    expected = RCA(ridge=ridge).fit(X, constraints=links).transform(X)  # every row is a landmark
    distances, wanted = pdist(seen[:100]), pdist(expected[:100])
    assert_allclose(distances / distances.mean(), wanted / wanted.mean(), rtol=1e-5)


def test_many_links_to_one_row_count_as_few(model):
    star = Links(600, must=[(0, k) for k in range(1, 101)])
    view = LearnedMetric(model._basis, lifted(model, star), np.ones(100))
    assert view.learn(np.arange(100))[-1, -1] == pytest.approx(10.0)
    assert view.settings == ()


def test_cannot_links_teach_no_metric(model):
    links = Links(600, cannot=[(k, k + 300) for k in range(50)])
    assert LearnedMetric(model._basis, lifted(model, links), np.ones(50)).settings == ()


def test_a_column_that_means_nothing_is_seen_through(model, hidden):
    _, y = hidden
    before = nmi(y, model.labels_)
    links = Links.sample(y, 300, random_state=1)
    asked = np.isin(np.arange(600), links.linked_rows)
    model.update(links)
    after = model.labels_
    model.retract(links)
    assert nmi(y[~asked], after[~asked]) > before + 0.1


def test_a_model_of_version_1_opens_and_learns_no_metric(model, hidden, tmp_path):
    model.save(tmp_path / "model")
    (tmp_path / "model" / "_basis.features.npy").unlink()
    header = tmp_path / "model" / "model.json"
    header.write_text(header.read_text().replace('"version": 2', '"version": 1'))
    opened = load(tmp_path / "model")
    assert_array_equal(opened.labels_, model.labels_)
    links = lifted(opened, Links.sample(hidden[1], 300, random_state=1))
    assert LearnedMetric(opened._basis, links, np.ones(300)).settings == ()
