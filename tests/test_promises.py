"""What the README promises of ``SequentialClustering``, on small data and by public names only."""

import tracemalloc

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from linkwise import Links, SequentialClustering
from linkwise.datasets import load
from linkwise.ensemble import LabelMatrix
from linkwise.query import STRATEGIES, choose_pairs
from linkwise.scores import nmi

pytestmark = pytest.mark.filterwarnings("ignore::linkwise.errors.ContradictionWarning")

SEEDS = range(6)
#: Where answers are wrong, those that look so are set aside, and that is said.
wrong_ones_are_set_aside = pytest.mark.filterwarnings("ignore:SequentialClustering.*set aside")
#: How far wrong answers may push the agreement below that without answers: one draw, on average.
TOLERANCE, ON_AVERAGE = 0.03, 0.005


class CountedLabels(LabelMatrix):
    """A label matrix that counts the rows it is asked for."""

    @classmethod
    def of(cls, labels):
        counted = cls(np.array(labels.array), labels.n_rows)
        counted.n_read = 0
        return counted

    @property
    def array(self):
        self.n_read += self.n_rows
        return super().array

    def rows(self, indices):
        self.n_read += len(indices)
        return super().rows(indices)


def digits():
    data = load("digits")
    return data.X[:600], data.y[:600]


def blobs():
    return make_blobs(600, n_features=6, centers=5, cluster_std=3.0, random_state=1)


@pytest.fixture(scope="module", params=[digits, blobs], ids=lambda data: data.__name__)
def fitted(request):
    X, y = request.param()
    return SequentialClustering(len(np.unique(y)), n_partitions=50, random_state=0).fit(X), y


@pytest.fixture
def situation(fitted):
    """A model that nothing was said to, and the truth."""
    model, y = fitted
    yield model, y
    model.retract(model.links_)


@wrong_ones_are_set_aside
def test_wrong_answers_do_no_harm_to_rows_that_nobody_asked_about(situation):
    """Of 200 answers about random pairs one in ten is wrong."""
    model, y = situation
    before, gains = model.labels_, []
    for seed in SEEDS:
        links = Links.sample(y, 200, noise=0.1, random_state=seed)
        after = model.update(links).labels_
        model.retract(links)
        free = np.setdiff1d(np.arange(len(y)), links.linked_rows)
        assert len(free) > 250
        gains.append(nmi(y[free], after[free]) - nmi(y[free], before[free]))
    assert min(gains) > -TOLERANCE
    assert np.mean(gains) > -ON_AVERAGE


@wrong_ones_are_set_aside
def test_what_is_taken_back_was_never_said(situation):
    model, y = situation
    labels, margins, questions = model.labels_, model.margins_, model.query(5)
    links = Links.sample(y, 60, noise=0.1, random_state=0)
    said = model.update(links).labels_
    assert (said != labels).any()
    model.retract(Links(len(y), must=links.must)).retract(Links(len(y), cannot=links.cannot))
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_array_equal(model.margins_, margins)
    np.testing.assert_array_equal(model.query(5), questions)


def test_the_order_of_answers_is_irrelevant(situation):
    model, y = situation
    links = Links.sample(y, 20, noise=0.1, random_state=1)
    at_once = model.update(links).labels_
    suspicion = model.suspicion_
    model.retract(links)
    for k in np.random.default_rng(0).permutation(20):
        n_must = len(links.must)
        kind, pair = ("must", links.must[k]) if k < n_must else ("cannot", links.cannot[k - n_must])
        model.update(Links(len(y), **{kind: [pair[::-1]]}))
    np.testing.assert_array_equal(model.labels_, at_once)
    np.testing.assert_array_equal(model.suspicion_, suspicion)


def test_right_answers_hold_unless_they_are_shown_as_doubtful_which_few_are(situation):
    model, y = situation
    for n_links in (1, 20, 200):
        links = Links.sample(y, n_links, random_state=n_links)
        holds = links.satisfied(model.update(links).labels_)
        believed = model.suspicion_ < 0.5
        model.retract(links)
        assert holds[believed].all()
        assert believed.mean() >= 0.9


def test_confirmed_answers_hold_all(situation):
    model, y = situation
    drawn = Links.sample(y, 200, random_state=0)
    assert not drawn.satisfied(model.labels_).all()  # there is something to say
    links = Links(len(y), must=drawn.must, cannot=drawn.cannot, weight=np.full(200, 5.0))
    assert links.satisfied(model.update(links).labels_).all()


@pytest.fixture(scope="module", params=[False, True], ids=["links", "labels too"])
def grown(request):
    """One model as it was fitted, and as it is with a thousand times as many rows."""
    X, y = make_blobs(300, n_features=4, centers=3, cluster_std=2.0, random_state=0)
    drawn = Links.sample(y, 20, noise=0.1, random_state=0)
    models = []
    for times in (1, 1000):
        model = SequentialClustering(3, n_partitions=20, random_state=0).fit(X)
        if times > 1:
            model.extend(np.tile(X, (times - 1, 1)))
        model.update(Links(300 * times, must=drawn.must, cannot=drawn.cannot))
        if request.param:
            model.update(np.where(np.arange(300 * times) < 30, np.resize(y, 300 * times), -1))
        model.ensemble_.labels = CountedLabels.of(model.ensemble_.labels)
        models.append(model)
    return models


def cost(model, action):
    """Return the rows that ``action`` looks at and the most memory it takes, in bytes.

    Other threads of the process are measured along, so the least of three times counts.
    """
    action(model)  # what is compiled or loaded once is not counted
    peaks = []
    for _ in range(3):
        model.ensemble_.labels.n_read = 0
        tracemalloc.start()
        try:
            action(model)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    return model.ensemble_.labels.n_read, min(peaks)


def hear_and_take_back(model):
    answer = Links(len(model.links_), cannot=[(7, 11)])
    model.update(answer).retract(answer)


@pytest.mark.parametrize(
    "action",
    [hear_and_take_back, *(lambda model, s=s: choose_pairs(model, 5, s) for s in STRATEGIES)],
    ids=["an answer", *STRATEGIES],
)
def test_one_more_answer_or_question_costs_the_same_at_any_number_of_rows(grown, action):
    (rows, memory), (rows_of_many, memory_of_many) = (cost(model, action) for model in grown)
    assert rows_of_many == rows
    assert memory_of_many < memory + 300_000  # less than a byte a row


def test_a_vote_looks_at_every_row_once(grown):
    """What is counted above is counted: only this touches all rows."""
    for model in grown:
        n_rows = len(model.links_)
        hear_and_take_back(model)
        model.ensemble_.labels.n_read = 0
        assert len(model.labels_) == len(model.margins_) == n_rows
        assert model.ensemble_.labels.n_read == n_rows
