"""How alike rows are: against a plain least squares problem and dense eigenvectors."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import Links, PartialLabels
from linkwise.cluster.sequential.answers import Answers
from linkwise.cluster.sequential.similarity import _PRECISION, find_clusters, learn_similarity
from linkwise.cluster.sequential.traits import FEATURE_SHARE, Traits
from linkwise.scores import accuracy


def read(links):
    return Answers.of(links, PartialLabels(np.full(len(links), -1)))


def some_traits(n, seed=0, n_directions=4, n_features=3):
    rng = np.random.default_rng(seed)
    vectors, features = rng.normal(size=(n, n_directions)), rng.normal(size=(n, n_features))
    return Traits.of(vectors, np.linspace(1.0, 0.2, n_directions), features)


def twin(traits, prior, answers):
    """Return the matrix nearest to the prior that explains the answers, by least squares."""
    d = traits.shape[1]
    design, right = [], []
    for i, j, must, weight in zip(answers.i, answers.j, answers.must, answers.weight, strict=True):
        pair = np.outer(traits[i], traits[j])
        scale = np.sqrt(weight)
        design.append(scale * (pair + pair.T).ravel() / 2)
        right.append(scale * (must - traits[i] @ np.diag(prior) @ traits[j]))
    rows = np.vstack([design, np.eye(d * d)])
    found, *_ = np.linalg.lstsq(rows, np.append(right, np.zeros(d * d)), rcond=None)
    return np.diag(prior) + found.reshape(d, d)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 25))
def test_it_is_the_ridge_regression_of_the_answers(seed, n_links):
    rng = np.random.default_rng(seed)
    traits = some_traits(12, seed)
    links = Links.sample(rng.integers(0, 3, 12), n_links, random_state=seed % 1000)
    weight = rng.choice([0.3, 1.0, 2.0], links.n_links)
    answers = read(Links(12, must=links.must, cannot=links.cannot, weight=weight))
    at = traits.landmarks[answers.rows]
    found = learn_similarity(at, traits.prior, answers)
    # traits are unit vectors and noise is at least one: nothing makes what is left larger
    surprise = answers.must - answers.products(at * traits.prior, at)
    off = _PRECISION * np.linalg.norm(surprise) * np.sqrt(len(answers))
    assert np.linalg.norm(found - twin(at, traits.prior, answers)) <= off + 1e-5
    assert_allclose(found, found.T, atol=1e-12)


def test_without_answers_two_rows_are_as_alike_as_the_graph_says():
    traits = some_traits(10)
    found = learn_similarity(traits.landmarks[:0], traits.prior, read(Links(10)))
    alike = traits.landmarks @ found @ traits.landmarks.T
    graph = traits.landmarks[:, :4] / np.sqrt(1 - FEATURE_SHARE)
    assert_allclose(alike, graph @ graph.T)
    assert_allclose(np.diag(alike), 1.0)


def test_an_answer_that_was_expected_changes_nothing():
    """Two rows that are the same by the graph, and two that have nothing in common there."""
    vectors = np.repeat(np.eye(3), 2, axis=0)
    traits = Traits.of(vectors, np.ones(3), np.random.default_rng(0).normal(size=(6, 2)))
    answers = read(Links(6, must=[(0, 1)], cannot=[(2, 4)]))
    found = learn_similarity(traits.landmarks[answers.rows], traits.prior, answers)
    assert_allclose(found, np.diag(traits.prior), atol=1e-9)


def test_an_answer_carries_to_the_rows_around_it_and_no_further():
    """Two groups that looked like two are said to be one; a third is not spoken of."""
    vectors = np.repeat(np.eye(3), 4, axis=0)
    traits = Traits.of(vectors, np.ones(3), np.zeros((12, 0)))
    answers = read(Links(12, must=[(0, 4), (1, 5)]))
    found = learn_similarity(traits.landmarks[answers.rows], traits.prior, answers)
    alike = traits.landmarks @ found @ traits.landmarks.T
    assert (alike[:4, 4:8] > 0.2).all()
    assert_allclose(alike[:, 8:], vectors @ vectors[8:].T, atol=1e-9)


def test_the_axes_give_the_leading_eigenvectors_over_all_landmarks():
    traits = some_traits(30)
    answers = read(Links(30, must=[(0, 1), (2, 3)], cannot=[(4, 5)]))
    similarity = learn_similarity(traits.landmarks[answers.rows], traits.prior, answers)
    found = traits.landmarks @ traits.leading_axes(similarity, 3)
    _, vectors = np.linalg.eigh(traits.landmarks @ similarity @ traits.landmarks.T)
    assert_allclose(np.abs(found.T @ vectors[:, -3:]), np.eye(3), atol=1e-6)


def test_clusters_are_found_whatever_the_start_was():
    """Even where all landmarks were in one cluster at first."""
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(4), [40, 30, 20, 10])
    vectors = np.eye(4)[truth] + 0.1 * rng.normal(size=(100, 4))
    for start in (np.zeros(100, dtype=np.int64), truth, rng.permutation(truth)):
        assert accuracy(truth, find_clusters(vectors, start, 4)) == 1.0


def test_traits_of_the_landmarks_are_those_of_rows_like_them():
    rng = np.random.default_rng(0)
    vectors, features = rng.normal(size=(20, 4)), rng.normal(size=(20, 3))
    traits = Traits.of(vectors, np.array([1.0, 0.5, 0.2, 0.1]), features)
    assert_array_equal(traits.describe(vectors, features), traits.landmarks)
    assert_allclose(np.linalg.norm(traits.landmarks, axis=1), 1.0)
    by_features = np.square(traits.landmarks[:, 4:]).sum(axis=1)
    assert_allclose(by_features, FEATURE_SHARE)
