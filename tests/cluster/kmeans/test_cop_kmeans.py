import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.datasets import make_blobs

from linkwise import COPKMeans, Links
from linkwise.errors import Contradiction, Infeasible


def test_no_links_equals_k_means_from_the_same_start():
    X, _ = make_blobs(80, centers=3, cluster_std=3, random_state=0)
    start, _ = kmeans_plusplus(X, 3, random_state=np.random.RandomState(5))
    expected = KMeans(3, init=start, n_init=1, tol=0).fit(X)
    assert_array_equal(COPKMeans(3, random_state=5).fit(X).labels_, expected.labels_)


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 4), st.integers(0, 60), st.integers(0, 10**6))
def test_no_link_is_ever_broken(r, n_links, seed):
    rng = np.random.RandomState(seed)
    X, y = rng.normal(size=(30, 2)), rng.randint(r, size=30)
    links = Links.sample(y, n_links, random_state=seed)
    labels = COPKMeans(r, random_state=seed).fit(X, constraints=links).labels_
    assert links.satisfied(labels).all()


def test_an_impossible_task_names_the_row_and_the_links():
    X = np.arange(8.0)[:, None]
    links = Links(8, cannot=[(1, 3), (1, 5), (3, 5)])
    with pytest.raises(Infeasible) as caught:
        COPKMeans(2, random_state=0).fit(X, constraints=links)
    words = str(caught.value)
    row = int(words.split("row ")[1].split(" ")[0])
    pairs = {1: "1-3, 1-5", 3: "1-3, 3-5", 5: "1-5, 3-5"}[row]
    assert words == (
        f"COPKMeans: row {row} is cannot-linked to all 2 clusters ({pairs}). "
        "No labelling with 2 clusters keeps all links. PCKMeans may break links at a price."
    )


def test_contradictory_links_are_refused_with_their_chain():
    links = Links(4, must=[(0, 1), (1, 2)], cannot=[(0, 2)])
    with pytest.raises(Contradiction, match="rows 0 and 2 are must-linked through 0-1, 1-2"):
        COPKMeans(2).fit(np.eye(4), constraints=links)


def test_two_clusters_and_a_long_chain_of_cannot_links_are_solved():
    rng = np.random.default_rng(0)
    links = Links(400, cannot=[(i, i + 1) for i in range(399)])
    labels = COPKMeans(2, random_state=0).fit(rng.random((400, 3)), constraints=links).labels_
    assert (labels[1:] != labels[:-1]).all()
