import numpy as np
import pytest

from linkwise.bench.common.tasks import TASKS, Oracle, Task

Y = np.repeat(np.arange(4), 50)


def test_tasks_have_names_of_their_own():
    assert [task.name for task in TASKS] == [
        "none", "30 links", "100 links", "500 links", "500 links, 10% wrong",
        "500 links, 20% wrong", "3 labels", "10 labels", "20 labels", "100 asked", "200 asked",
        "500 asked",
    ]  # fmt: skip


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_links_are_as_many_and_as_wrong_as_they_should_be(noise):
    links = Task("links", 100, noise).draw(Y, 3)
    assert links.n_links == 100
    assert (~links.satisfied(Y)).sum() == round(noise * 100)


def test_no_more_links_are_drawn_than_there_are_pairs():
    assert Task("links", 500).draw(np.array([0, 0, 1, 1]), 0).n_links == 6


def test_labels_are_so_many_a_class_or_all_there_are():
    labels = Task("labels", 3).draw(np.append(Y, [4]), 0)
    assert np.bincount(labels.codes[labels.known_rows]).tolist() == [3, 3, 3, 3, 1]


def test_the_same_seed_tells_the_same():
    for task in TASKS:
        assert task.draw(Y, 5) == task.draw(Y, 5)


def test_who_asks_is_answered_rightly_until_the_budget_is_spent():
    oracle = Oracle(Y, 3)
    links = oracle.answer(np.array([[0, 1], [0, 60], [5, 199], [7, 8]]))
    assert links.must.tolist() == [[0, 1]]
    assert links.cannot.tolist() == [[0, 60], [5, 199]]
    assert oracle.n_left == 0
    assert oracle.named_rows.tolist() == [0, 1, 5, 60, 199]
