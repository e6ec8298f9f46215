import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import cross_validate

from linkwise import ConstrainedKMeans, PartialLabels, PartitionKMeans
from linkwise.cluster.kmeans import partition_kmeans
from linkwise.cluster.kmeans.labelled_rows import Descent
from linkwise.scores import nmi


def equation_2(X, labels, columns, strengths):
    """The paper's objective with H, C, S and G written out as matrices."""
    H = (labels[:, None] == np.unique(labels)).astype(float)
    total = np.square(X - H @ np.linalg.pinv(H) @ X).sum()
    for column, strength in zip(columns, strengths, strict=True):
        known = PartialLabels(column).known
        if not known.any():
            continue
        codes = PartialLabels(column).codes[known]
        S, H_S = np.eye(codes.max() + 1)[codes], H[known]
        G = np.linalg.pinv(H_S) @ S
        total += strength * np.square(S - H_S @ G).sum()
    return total


def same_partition(a, b):
    return adjusted_rand_score(a, b) == 1.0


@st.composite
def problems(draw, max_columns=2):
    """Draw a small table, label columns and settings, anything goes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(5, 40)), draw(st.integers(1, 4))
    n_columns = draw(st.integers(1, max_columns))
    X = rng.normal(size=(n, d)) * 10.0 ** draw(st.integers(-3, 3)) + draw(st.integers(-5, 5))
    classes = draw(st.integers(1, 5))
    share = draw(st.floats(0, 1))
    table = rng.integers(classes, size=(n, n_columns))
    table[rng.random(table.shape) >= share] = -1
    strengths = [draw(st.sampled_from([0.0, 0.1, 1.0, 100.0])) * X.var() for _ in range(n_columns)]
    params = {
        "n_clusters": draw(st.integers(1, 5)),
        "strength": strengths,
        "init": draw(st.sampled_from(["seeded", "k-means++", "random"])),
        "random_state": draw(st.integers(0, 1000)),
    }
    return X, table, params


@pytest.fixture
def blobs():
    X, y = make_blobs(90, n_features=3, centers=3, cluster_std=3.0, random_state=1)
    return X, y


@given(problems())
@settings(max_examples=40, deadline=None)
def test_the_objective_is_equation_2(problem):
    X, table, params = problem
    model = PartitionKMeans(**params).fit(X, constraints=table)
    expected = equation_2(X, model.labels_, table.T, params["strength"])
    assert model.objective_ == pytest.approx(expected, rel=1e-8, abs=1e-9 * np.square(X).sum())


@given(problems())
@settings(max_examples=40, deadline=None)
def test_the_objective_never_rises(problem):
    X, table, params = problem
    values = [
        PartitionKMeans(max_iter=steps, **params).fit(X, constraints=table).objective_
        for steps in range(1, 8)
    ]
    assert (np.diff(values) <= 1e-9 * (values[0] + np.square(X).sum())).all()


@given(problems(max_columns=1), st.integers(0, 10))
@settings(max_examples=40, deadline=None)
def test_without_strength_it_is_the_k_means_of_scikit_learn(problem, seed):
    X, table, params = problem
    n_clusters = params["n_clusters"]
    start = X[np.random.default_rng(seed).choice(len(X), n_clusters, replace=False)]
    ours = PartitionKMeans(n_clusters, strength=0, init=start).fit(X, constraints=table[:, 0])
    theirs = KMeans(n_clusters, init=start, n_init=1, tol=0).fit(X)
    assert_array_equal(ours.labels_, theirs.labels_)
    assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9, atol=1e-9)
    assert ours.objective_ == pytest.approx(theirs.inertia_, rel=1e-9, abs=1e-9)


def test_an_empty_cluster_takes_the_farthest_row_as_in_scikit_learn():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [30.0]])
    start = np.array([[0.0], [11.0], [1000.0]])
    ours = PartitionKMeans(3, strength=0, init=start).fit(X)
    assert_array_equal(ours.labels_, KMeans(3, init=start, n_init=1).fit(X).labels_)
    assert_array_equal(ours.labels_, [0, 0, 0, 1, 1, 2])


@pytest.mark.parametrize("n_clusters", [3, 5])
def test_endless_strength_from_seeds_is_constrained_k_means(blobs, n_clusters):
    X, y = blobs
    known = np.where(np.arange(90) % 4 == 0, y, -1)
    ours = PartitionKMeans(n_clusters, strength=1e9, random_state=0).fit(X, constraints=known)
    strict = ConstrainedKMeans(n_clusters, random_state=0).fit(X, constraints=known)
    assert_array_equal(ours.labels_, strict.labels_)
    assert_array_equal(ours.labels_[known >= 0], known[known >= 0])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_clusters", [2, 3])
def test_many_starts_find_the_global_optimum_of_a_tiny_problem(seed, n_clusters):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(7, 2))
    known = np.where(rng.random(7) < 0.6, rng.integers(3, size=7), -1)
    model = PartitionKMeans(n_clusters, strength=1.5, init="random", n_init=100, random_state=0)
    best = min(
        equation_2(X, np.array(labels), [known], [1.5])
        for labels in itertools.product(range(n_clusters), repeat=7)
    )
    assert model.fit(X, constraints=known).objective_ == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "tied"])
def test_scale_shift_and_names_change_nothing(blobs, metric):
    X, y = blobs
    known = PartialLabels.sample(y, 0.3, noise=0.2, random_state=0)
    names = np.array(["zebra", "ant", "moose", None], dtype=object)[known.codes]
    plain = PartitionKMeans(4, metric=metric, random_state=0).fit(X, constraints=known)
    moved = PartitionKMeans(4, metric=metric, random_state=0).fit(1000 * X + 17, constraints=known)
    named = PartitionKMeans(4, metric=metric, random_state=0).fit(X, constraints=names)
    assert_array_equal(moved.labels_, plain.labels_)
    assert_allclose(moved.cluster_centers_, 1000 * plain.cluster_centers_ + 17)
    assert same_partition(named.labels_, plain.labels_)


@pytest.mark.parametrize("metric", ["euclidean", "tied"])
@pytest.mark.parametrize(
    "known",
    [
        pytest.param(np.full(90, -1), id="nothing"),
        pytest.param(np.arange(90) % 3, id="every row"),
        pytest.param(np.where(np.arange(90) == 5, 1, -1), id="one row"),
        pytest.param(np.where(np.arange(90) < 9, np.arange(90), -1), id="each class once"),
        pytest.param(np.zeros(90, dtype=int), id="one class"),
        pytest.param(np.arange(90), id="every row its own class"),
    ],
)
def test_corners_of_knowledge_are_fitted(blobs, metric, known):
    X, _ = blobs
    model = PartitionKMeans(3, metric=metric, random_state=0).fit(X, constraints=known)
    assert_array_equal(np.unique(model.labels_), [0, 1, 2])
    unlabelled = known < 0
    assert_array_equal(model.predict(X)[unlabelled], model.labels_[unlabelled])
    if metric == "euclidean":
        expected = equation_2(X, model.labels_, [known], [X.var(axis=0).sum()])
        assert model.objective_ == pytest.approx(expected)


def test_all_rows_labelled_and_trusted_gives_the_labels_back(blobs):
    X, _ = blobs
    known = np.random.default_rng(0).integers(3, size=90)
    labels = PartitionKMeans(3, strength=1e9).fit(X, constraints=known).labels_
    assert_array_equal(labels, known)


def test_a_single_class_costs_nothing_wherever_it_is(blobs):
    X, _ = blobs
    some = np.where(np.arange(90) % 2, 0, -1)
    labelled = PartitionKMeans(3, init=X[:3]).fit(X, constraints=some)
    assert_array_equal(labelled.labels_, PartitionKMeans(3, init=X[:3]).fit(X).labels_)


def test_a_class_may_be_split_over_pure_clusters_at_no_cost():
    X = np.array([[0.0], [1.0], [50.0], [51.0], [100.0], [101.0]])
    known = ["a", "a", "b", "b", "a", "a"]
    model = PartitionKMeans(3, random_state=0).fit(X, constraints=known)
    assert model.objective_ == pytest.approx(1.5)
    assert model.mixtures_[0].round(3).tolist() == [[1, 0], [0, 1], [1, 0]]


def test_more_classes_than_clusters_share_them():
    X = np.array([[0.0], [0.1], [1.0], [1.1], [9.0], [9.1]])
    model = PartitionKMeans(2, strength=0.01).fit(X, constraints=["a", "a", "b", "b", "c", "c"])
    near, far = model.labels_[0], model.labels_[-1]
    assert_array_equal(model.labels_, [near, near, near, near, far, far])
    assert_allclose(model.mixtures_[0][near], [0.5, 0.5, 0])


def test_identical_rows_and_as_many_clusters_as_rows_are_fine():
    same = PartitionKMeans(3, random_state=0).fit(np.ones((5, 2)), constraints=[0, 1, -1, -1, -1])
    assert same.objective_ == 0
    each = PartitionKMeans(5, random_state=0).fit(np.arange(5.0)[:, None])
    assert sorted(each.labels_) == [0, 1, 2, 3, 4]


def test_of_several_starts_the_lowest_objective_is_kept(blobs):
    X, y = blobs
    known = PartialLabels.sample(y, 0.3, random_state=0)
    rng = np.random.RandomState(0)
    single = [
        PartitionKMeans(5, init="random", random_state=rng).fit(X, constraints=known).objective_
        for _ in range(8)
    ]
    best = PartitionKMeans(5, init="random", n_init=8, random_state=np.random.RandomState(0))
    assert best.fit(X, constraints=known).objective_ == min(single)
    assert min(single) < max(single)


def test_predict_agrees_with_the_labels_of_unlabelled_rows(blobs):
    X, y = blobs
    known = PartialLabels.sample(y, 0.2, noise=0.3, random_state=0)
    for metric in ("euclidean", "tied"):
        model = PartitionKMeans(3, metric=metric, random_state=0).fit(X, constraints=known)
        assert_array_equal(model.predict(X)[~known.known], model.labels_[~known.known])
        distance = np.square(X[:, None] - model.cluster_centers_[None]).sum(axis=2)
        if metric == "euclidean":
            assert_array_equal(model.predict(X), distance.argmin(axis=1))


# Several labellings


def test_each_column_pays_its_own_strength(blobs):
    X, y = blobs
    table = np.column_stack([np.where(y == 0, 0, 1), np.random.default_rng(0).integers(3, size=90)])
    table[::3] = -1
    for strengths, kept in (([1e9, 0.0], 0), ([0.0, 1e9], 1)):
        model = PartitionKMeans(3, strength=strengths, random_state=0).fit(X, constraints=table)
        alone = PartitionKMeans(3, strength=1e9, random_state=0)
        if kept == 0:  # the first column also seeds the start
            assert_array_equal(model.labels_, alone.fit(X, constraints=table[:, 0]).labels_)
        impurity = equation_2(X, model.labels_, [table[:, kept]], [1.0])
        assert impurity == pytest.approx(equation_2(X, model.labels_, [table[:, kept]], [0.0]))


def test_one_strength_serves_all_columns(blobs):
    X, y = blobs
    table = np.column_stack([y, y % 2])
    one = PartitionKMeans(3, strength=2.0).fit(X, constraints=table)
    each = PartitionKMeans(3, strength=[2.0, 2.0]).fit(X, constraints=table)
    assert_array_equal(one.labels_, each.labels_)
    assert one.objective_ == each.objective_
    assert [mixture.shape for mixture in one.mixtures_] == [(3, 3), (3, 2)]


def test_the_same_column_twice_is_one_column_of_twice_the_strength(blobs):
    X, y = blobs
    known = PartialLabels.sample(y, 0.3, noise=0.3, random_state=0)
    twice = np.column_stack([known.codes, known.codes])
    double = PartitionKMeans(3, strength=5.0).fit(X, constraints=twice)
    single = PartitionKMeans(3, strength=10.0).fit(X, constraints=known)
    assert_array_equal(double.labels_, single.labels_)
    assert double.objective_ == pytest.approx(single.objective_)
    named = {"n_named": 0, "named_kept": 0}  # which of two columns would be counted?
    assert double.report_ == replace(single.report_, **named)


def test_a_data_frame_of_labels_is_a_table(blobs):
    X, y = blobs
    frame = pd.DataFrame({"kind": pd.Series(y).map({0: "a", 1: "b", 2: None}), "size": y % 2})
    codes = np.column_stack([np.where(y < 2, y, -1), y % 2])
    by_name = PartitionKMeans(3, random_state=0).fit(X, constraints=frame)
    by_code = PartitionKMeans(3, random_state=0).fit(X, constraints=codes)
    assert_array_equal(by_name.labels_, by_code.labels_)


def test_a_table_of_labels_follows_the_rows_through_cross_validation(blobs):
    X, y = blobs
    table = np.column_stack([np.arange(90), np.where(y == 1, 1, -1)])
    with sklearn.config_context(enable_metadata_routing=True):
        model = PartitionKMeans(3, strength=1e-9, random_state=0).set_fit_request(constraints=True)
        folds = cross_validate(
            model, X, y, params={"constraints": table}, cv=3, scoring="adjusted_rand_score",
            return_estimator=True, return_indices=True, error_score="raise",
        )  # fmt: skip
    for fold, rows in zip(folds["estimator"], folds["indices"]["train"], strict=True):
        alone = PartitionKMeans(3, strength=1e-9, random_state=0)
        assert_array_equal(fold.labels_, alone.fit(X[rows], constraints=table[rows]).labels_)
        assert [mixture.shape[1] for mixture in fold.mixtures_] == [60, 1]


# Sparse rows, threads, precision


def test_sparse_rows_stay_sparse(blobs, monkeypatch):
    X, y = blobs
    X = np.where(np.abs(X) < 3, 0.0, X)
    known = PartialLabels.sample(y, 0.3, random_state=0)
    whole = sp.csr_array(X)
    to_array = sp.csr_array.toarray

    def refuse(self, *args, **kwargs):
        assert self.shape[0] < 90, "the table was made dense"
        return to_array(self, *args, **kwargs)

    monkeypatch.setattr(sp.csr_array, "toarray", refuse)
    monkeypatch.setattr(sp.csr_array, "todense", refuse)
    for init in ("seeded", "k-means++", "random"):
        params = {"n_clusters": 4, "init": init, "random_state": 0}
        sparse = PartitionKMeans(**params).fit(whole, constraints=known)
        dense = PartitionKMeans(**params).fit(X, constraints=known)
        assert_array_equal(sparse.labels_, dense.labels_)
        assert sparse.objective_ == pytest.approx(dense.objective_)
        assert_allclose(sparse.cluster_centers_, dense.cluster_centers_, atol=1e-9)
        assert_array_equal(sparse.predict(whole), dense.predict(X))


def test_single_precision_gives_the_same_partition(blobs):
    X, y = blobs
    known = PartialLabels.sample(y, 0.3, random_state=0)
    for metric in ("euclidean", "tied"):
        double = PartitionKMeans(3, metric=metric, random_state=0).fit(X, constraints=known)
        single = PartitionKMeans(3, metric=metric, random_state=0)
        single.fit(X.astype(np.float32), constraints=known)
        assert_array_equal(single.labels_, double.labels_)
        assert single.cluster_centers_.dtype == np.float32


# The learned metric


@pytest.fixture
def sheets():
    """Two long thin clusters side by side: k-means cuts across them."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 2)) * [3.0, 0.3]
    X[:, 1] += 3.0 * y
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return X @ turn, y


