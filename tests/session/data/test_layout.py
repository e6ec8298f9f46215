import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA

from linkwise.errors import Cancelled, InvalidInput
from linkwise.session.data.layout import fit_square, pca_layout


def test_pca_places_rows_along_the_principal_components(blobs):
    places = pca_layout(blobs).astype(float)
    reference = PCA(2).fit_transform(blobs)
    for axis in range(2):
        assert abs(np.corrcoef(places[:, axis], reference[:, axis])[0, 1]) > 0.999


def test_places_fill_the_square_and_keep_proportions():
    places = fit_square(np.array([[0.0, 0.0], [10.0, 5.0], [5.0, 1.0]]))
    assert np.abs(places).max() <= 1
    assert places.dtype == np.float32
    width, height = places.max(axis=0) - places.min(axis=0)
    assert np.isclose(width, 2 * height, rtol=0.01)


def test_an_outlier_is_drawn_on_the_border_and_squeezes_nobody():
    places = np.random.default_rng(0).normal(size=(1000, 2))
    places[0] = [1e6, 0]
    placed = fit_square(places)
    assert placed[0, 0] == 1
    assert placed[1:, 0].std() > 0.1


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (2, 1), (2, 2), (3, 2)])
def test_tiny_data_have_a_place(shape):
    places = pca_layout(np.arange(np.prod(shape), dtype=float).reshape(shape))
    assert places.shape == (shape[0], 2)
    assert np.isfinite(places).all()


def test_sparse_rows_are_placed_along_the_singular_vectors(blobs):
    places = pca_layout(sp.csr_array(blobs)).astype(float)
    vectors = np.linalg.svd(blobs)[0]
    for axis in range(2):
        assert abs(np.corrcoef(places[:, axis], vectors[:, axis])[0, 1]) > 0.999


def test_neighbours_keep_groups_together(session):
    assert session.layouts == ["pca"]
    assert not session.has_layout("neighbours")
    heard = []
    places = session.layout("neighbours", progress=lambda *told: heard.append(told))
    assert session.layouts == ["pca", "neighbours"]
    assert heard[-1] == (60, 60, "placing rows")
    assert np.abs(places).max() <= 1
    own, other = places[:20], places[20:]
    centre = own.mean(axis=0)
    assert (
        np.linalg.norm(own - centre, axis=1).mean() < np.linalg.norm(other - centre, axis=1).mean()
    )


def test_a_layout_can_be_cancelled(session):
    with pytest.raises(Cancelled):
        session.layout("neighbours", cancel=lambda: True)
    assert session.layouts == ["pca"]


def test_a_damaged_layout_is_made_again(session, folder):
    before = np.array(session.layout())
    (folder / "layout-pca.npy").write_bytes(b"rubbish")
    assert np.array_equal(session.layout(), before)


def test_an_unknown_layout_is_refused(session):
    with pytest.raises(InvalidInput) as caught:
        session.layout("globe")
    assert str(caught.value) == "layout is 'globe', expected one of pca, neighbours."
