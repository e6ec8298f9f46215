import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.datasets import make_blobs

from linkwise import LCVQE, Links


@pytest.fixture
def blobs():
    X, y = make_blobs(60, n_features=3, centers=3, cluster_std=3.0, random_state=1)
    return X, y


def objective(X, labels, centers, links):
    """Pelleg and Baras' sum, written out link by link."""
    d = np.square(X[:, None] - centers[None]).sum(axis=2)
    total = d[np.arange(len(X)), labels].sum() / 2
    n_must = len(links.must)
    for (i, j), w in zip(links.must, links.weight[:n_must], strict=True):
        if labels[i] != labels[j]:
            total += w * (d[i, labels[j]] + d[j, labels[i]]) / 4
    for (i, j), w in zip(links.cannot, links.weight[n_must:], strict=True):
        if labels[i] == labels[j]:
            far = i if d[i, labels[i]] > d[j, labels[i]] else j
            total += w * np.delete(d[far], labels[i]).min() / 2
    return total


def disjoint(links, weight):
    """Return as many of the links as name no row twice, each of its own turn and no other's."""
    used, kept = set(), {"must": [], "cannot": []}
    for kind in kept:
        for i, j in getattr(links, kind).tolist():
            if not {i, j} & used:
                kept[kind].append((i, j))
                used |= {i, j}
    n = len(kept["must"]) + len(kept["cannot"])
    return Links(len(links), **kept, weight=np.resize(weight, n))


def test_without_links_it_is_k_means(blobs):
    X, _ = blobs
    start, _ = kmeans_plusplus(X, 3, random_state=np.random.RandomState(0))
    expected = KMeans(3, init=start, n_init=1, tol=0).fit(X)
    model = LCVQE(3, random_state=0).fit(X)
    assert_array_equal(model.labels_, expected.labels_)
    assert model.objective_ == pytest.approx(expected.inertia_ / 2)


@pytest.mark.parametrize("seed", range(6))
def test_the_objective_is_the_sum_of_the_paper(blobs, seed):
    X, y = blobs
    drawn = Links.sample(y, 30, noise=0.3, random_state=seed)
    links = disjoint(drawn, [0.1, 0.2, 1.0, 2.0])
    model = LCVQE(3, random_state=seed).fit(X, constraints=links)
    assert model.objective_ == pytest.approx(
        objective(X, model.labels_, model.cluster_centers_, links)
    )


def test_the_centres_are_the_minimum_for_the_labels(blobs):
    X, y = blobs
    links = disjoint(Links.sample(y, 40, noise=0.5, random_state=1), [0.1])
    model = LCVQE(3, random_state=0).fit(X, constraints=links)
    assert model.report_.must_kept < model.report_.n_must
    assert model.report_.cannot_kept < model.report_.n_cannot
    rng = np.random.default_rng(0)
    for _ in range(20):
        moved = model.cluster_centers_ + 1e-3 * rng.normal(size=(3, 3))
        assert objective(X, model.labels_, moved, links) > model.objective_


def test_a_broken_must_link_pulls_both_centres():
    X = np.array([[0.0], [1.0], [2.0], [100.0], [101.0], [102.0]])
    links = Links(6, must=[(0, 5)], weight=[0.2])
    model = LCVQE(2, random_state=0).fit(X, constraints=links)
    low, high = model.labels_[0], model.labels_[5]
    assert_array_equal(model.labels_, [low] * 3 + [high] * 3)
    assert_allclose(model.cluster_centers_[low], (0 + 1 + 2 + 0.1 * 102) / 3.1)
    assert_allclose(model.cluster_centers_[high], (100 + 101 + 102 + 0.1 * 0) / 3.1)


def test_a_single_link_of_full_weight_is_never_left_broken():
    X = np.array([[0.0], [1.0], [2.0], [100.0], [101.0], [102.0]])
    must = LCVQE(2, random_state=0).fit(X, constraints=Links(6, must=[(0, 5)]))
    cannot = LCVQE(2, random_state=0).fit(X, constraints=Links(6, cannot=[(0, 1)]))
    assert must.report_.must_kept == 1
    assert cannot.report_.cannot_kept == 1


def test_a_cannot_link_sends_the_farther_row_away():
    X = np.array([[0.0], [1.0], [2.0], [9.0], [10.0]])
    model = LCVQE(2, random_state=0).fit(X, constraints=Links(5, cannot=[(3, 4)]))
    assert model.labels_[3] != model.labels_[4]


def test_a_light_link_may_be_broken_where_a_heavy_one_is_kept():
    X = np.array([[0.0], [0.5], [4.0], [10.0], [10.5]])
    for weight, kept in ((0.01, False), (50.0, True)):
        links = Links(5, must=[(2, 4)], weight=[weight])
        model = LCVQE(2, n_init=5, random_state=0).fit(X, constraints=links)
        assert model.report_.must_kept == kept


def test_of_several_starts_the_lowest_objective_is_kept(blobs):
    X, y = blobs
    links = Links.sample(y, 15, random_state=0)
    rng = np.random.RandomState(0)
    single = [LCVQE(6, random_state=rng).fit(X, constraints=links).objective_ for _ in range(6)]
    best = LCVQE(6, n_init=6, random_state=0).fit(X, constraints=links)
    assert best.objective_ == min(single) < max(single)


def test_steps_that_go_round_in_circles_end(blobs, monkeypatch):
    X, y = blobs
    links = Links.sample(y, 400, random_state=1)
    steps = []

    def counted(*args, do=LCVQE._settle):
        steps.append(1)
        return do(*args)

    monkeypatch.setattr(LCVQE, "_settle", counted)
    model = LCVQE(8, max_iter=500, random_state=0).fit(X, constraints=links)
    assert len(steps) == model.n_iter_ + 20


@pytest.mark.filterwarnings("ignore::linkwise.errors.ContradictionWarning")
def test_what_a_later_link_undoes_does_not_pull(blobs):
    """Links of full weight are all kept in their turn, so all centres are means."""
    X, y = blobs
    links = Links.sample(y, 400, noise=0.2, random_state=0)
    model = LCVQE(3, random_state=0).fit(X, constraints=links)
    assert model.report_.n_kept < model.report_.n_links
    means = [X[model.labels_ == k].mean(axis=0) for k in range(3)]
    assert_allclose(model.cluster_centers_, means)


def test_one_cluster_is_possible(blobs):
    X, y = blobs
    model = LCVQE(1, random_state=0).fit(X, constraints=Links.sample(y, 20, random_state=0))
    assert_array_equal(model.labels_, 0)


def test_sparse_rows_give_the_same_result(blobs):
    X, y = blobs
    links = Links.sample(y, 20, noise=0.2, random_state=0)
    dense = LCVQE(3, random_state=0).fit(X, constraints=links)
    sparse = LCVQE(3, random_state=0).fit(sp.csr_array(X), constraints=links)
    assert_array_equal(sparse.labels_, dense.labels_)
    assert sparse.objective_ == pytest.approx(dense.objective_)


@pytest.mark.parametrize("name", ["n_init", "max_iter"])
def test_senseless_numbers_are_refused(blobs, name):
    with pytest.raises(ValueError) as caught:
        LCVQE(3, **{name: 0}).fit(blobs[0])
    assert str(caught.value) == f"LCVQE({name}=0): {name} must be a whole number >= 1."
