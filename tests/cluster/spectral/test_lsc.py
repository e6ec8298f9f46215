import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_moons
from sklearn.metrics import adjusted_rand_score

from linkwise import LSC, Links
from linkwise.scores import nmi


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@pytest.mark.parametrize("landmarks", ["kmeans", "random", "pagerank"])
def test_the_digits_are_found_with_any_landmarks(digits, landmarks):
    X, y = digits
    labels = LSC(10, landmarks=landmarks, random_state=0).fit(X).labels_
    assert nmi(y, labels) > 0.8
    assert nmi(y, labels) > nmi(y, KMeans(10, n_init=5, random_state=0).fit(X).labels_)


def test_it_clusters_the_singular_vectors_of_a_dense_matrix(digits):
    X, _ = digits
    model = LSC(10, landmarks="random", n_init=20, random_state=0).fit(X)
    Z = model._model.graph.weights(X).toarray()
    B = np.linalg.svd(Z / np.sqrt(Z.sum(axis=0)), full_matrices=False)[0][:, 1:11]
    B /= np.linalg.norm(B, axis=1, keepdims=True)
    expected = KMeans(10, n_init=20, random_state=1).fit(B).labels_
    assert adjusted_rand_score(expected, model.labels_) > 0.99


def test_shapes_that_are_not_round_are_found():
    X, y = make_moons(500, noise=0.05, random_state=0)
    labels = LSC(2, n_landmarks=100, random_state=0).fit(X).labels_
    assert adjusted_rand_score(y, labels) > 0.95


def test_prediction_equals_the_labels_of_the_rows(digits):
    X, _ = digits
    model = LSC(10, random_state=0).fit(X)
    assert_array_equal(model.predict(X[::7]), model.labels_[::7])


def test_links_are_counted_and_change_nothing(digits):
    X, y = digits
    links = Links.sample(y, 100, random_state=0)
    model = LSC(10, random_state=0).fit(X, constraints=links)
    assert_array_equal(model.labels_, LSC(10, random_state=0).fit(X).labels_)
    assert model.report_.n_links == 100


def test_more_landmarks_than_rows_are_all_rows():
    X = np.random.default_rng(0).standard_normal((30, 2))
    model = LSC(3, n_landmarks=100, random_state=0).fit(X)
    assert len(model._model.graph.landmarks) == 30


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("landmarks", "best", "landmarks must be one of 'kmeans', 'random', 'pagerank'."),
        ("n_landmarks", 0, "n_landmarks must be a whole number >= 1 or 'auto'."),
    ],
)
def test_senseless_parameters_are_refused(option, value, message):
    with pytest.raises(ValueError) as caught:
        LSC(2, **{option: value}).fit(np.eye(6))
    assert str(caught.value) == f"LSC({option}={value!r}): {message}"
