import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from linkwise import Links
from linkwise.cluster.spectral import injection
from linkwise.cluster.spectral.embedding import landmark_vectors
from linkwise.cluster.spectral.injection import inject
from linkwise.cluster.spectral.landmark_graph import LandmarkGraph
from linkwise.cluster.spectral.linked_rows import LinkedRows


def slow_injection(Z, linked, n_propagate):
    """Eqs. 3 to 6 with loops, on a dense matrix."""
    result = Z.copy()
    n_linked = len(linked.rows)
    free = np.setdiff1d(np.arange(len(Z)), linked.rows)
    for i, row in enumerate(linked.rows):
        result[row, :n_linked] = linked.component == linked.component[i]
    for a in range(linked.n_components):
        members = np.flatnonzero(linked.component == a)
        neighbours = []
        for j in members:
            near = free[Z[free, j] > 0]
            near = near[np.lexsort((near, -Z[near, j]))][:n_propagate]
            neighbours += [(i, Z[i, j]) for i in near]
        if not neighbours:
            continue
        rows, frequency = np.unique([i for i, _ in neighbours], return_counts=True)
        low, high = min(z for _, z in neighbours), max(z for _, z in neighbours)
        m = len(np.unique(frequency))
        for i, f in zip(rows, frequency, strict=True):
            result[i, members] = high if m == 1 else low + f * (high - low) / (m - 1)
    return result


@pytest.fixture
def case():
    X = np.random.default_rng(0).standard_normal((60, 2))
    links = Links(60, must=[(3, 8), (8, 20), (31, 40)], cannot=[(3, 31), (55, 3)])
    linked = LinkedRows.of(links)
    landmarks = np.vstack([X[linked.rows], X[:3] + 0.05])
    return LandmarkGraph(landmarks, 1.0, 3).weights(X), linked


def test_the_example_of_the_paper_is_reproduced():
    # rows: p1, p2, x1, x2, x3; columns: p1, p2
    Z = sp.csr_array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.5], [0.6, 0.0], [0.0, 0.7]])
    linked = LinkedRows.of(Links(5, must=[(0, 1)]))
    expected = [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.7, 0.7], [0.7, 0.7]]
    assert_allclose(inject(Z, linked, 2).toarray(), expected, atol=1e-12)


@pytest.mark.parametrize("n_propagate", [0, 1, 2, 5])
def test_all_equations_agree_with_loops_over_a_dense_matrix(case, n_propagate):
    Z, linked = case
    written = inject(Z, linked, n_propagate).toarray()
    assert_allclose(written, slow_injection(Z.toarray(), linked, n_propagate), atol=1e-12)


def test_singular_values_of_the_linked_block_are_the_component_sizes(case):
    Z, linked = case
    block = inject(Z, linked, 5).toarray()[linked.rows, : len(linked.rows)]
    sigma = np.linalg.svd(block, compute_uv=False)
    assert_allclose(sigma[:3], [3, 2, 1], atol=1e-12)
    assert_allclose(sigma[3:], 0, atol=1e-12)


def test_left_singular_vectors_of_what_was_written_are_orthonormal(case):
    written = inject(*case, 5)
    dense = written.toarray()
    sigma, V = landmark_vectors(written.column_products(), np.ones(dense.shape[1]), 4)
    B = dense @ V
    assert_allclose(B.T @ B, np.eye(4), atol=1e-10)
    assert_allclose(sigma, np.linalg.svd(dense, compute_uv=False)[:4], atol=1e-10)


def test_products_and_sums_are_those_of_the_full_matrix(case):
    written = inject(*case, 5)
    dense = written.toarray()
    assert_allclose(written.column_products(), dense.T @ dense, atol=1e-12)
    assert_allclose(written.column_sums(), dense.sum(axis=0), atol=1e-12)


def test_rows_sum_to_one_once_they_are_divided_by_their_sums(case):
    written = inject(*case, 5)
    dense = written.toarray()
    expected = dense / dense.sum(axis=1, keepdims=True)
    assert_allclose(written.row_stochastic().toarray(), expected, atol=1e-12)


def test_the_weights_given_are_left_alone(case):
    Z, linked = case
    before = Z.toarray()
    inject(Z, linked, 5, np.full(Z.shape[1], 2.0))
    assert_allclose(Z.toarray(), before, atol=0)


def test_a_scale_is_a_factor_of_the_columns(case):
    Z, linked = case
    scale = np.random.default_rng(1).random(Z.shape[1])
    scaled = sp.csr_array(Z.toarray() * scale)
    expected = slow_injection(scaled.toarray(), linked, 2)
    assert_allclose(inject(Z, linked, 2, scale).toarray(), expected, atol=1e-12)


@pytest.mark.parametrize("n_propagate", [1, 5])
def test_the_size_of_blocks_does_not_matter(case, n_propagate, monkeypatch):
    scale = np.linspace(0.5, 2.0, case[0].shape[1])
    at_once = inject(*case, n_propagate, scale)
    monkeypatch.setattr(injection, "BLOCK_ROWS", 7)
    in_blocks = inject(*case, n_propagate, scale)
    assert_allclose(in_blocks.toarray(), at_once.toarray(), atol=0)
    stochastic = in_blocks.row_stochastic().toarray()
    assert_allclose(stochastic.sum(axis=1), 1.0)
