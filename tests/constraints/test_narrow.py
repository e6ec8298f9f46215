"""SciPy is handed graphs that its older versions understand too."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import linkwise as lw
from linkwise.constraints import closure, repair
from linkwise.constraints.narrow import narrow


def test_a_narrow_graph_is_the_same_graph_with_indices_of_32_bits():
    ends = np.array([0, 1, 3], dtype=np.int64), np.array([2, 0, 3], dtype=np.int64)
    graph = csr_array((np.array([1.0, 2.0, 3.0]), ends), shape=(4, 4))
    assert graph.indices.dtype == np.int64
    assert {narrow(graph).indices.dtype, narrow(graph).indptr.dtype} == {np.dtype(np.int32)}
    assert (narrow(graph).toarray() == graph.toarray()).all()


@pytest.fixture
def seen(monkeypatch):
    """Collect the kinds of indices that reach SciPy."""
    kinds = set()

    def watch(module, name, table):
        call = getattr(module, name)

        def watched(*args, **options):
            kinds.add(table(args, options).indices.dtype)
            return call(*args, **options)

        monkeypatch.setattr(module, name, watched)

    for name in ("connected_components", "breadth_first_order", "minimum_spanning_tree"):
        watch(closure, name, lambda args, options: args[0])  # noqa: ARG005
    watch(repair, "LinearConstraint", lambda args, options: args[0])  # noqa: ARG005
    return kinds


def test_links_are_closed_and_repaired_with_indices_of_32_bits(seen):
    links = lw.Links(6, must=[(0, 1), (1, 2), (3, 4)], cannot=[(0, 3)])
    links.closure()
    lw.Links(3, must=[(0, 1), (1, 2)], cannot=[(0, 2)]).repair()
    assert seen == {np.dtype(np.int32)}