def test_the_tied_metric_finds_clusters_of_any_common_shape(sheets):
    X, y = sheets
    known = PartialLabels.sample(y, 0.05, random_state=0)
    plain = PartitionKMeans(2, random_state=0).fit(X, constraints=known)
    tied = PartitionKMeans(2, metric="tied", random_state=0).fit(X, constraints=known)
    unlabelled = ~known.known
    assert nmi(y[unlabelled], tied.labels_[unlabelled]) == 1.0
    assert nmi(y[unlabelled], plain.labels_[unlabelled]) < 0.2


def test_the_tied_metric_is_the_covariance_within_the_clusters(sheets):
    X, y = sheets
    known = PartialLabels.sample(y, 0.1, random_state=0)
    model = PartitionKMeans(2, metric="tied", random_state=0).fit(X, constraints=known)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    means = np.array([Z[model.labels_ == k].mean(axis=0) for k in range(2)])
    inside = np.cov((Z - means[model.labels_]).T, bias=True)
    inside = 0.95 * inside + 0.05 * np.trace(inside) / 2 * np.eye(2)
    metric = (
        np.diag(X.std(axis=0)) @ model.components_.T @ model.components_ @ np.diag(X.std(axis=0))
    )
    assert_allclose(metric, np.linalg.inv(inside))
    mapped = X @ model.components_.T
    strength = mapped.var(axis=0).sum()
    expected = equation_2(mapped, model.labels_, [known.codes], [strength])
    expected += 200 * np.linalg.slogdet(inside)[1]
    assert model.objective_ == pytest.approx(expected)
    own_means = [X[model.labels_ == k].mean(axis=0) for k in range(2)]
    assert_allclose(model.cluster_centers_, own_means)


