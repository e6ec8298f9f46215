import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_blobs, make_circles

from linkwise import Links, MaxMarginClustering, PartialLabels, scores
from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.objective import PairMargin
from linkwise.cluster.margin.starts import STARTS
from linkwise.errors import ConstraintWarning


@pytest.fixture
def stretched():
    """Three groups at the corners of a triangle, all long along the third feature."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], 40)
    corners = np.array([[0, 0, 0], [5, 0, 0], [0, 5, 0]])
    return corners[y] + rng.normal(size=(120, 3)) * [1, 1, 15], y


@pytest.fixture
def blobs():
    X, y = make_blobs(120, n_features=4, centers=3, cluster_std=2.5, random_state=3)
    return X, y


def fit(X, links=None, n_clusters=3, **params):
    return MaxMarginClustering(n_clusters, random_state=0, **params).fit(X, constraints=links)


def test_links_reveal_which_feature_matters(stretched):
    X, y = stretched
    model = fit(X, Links.sample(y, 40, random_state=0))
    assert scores.accuracy(y, KMeans(3, n_init=5, random_state=0).fit(X).labels_) < 0.6
    assert scores.accuracy(y, model.labels_) > 0.95


def test_the_objective_is_that_of_the_kept_weights(blobs):
    X, y = blobs
    links = Links.sample(y, 30, random_state=0)
    model = fit(X, links, alpha=0.02, delta=0.5)
    problem = PairMargin(CentredRows.of(X), links, 0.02, 0.5)
    assert_allclose(model.objective_, problem.objective(model.coef_.T))
    assert model.objectives_[model.start_] == model.objective_


def test_labels_margins_and_predictions_come_from_the_scores(blobs):
    X, y = blobs
    model = fit(X, Links.sample(y, 30, random_state=0))
    S = model.decision_function(X)
    scale = np.sqrt(X.var(axis=0).sum())
    assert_allclose(S, (X - X.mean(axis=0)) / scale @ model.coef_.T, atol=1e-12)
    assert_array_equal(model.labels_, S.argmax(axis=1))
    assert_array_equal(model.predict(X), model.labels_)
    ordered = np.sort(S, axis=1)
    assert_allclose(model.margins_, ordered[:, -1] - ordered[:, -2])


@pytest.mark.parametrize("solver", ["lbfgs", "subgradient"])
@pytest.mark.parametrize("factor", [1000.0, 1e-3, -2.0])
def test_scale_and_shift_of_the_rows_change_nothing(blobs, factor, solver):
    X, y = blobs
    links = Links.sample(y, 30, random_state=0)
    params = {"solver": solver, "alpha": 0.05 if solver == "subgradient" else "auto"}
    plain = fit(X, links, **params).labels_
    shift = np.array([5.0, -100.0, 0.0, 3.0])
    assert_array_equal(fit(factor * X + shift, links, **params).labels_, plain)


@pytest.mark.parametrize("start", STARTS)
def test_every_start_can_be_asked_for(blobs, start):
    X, y = blobs
    model = fit(X, Links.sample(y, 40, random_state=0), starts=start)
    assert list(model.objectives_) == [model.start_] == [start]
    assert scores.accuracy(y, model.labels_) > 0.6


def test_of_several_starts_the_best_by_objective_and_broken_links_is_kept(stretched):
    X, y = stretched
    links = Links.sample(y, 30, random_state=1)
    model = fit(X, links)
    assert set(model.objectives_) == set(STARTS)

    def price(name):
        one = fit(X, links, starts=name)
        broken = 1 - one.report_.n_kept / one.report_.n_links
        return len(np.unique(one.labels_)) < 3, one.objective_ + 2 * broken

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstraintWarning)
        prices = {name: price(name) for name in STARTS}
    assert model.start_ == min(prices, key=prices.get)


def test_a_list_of_starts_tries_just_these(blobs):
    X, y = blobs
    model = fit(X, Links.sample(y, 20, random_state=0), starts=["links", "kmeans"])
    assert set(model.objectives_) == {"links", "kmeans"}


@pytest.mark.parametrize(
    ("n_links", "alpha"), [(0, 0.01), (50, 0.01), (100, 0.005), (500, 0.001), (900, 0.001)]
)
def test_alpha_follows_the_number_of_links(n_links, alpha):
    assert_allclose(MaxMarginClustering()._alpha(n_links), alpha)


def test_rounds_stay_within_the_limit(blobs):
    X, y = blobs
    links = Links.sample(y, 40, random_state=0)
    assert fit(X, links, max_iter=2, tol=0.0).n_iter_ <= 2
    assert fit(X, links).n_iter_ <= 50


def knowledge(y):
    drawn = Links.sample(y, 40, random_state=0)
    chain = [(i, i + 1) for i in range(len(y) - 1)]
    same = [(i, j) for i, j in chain if y[i] == y[j]]
    return {
        "no must-links": Links(120, cannot=drawn.cannot),
        "no cannot-links": Links(120, must=drawn.must),
        "one link": Links(120, must=drawn.must[:1]),
        "every row": Links(120, must=same, cannot=[(i, j) for i, j in chain if y[i] != y[j]]),
        "contradictions": Links(120, [*drawn.must, (0, 1), (1, 2)], [*drawn.cannot, (0, 2)]),
        "weightless": Links(120, drawn.must, drawn.cannot, weight=np.zeros(40)),
        "labels": PartialLabels(np.where(np.arange(120) % 5 == 0, y, -1)),
    }


@pytest.mark.filterwarnings("ignore::linkwise.errors.ContradictionWarning")
@pytest.mark.parametrize("case", knowledge(np.arange(120) % 3))
@pytest.mark.parametrize("solver", ["lbfgs", "subgradient"])
def test_any_knowledge_is_borne(blobs, case, solver):
    X, y = blobs
    alpha = 0.05 if solver == "subgradient" else "auto"
    model = fit(X, knowledge(y)[case], solver=solver, alpha=alpha)
    assert np.isfinite(model.objective_)
    assert scores.accuracy(y, model.labels_) > 0.6


def test_without_links_the_start_is_k_means(blobs):
    X, _ = blobs
    model = fit(X)
    assert model.start_ == "kmeans-direct"
    plain = KMeans(3, n_init=5, random_state=0).fit(X).labels_
    assert scores.nmi(plain, model.labels_) > 0.6


def test_more_clusters_than_features_are_found():
    X = np.array([[np.cos(t), np.sin(t)] for t in np.arange(60) * np.pi / 30])
    y = np.arange(60) // 12
    model = fit(X, Links.sample(y, 200, random_state=0), n_clusters=5)
    assert scores.accuracy(y, model.labels_) > 0.9


def test_more_features_than_rows_are_borne():
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 300)) + y[:, None] * 0.5
    model = fit(X, Links.sample(y, 30, random_state=0), n_clusters=2)
    assert scores.accuracy(y, model.labels_) > 0.9
    assert model.coef_.shape == (2, 300)


def test_one_cluster_holds_all_rows(blobs):
    X, y = blobs
    model = fit(X, Links.sample(y, 10, random_state=0), n_clusters=1)
    assert_array_equal(model.labels_, 0)
    assert_array_equal(model.margins_, 0)


@pytest.mark.filterwarnings("ignore::linkwise.errors.ContradictionWarning")
def test_heavy_links_are_heard_over_light_ones(blobs):
    X, y = blobs
    right, wrong = (
        Links.sample(y, 60, random_state=0),
        Links.sample(y, 60, noise=1.0, random_state=1),
    )
    both = Links(
        120,
        np.vstack([right.must, wrong.must]),
        np.vstack([right.cannot, wrong.cannot]),
        weight=np.concatenate(
            [
                np.repeat([10.0, 0.01], [len(right.must), len(wrong.must)]),
                np.repeat([10.0, 0.01], [len(right.cannot), len(wrong.cannot)]),
            ]
        ),
    )
    alike = Links(120, both.must, both.cannot)
    heard = scores.accuracy(y, fit(X, both).labels_)
    assert heard > 0.9
    assert heard > scores.accuracy(y, fit(X, alike).labels_) + 0.1


def test_sparse_rows_give_the_scores_of_dense_ones(blobs):
    X, y = blobs
    X = np.where(np.abs(X) < 2, 0.0, X)
    links = Links.sample(y, 40, random_state=0)
    dense, sparse = (fit(kind(X), links, starts="kmeans") for kind in (np.asarray, sp.csr_array))
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-4, atol=1e-6)
    assert_allclose(
        sparse.decision_function(sp.csr_array(X)), dense.decision_function(X), atol=1e-4
    )


def test_sparse_rows_are_never_made_dense_whatever_the_start(monkeypatch):
    rng = np.random.RandomState(0)
    y = np.arange(150) % 3
    X = rng.normal(size=(150, 120)) + 4 * np.eye(3, 120)[y]
    X = sp.csr_array(np.where(rng.rand(150, 120) < 0.7, 0.0, X))
    for name in ("toarray", "todense"):
        monkeypatch.setattr(sp.csr_array, name, lambda *_, **__: pytest.fail("made dense"))
    model = fit(X, Links.sample(y, 60, random_state=0))
    assert set(model.objectives_) == set(STARTS)
    assert_array_equal(model.predict(X), model.labels_)


def test_the_rbf_kernel_bends_the_borders():
    X, y = make_circles(300, factor=0.4, noise=0.08, random_state=0)
    links = Links.sample(y, 300, random_state=0)
    flat = fit(X, links, n_clusters=2)
    bent = fit(X, links, n_clusters=2, kernel="rbf", n_components=200)
    assert scores.accuracy(y, flat.labels_) < 0.7
    assert scores.accuracy(y, bent.labels_) > 0.95
    assert_array_equal(bent.predict(X), bent.labels_)


def test_lost_clusters_are_warned_about():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]])  # three cones do not fit on a line
    with pytest.warns(ConstraintWarning) as caught:
        fit(X, Links(6, must=[(0, 1)], cannot=[(0, 2), (2, 4)]))
    assert str(caught[0].message) == (
        "MaxMarginClustering: 2 clusters were found where n_clusters=3 were asked for. A smaller "
        "alpha or more links may keep them apart."
    )


def test_the_margin_between_odd_and_even_digits_is_found():
    X, digit = load_digits(return_X_y=True)
    X, y = X[:900], digit[:900] % 2
    model = MaxMarginClustering(2, random_state=0, starts=["links", "ridge-kmeans"])
    model.fit(X, constraints=Links.sample(y, 300, random_state=0))
    assert scores.accuracy(y, KMeans(2, n_init=3, random_state=0).fit(X).labels_) < 0.8
    assert scores.accuracy(y, model.labels_) > 0.87


def test_what_is_no_start_is_refused(blobs):
    for starts in ("middle", ["kmeans", "middle"], []):
        with pytest.raises(ValueError) as caught:
            fit(blobs[0], starts=starts)
        assert str(caught.value) == (
            f"MaxMarginClustering(starts={starts!r}): starts must be 'auto', one of 'kmeans', "
            "'kmeans-direct', 'links', 'links-kmeans', 'ridge-kmeans', 'mpck' or a list of these."
        )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alpha": 0}, "MaxMarginClustering(alpha=0): alpha must be a number >= 1e-09 or 'auto'."),
        ({"delta": -1}, "MaxMarginClustering(delta=-1): delta must be a number >= 0."),
        (
            {"solver": "newton"},
            "MaxMarginClustering(solver='newton'): solver must be one of 'lbfgs', 'subgradient'.",
        ),
        (
            {"kernel": "cubic"},
            "MaxMarginClustering(kernel='cubic'): kernel must be one of None, 'rbf'.",
        ),
    ],
)
def test_senseless_parameters_are_refused(blobs, params, message):
    with pytest.raises(ValueError) as caught:
        fit(blobs[0], **params)
    assert str(caught.value) == message
