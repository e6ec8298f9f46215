import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from linkwise import LSC, SCPC, Links
from linkwise.cluster.spectral.linked_rows import LinkedRows
from linkwise.errors import ConstraintWarning
from linkwise.scores import nmi


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@pytest.fixture(scope="module")
def labelled(digits):
    """The digits with 180 of their labels, as links."""
    _, y = digits
    rows = np.random.RandomState(0).choice(len(y), 180, replace=False)
    labels = np.full(len(y), -1)
    labels[rows] = y[rows]
    return Links.from_labels(labels)


def slow_rows(X, links, r, n_propagate, n_clusters):
    """Follow the paper with dense matrices and full SVD; return the unit rows of B."""
    linked = LinkedRows.of(links)
    U, n = X[linked.rows], len(X)
    Z = np.zeros((n, len(U)))
    for i in range(n):
        squared = np.square(U - X[i]).sum(axis=1)
        near = np.argsort(squared, kind="stable")[:r]
        Z[i, near] = np.exp(-squared[near] / (2 * squared[near[-1]]))
        Z[i] /= Z[i].sum()
    Z /= np.sqrt(Z.sum(axis=0))
    written = Z.copy()
    free = np.setdiff1d(np.arange(n), linked.rows)
    written[linked.rows] = linked.component[:, None] == linked.component
    for a in range(linked.n_components):
        members = np.flatnonzero(linked.component == a)
        near = [free[np.argsort(-Z[free, j], kind="stable")[:n_propagate]] for j in members]
        found = [(i, Z[i, j]) for j, rows in zip(members, near, strict=True) for i in rows]
        found = [(i, z) for i, z in found if z > 0]
        rows, frequency = np.unique([i for i, _ in found], return_counts=True)
        low, high = min(z for _, z in found), max(z for _, z in found)
        m = len(np.unique(frequency))
        value = np.full(len(rows), high) if m == 1 else low + frequency * (high - low) / (m - 1)
        written[np.ix_(rows, members)] = value[:, None]
    B, sigma, A = np.linalg.svd(written, full_matrices=False)
    natural = Z @ A.T[:, :n_clusters] / sigma[:n_clusters]
    B = B[:, :n_clusters]
    lengths = [np.linalg.norm(M, axis=1, keepdims=True) for M in (B, natural)]
    return B / lengths[0], natural / lengths[1]


def test_it_does_what_the_paper_says_on_dense_matrices(digits, labelled):
    X, _ = digits
    B, natural = slow_rows(X, labelled, 4, 5, 10)
    means = KMeans(10, n_init=20, random_state=0).fit(B)
    expected = means.predict(natural)
    expected[labelled.linked_rows] = means.labels_[labelled.linked_rows]
    model = SCPC(10, n_init=20, random_state=0).fit(X, constraints=labelled)
    assert adjusted_rand_score(expected, model.labels_) > 0.999


def test_with_known_labels_it_is_where_the_reference_is(digits, labelled):
    X, y = digits
    free = np.setdiff1d(np.arange(len(y)), labelled.linked_rows)
    labels = SCPC(10, random_state=0).fit(X, constraints=labelled).labels_
    assert 0.82 < nmi(y[free], labels[free]) < 0.90


def test_must_linked_rows_share_a_cluster(digits, labelled):
    model = SCPC(10, random_state=0).fit(digits[0], constraints=labelled)
    assert model.report_.must_kept == len(labelled.must)


def test_prediction_equals_the_labels_of_rows_in_no_link(digits, labelled):
    X, y = digits
    model = SCPC(10, random_state=0).fit(X, constraints=labelled)
    free = np.setdiff1d(np.arange(len(y)), labelled.linked_rows)
    assert_array_equal(model.predict(X[free]), model.labels_[free])


def test_a_thousand_times_the_data_gives_the_same_labels(digits, labelled):
    X, _ = digits
    model = SCPC(10, random_state=0)
    labels = model.fit(X, constraints=labelled).labels_
    assert_array_equal(model.fit(1000 * X, constraints=labelled).labels_, labels)


def test_without_links_it_is_lsc(digits):
    X, _ = digits
    assert_array_equal(
        SCPC(10, random_state=3).fit(X).labels_, LSC(10, random_state=3).fit(X).labels_
    )


def test_three_linked_rows_are_completed_by_k_means_landmarks(digits):
    X, y = digits[0][:300], digits[1][:300]
    model = SCPC(10, random_state=0).fit(X, constraints=Links(300, must=[(0, 10)], cannot=[(0, 1)]))
    assert model._model.graph.landmarks.shape[0] == 3 + 150
    assert nmi(y, model.labels_) > 0.5


def test_cannot_links_alone_are_enough_to_fit(digits):
    X, y = digits[0][:300], digits[1][:300]
    pairs = [(i, j) for i, j in np.random.RandomState(0).randint(300, size=(80, 2)) if y[i] != y[j]]
    model = SCPC(10, random_state=0).fit(X, constraints=Links(300, cannot=pairs))
    assert len(np.unique(model.labels_)) == 10


def test_landmarks_that_no_row_is_near_to_are_survived(digits):
    X, y = digits[0][:300].copy(), digits[1][:300].copy()
    X[:6], y[:6] = X[0], y[0]  # six landmarks in one place: rows are connected to four of them
    labels = np.where(np.arange(300) < 60, y, -1)
    model = SCPC(10, random_state=0).fit(X, constraints=labels)
    assert (model._model.graph.weights(X).sum(axis=0) == 0).any()
    assert nmi(y, model.labels_) > 0.6


def test_contradictory_links_are_repaired_with_a_warning(digits):
    links = Links(200, must=[(0, 1), (1, 2)], cannot=[(0, 2)], weight=[1.0, 2.0, 2.0])
    with pytest.warns(ConstraintWarning, match=r"^SCPC: the links contradict each other"):
        model = SCPC(10, random_state=0).fit(digits[0][:200], constraints=links)
    assert model.report_.withdrawn.must.tolist() == [[0, 1]]


def test_sparse_rows_give_the_labels_of_dense_ones(digits, labelled):
    X, _ = digits
    dense = SCPC(10, random_state=0).fit(X, constraints=labelled).labels_
    sparse = SCPC(10, random_state=0).fit(sp.csr_array(X), constraints=labelled).labels_
    assert_array_equal(sparse, dense)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("n_neighbors", 0, "n_neighbors must be a whole number >= 1."),
        ("n_propagate", -1, "n_propagate must be a whole number >= 0."),
    ],
)
def test_senseless_parameters_are_refused(option, value, message):
    with pytest.raises(ValueError) as caught:
        SCPC(2, **{option: value}).fit(np.eye(6))
    assert str(caught.value) == f"SCPC({option}={value!r}): {message}"
