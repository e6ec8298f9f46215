import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import check_grad

from linkwise import Links
from linkwise.constraints.groups import Groups
from linkwise.metric import LMNN, neighbours
from linkwise.metric.lmnn import Margins
from linkwise.metric.neighbours import nearest_of_group


def rows_of_classes(seed=0, n=24, d=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.normal(size=(n, d)) + 1.5 * np.eye(3, d)[y], y


def slow_loss(X, y, L, n_neighbors, push):
    """The bracket of the docstring, one triple at a time."""
    total = 0.0
    for i in range(len(X)):
        mates = [j for j in range(len(X)) if y[j] == y[i] and j != i]
        mates = sorted(mates, key=lambda j: np.square(X[i] - X[j]).sum())[:n_neighbors]
        for j in mates:
            own = np.square(L @ (X[i] - X[j])).sum()
            total += (1 - push) * own
            for k in range(len(X)):
                if y[k] != y[i]:
                    total += push * max(0.0, 1 + own - np.square(L @ (X[i] - X[k])).sum())
    return total


def margins(X, y, n_neighbors=2, push=0.4):
    groups = Groups.of(Links.from_labels(y))
    return Margins(X, groups, nearest_of_group(X, groups.group, n_neighbors), push)


@pytest.mark.parametrize("seed", range(3))
def test_the_loss_is_that_of_the_docstring(seed):
    X, y = rows_of_classes(seed)
    L = np.random.default_rng(seed).normal(size=(3, 3))
    assert margins(X, y).loss(L)[0] == pytest.approx(slow_loss(X, y, L, 2, 0.4))


@pytest.mark.parametrize("seed", range(3))
def test_the_gradient_agrees_with_finite_differences(seed):
    X, y = rows_of_classes(seed)
    found = margins(X, y)
    L = np.random.default_rng(seed).normal(size=9)
    error = check_grad(
        lambda flat: found.loss(flat.reshape(3, 3))[0],
        lambda flat: found.loss(flat.reshape(3, 3))[1].ravel(),
        L,
    )
    assert error < 1e-4 * np.linalg.norm(found.loss(L.reshape(3, 3))[1])


def test_blocks_of_rows_add_up_to_the_same(monkeypatch):
    X, y = rows_of_classes()
    L = np.random.default_rng(0).normal(size=(3, 3))
    loss, slope = margins(X, y).loss(L)
    monkeypatch.setattr(neighbours, "BLOCK", 60)  # two rows at a time
    in_pieces = margins(X, y).loss(L)
    assert in_pieces[0] == pytest.approx(loss)
    assert_allclose(in_pieces[1], slope, rtol=1e-9)


def test_more_steps_never_cost_more():
    X, y = rows_of_classes()
    groups = Groups.of(Links.from_labels(y))
    near = nearest_of_group(X, groups.group, 3)
    unit = np.sqrt(np.square(X[near[:, 0]] - X[near[:, 1]]).sum(axis=1).mean())
    judge = Margins(X / unit, groups, near, 0.5)
    costs = []
    for n_steps in range(1, 12):
        L = LMNN(max_iter=n_steps).fit(X, constraints=y).components_
        away = np.square(L - np.eye(3)).sum()
        costs.append((24 - 3) / len(near) * judge.loss(L)[0] + away)
    assert (np.diff(costs) <= 1e-9).all()
    assert costs[-1] < costs[0]


def test_rows_are_held_close_to_the_nearest_of_their_group_only():
    X = np.array([[0.0], [1.0], [5.0], [6.5], [0.5]])
    pairs = nearest_of_group(X, np.array([0, 0, 0, 0, 1]), 1)
    assert_array_equal(pairs, [[0, 1], [1, 0], [2, 3], [3, 2]])


def test_only_groups_that_are_known_to_differ_are_kept_at_a_distance():
    """Rows 4 and 5 are a group of which nothing says that it differs from the first."""
    X = np.array([[0.0, 0], [1, 0], [0, 3], [1, 3], [0, 0.2], [1, 0.2]])
    links = Links(6, must=[(0, 1), (2, 3), (4, 5)], cannot=[(0, 2), (4, 2)])
    groups = Groups.of(links)
    L = np.eye(2) * 0.3
    loss = Margins(X, groups, nearest_of_group(X, groups.group, 1), 1.0).loss(L)[0]
    expected = 0.0
    for i, j, others in ((0, 1, (2, 3)), (1, 0, (2, 3)), (4, 5, (2, 3)), (5, 4, (2, 3)),
                         (2, 3, (0, 1, 4, 5)), (3, 2, (0, 1, 4, 5))):  # fmt: skip
        own = np.square(L @ (X[i] - X[j])).sum()
        expected += sum(max(0, 1 + own - np.square(L @ (X[i] - X[k])).sum()) for k in others)
    assert loss == pytest.approx(expected)


def test_links_and_labels_that_say_the_same_teach_the_same():
    X, y = rows_of_classes()
    assert_array_equal(
        LMNN().fit(X, constraints=y).components_,
        LMNN().fit(X, constraints=Links.from_labels(y)).components_,
    )


def test_without_cannot_links_the_map_is_the_identity():
    X, _ = rows_of_classes()
    for links in (Links(24, must=[(0, 3), (3, 6)]), Links(24, cannot=[(0, 1)])):
        assert_array_equal(LMNN().fit(X, constraints=links).components_, np.eye(3))
