import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linkwise.kernels.coassociation import nearest_by_coassociation


def twin(points, landmarks, n_nearest, skip):
    """Count every pair, sort by count and then by position."""
    nearest, counts = [], []
    for point, own in zip(points, skip, strict=True):
        together = (landmarks.T == point).sum(axis=1)
        order = sorted(
            (j for j in range(len(together)) if j != own), key=lambda j: (-together[j], j)
        )
        chosen = sorted(order[:n_nearest])
        nearest.append(chosen)
        counts.append(together[chosen])
    return np.array(nearest), np.array(counts)


@pytest.mark.parametrize(
    ("m", "s", "n_nearest"), [(1, 5, 5), (7, 40, 10), (300, 33, 3), (511, 9, 2)]
)
def test_kernel_agrees_with_counting_every_pair(m, s, n_nearest):
    rng = np.random.default_rng(m)
    points = rng.integers(0, 3, (15, m)).astype(np.uint8)
    landmarks = rng.integers(0, 3, (m, s)).astype(np.uint8)
    nobody = np.full(15, -1)
    for got, expected in zip(
        nearest_by_coassociation(points, landmarks, n_nearest, nobody),
        twin(points, landmarks, n_nearest, nobody),
        strict=True,
    ):
        assert_array_equal(got, expected)


def test_a_landmark_can_be_kept_from_choosing_itself():
    rng = np.random.default_rng(0)
    landmarks = rng.integers(0, 4, (20, 12)).astype(np.uint8)
    points = np.ascontiguousarray(landmarks.T)
    nearest, counts = nearest_by_coassociation(points, landmarks, 3, np.arange(12))
    assert (nearest != np.arange(12)[:, None]).all()
    expected, expected_counts = twin(points, landmarks, 3, np.arange(12))
    assert_array_equal(nearest, expected)
    assert_array_equal(counts, expected_counts)


def test_more_than_255_agreements_are_counted():
    landmarks = np.zeros((600, 2), dtype=np.uint8)
    _, counts = nearest_by_coassociation(
        np.zeros((1, 600), dtype=np.uint8), landmarks, 2, np.array([-1])
    )
    assert_array_equal(counts, [[600, 600]])
