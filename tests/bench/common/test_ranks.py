import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from linkwise.bench.common.ranks import critical_difference, mean_ranks

tables = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.sampled_from([0.1, 0.2, 0.5, 0.9]),
)


@given(tables)
def test_a_rank_is_one_and_those_who_are_better_and_half_of_those_alike(scores):
    better = (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
    alike = (scores[:, None, :] == scores[:, :, None]).sum(axis=2) - 1
    assert mean_ranks(scores) == pytest.approx((1 + better + alike / 2).mean(axis=0))


def test_no_result_is_worse_than_any():
    assert mean_ranks(np.array([[np.nan, 0.0, 0.4]])).tolist() == [3.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("n_methods", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)]
)
def test_the_quantiles_are_those_of_the_printed_table(n_methods, q):
    expected = q * np.sqrt(n_methods * (n_methods + 1) / (6 * 20))
    assert critical_difference(n_methods, 20) == pytest.approx(expected, rel=1e-3)