def test_given_centres_are_understood_in_the_units_of_the_rows(sheets):
    X, y = sheets
    start = np.array([X[y == k].mean(axis=0) for k in range(2)])
    tied = PartitionKMeans(2, metric="tied", init=start).fit(1000 * X + 17)
    moved = PartitionKMeans(2, metric="tied", init=1000 * start + 17).fit(1000 * X + 17)
    assert_array_equal(moved.labels_, y)
    assert not np.array_equal(tied.labels_, y)


def test_given_centres_are_seen_through_the_metric_of_the_labels(sheets, monkeypatch):
    X, y = sheets
    monkeypatch.setattr(partition_kmeans, "TIED_ROUNDS", 1)
    start = X[[0, 100]]
    model = PartitionKMeans(2, metric="tied", strength=0, init=start, max_iter=1)
    model.fit(X, constraints=y)
    scaled = model.components_ * X.std(axis=0)
    assert abs(scaled[0, 1]) > 0.1  # the metric of the labels was kept, not the plain one
    mapped, seeds = X @ model.components_.T, start @ model.components_.T
    nearest = np.square(mapped[:, None] - seeds[None]).sum(axis=2).argmin(axis=1)
    assert_array_equal(model.labels_, nearest)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize(
    ("known", "kept"),
    [
        pytest.param([0, -1, 1, -1], "told", id="labels overrule the likelier result"),
        pytest.param([-1, -1, -1, -1], "likely", id="without labels the likelier is kept"),
        pytest.param([0, -1, -1, 1], "likely", id="between equals the likelier is kept"),
    ],
)
def test_of_the_two_alternations_one_is_kept(monkeypatch, known, kept, order):
    X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]])
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    groups = {"told": [0, 0, 1, 1], "likely": [0, 1, 0, 1]}
    ends = []
    for name, objective in (("told", 10.0), ("likely", 1.0)):
        labels = np.array(groups[name], dtype=np.int32)
        centers = np.array([Z[labels == k].mean(axis=0) for k in range(2)])
        ends.append((Descent(labels, centers, [], objective, 1), np.eye(2)))
    results = iter([ends[i] for i in order])
    monkeypatch.setattr(PartitionKMeans, "_alternate", lambda *_: next(results))
    model = PartitionKMeans(2, metric="tied").fit(X, constraints=known)
    assert model.labels_.tolist() == groups[kept]


