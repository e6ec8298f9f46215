"""Graphs and tables in the form that every version of SciPy understands."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array


def narrow(graph: csr_array) -> csr_array:
    """Return ``graph`` with 32-bit indices: older ``csgraph`` and ``milp`` take no others."""
    indices, indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    return csr_array((graph.data, indices, indptr), shape=graph.shape)
