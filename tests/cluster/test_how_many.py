"""How many clusters there are, by the rows alone."""

import matplotlib as mpl
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import entropy
from sklearn.datasets import make_blobs

import linkwise as lw
from linkwise.cluster import how_many
from linkwise.cluster.consensus import join_nearest, spectrum
from linkwise.cluster.how_many import (
    WALK,
    Half,
    choose_by_structure,
    gap,
    numbers_to_compare,
    told_alike,
)
from linkwise.errors import InvalidInput, MissingExtra

CENTERS = 20 * np.random.default_rng(1).normal(size=(6, 8))
X, y = make_blobs(144, centers=CENTERS, cluster_std=2.0, random_state=0)
COUNTING = [
    lw.COPKMeans,
    lw.PCKMeans,
    lw.MPCKMeans,
    lw.LCVQE,
    lw.KCC,
    lw.SeededKMeans,
    lw.ConstrainedKMeans,
    lw.PartitionKMeans,
    lw.LandmarkSpectralClustering,
    lw.SequentialClustering,
]


@pytest.fixture(scope="module")
def alike_rows():
    """A table of two categories: 3000 rows of 24 kinds, half of them of one kind."""
    rng = np.random.default_rng(0)
    first = rng.choice(8, 3000, p=[0.6, 0.1, 0.08, 0.07, 0.05, 0.04, 0.03, 0.03])
    second = rng.choice(3, 3000, p=[0.8, 0.15, 0.05])
    return np.hstack([np.eye(8)[first], np.eye(3)[second]])


@pytest.mark.parametrize("k", ["auto", 16])
def test_rows_of_one_kind_are_not_parted_into_clusters_that_have_no_rows(alike_rows, k):
    model = lw.SequentialClustering(k, random_state=0).fit(alike_rows)
    assert np.bincount(model.labels_, minlength=model.n_clusters_).min() > 0


@pytest.fixture(scope="module")
def choice():
    return lw.choose_k(X)


def test_well_separated_groups_are_counted(choice):
    assert choice.k == 6
    assert max(choice.scores, key=choice.scores.get) == 6
    assert list(choice.scores) == list(range(2, 19))  # an eighth of the rows at most
    assert choice.stability[6] == max(choice.stability.values()) > 0.85
    assert choice.answers == {}


@pytest.mark.parametrize("wrapped", [lambda X: X.tolist(), sp.csr_matrix])
def test_rows_come_in_any_form(wrapped):
    assert lw.choose_k(wrapped(X), [5, 6, 7]).k == 6


def test_only_the_numbers_in_the_range_are_compared():
    assert list(lw.choose_k(X, range(9, 2, -2)).scores) == [3, 5, 7, 9]


@pytest.mark.parametrize("k", [1, 1.5, True, 145])
def test_numbers_that_cannot_be_are_refused(k):
    with pytest.raises(InvalidInput) as caught:
        lw.choose_k(X, [3, k])
    assert str(caught.value) == (
        f"choose_k(k_range=...): {k!r} is no number of clusters to compare; there can be 2 to 144 "
        "of 144 landmarks."
    )


def test_a_model_that_cannot_say_how_many_is_no_table():
    with pytest.raises(InvalidInput) as caught:
        lw.choose_k(lw.PCKMeans(3))
    assert str(caught.value) == (
        "choose_k reads rows, or a fitted SequentialClustering; got PCKMeans. Give it the rows."
    )


@pytest.mark.parametrize("k", [5, "5"])
def test_a_number_in_place_of_a_range_is_refused(k):
    with pytest.raises(InvalidInput) as caught:
        lw.choose_k(X, k)
    assert str(caught.value) == (
        f"choose_k(k_range={k!r}): k_range must be the numbers to compare, such as range(2, 11)."
    )


def test_a_range_without_numbers_is_refused():
    with pytest.raises(InvalidInput, match="there is no number in it to choose from"):
        lw.choose_k(X, [])


def test_tiny_tables_have_a_number_too():
    assert numbers_to_compare(None, 15) == [2]
    assert lw.choose_k([[0.0], [1.0], [5.0]]).k == 2
    assert lw.choose_k([[0.0]]).k == 1
    assert lw.choose_k(np.zeros((40, 3))).k >= 1


def test_the_gap_is_that_of_a_walk_which_begins_anew(small_ensemble):
    """Against the eigenvalues of the walk's own matrix."""
    blocks, _ = small_ensemble
    n = blocks.shape[1]
    shared = (blocks[:, :, None] == blocks[:, None, :]).mean(axis=0)
    np.fill_diagonal(shared, -1.0)
    graph = np.zeros((n, n))
    for i in range(n):
        nearest = np.argsort(-shared[i], kind="stable")[:10]
        graph[i, nearest] = shared[i, nearest]
    graph = np.maximum(graph, graph.T)
    walk = graph / graph.sum(axis=1, keepdims=True)
    rate = 1 - np.sort(np.linalg.eigvals(walk).real)[::-1] + 1 / WALK
    values, _ = spectrum(join_nearest(blocks), 5)
    for k in (2, 3, 4):
        assert gap(values, k) == pytest.approx(np.log(rate[k] / rate[k - 1]), abs=1e-8)


@pytest.fixture(scope="module")
def small_ensemble():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], 20)
    blocks = (2 * group + rng.integers(0, 2, (30, 60))).astype(np.uint8)
    return blocks, (group[:, None] + rng.normal(size=(60, 2)) / 9).astype(np.float32)


