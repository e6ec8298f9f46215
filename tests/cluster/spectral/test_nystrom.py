import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from linkwise import NystromSpectralClustering
from linkwise.cluster.spectral.nystrom import GaussianKernel, nystrom_vectors
from linkwise.scores import nmi


@pytest.fixture
def rows():
    return make_blobs(120, n_features=3, centers=3, random_state=0)[0]


def test_affinities_are_a_gaussian_of_the_mean_squared_distance(rows):
    landmarks = rows[:20]
    squared = np.square(landmarks[:, None] - landmarks[None]).sum(axis=2)
    mean_squared = squared[np.triu_indices(20, 1)].mean()
    kernel = GaussianKernel.between(landmarks / 2, 2.0, 0.5)
    expected = rbf_kernel(rows, landmarks, gamma=1 / (2 * 0.5**2 * mean_squared))
    assert_allclose(kernel(rows), expected, atol=1e-5)
    assert_allclose(kernel.among_landmarks(), expected[:20], atol=1e-10)


def test_vectors_are_orthonormal_eigenvectors_of_the_approximate_matrix(rows):
    C = rbf_kernel(rows, rows[:15], gamma=0.05)
    A = C[:15]
    full = C @ np.linalg.pinv(A, rcond=1e-7, hermitian=True) @ C.T
    scale = 1 / np.sqrt(full.sum(axis=1))
    values, T = nystrom_vectors(C, A, 4)
    V = scale[:, None] * (C @ T)
    assert_allclose(V.T @ V, np.eye(4), atol=1e-6)
    assert_allclose((scale[:, None] * full * scale) @ V, V * values, atol=1e-6)


def test_all_rows_as_landmarks_are_the_exact_normalised_cut(rows):
    K = rbf_kernel(rows, gamma=2.0)
    degree = 1 / np.sqrt(K.sum(axis=1))
    exact = np.linalg.eigvalsh(degree[:, None] * K * degree)[::-1][:4]
    assert_allclose(nystrom_vectors(K, K, 4)[0], exact, atol=1e-5)


def test_separated_groups_are_found(rows):
    y = make_blobs(120, n_features=3, centers=3, random_state=0)[1]
    labels = NystromSpectralClustering(3, random_state=0).fit(rows).labels_
    assert adjusted_rand_score(y, labels) > 0.95


def test_digits_are_found_and_predicted():
    X, y = load_digits(return_X_y=True)
    model = NystromSpectralClustering(10, random_state=0).fit(X)
    assert nmi(y, model.labels_) > 0.7
    assert_array_equal(model.predict(X[:200]), model.labels_[:200])
    assert_array_equal(
        model.fit(1000 * X).labels_, NystromSpectralClustering(10, random_state=0).fit(X).labels_
    )


def test_a_senseless_bandwidth_is_refused():
    with pytest.raises(ValueError) as caught:
        NystromSpectralClustering(2, bandwidth=0).fit(np.eye(6))
    assert str(caught.value) == (
        "NystromSpectralClustering(bandwidth=0): bandwidth must be a number >= 0.001."
    )
