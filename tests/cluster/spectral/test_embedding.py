import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh, subspace_angles

from linkwise.cluster.spectral import embedding
from linkwise.cluster.spectral.embedding import (
    column_products,
    column_sums,
    embed,
    kmeans_centers,
    landmark_vectors,
    leading_eigenvectors,
    lsc_vectors,
    nearest_center,
    scale_to_degrees,
)
from linkwise.cluster.spectral.landmark_graph import LandmarkGraph


@pytest.fixture
def Z():
    X = np.random.default_rng(0).standard_normal((400, 3))
    return LandmarkGraph(X[:60], 1.0, 4).weights(X)


def vectors_of(Z, k, **options):
    return landmark_vectors(column_products(Z), column_sums(Z), k, **options)


@pytest.mark.parametrize("n", [50, 420])
def test_leading_eigenvectors_are_those_of_a_full_factorisation(n):
    A = np.random.default_rng(0).standard_normal((n, n // 2))
    S = A @ A.T
    values, vectors = leading_eigenvectors(S, 6)
    all_values, all_vectors = eigh(S)
    assert_allclose(values, all_values[::-1][:6], rtol=1e-10)
    assert subspace_angles(vectors, all_vectors[:, -6:]).max() < 1e-6
    assert_allclose(S @ vectors, vectors * values, atol=1e-8 * values[0])


def test_the_tallest_entry_of_an_eigenvector_is_positive_and_repeats_exactly():
    A = np.random.default_rng(1).standard_normal((420, 40))
    first, second = (leading_eigenvectors(A @ A.T, 5)[1] for _ in range(2))
    assert_array_equal(first, second)
    assert (first[np.abs(first).argmax(axis=0), np.arange(5)] > 0).all()


def test_a_sparse_matrix_has_the_eigenvectors_of_the_dense_one():
    A = sp.random_array((420, 420), density=0.02, random_state=2, format="csr")
    S = (A + A.T).tocsr()
    assert_allclose(leading_eigenvectors(S, 3)[0], eigh(S.toarray())[0][::-1][:3], rtol=1e-10)


def test_the_first_singular_value_is_one_and_its_vector_constant(Z):
    sigma, V = vectors_of(Z, 5)
    assert sigma[0] == pytest.approx(1.0, abs=1e-12)
    assert_allclose(Z @ V[:, 0], 1 / np.sqrt(400), atol=1e-12)


def test_the_left_singular_vectors_are_orthonormal(Z):
    _, V = vectors_of(Z, 8)
    B = Z @ V
    assert_allclose(B.T @ B, np.eye(8), atol=1e-10)


def test_singular_values_are_those_of_the_scaled_matrix(Z):
    scaled = Z.toarray() / np.sqrt(Z.toarray().sum(axis=0))
    expected = np.linalg.svd(scaled, compute_uv=False)
    assert_allclose(vectors_of(Z, 6)[0], expected[:6], atol=1e-10)


def test_skipping_the_constant_vector_leaves_the_others(Z):
    sigma, V = vectors_of(Z, 7)
    rest, W = vectors_of(Z, 6, skip_constant=True)
    assert_allclose(rest, sigma[1:], atol=1e-10)
    assert subspace_angles(Z @ V[:, 1:], Z @ W).max() < 1e-7


def test_the_constant_vector_is_taken_out_of_a_graph_in_pieces():
    Z = sp.block_diag([np.full((5, 2), 0.5), np.full((3, 2), 0.5), np.full((4, 1), 1.0)]).tocsr()
    B = Z @ lsc_vectors(Z, 2)
    assert_allclose(B.sum(axis=0), 0.0, atol=1e-12)
    assert_allclose(B.T @ B, np.eye(2), atol=1e-12)


def test_an_isolated_landmark_changes_nothing(Z):
    wider = sp.hstack([Z, sp.csr_array((400, 1))], format="csr")
    sigma, V = vectors_of(Z, 5)
    with_isolated, W = vectors_of(wider, 5)
    assert_allclose(with_isolated, sigma, atol=1e-12)
    assert not W[-1].any()
    assert_allclose(np.abs(wider @ W), np.abs(Z @ V), atol=1e-9)


def test_rows_that_all_look_alike_get_no_direction():
    Z = sp.csr_array(np.full((6, 2), 0.5))
    assert lsc_vectors(Z, 3).tolist() == [[0.0], [0.0]]


def test_embedded_rows_have_unit_length_whatever_the_blocks(Z, monkeypatch):
    V = lsc_vectors(Z, 4)
    whole = embed(Z, V)
    assert_allclose(np.linalg.norm(whole, axis=1), 1.0, rtol=1e-6)
    monkeypatch.setattr(embedding, "BLOCK_ROWS", 7)
    assert_array_equal(embed(Z, V), whole)


def test_k_means_on_a_sample_ends_at_a_fixed_point_of_all_rows(monkeypatch):
    monkeypatch.setattr(embedding, "START_ROWS", 100)
    rng = np.random.default_rng(0)
    B = (rng.standard_normal((1000, 2)) + 5 * rng.integers(3, size=(1000, 1))).astype(np.float32)
    centers, n_iter = kmeans_centers(B.copy(), 3, np.random.RandomState(0))
    labels = nearest_center(B, centers)
    means = np.array([B[labels == k].mean(axis=0) for k in range(3)])
    assert n_iter >= 1
    assert_allclose(means, centers, atol=1e-2)


def test_the_nearest_centre_is_the_nearest_by_brute_force():
    rng = np.random.default_rng(0)
    B, centers = rng.standard_normal((50, 3)), rng.standard_normal((4, 3))
    expected = np.square(B[:, None] - centers[None]).sum(axis=2).argmin(axis=1)
    labels = nearest_center(B.astype(np.float32), centers.astype(np.float32))
    assert_array_equal(labels, expected)


def test_similarities_over_the_roots_of_degrees_have_largest_eigenvalue_one():
    S = np.random.default_rng(3).random((5, 5))
    S += S.T
    S[4] = S[:, 4] = 0.0
    scaled = scale_to_degrees(S.copy())
    root = np.sqrt(S[:4].sum(axis=1))
    assert_allclose(scaled[:4, :4], S[:4, :4] / root / root[:, None])
    assert not scaled[4].any()
    bridged = scale_to_degrees(S.copy(), 0.5)
    assert_allclose(eigh(bridged, eigvals_only=True)[-1], 1.0)
    assert (bridged > 0).all()
