import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from linkwise.cluster.margin import centred_rows
from linkwise.cluster.margin.centred_rows import CentredRows


@pytest.fixture
def table():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(30, 7)) * rng.rand(7) * 5 + 3
    return np.where(rng.rand(30, 7) < 0.5, 0.0, X)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_rows_are_centred_and_of_mean_squared_norm_one(table, kind):
    rows = CentredRows.of(kind(table))
    seen = rows.scores(np.eye(7))
    assert_allclose(seen.mean(axis=0), 0, atol=1e-12)
    assert_allclose(np.square(seen).sum() / 30, 1)
    plain = table - table.mean(axis=0)
    assert_allclose(seen, plain / np.sqrt(np.square(plain).sum() / 30), atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_pull_is_the_transpose_of_scores(table, kind):
    rng = np.random.RandomState(1)
    rows = CentredRows.of(kind(table))
    W, D = rng.normal(size=(7, 3)), rng.normal(size=(30, 3))
    assert_allclose(np.sum(rows.scores(W) * D), np.sum(W * rows.pull(D)))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_taken_rows_keep_mean_and_scale(table, kind):
    rows = CentredRows.of(kind(table))
    W = np.random.RandomState(1).normal(size=(7, 3))
    chosen = np.array([5, 2, 29])
    assert_allclose(rows.take(chosen).scores(W), rows.scores(W)[chosen])


def test_sparse_rows_are_never_made_dense(table, monkeypatch):
    X = sp.csr_array(table)
    for name in ("toarray", "todense"):
        monkeypatch.setattr(sp.csr_array, name, lambda *_, **__: pytest.fail("made dense"))
    rows = CentredRows.of(X)
    rows.pull(rows.scores(np.ones((7, 2))))
    rows.principal_directions(2)


def test_rows_that_are_all_alike_are_zero():
    rows = CentredRows.of(np.full((4, 3), 2.5))
    assert rows.scale == 1.0
    assert_allclose(rows.scores(np.eye(3)), 0)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n_rows", [30, 6])
@pytest.mark.parametrize("most_dense", [0, 100])
def test_principal_directions_are_the_leading_singular_vectors(
    table, kind, n_rows, most_dense, monkeypatch
):
    monkeypatch.setattr(centred_rows, "MOST_DENSE", most_dense)
    table = table[:n_rows]
    rows = CentredRows.of(kind(table))
    found = rows.principal_directions(3)
    _, _, expected = np.linalg.svd(rows.scores(np.eye(7)))
    assert found.shape == (7, 3)
    assert_allclose(np.abs(np.sum(found.T * expected[:3], axis=1)), 1)


def test_float32_rows_are_scored_in_double_precision(table):
    X = table.astype(np.float32) + 1000
    assert CentredRows.of(X).scores(np.eye(7)).dtype == np.float64
