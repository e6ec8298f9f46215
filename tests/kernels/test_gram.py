import numpy as np
import scipy.sparse as sp
from numpy.testing import assert_allclose

from linkwise.kernels.gram import gram


def test_the_products_of_columns_are_those_of_the_dense_matrix():
    A = sp.random_array((60, 9), density=0.2, random_state=np.random.default_rng(0), format="csr")
    products = gram(A.indptr, A.indices, A.data, 9)
    assert_allclose(products, A.toarray().T @ A.toarray(), atol=1e-14)


def test_an_empty_column_has_no_products():
    A = sp.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]]))
    assert gram(A.indptr, A.indices, A.data, 3)[1].tolist() == [0.0, 0.0, 0.0]
