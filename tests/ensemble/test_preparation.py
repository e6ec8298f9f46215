import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from linkwise.ensemble.preparation import TILE, NotFinite, Preparation


def rows(n_rows=300, n_features=6, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, n_features))


def test_a_tile_holds_the_rows_as_columns_and_zeros_after_them():
    X = rows()
    preparation = Preparation.fit(X)
    tile = preparation.tile(X[:100])
    assert tile.shape == (6, TILE)
    expected = ((X[:100] - X.mean(axis=0)) / preparation.scale).astype(np.float32)
    np.testing.assert_array_equal(tile[:, :100], expected.T)
    assert not tile[:, 100:].any()


def test_the_scale_is_the_power_of_two_that_makes_the_largest_value_at_most_one():
    X = 37.0 * rows()
    preparation = Preparation.fit(X)
    largest = np.abs(X - X.mean(axis=0)).max()
    assert np.log2(preparation.scale) == np.ceil(np.log2(largest))


@pytest.mark.parametrize("factor", [1e-200, 1e-30, 1e30, 1e200])
def test_tiny_and_huge_values_keep_their_proportions(factor):
    X = rows()
    small = Preparation.fit(X)
    large = Preparation.fit(X * factor)
    ratio = small.scale * factor / large.scale
    np.testing.assert_allclose(large.rows(X * factor), small.rows(X) * ratio, rtol=1e-5, atol=1e-6)


def test_a_large_offset_costs_no_precision():
    X = np.round(rows(), 3)
    plain, shifted = Preparation.fit(X), Preparation.fit(X + 2.0**30)
    np.testing.assert_allclose(shifted.rows(X + 2.0**30), plain.rows(X), atol=1e-6)


def test_equal_rows_become_zeros():
    X = np.full((5, 2), 7.0)
    assert not Preparation.fit(X).rows(X).any()


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, bool])
def test_the_same_numbers_in_another_type_are_prepared_the_same(dtype):
    X = np.random.default_rng(0).integers(2 if dtype is bool else 200, size=(300, 4))
    expected = Preparation.fit(X.astype(float)).rows(X.astype(float))
    np.testing.assert_array_equal(Preparation.fit(X.astype(dtype)).rows(X.astype(dtype)), expected)


def test_the_projection_spans_the_leading_directions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 80)) * np.linspace(9, 1, 80)
    preparation = Preparation.fit(X, project=True)
    assert preparation.n_features == 64
    centred = (X - X.mean(axis=0)) / preparation.scale
    values = np.linalg.svd(centred, compute_uv=False)
    projected = preparation.rows(X)
    np.testing.assert_allclose(np.linalg.norm(projected, axis=0), values[:64], rtol=1e-4)


def test_wide_tables_are_projected_by_their_rows(monkeypatch):
    X = np.random.default_rng(0).normal(size=(70, 90)) * np.linspace(9, 1, 90)
    by_features = Preparation.fit(X, project=True)
    monkeypatch.setattr("linkwise.ensemble.preparation.PCA_SIZE", 80)
    by_rows = Preparation.fit(X, project=True)
    assert by_rows.components.shape == (64, 90)
    np.testing.assert_allclose(
        np.abs(np.sum(by_rows.components * by_features.components, axis=1)), 1, atol=1e-3
    )


def test_a_wide_table_of_few_rows_has_fewer_components(monkeypatch):
    monkeypatch.setattr("linkwise.ensemble.preparation.PCA_SIZE", 80)
    X = np.random.default_rng(0).normal(size=(10, 90))
    assert Preparation.fit(X, project=True).n_features == 9


def test_few_features_are_not_projected():
    X = rows(n_features=64)
    assert Preparation.fit(X, project=True).components is None


@pytest.mark.parametrize("n_features", [6, 80])
def test_rows_and_tiles_agree(n_features):
    X = rows(700, n_features)
    preparation = Preparation.fit(X, project=True)
    prepared = preparation.rows(X)
    for start in range(0, 700, TILE):
        part = X[start : start + TILE]
        tile = preparation.tile(part)[:, : len(part)]
        np.testing.assert_array_equal(prepared[start : start + TILE], tile.T)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_a_value_that_has_no_place_in_a_tile_is_noticed(value):
    X = rows()
    preparation = Preparation.fit(X)
    X[2, 1] = value
    with pytest.raises(NotFinite):
        preparation.tile(X[:5])


