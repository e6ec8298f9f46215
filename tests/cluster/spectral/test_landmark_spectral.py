import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_digits, make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from linkwise import LSC, LandmarkSpectralClustering, Links
from linkwise.cluster.spectral import landmark_spectral
from linkwise.errors import ConstraintWarning
from linkwise.scores import nmi

METHODS = ("propagate", "inject")


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


def drawn_pairs(y, n_each, seed):
    """Return as many must-links as cannot-links, drawn from the truth."""
    rng = np.random.RandomState(1000 + seed)
    must, cannot = [], []
    while len(must) < n_each or len(cannot) < n_each:
        i, j = rng.choice(len(y), 2, replace=False)
        kind = must if y[i] == y[j] else cannot
        if len(kind) < n_each:
            kind.append((i, j))
    return Links(len(y), must=must, cannot=cannot)


def drawn_labels(y, n_known, seed):
    rows = np.random.RandomState(1000 + seed).choice(len(y), n_known, replace=False)
    labels = np.full(len(y), -1)
    labels[rows] = y[rows]
    return Links.from_labels(labels)


def free_rows(links):
    return np.setdiff1d(np.arange(len(links)), links.linked_rows)


def mean_nmi_of_free_rows(digits, draw, n_seeds=10, **options):
    X, y = digits
    scores = []
    for seed in range(n_seeds):
        links = draw(y, seed)
        model = LandmarkSpectralClustering(10, random_state=seed, **options)
        free = free_rows(links)
        scores.append(nmi(y[free], model.fit(X, constraints=links).labels_[free]))
    return np.mean(scores)


def test_labels_of_180_digits_lift_the_others_to_the_reference(digits):
    score = mean_nmi_of_free_rows(digits, lambda y, seed: drawn_labels(y, 180, seed))
    assert score >= 0.92


def test_ninety_pairs_of_each_kind_lift_the_digits_to_the_reference(digits):
    score = mean_nmi_of_free_rows(digits, lambda y, seed: drawn_pairs(y, 90, seed))
    assert score >= 0.895


def test_five_pairs_of_each_kind_do_no_harm_to_the_digits(digits):
    score = mean_nmi_of_free_rows(digits, lambda y, seed: drawn_pairs(y, 5, seed))
    assert score >= 0.855


def test_injected_labels_lift_the_digits_too(digits):
    score = mean_nmi_of_free_rows(
        digits, lambda y, seed: drawn_labels(y, 180, seed), n_seeds=3, method="inject"
    )
    assert score >= 0.92


@pytest.mark.parametrize("method", METHODS)
def test_without_links_it_is_lsc(digits, method):
    X, _ = digits
    plain = LSC(10, random_state=3).fit(X).labels_
    model = LandmarkSpectralClustering(10, method=method, random_state=3)
    assert_array_equal(model.fit(X).labels_, plain)


@pytest.mark.parametrize("method", METHODS)
def test_prediction_equals_the_labels_of_rows_in_no_link(digits, method):
    X, y = digits
    links = drawn_pairs(y, 60, 0)
    model = LandmarkSpectralClustering(10, method=method, random_state=0).fit(X, constraints=links)
    free = free_rows(links)
    assert_array_equal(model.predict(X[free]), model.labels_[free])
    assert_array_equal(model.predict(X[free[:1]]), model.labels_[free[:1]])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("factor", [1000.0, 2.0**100, 2.0**-100])
def test_the_scale_of_the_data_does_not_matter(digits, method, factor):
    X, y = digits
    links = drawn_pairs(y, 60, 1)
    model = LandmarkSpectralClustering(10, method=method, random_state=0)
    labels = model.fit(X, constraints=links).labels_
    assert_array_equal(model.fit(factor * X, constraints=links).labels_, labels)


@pytest.mark.parametrize("method", METHODS)
def test_rounding_in_the_scale_does_not_matter(method):
    X, y = make_blobs(300, n_features=4, centers=4, cluster_std=2.0, random_state=0)
    links = drawn_pairs(y, 20, 0)
    model = LandmarkSpectralClustering(4, method=method, random_state=0)
    labels = model.fit(X, constraints=links).labels_
    assert_array_equal(model.fit(0.1234567 * X, constraints=links).labels_, labels)


@pytest.mark.parametrize("method", METHODS)
def test_all_given_links_hold_when_they_can(digits, method):
    X, y = digits
    model = LandmarkSpectralClustering(10, method=method, random_state=0)
    assert model.fit(X, constraints=drawn_pairs(y, 150, 2)).report_.n_kept == 300


@pytest.mark.parametrize("method", METHODS)
def test_cannot_links_alone_are_enough_to_fit(digits, method):
    X, y = digits[0][:300], digits[1][:300]
    links = Links(300, cannot=drawn_pairs(y, 40, 0).cannot)
    model = LandmarkSpectralClustering(10, method=method, random_state=0).fit(X, constraints=links)
    assert model.report_.cannot_kept == 40
    assert nmi(y, model.labels_) > 0.6