def test_a_constant_feature_does_not_disturb_the_tied_metric(sheets):
    X, y = sheets
    known = PartialLabels.sample(y, 0.05, random_state=0)
    wider = np.column_stack([X, np.full(200, 7.0)])
    model = PartitionKMeans(2, metric="tied", random_state=0).fit(wider, constraints=known)
    assert nmi(y, model.labels_) == 1.0


# The paper's figures, on the sets that come with scikit-learn


def test_iris_reaches_the_figure_of_the_paper():
    X, y = load_iris(return_X_y=True)
    scores = []
    for draw in range(12):
        known = PartialLabels.sample(y, 0.1, random_state=draw)
        model = PartitionKMeans(3, strength=100, init="random", n_init=10, random_state=draw)
        scores.append(nmi(y, model.fit(X, constraints=known).labels_))
    assert np.mean(scores) == pytest.approx(0.766, abs=0.014)


@pytest.mark.parametrize(
    ("load", "noise", "least"),
    [(load_iris, 0.0, 0.84), (load_iris, 0.2, 0.83), (load_wine, 0.0, 0.84)],
)
def test_the_tied_metric_carries_over_to_unlabelled_rows(load, noise, least):
    X, y = load(return_X_y=True)
    scores = []
    for draw in range(12):
        known = PartialLabels.sample(y, 0.1, noise=noise, random_state=draw)
        model = PartitionKMeans(3, metric="tied", random_state=draw).fit(X, constraints=known)
        scores.append(nmi(y[~known.known], model.labels_[~known.known]))
    assert np.mean(scores) >= least


