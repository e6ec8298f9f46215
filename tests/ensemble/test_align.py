import itertools

import numpy as np
import pytest

from linkwise.ensemble import align_labels, consensus
from linkwise.ensemble.align import align_names, match_names, rename


def random_labels(shape, n_clusters, seed=0):
    return np.random.default_rng(seed).integers(n_clusters, size=shape).astype(np.uint8)


def test_no_other_naming_agrees_with_the_reference_on_more_rows():
    labels, reference = random_labels((6, 40), 4), random_labels(40, 4, seed=1)
    named = rename(labels, match_names(labels, reference, 4))
    for p in range(6):
        best = max(
            (np.array(names)[labels[p]] == reference).sum()
            for names in itertools.permutations(range(4))
        )
        assert (named[p] == reference).sum() == best


def test_every_naming_is_a_permutation_also_when_labels_are_missing():
    labels = np.array([[2, 2, 2, 2], [0, 0, 3, 3]], dtype=np.uint8)
    names = match_names(labels, np.array([1, 1, 0, 0], dtype=np.uint8), 4)
    assert [sorted(row) for row in names.tolist()] == [[0, 1, 2, 3]] * 2
    assert rename(labels, names)[1].tolist() == [1, 1, 0, 0]


def test_renamed_copies_of_one_partition_are_recognised():
    truth = random_labels(60, 5)
    rng = np.random.default_rng(2)
    copies = np.stack([rng.permutation(5)[truth] for _ in range(7)]).astype(np.uint8)
    np.testing.assert_array_equal(align_labels(copies, truth, 5), np.tile(truth, (7, 1)))


def test_the_consensus_is_the_commonest_label_and_the_lower_of_two():
    labels = np.array([[0, 1, 2], [0, 2, 1], [1, 2, 0]], dtype=np.uint8)
    assert consensus(labels, 3).tolist() == [0, 2, 0]


def test_partitions_are_matched_to_the_vote_not_to_a_poor_reference():
    truth = random_labels(200, 3)
    copies = np.tile(truth, (5, 1))
    reference = truth.copy()
    reference[:60] = random_labels(60, 3, seed=5)
    aligned = align_labels(copies, reference, 3)
    assert (aligned == consensus(aligned, 3)).all()


@pytest.mark.parametrize("n_clusters", [1, 256])
def test_the_fewest_and_the_most_clusters_are_aligned(n_clusters):
    labels = random_labels((3, 500), n_clusters)
    names = align_names(labels, labels[0], n_clusters)
    assert (np.sort(names, axis=1) == np.arange(n_clusters)).all()
