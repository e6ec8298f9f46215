import numpy as np
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from linkwise.cluster.margin.fourier_features import FourierFeatures


def test_inner_products_are_close_to_the_gaussian_kernel():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(20, 4)) * 7 + 3
    features = FourierFeatures(X, 20_000, rng)(X)
    scaled = (X - X.mean(axis=0)) / np.sqrt(X.var(axis=0).sum())
    assert_allclose(features @ features.T, rbf_kernel(scaled, gamma=0.5), atol=0.04)


def test_the_kernel_does_not_depend_on_scale_or_shift():
    X = np.random.RandomState(0).normal(size=(20, 4))
    one = FourierFeatures(X, 50, np.random.RandomState(1))
    other = FourierFeatures(100 * X - 5, 50, np.random.RandomState(1))
    assert_allclose(one(X), other(100 * X - 5), atol=1e-9)


def test_sparse_rows_have_the_same_features():
    X = np.random.RandomState(0).normal(size=(20, 4))
    features = FourierFeatures(sp.csr_array(X), 50, np.random.RandomState(1))
    dense = FourierFeatures(X, 50, np.random.RandomState(1))
    assert_allclose(features(sp.csr_array(X)), dense(X), atol=1e-9)
