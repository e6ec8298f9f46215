import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from linkwise import PartialLabels
from linkwise.cluster.kmeans.label_columns import LabelColumns
from linkwise.cluster.kmeans.labelled_rows import LabelledRows


def rows_of(X, *columns, strength=1.0):
    known = LabelColumns(tuple(PartialLabels(column) for column in columns))
    return LabelledRows(X, known, np.full(len(columns), strength))


def descend(rows, centers, max_iter=50):
    return rows.best_descent([(centers, np.full(rows.X.shape[0], -1))], max_iter)


def test_rows_with_the_same_labels_are_of_one_kind():
    pairs = [[0, 0], [1, 0], [-1, -1], [0, 0], [1, 1], [-1, 1], [0, -1]]
    rows = rows_of(np.zeros((7, 1)), *np.transpose(pairs))
    assert_array_equal(rows.kinds[rows.kind], pairs)
    assert len(rows.kinds) == 6


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_number_of_threads_changes_no_bit(form):
    X, y = make_blobs(20_000, n_features=3, centers=4, cluster_std=4.0, random_state=0)
    known = np.where(np.arange(len(X)) % 5 == 0, y, -1)
    results = []
    for n_threads in (1, 2, 4):
        with threadpool_limits(n_threads):
            results.append(descend(rows_of(form(X), known), X[:4], max_iter=8))
    for other in results[1:]:
        assert_array_equal(other.labels, results[0].labels)
        assert_array_equal(other.centers, results[0].centers)
        assert other.objective == results[0].objective


def test_an_empty_cluster_takes_the_row_that_costs_most_not_the_farthest():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [50.0], [53.0]])
    known = ["a", "a", "b", "a", -1, -1]
    start = np.array([[1.5], [51.5], [1e6]])
    seed = np.array([0, 0, 0, 0, -1, -1])
    after = rows_of(X, known, strength=100.0).best_descent([(start, seed)], max_iter=1)
    assert after.labels.tolist() == [0, 0, 2, 0, 1, 1]
    assert after.centers.ravel().tolist() == pytest.approx([4 / 3, 51.5, 2.0])
    unlabelled = descend(rows_of(X, [-1] * 6), start, max_iter=1)
    assert unlabelled.labels.tolist() == [2, 0, 0, 0, 1, 1]
    assert unlabelled.centers.ravel().tolist() == [2.0, 51.5, 0.0]


def test_a_row_alone_in_its_cluster_is_not_taken_away():
    X = np.array([[0.0], [1.0], [100.0]])
    after = descend(rows_of(X, [-1] * 3), np.array([[0.4], [90.0], [1e6]]), max_iter=1)
    assert after.labels.tolist() == [0, 2, 1]


def test_rows_that_cost_nothing_stay_together():
    X = np.array([[0.0], [0.0], [5.0]])
    after = descend(rows_of(X, [-1] * 3), np.array([[0.0], [5.0], [9.0]]))
    assert after.labels.tolist() == [0, 0, 1]
    assert after.centers[2] == 9.0


def test_it_stops_when_no_label_changes():
    X = np.array([[0.0], [1.0], [8.0], [9.0]])
    after = descend(rows_of(X, [-1] * 4), np.array([[0.0], [9.0]]))
    assert after.n_iter == 2
    assert after.centers.tolist() == [[0.5], [8.5]]
    assert after.objective == 1.0


def test_the_lowest_of_several_ends_is_returned():
    X = np.array([[0.0], [1.0], [8.0], [9.0]])
    nobody = np.full(4, -1)
    bad, good = np.array([[4.5], [100.0]]), np.array([[0.0], [9.0]])
    rows = rows_of(X, [-1] * 4)
    best = rows.best_descent([(bad, nobody), (good, nobody), (bad, nobody)], max_iter=1)
    assert best.labels.tolist() == [0, 0, 1, 1]
    assert best.objective < descend(rows, bad, max_iter=1).objective
