import numpy as np
import pytest

from linkwise.kernels.nearest import largest, sum_by_label


def run_largest(scores, offsets):
    best = np.empty(scores.shape[1], np.float32)
    label = np.empty(scores.shape[1], np.int32)
    largest(scores, offsets, best, label)
    return best, label


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (2, 1), (5, 33), (128, 256), (256, 300)])
def test_largest_agrees_with_argmax(shape):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=shape).astype(np.float32)
    offsets = rng.normal(size=shape[0]).astype(np.float32)
    best, label = run_largest(scores, offsets)
    plain = scores - offsets[:, None]
    np.testing.assert_array_equal(label, plain.argmax(axis=0))
    np.testing.assert_array_equal(best, plain.max(axis=0))


def test_the_lower_label_wins_a_tie():
    scores = np.array([[0, 2], [1, 1], [1, 2]], dtype=np.float32)
    assert run_largest(scores, np.zeros(3, np.float32))[1].tolist() == [1, 0]


def test_sums_and_counts_by_label_agree_with_a_loop():
    rng = np.random.default_rng(1)
    X = rng.integers(-9, 9, size=(40, 3)).astype(np.float32)  # whole numbers: sums are exact
    label = rng.integers(4, size=40).astype(np.int32)
    sums, counts = np.full((5, 3), 7, np.float32), np.full(5, 7)
    sum_by_label(X, label, sums, counts)
    for k in range(5):
        assert counts[k] == (label == k).sum()
        np.testing.assert_array_equal(sums[k], X[label == k].sum(axis=0))
