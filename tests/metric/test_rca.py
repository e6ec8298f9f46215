import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine, make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from linkwise import Links, MaxMarginClustering, PartialLabels, PCKMeans, scores
from linkwise.metric import DCA, RCA


def slow_components(X, groups, ridge):
    """The formula of the docstring, one row at a time."""
    deviations = [X[i] - X[list(g)].mean(axis=0) for g in groups for i in g]
    m = sum(len(g) - 1 for g in groups)
    d = X.shape[1]
    C = sum(np.outer(v, v) for v in deviations) / m
    t = np.trace(C) / d
    sigma = (m * C + ridge * d * t * np.eye(d)) / (m + ridge * d)
    values, vectors = np.linalg.eigh(sigma)
    return np.sqrt(t) * vectors @ np.diag(values**-0.5) @ vectors.T


@pytest.mark.parametrize("ridge", [0, 0.5, 1.0, 10])
def test_the_map_is_the_formula_of_the_docstring(ridge):
    X = np.random.RandomState(1).normal(size=(9, 3)) * [1, 5, 20]
    links = Links(9, must=[(0, 1), (1, 2), (3, 4), (5, 6), (7, 8)], cannot=[(0, 8)])
    expected = slow_components(X, [(0, 1, 2), (3, 4), (5, 6), (7, 8)], ridge)
    found = RCA(ridge=ridge).fit(X, constraints=links)
    assert_allclose(found.components_, expected, atol=1e-10)
    assert_allclose(found.transform(X), X @ expected.T, atol=1e-9)


def test_without_must_links_the_map_is_the_identity(stretched):
    X, _ = stretched
    for nothing in (None, Links(80, cannot=[(0, 1)]), np.full(80, -1)):
        assert_array_equal(RCA().fit(X, constraints=nothing).components_, np.eye(2))


def test_copies_of_one_row_teach_nothing():
    X = np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 0.0]])
    found = RCA().fit(X, constraints=Links(3, must=[(0, 1)])).components_
    assert_array_equal(found, np.eye(2))


def test_a_link_of_weight_zero_says_nothing(stretched):
    X, _ = stretched
    links = Links(80, must=[(0, 1), (2, 3)], weight=[1, 0])
    alone = Links(80, must=[(0, 1)])
    assert_array_equal(
        RCA().fit(X, constraints=links).components_, RCA().fit(X, constraints=alone).components_
    )


def test_without_ridge_must_linked_rows_become_white(stretched):
    X, y = stretched
    Z = RCA(ridge=0).fit_transform(X, constraints=PartialLabels(y))
    within = np.vstack([Z[y == c] - Z[y == c].mean(axis=0) for c in (0, 1)])
    covariance = within.T @ within
    assert_allclose(covariance, covariance[0, 0] * np.eye(2), atol=1e-9 * covariance[0, 0])


def test_without_ridge_unseen_directions_are_left_out():
    X = np.random.RandomState(0).normal(size=(10, 4))
    links = Links(10, must=[(0, 1), (2, 3)])
    assert np.linalg.matrix_rank(RCA(ridge=0).fit(X, constraints=links).components_) == 2


def test_links_and_labels_that_say_the_same_teach_the_same(stretched):
    X, y = stretched
    labels = PartialLabels(np.where(np.arange(80) % 4 == 0, y, -1))
    assert_array_equal(
        RCA().fit(X, constraints=labels).components_,
        RCA().fit(X, constraints=labels.to_links()).components_,
    )


def test_scale_and_shift_of_the_rows_do_not_change_the_map(stretched):
    X, y = stretched
    links = Links.sample(y, 30, random_state=0)
    assert_allclose(
        RCA().fit(1000 * X - 7, constraints=links).components_,
        RCA().fit(X, constraints=links).components_,
        rtol=1e-9,
    )


def test_a_pipeline_carries_the_links_to_the_map(stretched):
    X, y = stretched
    links = Links.sample(y, 40, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(
            RCA(ridge=0.1).set_fit_request(constraints=True), KMeans(2, n_init=5, random_state=0)
        )
        model.fit(X, constraints=links)
    plain = KMeans(2, n_init=5, random_state=0).fit(X)
    assert scores.accuracy(y, plain.labels_) < 0.7
    assert scores.accuracy(y, model[-1].labels_) > 0.95
    assert_array_equal(model.predict(X), model[-1].labels_)


@pytest.mark.parametrize("clusterer", [PCKMeans, MaxMarginClustering])
@pytest.mark.parametrize("metric", [RCA, DCA])
def test_a_pipeline_carries_the_links_to_the_map_and_to_the_clusterer(stretched, metric, clusterer):
    X, y = stretched
    links = Links.sample(y, 40, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(
            metric().set_fit_request(constraints=True),
            clusterer(2, random_state=0).set_fit_request(constraints=True),
        )
        model.fit(X, constraints=links)
    alone = clusterer(2, random_state=0)
    alone.fit(metric().fit_transform(X, constraints=links), constraints=links)
    assert_array_equal(model[-1].labels_, alone.labels_)
    assert model[-1].report_.n_links == 40
    assert scores.accuracy(y, model[-1].labels_) > 0.9  # PCKMeans alone: below 0.8


def test_ten_links_do_no_harm_where_the_plain_metric_is_right():
    X, y = make_blobs(200, n_features=8, centers=4, cluster_std=1.5, random_state=1)
    plain = scores.nmi(y, KMeans(4, n_init=5, random_state=0).fit(X).labels_)
    assert plain > 0.95
    for seed in range(5):
        links = Links.sample(y, 10, random_state=seed)
        Z = RCA().fit_transform(X, constraints=links)
        assert scores.nmi(y, KMeans(4, n_init=5, random_state=0).fit(Z).labels_) > plain - 0.02


def test_many_links_find_the_cultivars_of_wine():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    Z = RCA().fit_transform(X, constraints=Links.sample(y, 400, random_state=0))
    mapped = scores.nmi(y, KMeans(3, n_init=5, random_state=0).fit(Z).labels_)
    assert mapped > scores.nmi(y, KMeans(3, n_init=5, random_state=0).fit(X).labels_) + 0.05


def test_float32_stays_float32(stretched):
    X, y = stretched
    model = RCA().fit(X.astype(np.float32), constraints=PartialLabels(y))
    assert model.components_.dtype == np.float32
    assert model.transform(X.astype(np.float32)).dtype == np.float32


def test_a_negative_ridge_is_refused(stretched):
    with pytest.raises(ValueError) as caught:
        RCA(ridge=-1).fit(stretched[0])
    assert str(caught.value) == "RCA(ridge=-1): ridge must be a number >= 0."


def test_links_of_another_table_are_refused(stretched):
    with pytest.raises(ValueError) as caught:
        RCA().fit(stretched[0], constraints=Links(9))
    assert str(caught.value) == (
        "constraints describe 9 rows but X has 80. Slice both together: X[rows], links[rows]."
    )