# What is refused


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"strength": -1},
            "PartitionKMeans(strength=-1): strength must be a number >= 0 or 'auto'.",
        ),
        (
            {"strength": "strong"},
            "PartitionKMeans(strength='strong'): strength must be a number >= 0 or 'auto'.",
        ),
        (
            {"strength": [1.0, "much"]},
            "PartitionKMeans(strength=[1.0, 'much']): each strength must be a number >= 0 or "
            "'auto', found 'much'.",
        ),
        (
            {"strength": [1.0, True]},
            "PartitionKMeans(strength=[1.0, True]): each strength must be a number >= 0 or "
            "'auto', found True.",
        ),
        (
            {"strength": [1.0, 2.0]},
            "PartitionKMeans(strength=[1.0, 2.0]): 2 strengths were given for 1 column of labels.",
        ),
        (
            {"metric": "cosine"},
            "PartitionKMeans(metric='cosine'): metric must be one of 'euclidean', 'tied'.",
        ),
        (
            {"init": "best"},
            "PartitionKMeans(init='best'): init must be one of 'seeded', 'k-means++', 'random'.",
        ),
        (
            {"init": np.zeros((2, 2))},
            "PartitionKMeans: init must be 'seeded', 'k-means++', 'random' or finite centres of "
            "shape (3, 3), got an array of shape (2, 2).",
        ),
        ({"n_init": 0}, "PartitionKMeans(n_init=0): n_init must be a whole number >= 1."),
        ({"max_iter": 0}, "PartitionKMeans(max_iter=0): max_iter must be a whole number >= 1."),
    ],
)
def test_senseless_parameters_are_refused(blobs, params, message):
    X, y = blobs
    with pytest.raises(ValueError) as caught:
        PartitionKMeans(3, **params).fit(X, constraints=y)
    assert str(caught.value) == message


