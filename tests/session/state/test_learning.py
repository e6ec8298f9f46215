import copy

import numpy as np
import pytest

from linkwise import Links, load
from linkwise.scores import accuracy
from linkwise.session.state import learning
from linkwise.session.state.learning import solve

N_ROWS = 60
TRUTH = np.repeat([0, 1, 2], 20)


@pytest.fixture
def model(template):
    return copy.copy(load(template / "model", mmap=True))


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(learning, "MAX_LEARNED", 20)


def test_few_links_are_all_learned(model):
    links = Links.sample(TRUTH, 30, random_state=0)
    twin = copy.copy(model).update(links)
    assert (solve(copy.copy(model), links).labels_ == twin.labels_).all()


@pytest.mark.usefixtures("few")
def test_links_that_were_not_learned_hold_too(model):
    links = Links.sample(TRUTH, 200, random_state=0)
    solved = solve(model, links)
    assert solved.links_ == links
    assert solved.suspicion_.shape == (200,)
    believed = solved.suspicion_ < learning.DOUBT
    assert believed.mean() > 0.8
    assert links.satisfied(solved.labels_)[believed].all()


@pytest.mark.usefixtures("few")
def test_confirmed_links_are_never_doubted(model):
    i = int(np.flatnonzero(model.labels_ == 0)[0])
    j = int(np.flatnonzero(model.labels_ == 1)[0])
    others = Links.sample(TRUTH, 100, random_state=0).without(Links(N_ROWS, cannot=[(i, j)]))
    sure = Links(N_ROWS, must=[(i, j)], weight=[2.0])
    solved = solve(model, others | sure)
    assert solved.labels_[i] == solved.labels_[j]


@pytest.mark.usefixtures("few")
def test_wrong_answers_do_not_glue_the_clusters_together(model):
    links = Links.sample(TRUTH, 400, noise=0.1, random_state=0)
    before = model.labels_
    labels = solve(copy.copy(model), links).labels_
    assert len(np.unique(labels)) == 3
    assert accuracy(TRUTH, labels) >= accuracy(TRUTH, before)


@pytest.mark.usefixtures("few")
def test_half_of_the_learned_links_are_must_links():
    links = Links.sample(TRUTH, 300, random_state=0)
    chosen = learning._learned(links)
    assert chosen.sum() == 20
    assert chosen[: len(links.must)].sum() == 10


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("n_must", [0, 3, 100])
def test_where_one_kind_is_rare_the_other_fills_up(n_must):
    pairs = [(i, j) for i in range(20) for j in range(20, 40)]
    links = Links(N_ROWS, must=pairs[:n_must], cannot=pairs[100:200])
    chosen = learning._learned(links)
    assert chosen.sum() == 20
    assert chosen[:n_must].sum() == min(n_must, 10)


@pytest.mark.usefixtures("few")
def test_one_more_link_changes_the_choice_by_one_at_most():
    links = Links.sample(TRUTH, 300, random_state=0)
    fewer = Links(N_ROWS, links.must[1:], links.cannot)

    def chosen(given):
        mask = learning._learned(given)
        pairs = np.concatenate([given.must, given.cannot])[mask]
        return {tuple(pair) for pair in pairs.tolist()}

    assert len(chosen(links) ^ chosen(fewer)) <= 2
