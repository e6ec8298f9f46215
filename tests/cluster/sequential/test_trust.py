"""How many answers are wrong, and how much each tells: against slow sums and by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits

from linkwise import Links, SequentialClustering
from linkwise.cluster.sequential.trust import by_likelihood, error_rate, lift_links

N = 600


@pytest.fixture(scope="module")
def truth():
    return load_digits(return_X_y=True)[1][:N]


@pytest.fixture(scope="module")
def model():
    X, _ = load_digits(return_X_y=True)
    return SequentialClustering(10, n_partitions=50, random_state=0).fit(X[:N])


def lifted(model, links):
    rows = links.linked_rows
    return lift_links(model._basis, links, rows, model.ensemble_.labels.rows(rows))


@pytest.mark.parametrize(
    ("noise", "low", "high"), [(0.0, 0.0, 0.02), (0.1, 0.05, 0.15), (0.2, 0.12, 0.25)]
)
def test_the_share_of_wrong_answers_is_seen(model, truth, noise, low, high):
    links = Links.sample(truth, 400, noise=noise, random_state=0)
    assert low <= error_rate(model._basis, lifted(model, links)) <= high


def test_right_answers_to_chosen_questions_do_not_look_wrong(model, truth):
    for _ in range(5):
        pairs = model.query(20)
        same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
        model.update(Links(N, must=pairs[same], cannot=pairs[~same]))
    links = model.links_
    model.retract(links)
    assert len(links.must) > 40  # at random, ten would be
    assert error_rate(model._basis, lifted(model, links)) <= 0.02


def test_few_surprising_answers_are_no_sign_of_many_wrong_ones(model, truth):
    zero, one = np.flatnonzero(truth == 0)[:2], np.flatnonzero(truth == 1)[:2]
    links = Links(N, must=[tuple(zero), (zero[0], one[0])], cannot=[(zero[1], one[1])])
    assert error_rate(model._basis, lifted(model, links)) < 0.02


def test_mostly_must_links_are_chosen_ones_and_not_mistakes(model, truth):
    """Seven in ten are "same", and the ensemble expects none of it: the classes are shuffled."""
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(truth)
    drawn = Links.sample(shuffled, 3000, random_state=0)
    must, cannot = drawn.must[:210], drawn.cannot[:90]
    assert error_rate(model._basis, lifted(model, Links(N, must=must, cannot=cannot))) <= 0.1


def test_the_share_is_that_of_the_likeliest_explanation(model, truth):
    """The same by loops: every share of truth in the ensemble, every rate, link by link."""
    basis = model._basis
    links = lifted(model, Links.sample(truth, 60, noise=0.2, random_state=3))
    center = np.array([basis.vectors[basis.labels == c].sum(axis=0) for c in range(10)])
    member = np.array([[max(0.0, (place * basis.smoothness) @ one) + 1e-3 for one in center]
                       for place in links.place])  # fmt: skip
    member /= member.sum(axis=1, keepdims=True)
    expected = [member[i] @ member[j] for i, j in zip(links.i, links.j, strict=True)]
    size = np.bincount(basis.labels) / len(basis.labels)
    chance = min(np.mean(expected) / (10 * sum(size**2)), (links.must.sum() + 1) / (60 + 10))
    found = {}
    for share in (1.0, 0.75, 0.5, 0.25, 0.0):
        for rate in np.arange(100) * 0.005:
            total = 50 * np.log(1 - rate)
            for same, must in zip(expected, links.must, strict=True):
                prior = min(max(share * same + (1 - share) * chance, 1e-3), 1 - 1e-3)
                heard = (1 - rate) * prior + rate * (1 - prior)
                total += np.log(heard if must else 1 - heard)
            found[share, rate] = total
    assert error_rate(basis, links) == pytest.approx(max(found, key=found.get)[1])


def test_what_a_link_tells_by_hand(model):
    """Of four must-links three are kept, of six cannot-links five; all ends are landmarks."""
    labels = np.zeros(N, dtype=np.int64)
    labels[300:] = 1
    must = [(0, 1), (2, 3), (4, 5), (6, 306)]
    cannot = [(10, 310), (11, 311), (12, 312), (13, 313), (14, 314), (15, 16)]
    links = lifted(model, Links(N, must=must, cannot=cannot))
    told = by_likelihood(links, np.ones(10), labels, 2)
    overall = 5 / 12
    inside, between = (3 + overall) / (4 + 1), (1 + overall) / (6 + 1)
    ratio = np.log(inside / between) / np.log((1 - between) / (1 - inside))
    assert told.sum() == pytest.approx(10)
    assert_allclose(told[links.must][0] / told[~links.must][0], ratio)


def test_where_clusters_tell_nothing_both_kinds_weigh_about_the_same(model):
    labels = np.zeros(N, dtype=np.int64)
    must = [(2 * k, 2 * k + 1) for k in range(20)]
    cannot = [(2 * k, 2 * k + 1) for k in range(20, 200)]
    links = lifted(model, Links(N, must=must, cannot=cannot))
    told = by_likelihood(links, np.ones(200), labels, 2)
    assert told[links.must].sum() == pytest.approx(told[~links.must].sum(), rel=0.06)


def test_wrong_answers_make_must_links_tell_less(model, truth):
    def must_by_cannot(noise):
        links = lifted(model, Links.sample(truth, 400, noise=noise, random_state=1))
        told = by_likelihood(links, np.ones(400), model._basis.labels, 10)
        return told[links.must][0] / told[~links.must][0]

    assert must_by_cannot(0.0) > must_by_cannot(0.1) > must_by_cannot(0.3) > 0
