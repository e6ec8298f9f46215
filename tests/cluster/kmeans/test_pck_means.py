import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.datasets import make_blobs

from linkwise import Links, PCKMeans


def objective(X, labels, links, weight, n_clusters):
    """The sum that PCKMeans minimises, with the best centres for these labels."""
    total = 0.0
    for k in range(n_clusters):
        members = X[labels == k]
        if len(members):
            total += ((members - members.mean(axis=0)) ** 2).sum()
    return total + weight * links.weight[~links.satisfied(labels)].sum()


@pytest.fixture
def blobs():
    return make_blobs(80, n_features=3, centers=3, cluster_std=2.5, random_state=0)


def test_no_links_equals_k_means_from_the_same_start(blobs):
    X, _ = blobs
    start, _ = kmeans_plusplus(X, 3, random_state=np.random.RandomState(5))
    expected = KMeans(3, init=start, n_init=1, tol=0).fit(X)
    model = PCKMeans(3, random_state=5).fit(X)
    assert_array_equal(model.labels_, expected.labels_)
    assert_allclose(model.cluster_centers_, expected.cluster_centers_)
    assert_allclose(model.objective_, expected.inertia_)


def test_zero_weight_is_k_means_from_the_neighbourhoods(blobs):
    X, y = blobs
    links = Links.sample(y, 60, random_state=0)
    model = PCKMeans(3, weight=0, random_state=0).fit(X, constraints=links)
    again = KMeans(3, init=model.cluster_centers_, n_init=1, tol=0).fit(X)
    assert_array_equal(again.labels_, model.labels_)


def test_the_reported_objective_is_the_objective(blobs):
    X, y = blobs
    links = Links.sample(y, 60, noise=0.2, random_state=0)
    model = PCKMeans(3, weight=7.0, random_state=0).fit(X, constraints=links)
    assert_allclose(model.objective_, objective(X, model.labels_, links, 7.0, 3))


@pytest.mark.filterwarnings("ignore::linkwise.errors.ContradictionWarning")
@pytest.mark.parametrize("seed", range(10))
def test_no_single_row_can_be_moved_to_a_lower_price(seed):
    X, y = make_blobs(25, n_features=2, centers=3, cluster_std=4, random_state=seed)
    links = Links.sample(y, 20, noise=0.2, random_state=seed)
    model = PCKMeans(3, weight=3.0, random_state=seed).fit(X, constraints=links)
    centers = model.cluster_centers_

    def price(labels):
        broken = links.weight[~links.satisfied(labels)].sum()
        return ((X - centers[labels]) ** 2).sum() + 3.0 * broken

    best = price(model.labels_)
    for i, k in itertools.product(range(25), range(3)):
        other = model.labels_.copy()
        other[i] = k
        assert price(other) >= best - 1e-9


def test_a_high_price_keeps_every_link_that_can_be_kept(blobs):
    X, y = blobs
    links = Links.from_labels(np.where(np.arange(80) < 30, y, -1))
    model = PCKMeans(3, weight=1e6, random_state=0).fit(X, constraints=links)
    assert links.satisfied(model.labels_).all()


@pytest.mark.filterwarnings("ignore::linkwise.errors.ContradictionWarning")
def test_the_heavier_of_two_contradictory_links_wins():
    X = np.array([[0.0], [0.5], [5.0], [5.5]])
    for must, expected in ((10.0, True), (0.1, False)):
        links = Links(4, must=[(0, 3)], cannot=[(0, 3)], weight=[must, 1.0])
        model = PCKMeans(2, weight=100.0, random_state=0).fit(X, constraints=links)
        assert (model.labels_[0] == model.labels_[3]) == expected


def test_rescaling_the_rows_changes_nothing(blobs):
    X, y = blobs
    links = Links.sample(y, 60, noise=0.2, random_state=0)
    labels = PCKMeans(3, random_state=0).fit(X, constraints=links).labels_
    scaled = PCKMeans(3, random_state=0).fit(1024 * X, constraints=links).labels_
    assert_array_equal(scaled, labels)


def test_permuting_the_rows_permutes_the_labels_when_components_name_all_clusters(blobs):
    X, y = blobs
    order = np.random.RandomState(0).permutation(80)
    known = np.where(np.arange(80) < 40, y, -1)
    straight = PCKMeans(3).fit(X, constraints=Links.from_labels(known)).labels_
    turned = PCKMeans(3).fit(X[order], constraints=Links.from_labels(known)[order]).labels_
    assert len(set(zip(turned, straight[order], strict=True))) == 3


def test_a_negative_price_is_refused():
    with pytest.raises(ValueError) as caught:
        PCKMeans(2, weight=-1).fit(np.eye(3))
    assert str(caught.value) == "PCKMeans(weight=-1): weight must be a number >= 0 or 'auto'."