def test_centres_that_are_not_finite_are_refused(blobs):
    X, _ = blobs
    with pytest.raises(ValueError, match="finite centres of shape"):
        PartitionKMeans(3, init=np.full((3, 3), np.nan)).fit(X)


def test_the_tied_metric_refuses_sparse_rows(blobs):
    X, _ = blobs
    with pytest.raises(ValueError) as caught:
        PartitionKMeans(3, metric="tied").fit(sp.csr_array(X))
    assert str(caught.value) == (
        "PartitionKMeans(metric='tied'): X is sparse, but the metric is one dense matrix over all "
        "features. Reduce the features first, for example with TruncatedSVD."
    )


def test_a_table_about_other_rows_is_refused(blobs):
    X, _ = blobs
    with pytest.raises(ValueError) as caught:
        PartitionKMeans(3).fit(X, constraints=np.zeros((40, 2)))
    assert str(caught.value) == (
        "constraints describe 40 rows but X has 90. Slice both together: X[rows], labels[rows]."
    )


@pytest.mark.parametrize(
    ("metric", "form"),
    [("euclidean", np.asarray), ("euclidean", sp.csr_array), ("tied", np.asarray)],
)
def test_a_row_of_weight_three_counts_as_three_rows_where_clusters_overlap(metric, form):
    X, y = make_blobs(90, n_features=3, centers=3, cluster_std=4.0, random_state=1)
    times = np.random.default_rng(0).integers(0, 5, 90)
    known = np.where(np.arange(90) % 3 == 0, y, -1)
    model = PartitionKMeans(3, metric=metric)
    one = model.fit(form(X), constraints=known, sample_weight=times)
    expected = one.labels_, one.cluster_centers_, one.mixtures_[0], one.objective_
    plain = model.fit(form(X), constraints=known).labels_
    many = model.fit(form(np.repeat(X, times, axis=0)), constraints=np.repeat(known, times))
    assert_array_equal(np.repeat(expected[0], times), many.labels_)
    assert_allclose(expected[1], many.cluster_centers_)
    assert_allclose(expected[2], many.mixtures_[0])
    assert expected[3] == pytest.approx(many.objective_)
    assert (plain != expected[0]).any()


def test_starts_are_drawn_among_rows_that_count(blobs):
    X, _ = blobs
    far = np.vstack([X, X[:9] + 1000.0])
    heed = np.append(np.random.default_rng(0).uniform(0.5, 2.0, len(X)), np.zeros(9))
    for init in ("random", "k-means++"):
        model = PartitionKMeans(3, init=init, max_iter=1, random_state=0)
        model.fit(far, sample_weight=heed)
        assert np.abs(model.cluster_centers_).max() < 100
