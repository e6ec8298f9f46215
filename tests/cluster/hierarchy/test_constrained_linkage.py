import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import fcluster, is_monotonic, is_valid_linkage, linkage
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from linkwise import ConstrainedLinkage, Links
from linkwise.cluster.hierarchy import constrained_linkage
from linkwise.errors import ConstraintWarning

METHODS = ["ward", "average"]


@pytest.fixture
def blobs():
    return make_blobs(60, n_features=3, centers=4, cluster_std=2.0, random_state=0)


def apart(X, A, B, method):
    """Return the distance of two clusters by its definition."""
    if method == "ward":
        n, m = len(A), len(B)
        return np.sqrt(2 * n * m / (n + m)) * np.linalg.norm(X[A].mean(axis=0) - X[B].mean(axis=0))
    return np.mean([np.linalg.norm(X[a] - X[b]) for a in A for b in B])


def twin(X, links, n_clusters, method):
    """Merge lists of rows, computing every distance anew; return the lists and the heights."""
    group = links.components()
    clusters = [np.flatnonzero(group == g).tolist() for g in range(group.max() + 1)]
    heights = []
    while len(clusters) > n_clusters:
        allowed = [
            (apart(X, A, B, method), i, j)
            for i, A in enumerate(clusters)
            for j, B in enumerate(clusters[:i])
            if not any({p, q} & set(A) and {p, q} & set(B) for p, q in links.cannot.tolist())
        ]
        if not allowed:
            break
        height, i, j = min(allowed)
        clusters[j] += clusters.pop(i)
        heights.append(height)
    return clusters, heights


@pytest.mark.parametrize("method", METHODS)
def test_without_links_the_tree_is_scipys(blobs, method):
    X, _ = blobs
    model = ConstrainedLinkage(4, linkage=method).fit(X)
    expected = linkage(X, method)
    assert_allclose(model.linkage_matrix_, expected)
    assert_array_equal(model.n_forbidden_, 0)
    labels = fcluster(expected, 4, "maxclust")
    assert adjusted_rand_score(model.labels_, labels) == 1.0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_merges_are_those_of_the_definition(method, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(16, 2)), rng.integers(0, 3, 16)
    links = Links.sample(y, 7, random_state=seed)
    model = ConstrainedLinkage(3, linkage=method).fit(X, constraints=links)
    clusters, heights = twin(X, links, 3, method)
    assert len(clusters) == 3  # no dead end
    expected = np.empty(16, dtype=int)
    for k, rows in enumerate(clusters):
        expected[rows] = k
    assert adjusted_rand_score(model.labels_, expected) == 1.0
    n_free = 16 - (links.components().max() + 1)
    made = model.linkage_matrix_[n_free : n_free + len(heights), 2]
    assert_allclose(made, np.maximum.accumulate(heights))
    assert (model.linkage_matrix_[:n_free, 2] == 0).all()


@pytest.mark.filterwarnings("ignore:ConstrainedLinkage.*clusters are left")
@settings(deadline=None, max_examples=40)
@given(st.integers(2, 4), st.integers(0, 60), st.sampled_from(METHODS), st.integers(0, 10**6))
def test_no_link_is_ever_broken_and_the_tree_is_whole(k, n_links, method, seed):
    rng = np.random.RandomState(seed)
    X, y = rng.normal(size=(30, 2)), rng.randint(k, size=30)
    links = Links.sample(y, n_links, random_state=seed)
    model = ConstrainedLinkage(k, linkage=method).fit(X, constraints=links)
    assert links.satisfied(model.labels_).all()
    tree = model.linkage_matrix_
    assert is_valid_linkage(tree)
    assert is_monotonic(tree)
    assert tree[-1, 3] == 30
    allowed = _cut(tree[: 29 - model.n_forbidden_], 30)
    assert links.satisfied(allowed).all()
    if model.n_forbidden_:
        assert not links.satisfied(_cut(tree[: 30 - model.n_forbidden_], 30)).all()


