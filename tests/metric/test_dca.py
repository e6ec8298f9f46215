import numpy as np
import pytest
import scipy.linalg
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline

from linkwise import Links, PartialLabels, scores
from linkwise.metric import DCA, RCA


@pytest.fixture
def groups():
    """Three groups in the first two of six features; the other four are loud noise."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], 30)
    centers = np.zeros((3, 6))
    centers[1, 0] = centers[2, 1] = 6.0
    X = centers[y] + rng.normal(size=(90, 6)) * [1, 1, 5, 5, 5, 5]
    return X, y


def distances(Z):
    return np.linalg.norm(Z[:, None] - Z[None], axis=2)


def test_the_map_whitens_the_shrunk_within_covariance(groups):
    X, y = groups
    links = Links.sample(y, 60, random_state=0)
    model = DCA(ridge=0.5).fit(X, constraints=links)
    rows = np.unique(np.vstack([links.must, links.cannot]))
    component = links.components()
    names = np.unique(component[rows])
    members = [rows[component[rows] == c] for c in names]
    scatter = sum((X[g] - X[g].mean(0)).T @ (X[g] - X[g].mean(0)) for g in members)
    m, d = len(rows) - len(members), 6
    t = np.trace(scatter) / m / d
    sigma = (scatter + 0.5 * d * t * np.eye(d)) / (m + 0.5 * d)
    A = model.components_
    assert_allclose(A @ sigma @ A.T, t * np.eye(len(A)), atol=1e-8 * t)


def test_directions_solve_the_generalised_eigenproblem_best_first(groups):
    X, y = groups
    labels = PartialLabels(y)
    A = DCA(ridge=1e-9).fit(X, constraints=labels).components_
    # between: the three class means; within: the pooled covariance, recomputed here
    means = np.array([X[y == c].mean(0) for c in range(3)])
    apart = np.array([means[a] - means[b] for a, b in ((0, 1), (0, 2), (1, 2))])
    U = np.linalg.svd(apart, full_matrices=False)[2][:2]
    between = apart.T @ apart / 3
    within = sum((X[y == c] - means[c]).T @ (X[y == c] - means[c]) for c in range(3)) / 87
    mu = scipy.linalg.eigh(U @ between @ U.T, U @ within @ U.T, eigvals_only=True)[::-1]
    assert A.shape == (2, 6)
    ratio = [a @ between @ a / (a @ within @ a) for a in A]
    assert_allclose(ratio, mu, rtol=1e-6)


def test_distances_are_those_of_rca_when_cannot_links_reach_everywhere(groups):
    X, y = groups
    links = Links.sample(y, 60, random_state=0)
    mine = DCA().fit_transform(X, constraints=links)
    assert mine.shape == (90, 6)
    assert_allclose(
        distances(mine), distances(RCA().fit_transform(X, constraints=links)), rtol=1e-6
    )


def test_with_few_links_only_directions_that_separate_are_kept(groups):
    X, _ = groups
    links = Links(90, must=[(0, 1)], cannot=[(0, 40), (0, 70)])
    assert DCA().fit(X, constraints=links).components_.shape == (2, 6)


def test_no_cannot_links_keep_every_direction(groups):
    X, _ = groups
    for known in (None, Links(90, must=[(0, 1), (1, 2)])):
        mine = DCA().fit_transform(X, constraints=known)
        rca = RCA().fit_transform(X, constraints=known)
        assert_allclose(distances(mine), distances(rca), rtol=1e-6)


def test_copies_that_must_differ_teach_nothing(groups):
    X = np.vstack([groups[0], groups[0][:1]])
    model = DCA().fit(X, constraints=Links(91, cannot=[(0, 90)]))
    assert_allclose(distances(model.transform(X)), distances(X), rtol=1e-6)


@pytest.mark.filterwarnings("ignore::linkwise.errors.ContradictionWarning")
def test_a_contradicted_cannot_link_is_passed_over(groups):
    X, _ = groups
    links = Links(90, must=[(0, 1), (1, 2)], cannot=[(0, 2), (0, 50)])
    without = Links(90, must=[(0, 1), (1, 2)], cannot=[(0, 50)])
    assert_array_equal(
        DCA().fit(X, constraints=links).components_, DCA().fit(X, constraints=without).components_
    )


def test_the_original_without_ridge_survives_fewer_links_than_features(groups):
    X, y = groups
    model = DCA(ridge=0).fit(X, constraints=Links.sample(y, 8, random_state=0))
    assert np.isfinite(model.components_).all()
    assert 0 < len(model.components_) < 6


def test_two_components_in_a_pipeline_find_three_groups(groups):
    X, y = groups
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(
            DCA(2).set_fit_request(constraints=True), KMeans(3, n_init=5, random_state=0)
        )
        model.fit(X, constraints=Links.sample(y, 100, random_state=0))
    plain = KMeans(3, n_init=5, random_state=0).fit(X).labels_
    assert scores.accuracy(y, plain) < 0.5
    assert scores.accuracy(y, model[-1].labels_) > 0.95


def test_float32_stays_float32(groups):
    X, y = groups
    model = DCA().fit(X.astype(np.float32), constraints=PartialLabels(y))
    assert model.transform(X.astype(np.float32)).dtype == np.float32


def test_zero_components_are_refused(groups):
    with pytest.raises(ValueError) as caught:
        DCA(0).fit(groups[0])
    assert str(caught.value) == (
        "DCA(n_components=0): n_components must be a whole number >= 1 or None."
    )
