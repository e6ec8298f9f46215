import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from linkwise.cluster.spectral import landmarks
from linkwise.cluster.spectral.landmarks import (
    CHOICES,
    count_landmarks,
    kmeans_landmarks,
    pagerank_landmarks,
    random_landmarks,
)


@pytest.fixture
def rows():
    return make_blobs(200, n_features=3, centers=4, random_state=0)[0]


def test_the_number_of_landmarks_follows_rows_and_clusters():
    assert count_landmarks("auto", 10_000, 10) == 500
    assert count_landmarks("auto", 50_000, 10) == 1000
    assert count_landmarks("auto", 10_000, 100) == 2000
    assert count_landmarks("auto", 1_000_000, 200) == 3000
    assert count_landmarks("auto", 1_000_000, 5000) == 5001
    assert count_landmarks("auto", 300, 10) == 150
    assert count_landmarks("auto", 5, 4) == 5
    assert count_landmarks(70, 300, 10) == 70
    assert count_landmarks(700, 300, 10) == 300


@pytest.mark.parametrize("choice", sorted(CHOICES))
def test_the_same_seed_chooses_the_same_landmarks(rows, choice):
    chosen = [CHOICES[choice](rows, 2.0, 20, np.random.RandomState(1)) for _ in range(2)]
    assert chosen[0].shape == (20, 3)
    assert_array_equal(chosen[0], chosen[1])


@pytest.mark.parametrize("choose", [random_landmarks, pagerank_landmarks])
def test_chosen_rows_are_distinct_rows_in_units(rows, choose):
    chosen = choose(rows, 2.0, 20, np.random.RandomState(0))
    places = [np.flatnonzero((rows / 2.0 == landmark).all(axis=1)) for landmark in chosen]
    assert len(np.unique(np.concatenate(places))) == 20


def test_k_means_landmarks_serve_the_rows_better_than_random_ones(rows):
    def cost(points):
        return np.square(rows[:, None] - points[None]).sum(axis=2).min(axis=1).sum()

    by_kmeans = kmeans_landmarks(rows, 1.0, 10, np.random.RandomState(0))
    assert cost(by_kmeans) < 0.9 * cost(random_landmarks(rows, 1.0, 10, np.random.RandomState(0)))


def test_as_many_k_means_landmarks_as_rows_are_the_rows(rows):
    chosen = kmeans_landmarks(rows[:30], 1.0, 30, np.random.RandomState(0))
    order = np.lexsort(chosen.T), np.lexsort(rows[:30].T)
    assert_allclose(chosen[order[0]], rows[:30][order[1]], atol=1e-5)


def test_no_more_than_a_sample_is_looked_at(rows, monkeypatch):
    monkeypatch.setattr(landmarks, "SAMPLE_ROWS", 40)
    sampled = kmeans_landmarks(rows, 1.0, 40, np.random.RandomState(0))
    nearest = np.square(rows[:, None] - sampled[None]).sum(axis=2).min(axis=1)
    assert (nearest < 1e-9).sum() == 40


def test_page_rank_solves_its_equation(rows):
    X = rows[:50]
    rank = landmarks._pagerank(X, 5)
    squared = np.square(X[:, None] - X[None]).sum(axis=2)
    visits = np.zeros((50, 50))
    for i in range(50):
        near = np.argsort(squared[i], kind="stable")[1:6]
        weight = np.exp(-squared[i, near] / (2 * squared[i, near[-1]]))
        visits[near, i] = weight / weight.sum()
    expected = np.linalg.solve(np.eye(50) - 0.85 * visits, np.full(50, 0.15 / 50))
    assert_allclose(rank, expected, atol=1e-10)


def test_an_outlier_is_not_chosen_by_page_rank(rows):
    with_outlier = np.vstack([rows, [[1e3, 1e3, 1e3]]])
    chosen = pagerank_landmarks(with_outlier, 1.0, 100, np.random.RandomState(0))
    assert chosen.max() < 1e3