def _cut(merges, n):
    """Return the clusters after some merges."""
    rows = {i: [i] for i in range(n)}
    for step, (a, b, _, _) in enumerate(merges):
        rows[n + step] = rows.pop(int(a)) + rows.pop(int(b))
    labels = np.empty(n, dtype=int)
    for k, members in enumerate(rows.values()):
        labels[members] = k
    return labels


def test_out_of_a_dead_end_the_number_asked_for_is_found():
    """0 and 1 merge first, and then all three clusters are cannot-linked."""
    X = np.array([[0.0], [0.1], [5.0], [7.0]])
    links = Links(4, cannot=[(0, 2), (1, 3), (2, 3)])
    assert len(twin(X, links, 2, "ward")[0]) == 3
    model = ConstrainedLinkage(2).fit(X, constraints=links)
    assert links.satisfied(model.labels_).all()
    assert len(set(model.labels_)) == 2
    assert model.n_forbidden_ == 1
    assert is_valid_linkage(model.linkage_matrix_)


def test_clusters_too_many_are_said_aloud():
    links = Links(4, cannot=[(0, 1), (0, 2), (1, 2)])
    with pytest.warns(ConstraintWarning) as caught:
        model = ConstrainedLinkage(2).fit(np.arange(4.0)[:, None], constraints=links)
    assert model.labels_.tolist() == [0, 1, 2, 2]
    assert str(caught[0].message) == (
        "ConstrainedLinkage(n_clusters=2): 3 clusters are left, and every two of them are "
        "cannot-linked. All links hold. Ask for more clusters, or see whether COPKMeans finds a "
        "labelling."
    )


@pytest.mark.parametrize("method", METHODS)
def test_many_rows_are_merged_along_a_graph_of_near_ones(method, monkeypatch):
    X, y = make_blobs(400, n_features=2, centers=4, cluster_std=0.6, random_state=0)
    links = Links.sample(y, 60, random_state=0)
    whole = ConstrainedLinkage(4, linkage=method).fit(X, constraints=links)
    monkeypatch.setattr(constrained_linkage, "MOST_COMPARED", 50)
    model = ConstrainedLinkage(4, linkage=method).fit(X, constraints=links)
    assert links.satisfied(model.labels_).all()
    assert adjusted_rand_score(whole.labels_, model.labels_) > 0.95
    assert is_valid_linkage(model.linkage_matrix_)
    assert is_monotonic(model.linkage_matrix_)


def test_a_complete_graph_gives_the_same_ward_tree(blobs, monkeypatch):
    X, y = blobs
    links = Links.sample(y, 15, random_state=0)
    whole = ConstrainedLinkage(4).fit(X, constraints=links)
    monkeypatch.setattr(constrained_linkage, "MOST_COMPARED", 6)
    model = ConstrainedLinkage(4, n_neighbors=59).fit(X, constraints=links)
    assert_allclose(model.linkage_matrix_, whole.linkage_matrix_)


@pytest.mark.parametrize("method", METHODS)
def test_sparse_rows_give_the_same_result(blobs, method):
    X, y = blobs
    links = Links.sample(y, 15, random_state=0)
    dense = ConstrainedLinkage(4, linkage=method).fit(X, constraints=links)
    sparse = ConstrainedLinkage(4, linkage=method).fit(sp.csr_array(X), constraints=links)
    assert_array_equal(sparse.labels_, dense.labels_)
    assert_array_equal(sparse.predict(X), sparse.labels_)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"linkage": "single"}, "(linkage='single'): linkage must be one of 'ward', 'average'."),
        ({"n_neighbors": 0}, "(n_neighbors=0): n_neighbors must be a whole number >= 1."),
    ],
)
def test_senseless_settings_are_refused(blobs, params, words):
    with pytest.raises(ValueError) as caught:
        ConstrainedLinkage(3, **params).fit(blobs[0])
    assert str(caught.value) == f"ConstrainedLinkage{words}"
