import numpy as np

from linkwise.kernels.contingency import count_meetings, count_votes


def test_meetings_are_counted_like_by_hand():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=(4, 50)).astype(np.uint8)
    reference = rng.integers(5, size=50).astype(np.uint8)
    counts = count_meetings(labels, reference, 3, 5)
    for p in range(4):
        for a in range(3):
            for b in range(5):
                assert counts[p, a, b] == ((labels[p] == a) & (reference == b)).sum()


def test_votes_are_counted_like_by_hand():
    labels = np.random.default_rng(1).integers(3, size=(7, 20)).astype(np.uint8)
    votes = count_votes(labels, 4)
    np.testing.assert_array_equal(votes, np.stack([(labels == k).sum(axis=0) for k in range(4)], 1))
