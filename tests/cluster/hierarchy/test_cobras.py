import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score

from linkwise import COBRAS, Links
from linkwise.cluster.hierarchy.super_instances import Evidence, example_of, split_rows
from linkwise.scores import nmi


@pytest.fixture
def blobs():
    return make_blobs(60, n_features=3, centers=4, cluster_std=2.0, random_state=0)


class Oracle:
    """Answers by the truth, and remembers what it was asked."""

    def __init__(self, y, silent=()):
        self.y, self.silent, self.asked = y, set(silent), []

    def __call__(self, i, j):
        self.asked.append((i, j))
        return None if {i, j} & self.silent else bool(self.y[i] == self.y[j])


def test_with_answers_enough_the_classes_are_found_and_counted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 2)), rng.integers(0, 3, 24)  # rows say nothing about classes
    oracle = Oracle(y)
    model = COBRAS(n_questions=24 * 23 // 2, random_state=0).fit(X, ask=oracle)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert model.n_clusters_ == 3
    assert len(oracle.asked) == len(set(oracle.asked)) == model.n_questions_


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_it_asks_on_until_the_classes_are_right(load):
    X, y = load(return_X_y=True)
    oracle = Oracle(y)
    model = COBRAS(n_questions=len(y) * 3, random_state=0).fit(X, ask=oracle)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert len(oracle.asked) < 2 * len(y)


def test_more_questions_are_never_left_unasked_where_rows_are_still_together(blobs):
    X, y = blobs
    for n_questions in (5, 20, 40):
        model = COBRAS(n_questions=n_questions, random_state=0).fit(X, ask=Oracle(y))
        assert model.n_questions_ == n_questions


def test_no_question_is_asked_whose_answer_follows_from_others(blobs):
    X, y = blobs
    oracle = Oracle(y)
    COBRAS(n_questions=500, random_state=0).fit(X, ask=oracle)
    for at, (i, j) in enumerate(oracle.asked):
        before = np.array(oracle.asked[:at], dtype=int).reshape(-1, 2)
        same = y[before[:, 0]] == y[before[:, 1]]
        links = Links(60, must=before[same], cannot=before[~same])
        group = links.components()
        assert group[i] != group[j]
        enemies = {frozenset(group[pair].tolist()) for pair in links.cannot}
        assert frozenset((int(group[i]), int(group[j]))) not in enemies


def test_a_round_that_could_not_be_finished_is_undone(blobs):
    X, y = blobs
    sizes = []
    for n_questions in range(30, 80, 3):
        model = COBRAS(n_questions=n_questions, random_state=0).fit(X, ask=Oracle(y))
        if model.n_iter_ == 2:  # the first round is never undone
            continue
        pieces = [
            np.flatnonzero(model.super_instances_ == s) for s in np.unique(model.super_instances_)
        ]
        examples = np.array([example_of(X, rows) for rows in pieces])
        found, true = (label[examples][:, None] == label[examples] for label in (model.labels_, y))
        assert_array_equal(found, true)  # nobody waits for being merged
        sizes.append(len(pieces))
    assert sizes == sorted(sizes)
    assert len(set(sizes)) > 3


def test_questions_are_as_many_as_allowed_and_their_answers_are_links(blobs):
    X, y = blobs
    oracle = Oracle(y)
    model = COBRAS(n_questions=12, random_state=0).fit(X, ask=oracle)
    assert model.n_questions_ == len(oracle.asked) == 12
    assert model.asked_.n_links == 12
    assert model.asked_.satisfied(y).all()


def test_clusters_in_separate_pieces_are_put_together():
    X, piece = make_blobs(120, centers=[(0, 0), (9, 0), (0, 9), (9, 9)], random_state=0)
    y = np.array([0, 1, 1, 0])[piece]
    model = COBRAS(n_questions=30, random_state=0).fit(X, ask=Oracle(y))
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert len(np.unique(model.super_instances_)) >= 4


def test_asked_about_iris_it_is_better_than_k_means():
    X, y = load_iris(return_X_y=True)
    model = COBRAS(n_questions=50, random_state=0).fit(X, ask=Oracle(y))
    assert nmi(y, model.labels_) > nmi(y, KMeans(3, n_init=3, random_state=0).fit(X).labels_) + 0.05


def test_cannot_tell_is_an_answer(blobs):
    X, y = blobs
    oracle = Oracle(y, silent=range(0, 60, 2))
    model = COBRAS(n_questions=40, random_state=0).fit(X, ask=oracle)
    assert model.asked_.n_links < model.n_questions_ <= 40
    assert len(oracle.asked) == len(set(oracle.asked))


def test_what_is_known_is_not_asked(blobs):
    X, y = blobs
    pairs = np.column_stack(np.triu_indices(60, 1))
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    everything = Links(60, must=pairs[same], cannot=pairs[~same])
    oracle = Oracle(y)
    model = COBRAS(n_questions=20, random_state=0).fit(X, constraints=everything, ask=oracle)
    assert oracle.asked == []
    assert adjusted_rand_score(y, model.labels_) > 0.9  # a stranger among friends stays


def test_links_alone_split_what_they_speak_against(blobs):
    X, y = blobs
    links = Links.sample(y, 300, random_state=0)
    told = COBRAS(4, random_state=0).fit(X, constraints=links)
    plain = COBRAS(4, random_state=0).fit(X)
    assert nmi(y, told.labels_) > nmi(y, plain.labels_)
    assert told.n_questions_ == 0


def test_with_nothing_said_and_a_number_given_it_is_k_means(blobs):
    X, _ = blobs
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    expected = KMeans(4, n_init=1, random_state=seed).fit(X).labels_
    assert adjusted_rand_score(COBRAS(4, random_state=0).fit(X).labels_, expected) == 1.0


def test_with_nothing_said_at_all_everything_is_one(blobs):
    model = COBRAS(random_state=0).fit(blobs[0])
    assert_array_equal(model.labels_, 0)
    assert model.n_clusters_ == 1


@pytest.mark.parametrize("n_clusters", [2, 5, 9])
def test_a_number_given_is_reached(blobs, n_clusters):
    X, y = blobs
    model = COBRAS(n_clusters, n_questions=15, random_state=0).fit(X, ask=Oracle(y))
    assert len(np.unique(model.labels_)) == n_clusters == model.n_clusters_


def test_sparse_rows_give_the_same_result(blobs):
    X, y = blobs
    dense = COBRAS(n_questions=20, random_state=0).fit(X, ask=Oracle(y))
    sparse = COBRAS(n_questions=20, random_state=0).fit(sp.csr_array(X), ask=Oracle(y))
    assert adjusted_rand_score(dense.labels_, sparse.labels_) == 1.0
    assert_array_equal(dense.predict(X), sparse.predict(sp.csr_array(X)))


def test_rows_that_are_the_same_are_not_split_for_ever():
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    model = COBRAS(n_questions=500, random_state=0).fit(X, ask=Oracle(np.arange(20)))
    assert model.n_clusters_ == 2


def test_evidence_is_weighed_between_sets():
    links = Links(6, must=[(0, 3), (1, 4)], cannot=[(2, 5), (0, 1)], weight=[1, 1, 0.5, 3])
    evidence = Evidence(links, None, 0)
    place = np.array([0, 0, 0, 1, 1, 1])
    assert_array_equal(evidence.between(place), [[-3, 1.5], [1.5, 0]])
    assert evidence.question(0, 5) is None


def test_what_answers_entail_is_known():
    links = Links(8, must=[(0, 1), (2, 3), (5, 6)], cannot=[(1, 2), (3, 5)])
    evidence = Evidence(links, lambda i, j: True, 1)  # noqa: ARG005
    assert [evidence.known(0, j) for j in range(8)] == [*[True] * 2, *[False] * 2, *[None] * 4]
    assert evidence.question(0, 4) is True
    assert not evidence.may_ask
    assert [evidence.known(j, 4) for j in range(8)] == [
        *[True] * 2, *[False] * 2, True, None, None, None,
    ]  # fmt: skip
    assert evidence.known(2, 6) is False


def test_the_example_is_the_row_nearest_to_the_mean():
    X = np.array([[0.0], [4.0], [5.0], [9.0], [50.0]])
    assert example_of(X, np.arange(4)) in (1, 2)
    parts = split_rows(X, np.arange(5), 2, np.random.RandomState(0))
    assert sorted(map(len, parts)) == [1, 4]


def test_a_senseless_number_of_questions_is_refused(blobs):
    with pytest.raises(ValueError) as caught:
        COBRAS(n_questions=-1).fit(blobs[0])
    assert str(caught.value) == "COBRAS(n_questions=-1): n_questions must be a whole number >= 0."
