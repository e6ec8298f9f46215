import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, make_blobs

from linkwise import KCC, PartialLabels
from linkwise.scores import nmi


@pytest.fixture
def blobs():
    X, y = make_blobs(90, n_features=3, centers=3, cluster_std=3.0, random_state=1)
    return X, y


def category_utility(labels, other, weights=None):
    """U_c of Wu and others for rows that both partitions name, without the constant term."""
    heed = np.ones(len(labels)) if weights is None else weights
    total = 0.0
    for k in np.unique(labels):
        inside = np.bincount(other[labels == k], heed[labels == k])
        total += np.square(inside).sum() / inside.sum()
    return total / heed.sum()


def blocks_of(model, X):
    return [
        np.square(X[:, None] - centers[None]).sum(axis=2).argmin(axis=1)
        for centers in model.partition_centers_
    ]


def test_the_objective_is_what_the_utility_leaves(blobs):
    X, y = blobs
    known = PartialLabels.sample(y, 0.3, noise=0.2, random_state=0)
    model = KCC(3, n_partitions=4, strength=0.7, random_state=0).fit(X, constraints=known)
    blocks = blocks_of(model, X)
    expected = np.mean([90 * (1 - category_utility(model.labels_, b)) for b in blocks])
    rows = known.known
    utility = category_utility(model.labels_[rows], known.codes[rows])
    expected += 0.7 * rows.sum() * (1 - utility)
    assert model.objective_ == pytest.approx(expected)


def test_rows_count_by_weight_in_the_objective(blobs):
    X, y = blobs
    heed = np.random.default_rng(0).uniform(0.5, 3.0, 90)
    known = PartialLabels.sample(y, 0.3, noise=0.2, random_state=0)
    model = KCC(3, n_partitions=4, strength=0.7, random_state=0)
    model.fit(X, constraints=known, sample_weight=heed)
    each = [category_utility(model.labels_, b, heed) for b in blocks_of(model, X)]
    rows = known.known
    utility = category_utility(model.labels_[rows], known.codes[rows], heed[rows])
    expected = heed.sum() * (1 - np.mean(each)) + 0.7 * heed[rows].sum() * (1 - utility)
    assert model.objective_ == pytest.approx(expected)


def test_partitions_are_drawn_of_weighed_rows(blobs):
    X, _ = blobs
    far = np.vstack([X, X[:9] + 1000.0])
    heed = np.append(np.ones(90), np.zeros(9))
    model = KCC(3, n_partitions=5, n_blocks=4, random_state=0).fit(far, sample_weight=heed)
    assert max(np.abs(centers).max() for centers in model.partition_centers_) < 100


def test_the_consensus_of_a_tiny_problem_is_the_global_optimum():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(7, 2))
    known = PartialLabels([0, 1, -1, 2, -1, 0, -1])
    model = KCC(2, n_partitions=3, n_blocks=3, strength=2.0, n_init=50, random_state=0)
    model.fit(X, constraints=known)
    blocks = blocks_of(model, X)

    def cost(labels):
        labels = np.array(labels)
        own = np.mean([7 * (1 - category_utility(labels, b)) for b in blocks])
        rows = known.known
        return own + 2.0 * rows.sum() * (1 - category_utility(labels[rows], known.codes[rows]))

    best = min(cost(labels) for labels in itertools.product(range(2), repeat=7))
    assert model.objective_ == pytest.approx(best)


def test_rows_of_the_same_blocks_and_label_stay_together(blobs):
    X, y = blobs
    known = PartialLabels.sample(y, 0.5, random_state=0)
    model = KCC(3, n_partitions=1, n_blocks=4, random_state=0).fit(X, constraints=known)
    kind = 10 * blocks_of(model, X)[0] + known.codes
    for number in np.unique(kind):
        assert len(np.unique(model.labels_[kind == number])) == 1


def test_trusted_labels_decide_and_zero_strength_does_not(blobs):
    X, _ = blobs
    known = np.random.default_rng(0).integers(3, size=90)
    trusted = KCC(3, n_partitions=3, strength=100, random_state=0).fit(X, constraints=known)
    assert nmi(known, trusted.labels_) == pytest.approx(1.0)
    ignored = KCC(3, n_partitions=3, strength=0, random_state=0).fit(X, constraints=known)
    assert_array_equal(ignored.labels_, KCC(3, n_partitions=3, random_state=0).fit(X).labels_)


def test_predict_agrees_with_the_labels_of_unlabelled_rows(blobs):
    X, y = blobs
    known = PartialLabels.sample(y, 0.3, random_state=0)
    model = KCC(3, n_partitions=5, random_state=0).fit(X, constraints=known)
    assert_array_equal(model.predict(X)[~known.known], model.labels_[~known.known])


def test_blocks_are_as_many_as_asked_for(blobs):
    X, _ = blobs
    fixed = KCC(3, n_partitions=3, n_blocks=5, random_state=0).fit(X)
    assert [len(centers) for centers in fixed.partition_centers_] == [5, 5, 5]
    drawn = KCC(3, n_partitions=30, random_state=0).fit(X)
    sizes = {len(centers) for centers in drawn.partition_centers_}
    assert sizes == set(range(3, 10))


def test_partitions_with_fewer_blocks_than_asked_for_are_fine():
    X = np.repeat([[0.0], [1.0], [9.0]], 10, axis=0)
    model = KCC(2, n_partitions=3, n_blocks=5, random_state=0).fit(X)
    assert [len(centers) for centers in model.partition_centers_] == [3, 3, 3]
    assert_array_equal(model.predict(X), model.labels_)


def test_sparse_rows_give_the_same_partition(blobs):
    X, y = blobs
    X = np.where(np.abs(X) < 3, 0.0, X)
    known = PartialLabels.sample(y, 0.3, random_state=0)
    params = {"n_clusters": 3, "n_partitions": 3, "random_state": 0}
    dense = KCC(**params).fit(X, constraints=known)
    sparse = KCC(**params).fit(sp.csr_array(X), constraints=known)
    assert nmi(dense.labels_, sparse.labels_) == pytest.approx(1.0)
    assert_array_equal(sparse.predict(sp.csr_array(X)), dense.predict(X))


def test_one_partition_on_iris_gives_the_figure_of_the_paper():
    X, y = load_iris(return_X_y=True)
    scores = []
    for draw in range(10):
        known = PartialLabels.sample(y, 0.5, random_state=draw)
        model = KCC(3, n_partitions=1, n_blocks=3, strength=100, random_state=draw)
        scores.append(nmi(y, model.fit(X, constraints=known).labels_))
    assert np.mean(scores) == pytest.approx(0.818, abs=0.067)  # 81.78 ± 6.70


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_partitions": 0}, "KCC(n_partitions=0): n_partitions must be a whole number >= 1."),
        (
            {"n_blocks": "many"},
            "KCC(n_blocks='many'): n_blocks must be a whole number >= 1 or 'random'.",
        ),
        (
            {"n_blocks": 91},
            "KCC(n_blocks=91): X has 90 rows, fewer than blocks. Ask for at most that many.",
        ),
        ({"strength": -1}, "KCC(strength=-1): strength must be a number >= 0."),
        ({"n_init": 0}, "KCC(n_init=0): n_init must be a whole number >= 1."),
        ({"max_iter": 0}, "KCC(max_iter=0): max_iter must be a whole number >= 1."),
    ],
)
def test_senseless_parameters_are_refused(blobs, params, message):
    with pytest.raises(ValueError) as caught:
        KCC(3, **params).fit(blobs[0])
    assert str(caught.value) == message