def words(n_rows=400, n_features=300):
    return sparse.random_array(
        (n_rows, n_features), density=0.05, random_state=np.random.default_rng(0), format="csr"
    )


def test_sparse_rows_lie_along_their_singular_directions_and_have_length_one():
    X = words()
    prepared = Preparation.fit_sparse(X, seed=0).rows(X)
    _, _, directions = np.linalg.svd(X.toarray(), full_matrices=False)
    expected = X @ directions[:20].T
    expected /= np.linalg.norm(X @ directions[:100].T, axis=1, keepdims=True)
    assert prepared.shape == (400, 100)
    assert_allclose(np.linalg.norm(prepared, axis=1), 1.0, rtol=1e-5)
    assert_allclose(np.abs(prepared[:, :3]), np.abs(expected[:, :3]), atol=0.03)


def test_sparse_rows_are_placed_alike_dense_or_not_and_longer_or_not():
    X = words()
    preparation = Preparation.fit_sparse(X, seed=0)
    assert_array_equal(preparation.rows(X.toarray()), preparation.rows(X))
    assert_array_equal(preparation.rows(X * 4.0), preparation.rows(X))
    tile = preparation.tile(X[:100])
    assert tile.shape == (100, TILE)
    assert_array_equal(tile[:, :100].T, preparation.rows(X[:100]))
    assert not tile[:, 100:].any()


def test_sparse_rows_without_anything_lie_at_the_origin():
    X = words()
    preparation = Preparation.fit_sparse(X, seed=0)
    assert not preparation.rows(sparse.csr_array((2, 300))).any()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_sparse_values_that_are_not_finite_are_found(bad):
    X = words()
    X.data[3] = bad
    with pytest.raises(NotFinite):
        Preparation.fit_sparse(X, seed=0)


def topics(n_rows=600, n_features=60, n_topics=4, noise=0.6, seed=0):
    """Rows of length one around a few directions, most of their variance being noise."""
    rng = np.random.default_rng(seed)
    middle = np.linalg.qr(rng.normal(size=(n_features, n_topics)))[0].T
    X = middle[rng.integers(n_topics, size=n_rows)]
    X = X + rng.normal(size=X.shape) * noise / np.sqrt(n_topics)
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def test_rows_of_length_one_lie_along_few_directions_where_most_of_them_is_noise():
    X = topics()
    preparation = Preparation.fit(X, n_directions=4)
    _, _, directions = np.linalg.svd(X, full_matrices=False)
    expected = X @ directions[:4].T
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    prepared = preparation.rows(X)
    assert prepared.shape == (600, 4)
    assert_allclose(prepared @ prepared.T, expected @ expected.T, atol=0.05)
    tile = preparation.tile(X[:100])
    assert_array_equal(tile[:, :100].T, preparation.rows(X[:100]))


def test_an_empty_text_among_rows_of_length_one_lies_at_the_origin():
    X = topics()
    X[7] = 0.0
    prepared = Preparation.fit(X, n_directions=4).rows(X)
    assert prepared.shape == (600, 4)
    assert not prepared[7].any()


@pytest.mark.parametrize(
    ("X", "n_directions"),
    [
        (topics(), 0),  # nobody asked
        (topics(noise=0.1), 4),  # the leading directions hold most of it
        (topics() * np.linspace(1, 2, 600)[:, None], 4),  # rows of many lengths
        (np.ones((50, 9)), 2),  # one row many times
        (topics(n_features=4), 4),  # no more features than that
    ],
)
def test_other_rows_keep_their_features(X, n_directions):
    assert Preparation.fit(X, n_directions=n_directions).components is None


def test_words_lie_along_few_of_their_directions_where_most_of_them_is_noise():
    X = words()
    directions = Preparation.fit_sparse(X, seed=0).rows(X)
    prepared = Preparation.fit_sparse(X, seed=0, n_directions=5).rows(X)
    expected = Preparation.fit(directions, n_directions=5).rows(directions)
    assert prepared.shape == (400, 5)
    assert_allclose(prepared, expected, atol=1e-4)
