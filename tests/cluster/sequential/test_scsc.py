import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

import linkwise as lw
from linkwise import SCSC, Links
from linkwise.errors import InvalidInput
from linkwise.scores import nmi


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:500], y[:500]


@pytest.fixture
def model(digits):
    return SCSC(10, n_partitions=40, random_state=0).fit(digits[0])


def one_hot(model, row):
    """P_k(row, :) for all partitions k, (m, r)."""
    return np.eye(10)[model.ensemble_.labels.rows([row])[0]]


def loss(model, links, weights):
    """The losses of eq. 8, pair by pair."""
    total = 0.0
    for i, j in links.must:
        total += ((weights @ (one_hot(model, i) - one_hot(model, j))) ** 2).sum()
    for i, j in links.cannot:
        total += ((weights @ (one_hot(model, i) + one_hot(model, j))) ** 2).sum()
    return total


def test_without_links_every_partition_has_the_same_weight(model):
    assert_allclose(model.weights_, 1 / 40)


def test_the_relaxed_rule_is_projected_gradient_run_to_its_end(model, digits):
    links = Links.sample(digits[1], 80, random_state=0)
    model.update(links)
    broken = np.zeros(40)
    for kind, pairs in (("must", links.must), ("cannot", links.cannot)):
        for i, j in pairs:
            same = (one_hot(model, i) * one_hot(model, j)).sum(axis=1) == 1
            broken += ~same if kind == "must" else same
    # eq. 11, iterated: eta small, C and lambda combined so that the fixed point is gamma_0 - c e
    gamma = np.full(40, 1 / 40)
    push = 20 / (100 * 40) * broken
    for _ in range(500):
        gamma = lw_project(gamma - 0.2 * (gamma - 1 / 40) - 0.2 * push)
    assert_allclose(model.weights_, gamma, atol=1e-6)


def lw_project(v):
    """Onto the simplex, by bisection on the threshold."""
    low, high = v.min() - 1, v.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(v - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(v - low, 0)


def test_the_exact_rule_minimises_equation_8(digits):
    X, y = digits
    links = Links.sample(y, 15, random_state=0)
    model = SCSC(10, n_partitions=8, rule="exact", regularisation=3.0, random_state=0).fit(
        X, constraints=links
    )

    def objective(w):
        return loss(model, links, w) + 3.0 * ((w - 1 / 8) ** 2).sum()

    best = objective(model.weights_)
    rng = np.random.default_rng(0)
    for _ in range(300):
        other = 0.9 * model.weights_ + 0.1 * rng.dirichlet(np.ones(8))
        assert objective(other) >= best - 1e-9


@pytest.mark.parametrize("rule", ["relaxed", "exact"])
def test_only_the_set_of_answers_counts(digits, rule):
    X, y = digits
    links = Links.sample(y, 60, random_state=0)
    whole = SCSC(10, n_partitions=20, rule=rule, random_state=0).fit(X, constraints=links)
    parts = SCSC(10, n_partitions=20, rule=rule, random_state=0).fit(X)
    extra = Links(500, must=[(0, 1), (2, 3)]).without(links)
    parts.update(extra)
    parts.update(Links(500, cannot=links.cannot[::-1, ::-1]))
    parts.update(Links(500, must=links.must))
    parts.retract(extra)
    assert_array_equal(parts.weights_, whole.weights_)
    assert_array_equal(parts.labels_, whole.labels_)


def test_rounding_takes_the_largest_entry(digits):
    X, y = digits
    model = SCSC(10, n_partitions=30, finish="round", random_state=0).fit(X)
    model.update(Links.sample(y, 100, random_state=0))
    F = sum(
        w * np.eye(10)[row]
        for w, row in zip(model.weights_, model.ensemble_.labels.array, strict=True)
    )
    assert (F[np.arange(500), model.labels_] >= F.max(axis=1) - 1e-12).all()


def test_predict_repeats_the_labels_of_the_training_rows(model, digits):
    model.update(Links.sample(digits[1], 50, random_state=0))
    assert_array_equal(model.predict(digits[0]), model.labels_)


def test_the_ensemble_finds_the_digits_about_as_well_as_expected():
    X, y = load_digits(return_X_y=True)
    model = SCSC(10, n_partitions=300, n_features=4, random_state=0).fit(X)
    assert 0.58 <= nmi(y, model.labels_) <= 0.75


def test_a_saved_model_gives_identical_labels_and_goes_on(model, digits, tmp_path):
    model.update(Links.sample(digits[1], 50, random_state=0))
    model.save(tmp_path / "model")
    twin = lw.load(tmp_path / "model")
    assert_array_equal(twin.labels_, model.labels_)
    assert_array_equal(twin.margins_, model.margins_)
    more = Links(500, must=[(0, 1)])
    assert_array_equal(twin.update(more).weights_, model.update(more).weights_)


def test_questions_are_pairs_the_partitions_disagree_about(model):
    pairs = model.query(10)
    labels = model.ensemble_.labels.array
    together = (labels[:, pairs[:, 0]] == labels[:, pairs[:, 1]]).mean(axis=0)
    assert np.abs(together - 0.5).max() < 0.1
    assert len(np.unique(pairs)) == 20


def test_senseless_rules_are_refused(digits):
    with pytest.raises(InvalidInput) as caught:
        SCSC(3, rule="magic").fit(digits[0])
    assert str(caught.value) == "SCSC(rule='magic'): rule must be one of 'relaxed', 'exact'."
