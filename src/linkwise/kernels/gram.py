"""The products of all columns of a sparse matrix with each other."""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit


@njit()
def gram(indptr, indices, data, n_columns):  # type: ignore[no-untyped-def]
    """Return ``A.T @ A`` as a dense (n_columns, n_columns) array, for ``A`` in CSR form.

    The rows are few entries wide and the columns few, so adding up the outer products row by row
    needs no memory but the result.
    """
    products = np.zeros((n_columns, n_columns))
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            a = indices[e]
            for f in range(indptr[i], indptr[i + 1]):
                products[a, indices[f]] += data[e] * data[f]
    return products