def foretold(one, other, k):
    """Landmark by landmark, as somebody would who learns which clusters go together."""
    nats = 0.0
    for known, wanted in ((one, other), (other, one)):
        seen = np.full((k, k), 1 / k)
        for a, b in zip(known, wanted, strict=True):
            nats += np.log(seen[a, b] / seen[a].sum()) / 2
            seen[a, b] += 1
    told = (entropy(np.bincount(one)) + entropy(np.bincount(other))) / 2
    return told + nats / len(one), told


@pytest.mark.parametrize("k", [2, 3, 7])
def test_what_is_told_alike_is_what_a_learner_foretells(k):
    rng = np.random.default_rng(k)
    one = rng.integers(0, k, 50)
    other = np.where(rng.random(50) < 0.2, rng.integers(0, k, 50), (one + 1) % k)
    assert told_alike(one, other, k) == pytest.approx(foretold(one, other, k))


def test_labels_that_have_nothing_to_do_with_each_other_foretell_nothing():
    one, other = np.random.default_rng(0).integers(0, 5, (2, 1000))
    alike, told = told_alike(one, other, 5)
    assert alike < 0
    assert told == pytest.approx(np.log(5), abs=0.01)
    assert told_alike(one, (one + 1) % 5, 5)[0] > 0.95 * told


def test_stability_score_and_gap_are_means_over_the_halves(small_ensemble, monkeypatch):
    blocks, features = small_ensemble
    assert choose_by_structure(blocks, features, 8, [2, 3], 0).k == 3
    rng = np.random.default_rng(0)
    told = rng.integers(0, 2, (2 * how_many.N_PARTINGS, 2, 60))
    values = np.sort(rng.uniform(size=(2 * how_many.N_PARTINGS, 4)))[:, ::-1]
    drawn = [Half({2: a, 3: b}, some) for (a, b), some in zip(told, values, strict=True)]
    halves = iter(drawn)
    monkeypatch.setattr(how_many, "_told_by_half", lambda *_: next(halves))
    found = choose_by_structure(blocks, features, 8, [2, 3], 0)
    for position, k in enumerate((2, 3)):
        pairs = zip(told[::2, position], told[1::2, position], strict=True)
        alike, each = np.mean([told_alike(a, b, k) for a, b in pairs], axis=0)
        mean = np.mean([gap(half.eigenvalues, k) for half in drawn])
        assert found.stability[k] == pytest.approx(alike / each)
        assert found.gap[k] == pytest.approx(mean)
        assert found.scores[k] == pytest.approx(alike - how_many.TOLD_ALIKE * each)


@pytest.mark.parametrize(("n_rows", "n_groups"), [(144, 12), (300, 15), (500, 30)])
def test_small_groups_that_are_far_apart_are_counted_too(n_rows, n_groups):
    centers = 20 * np.random.default_rng(0).normal(size=(n_groups, 8))
    rows, _ = make_blobs(n_rows, centers=centers, cluster_std=1.0, random_state=0)
    assert lw.choose_k(rows).k == n_groups


def test_the_choice_is_drawn(choice):
    mpl.use("Agg")
    ax = choice.plot()
    x, shown = ax.lines[0].get_data()
    assert list(x) == list(choice.scores)
    assert list(shown) == list(choice.scores.values())
    assert ax.lines[1].get_xdata()[0] == 6
    assert choice.plot(ax) is ax
    mpl.pyplot.close(ax.figure)


def test_without_matplotlib_the_picture_says_what_is_missing(choice, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match="linkwise\\[plot\\]"):
        choice.plot()


@pytest.mark.parametrize("method", COUNTING, ids=lambda method: method.__name__)
def test_auto_finds_the_number(method):
    model = method("auto", random_state=0).fit(X)
    assert model.n_clusters_ == 6
    assert model.n_clusters == "auto"
    assert len(np.unique(model.labels_)) == 6


@pytest.mark.parametrize("method", [*COUNTING, lw.SCSC, lw.LSC, lw.MMC], ids=lambda m: m.__name__)
def test_the_number_is_told_also_when_it_was_asked_for(method):
    assert method(3, random_state=0).fit(X[::3]).n_clusters_ == 3


@pytest.mark.parametrize("method", [lw.SCSC, lw.LSC, lw.MMC, lw.SCPC], ids=lambda m: m.__name__)
def test_others_do_not_know_auto(method):
    with pytest.raises(InvalidInput, match="n_clusters must be a whole number"):
        method("auto").fit(X)


@pytest.mark.parametrize(
    "method", [lw.SeededKMeans, lw.ConstrainedKMeans, lw.PartitionKMeans, lw.SequentialClustering]
)
def test_more_classes_than_clusters_let_auto_grow(method):
    labels = np.full(len(X), -1)
    labels[:32] = np.arange(32) // 4
    assert method("auto", random_state=0).fit(X, constraints=labels).n_clusters_ == 8


@pytest.mark.parametrize("method", [lw.SeededKMeans, lw.SequentialClustering])
def test_more_classes_than_a_number_of_clusters_are_refused(method):
    labels = np.full(len(X), -1)
    labels[:8] = np.arange(8)
    with pytest.raises(InvalidInput, match="the labels name 8 classes"):
        method(6, random_state=0).fit(X, constraints=labels)


def test_given_centres_are_as_many_as_there_are():
    model = lw.PartitionKMeans("auto", init=X[[0, 1, 2, 3]], random_state=0).fit(X)
    assert model.n_clusters_ == 4


def test_a_full_report_compares_with_the_same_number():
    model = lw.PCKMeans("auto", report="full", random_state=0).fit(X)
    assert model.report_.agreement == 1.0
