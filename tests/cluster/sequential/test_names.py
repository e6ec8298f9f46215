"""Names given to rows: facts that hold, come and go, and give the clusters their classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

import linkwise as lw
from linkwise import Links, PartialLabels, SequentialClustering
from linkwise.errors import InvalidInput, InvalidLinks
from linkwise.scores import nmi

N = 300
WORDS = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:N], y[:N]


@pytest.fixture(scope="module")
def fitted(digits):
    return SequentialClustering(10, n_partitions=30, random_state=0).fit(digits[0])


@pytest.fixture
def model(fitted):
    """A model that nothing was said to; what a test says is taken back."""
    yield fitted
    fitted.retract(fitted.links_).retract(fitted.named_)


def some(y, share, seed=0):
    """Return the words for some of the digits, None for the others."""
    known = np.random.default_rng(seed).random(len(y)) < share
    return np.where(known, WORDS[y].astype(object), None)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 1.0])
def test_named_rows_are_in_the_cluster_of_their_name(model, digits, share):
    names = some(digits[1], share)
    model.update(names)
    named = names != None  # noqa: E711  # element by element
    assert_array_equal(model.classes_[model.labels_[named]], names[named])
    assert_array_equal(model.memberships_[named].argmax(axis=1), model.labels_[named])
    assert_allclose(model.memberships_[named].max(axis=1), 1.0)


@pytest.mark.filterwarnings("ignore:SequentialClustering.*set aside")
def test_named_rows_keep_their_names_whatever_links_say(model, digits):
    _, y = digits
    names = some(y, 0.1)
    links = Links.sample(y, 200, noise=0.4, random_state=0)
    model.update(names).update(Links(N, links.must, links.cannot, np.full(200, 5.0)))
    named = names != None  # noqa: E711
    assert_array_equal(model.classes_[model.labels_[named]], names[named])


def test_names_help_the_rows_that_have_none(model, digits):
    _, y = digits
    before = model.labels_
    names = some(y, 0.3)
    free = names == None  # noqa: E711
    after = model.update(names).labels_
    assert nmi(y[free], after[free]) > nmi(y[free], before[free]) + 0.03


def test_a_cluster_that_no_name_speaks_of_has_none(model, digits):
    _, y = digits
    model.update(np.where(y < 2, y, -1))
    assert sorted(name for name in model.classes_ if name is not None) == [0, 1]
    assert len(model.classes_) == 10
    assert len(set(model.labels_)) == 10


def test_without_names_no_cluster_has_a_class(model, digits):
    assert model.classes_.tolist() == [None] * 10
    model.update(Links.sample(digits[1], 20, random_state=0))
    assert model.classes_.tolist() == [None] * 10


def state(model):
    """Everything that answers change."""
    return (
        model.labels_,
        model.margins_,
        model.memberships_,
        model.suspicion_,
        model.landmarks_.memberships,
        model.classes_,
    )


def assert_same_state(one, other):
    for mine, theirs in zip(one, other, strict=True):
        assert_array_equal(mine, theirs)


def test_names_given_in_two_updates_are_names_given_at_once(model, digits):
    _, y = digits
    names = some(y, 0.2)
    links = Links.sample(y, 20, random_state=0)
    model.update(names).update(links)
    at_once = state(model)
    model.retract(links).retract(names)
    first = np.where(np.arange(N) < 100, names, None)
    rest = np.where(np.arange(N) >= 90, names, None)  # some are given twice
    model.update(rest).update(links).update(first)
    assert_same_state(state(model), at_once)


def test_fitting_with_names_is_fitting_and_then_naming(digits, model):
    X, y = digits
    names = some(y, 0.2)
    at_once = SequentialClustering(10, n_partitions=30, random_state=0).fit(X, constraints=names)
    assert_same_state(state(model.update(names)), state(at_once))


def test_names_that_are_taken_back_were_never_given(model, digits):
    names = some(digits[1], 0.2)
    nothing = state(model)
    model.update(names).retract(names)
    assert_same_state(state(model), nothing)
    half = np.where(np.arange(N) < 150, names, None)
    expected = state(model.update(half))
    model.update(names).retract(np.where(np.arange(N) >= 150, names, None))
    assert_same_state(state(model), expected)


def test_a_row_that_has_a_name_gets_no_other(model):
    model.update(PartialLabels(["cat", *[None] * (N - 1)]))
    before = model.labels_
    with pytest.raises(InvalidLinks) as caught:
        model.update(PartialLabels(["dog", *[None] * (N - 1)]))
    assert str(caught.value) == (
        "row 0 is labelled 'cat' already and now 'dog'. "
        "Take the first label back before giving another."
    )
    assert_array_equal(model.labels_, before)


@pytest.mark.parametrize(
    ("row", "name", "shown"), [(0, "dog", "'dog'"), (1, "cat", "'cat'"), (0, 3, "3")]
)
def test_a_name_that_was_never_given_cannot_be_taken_back(model, row, name, shown):
    model.update(PartialLabels(["cat", *[None] * (N - 1)]))
    wrong = np.full(N, None, dtype=object)
    wrong[row] = name
    with pytest.raises(InvalidInput) as caught:
        model.retract(wrong)
    assert str(caught.value) == (
        f"row {row} was never labelled {shown}, so that cannot be taken back. Nothing was changed."
    )


def test_more_classes_than_clusters_are_refused_and_nothing_changes(model, digits):
    _, y = digits
    sentence = (
        "SequentialClustering(n_clusters=10): the labels name 11 classes. "
        "Ask for at least that many clusters."
    )
    model.update(np.where(np.arange(N) < 20, y, -1))
    before = model.named_
    with pytest.raises(InvalidInput) as caught:
        model.update(np.where(np.arange(N) == 20, 77, -1))
    assert str(caught.value) == sentence
    assert model.named_ == before


def test_the_report_counts_names_and_links_apart(model, digits):
    _, y = digits
    model.update(np.where(np.arange(N) < 40, y, -1)).update(Links.sample(y, 10, random_state=0))
    report = model.report_
    assert (report.n_named, report.named_kept, report.n_links) == (40, 40, 10)
    assert str(report).splitlines()[0] == "40 of 40 labels hold"
    assert str(report).splitlines()[1].startswith("10 of 10 links hold")


def test_memberships_are_shares_and_the_largest_is_the_label(model, digits):
    _, y = digits
    model.update(some(y, 0.1)).update(Links.sample(y, 50, random_state=0))
    shares = model.memberships_
    assert shares.dtype == np.float32
    assert shares.shape == (N, 10)
    assert_allclose(shares.sum(axis=1), 1.0, atol=1e-5)
    ranked = np.sort(shares, axis=1)
    clear = ranked[:, -1] - ranked[:, -2] > 0.02  # tables of the vote are rounded to bytes
    assert clear.mean() > 0.8
    assert_array_equal(shares[clear].argmax(axis=1), model.labels_[clear])
    assert (shares.argmax(axis=1) == model.labels_).mean() > 0.98


def test_probabilities_of_new_rows_are_shares_and_the_largest_is_what_is_predicted(model, digits):
    X, _ = load_digits(return_X_y=True)
    model.update(some(digits[1], 0.2))
    shares = model.predict_proba(X[N:900])
    assert_allclose(shares.sum(axis=1), 1.0, atol=1e-5)
    ranked = np.sort(shares, axis=1)
    clear = ranked[:, -1] - ranked[:, -2] > 0.02  # tables of the vote are rounded to bytes
    predicted = model.predict(X[N:900])
    assert_array_equal(shares[clear].argmax(axis=1), predicted[clear])
    assert (shares.argmax(axis=1) == predicted).mean() > 0.98
    assert_allclose(model.predict_proba(X[:N]), model.votes(np.arange(N)), atol=1e-6)


@pytest.mark.parametrize(
    "convert", [lambda y: WORDS[y], lambda y: y, lambda y: y * 1.5, lambda y: y % 2 == 0]
)
def test_a_saved_model_keeps_its_names(model, digits, convert, tmp_path):
    _, y = digits
    names = np.where(np.arange(N) % 5 == 0, convert(y).astype(object), None)
    model.update(names).update(Links.sample(y, 20, random_state=0))
    model.save(tmp_path / "model")
    twin = lw.load(tmp_path / "model")
    assert twin.named_ == model.named_
    assert twin.named_.classes.dtype == model.named_.classes.dtype
    assert_same_state(state(twin), state(model))
    assert twin.report_ == model.report_
    nothing = twin.retract(twin.links_).retract(names)
    assert nothing.named_.n_known == 0
    assert_array_equal(nothing.labels_, model.retract(model.links_).retract(names).labels_)


def test_names_follow_when_rows_are_appended(digits):
    X, y = digits
    model = SequentialClustering(10, n_partitions=30, random_state=0)
    model.fit(X[:250], constraints=some(y[:250], 0.2)).extend(X[250:])
    assert len(model.named_) == N
    late = np.where(np.arange(N) == 299, WORDS[y], None)
    model.update(late)
    assert model.classes_[model.labels_[299]] == WORDS[y[299]]


def test_questions_are_never_about_two_named_rows(model, digits):
    _, y = digits
    names = some(y, 0.5)
    model.update(names)
    named = names != None  # noqa: E711
    pairs = model.query(20)
    assert len(pairs)
    assert not named[pairs].all(axis=1).any()
