import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from linkwise import Links, MPCKMeans, PCKMeans, scores
from linkwise.cluster.cluster_metrics import ClusterMetrics
from linkwise.cluster.mpck_algorithm import _Pairs

SETTINGS = [
    {"metric": metric, "shared": shared}
    for metric in ("diagonal", "full")
    for shared in (True, False)
]


@pytest.fixture
def stretched():
    """Two groups apart along the second feature, both long along the first."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1], 40)
    X = np.column_stack([rng.normal(0, 10, 80), rng.normal(0, 1, 80) + 6 * y])
    return X, y


@pytest.mark.parametrize("params", SETTINGS)
def test_links_reveal_which_feature_matters(stretched, params):
    X, y = stretched
    links = Links.sample(y, 40, random_state=0)
    model = MPCKMeans(2, random_state=0, **params).fit(X, constraints=links)
    plain = KMeans(2, n_init=5, random_state=0).fit(X).labels_
    without = PCKMeans(2, random_state=0).fit(X, constraints=links).labels_
    assert scores.accuracy(y, plain) < 0.7
    assert scores.accuracy(y, without) < 0.8
    assert scores.accuracy(y, model.labels_) > 0.9


@pytest.mark.parametrize("params", SETTINGS)
def test_a_feature_in_small_units_is_heard_too(stretched, params):
    X, y = stretched
    links = Links.sample(y, 40, random_state=0)
    model = MPCKMeans(2, random_state=0, **params).fit(X * [1.0, 1e-4], constraints=links)
    assert scores.accuracy(y, model.labels_) > 0.9


def test_a_feature_that_never_varies_changes_nothing(stretched):
    X, y = stretched
    links = Links.sample(y, 40, random_state=0)
    plain = MPCKMeans(2, random_state=0).fit(X, constraints=links)
    wider = MPCKMeans(2, random_state=0).fit(np.hstack([X, X[:, :1] * 0 + 7]), constraints=links)
    assert_array_equal(wider.labels_, plain.labels_)


def test_a_shared_metric_is_the_same_for_all_clusters(stretched):
    X, y = stretched
    links = Links.sample(y, 40, random_state=0)
    model = MPCKMeans(2, random_state=0).fit(X, constraints=links)
    assert_array_equal(model.metrics_[0], model.metrics_[1])
    each = MPCKMeans(2, shared=False, random_state=0).fit(X, constraints=links)
    assert np.abs(each.metrics_[0] - each.metrics_[1]).max() > 1e-3


def test_centres_are_the_means_of_their_rows(stretched):
    X, y = stretched
    model = MPCKMeans(2, random_state=0).fit(X, constraints=Links.sample(y, 40, random_state=0))
    for k in (0, 1):
        assert_allclose(model.cluster_centers_[k], X[model.labels_ == k].mean(axis=0))


@pytest.mark.parametrize("params", SETTINGS)
def test_predict_minimises_the_distance_less_the_log_determinant(stretched, params):
    X, y = stretched
    model = MPCKMeans(2, random_state=0, **params)
    model.fit(X, constraints=Links.sample(y, 40, random_state=0))
    cost = np.empty((80, 2))
    for k in (0, 1):
        A = model.metrics_[k] if params["metric"] == "full" else np.diag(model.metrics_[k])
        v = X - model.cluster_centers_[k]
        cost[:, k] = np.einsum("ij,jk,ik->i", v, A, v) - np.log(np.linalg.det(A))
    assert_array_equal(model.predict(X), cost.argmin(axis=1))


def test_unlinked_rows_get_the_label_that_predict_gives_them(stretched):
    X, y = stretched
    links = Links.sample(y[:30], 20, random_state=0)
    links = Links(80, links.must, links.cannot)
    model = MPCKMeans(2, random_state=0).fit(X, constraints=links)
    free = np.setdiff1d(np.arange(80), links.linked_rows)
    assert_array_equal(model.predict(X)[free], model.labels_[free])


@pytest.mark.parametrize("full", [False, True])
def test_broken_links_add_the_scatter_of_the_update_formula(full):
    rng = np.random.RandomState(1)
    X = rng.normal(size=(8, 3))
    links = Links(8, must=[(0, 1), (2, 3)], cannot=[(4, 5), (6, 7)], weight=[1, 2, 3, 4])
    labels = np.array([0, 1, 0, 0, 1, 1, 0, 1], dtype=np.int32)
    plain = np.ones((2, 3))
    metrics = ClusterMetrics(np.stack([np.eye(3)] * 2) if full else plain)
    apart, _ = metrics.extremes(X)
    outer = lambda v: np.outer(v, v)  # noqa: E731
    half = 0.5 * 1 * outer(X[0] - X[1])
    lacking = 3 * (outer(apart[1]) - outer(X[4] - X[5]))
    expected = [half, half + lacking]
    if not full:
        expected = [np.diag(m) for m in expected]
    assert_allclose(_Pairs(X, links, 1.0).scatters(X, apart, labels, full), expected)


def test_a_heavy_weight_keeps_the_links(stretched):
    X, _ = stretched
    links = Links(80, must=[(0, 79), (10, 60)], cannot=[(0, 1)])
    model = MPCKMeans(2, weight=1000, random_state=0).fit(X, constraints=links)
    assert model.report_.n_kept == 3


@pytest.mark.filterwarnings("ignore::linkwise.errors.ContradictionWarning")
def test_contradictory_links_are_borne():
    X = np.array([[0.0], [1.0], [2.0], [8.0], [9.0]])
    links = Links(5, must=[(0, 1), (1, 2)], cannot=[(0, 2)])
    model = MPCKMeans(2, random_state=0).fit(X, constraints=links)
    assert model.report_.n_kept == 2


def test_rows_that_are_all_alike_are_one_heap():
    labels = MPCKMeans(2, random_state=0).fit(np.ones((6, 3))).labels_
    assert len(np.unique(labels)) == 1


def test_an_unknown_metric_is_refused(stretched):
    with pytest.raises(ValueError) as caught:
        MPCKMeans(2, metric="round").fit(stretched[0])
    assert str(caught.value) == (
        "MPCKMeans(metric='round'): metric must be one of 'diagonal', 'full'."
    )


@pytest.mark.parametrize("params", SETTINGS)
def test_a_row_of_weight_three_counts_as_three_rows_where_clusters_overlap(stretched, params):
    X, y = stretched
    links = Links.sample(y, 12, random_state=0)
    times = np.random.default_rng(1).integers(0, 6, 80)
    times[links.linked_rows] = 1
    where = np.cumsum(times) - times
    copied = Links(int(times.sum()), where[links.must], where[links.cannot])
    one = MPCKMeans(2, random_state=0, **params).fit(X, constraints=links, sample_weight=times)
    many = MPCKMeans(2, random_state=0, **params)
    many.fit(np.repeat(X, times, axis=0), constraints=copied)
    plain = MPCKMeans(2, random_state=0, **params).fit(X, constraints=links)
    assert_array_equal(np.repeat(one.labels_, times), many.labels_)
    assert_allclose(one.cluster_centers_, many.cluster_centers_)
    assert_allclose(one.metrics_, many.metrics_)
    assert np.abs(plain.cluster_centers_ - one.cluster_centers_).max() > 0.1