@pytest.mark.parametrize("method", METHODS)
def test_three_linked_rows_are_enough_to_fit(digits, method):
    X, y = digits[0][:300], digits[1][:300]
    links = Links(300, must=[(0, 10)], cannot=[(0, 1)])
    model = LandmarkSpectralClustering(10, method=method, random_state=0).fit(X, constraints=links)
    assert model.report_.n_kept == 2
    assert nmi(y, model.labels_) > 0.6


@pytest.mark.parametrize("method", METHODS)
def test_contradictory_links_are_repaired_with_a_warning(digits, method):
    X = digits[0][:200]
    links = Links(200, must=[(0, 1), (1, 2)], cannot=[(0, 2)], weight=[1.0, 2.0, 2.0])
    model = LandmarkSpectralClustering(10, method=method, random_state=0)
    with pytest.warns(
        ConstraintWarning, match=r"^LandmarkSpectralClustering: the links contradict"
    ):
        model.fit(X, constraints=links)
    assert model.report_.withdrawn.must.tolist() == [[0, 1]]
    assert model.report_.n_kept >= 2


@pytest.mark.parametrize("method", METHODS)
def test_landmarks_that_no_row_is_near_to_are_survived(method):
    X, y = make_blobs(90, centers=3, cluster_std=0.5, random_state=0)
    X[:6] = X[0]  # six linked landmarks in one place: rows are connected to two of them
    y[:6] = y[0]
    links = Links(
        90, must=[(i, i + 1) for i in range(5)], cannot=[(0, np.flatnonzero(y != y[0])[0])]
    )
    model = LandmarkSpectralClustering(
        3, method=method, n_neighbors=2, n_landmarks=20, random_state=0
    ).fit(X, constraints=links)
    assert (model._model.graph.weights(X).sum(axis=0) == 0).any()
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert model.report_.n_kept == 6


def test_two_moons_are_told_apart_by_six_labels():
    scores = []
    for seed in range(6):
        X, y = make_moons(400, noise=0.08, random_state=seed)
        rng = np.random.RandomState(seed)
        labels = np.full(400, -1)
        for k in (0, 1):
            labels[rng.choice(np.flatnonzero(y == k), 3, replace=False)] = k
        model = LandmarkSpectralClustering(2, n_landmarks=100, random_state=seed)
        scores.append(adjusted_rand_score(y, model.fit(X, constraints=labels).labels_))
    assert np.mean(scores) > 0.9


@pytest.mark.parametrize("method", METHODS)
def test_linked_rows_beyond_the_most_that_become_landmarks_follow_their_component(
    digits, method, monkeypatch
):
    monkeypatch.setattr(landmark_spectral, "MOST_LINKED", 40)
    X, y = digits
    links = drawn_labels(y, 300, 0)
    model = LandmarkSpectralClustering(10, method=method, random_state=0).fit(X, constraints=links)
    assert model._model.graph.landmarks.shape[0] == 540
    assert model.report_.n_kept == links.n_links
    assert nmi(y, model.labels_) > 0.85


def test_wrong_answers_do_not_push_the_result_below_no_answers(digits):
    X, y = digits
    without, given = [], []
    for seed in range(5):
        links, _ = Links.sample(y, 500, noise=0.1, random_state=seed).repair()
        free = free_rows(links)
        plain = LSC(10, random_state=seed).fit(X).labels_
        model = LandmarkSpectralClustering(10, random_state=seed).fit(X, constraints=links)
        without.append(nmi(y[free], plain[free]))
        given.append(nmi(y[free], model.labels_[free]))
    assert np.mean(given) > np.mean(without)


@pytest.mark.parametrize("method", METHODS)
def test_links_of_no_weight_at_all_are_survived(digits, method):
    X, y = digits[0][:300], digits[1][:300]
    links = Links(300, must=[(0, 10)], cannot=[(0, 1)], weight=[0.0, 0.0])
    model = LandmarkSpectralClustering(10, method=method, random_state=0).fit(X, constraints=links)
    assert nmi(y, model.labels_) > 0.6


def test_a_result_that_breaks_most_links_gives_way_to_the_one_without_links(digits, monkeypatch):
    X, y = digits
    links = drawn_pairs(y, 90, 0)
    monkeypatch.setattr(landmark_spectral, "_propagated", lambda Z, _, k: np.ones((Z.shape[1], k)))
    model = LandmarkSpectralClustering(10, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # one place, ten clusters
        model.fit(X, constraints=links)
    assert nmi(y, model.labels_) > 0.8
    assert model.report_.n_kept == links.n_links


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("method", "spread", "method must be one of 'propagate', 'inject'."),
        ("n_neighbors", 0, "n_neighbors must be a whole number >= 1."),
        ("n_landmarks", "many", "n_landmarks must be a whole number >= 1 or 'auto'."),
        ("n_init", 0, "n_init must be a whole number >= 1."),
        ("max_iter", 1.5, "max_iter must be a whole number >= 1."),
    ],
)
def test_senseless_parameters_are_refused(option, value, message):
    model = LandmarkSpectralClustering(2, **{option: value})
    with pytest.raises(ValueError) as caught:
        model.fit(np.eye(6))
    assert str(caught.value) == f"LandmarkSpectralClustering({option}={value!r}): {message}"
