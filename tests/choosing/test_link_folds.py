import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import linkwise as lw
from linkwise import LinkKFold, Links, LinkShuffleSplit, PartialLabels, PCKMeans
from linkwise.choosing.parts import walks
from linkwise.constraints.known_pairs import KnownPairs
from linkwise.errors import InvalidInput
from linkwise.scores import links_kept

N = 14
rows = st.integers(0, N - 1)
pairs = st.lists(st.tuples(rows, rows).filter(lambda pair: pair[0] != pair[1]), max_size=14)
splitters = st.sampled_from([LinkKFold(2), LinkKFold(3), LinkShuffleSplit(3, test_size=0.4)])


@pytest.fixture
def groups():
    X, y = make_blobs(200, n_features=4, centers=4, cluster_std=2.5, random_state=0)
    return X, y, Links.sample(y, 80, random_state=0)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def restored(links, chosen):
    """Return the links among some rows, by their old numbers."""
    some = links[chosen]
    return Links(links.n_samples, must=chosen[some.must], cannot=chosen[some.cannot])


@settings(deadline=None)
@given(pairs, pairs, splitters, st.integers(0, 5))
def test_nothing_left_out_is_entailed_by_what_is_kept(must, cannot, splitter, seed):
    links = Links(N, must=must, cannot=cannot)
    splitter.random_state = seed
    try:
        folds = list(splitter.split(np.zeros((N, 1)), constraints=links))
    except InvalidInput:
        return
    assert len(folds) == splitter.get_n_splits()
    for train, test in folds:
        assert np.array_equal(np.sort(np.concatenate((train, test))), np.arange(N))
        assert set(test) <= set(links.linked_rows)
        known = KnownPairs(restored(links, train))
        left_out = restored(links, test)
        assert left_out.n_links > 0
        for i, j in np.concatenate((left_out.must, left_out.cannot)).tolist():
            assert not known(i, j)


@settings(deadline=None)
@given(pairs, pairs, st.integers(2, 4))
def test_every_named_row_is_left_out_once(must, cannot, n_splits):
    links = Links(N, must=must, cannot=cannot)
    try:
        folds = list(LinkKFold(n_splits, random_state=0).split(np.eye(N), constraints=links))
    except InvalidInput:
        return
    left_out = np.concatenate([test for _, test in folds])
    assert np.array_equal(np.sort(left_out), links.linked_rows)


def test_no_link_is_lost_where_rows_do_not_hang_together():
    links = Links(
        40,
        must=[(i, i + 1) for i in range(0, 20, 2)],
        cannot=[(i, i + 1) for i in range(20, 40, 2)],
    )
    counts = [links[test].n_links for _, test in LinkKFold(5).split(np.eye(40), constraints=links)]
    assert counts == [4] * 5


def test_groups_are_not_cut_where_they_fit():
    """Five groups of four rows, all kept apart from each other."""
    y = np.repeat(np.arange(5), 4)
    links = Links.from_labels(y)
    for _, test in LinkKFold(5, random_state=1).split(np.eye(20), constraints=links):
        assert len(test) >= 3
    whole = [np.array_equal(np.bincount(y[walk])[y[walk]], np.full(len(walk), 4))
             for walk in walks(links, np.random.RandomState(0))]  # fmt: skip
    assert whole == [True]
    (walk,) = walks(links, np.random.RandomState(0))
    assert (np.diff(y[walk]) != 0).sum() == 4  # one group after the other


def test_even_links_that_hang_together_are_parted_evenly(groups):
    _, y, _ = groups
    links = Links.sample(y, 600, random_state=0)
    counts = [
        links[test].n_links
        for _, test in LinkKFold(4, random_state=0).split(np.eye(200), constraints=links)
    ]
    assert min(counts) > 0.6 * max(counts)
    assert sum(counts) > 600 / 4  # rows drawn at random would keep this many


def test_labels_are_left_out_class_by_class():
    y = np.repeat([0, 1, 2], 10)
    labels = PartialLabels(np.where(np.arange(30) % 2 == 0, y, -1))
    for train, test in LinkKFold(5, random_state=0).split(np.eye(30), constraints=labels):
        assert sorted(y[test]) == [0, 1, 2]
        assert labels[train].n_known == 12


def test_a_grid_search_does_what_one_would_do_by_hand(groups, routing):  # noqa: ARG001
    X, _, links = groups
    folds = LinkKFold(4, random_state=0)
    model = PCKMeans(random_state=0).set_fit_request(constraints=True)
    search = GridSearchCV(
        model, {"n_clusters": [2, 4, 12]}, cv=folds, scoring=links_kept, error_score="raise"
    ).fit(X, constraints=links)
    for k, found in zip((2, 4, 12), search.cv_results_["mean_test_score"], strict=True):
        by_hand = []
        for train, test in folds.split(X, constraints=links):
            alone = PCKMeans(k, random_state=0).fit(X[train], constraints=links[train])
            by_hand.append(links_kept(alone, X[test], constraints=links[test]))
        assert found == pytest.approx(np.mean(by_hand))
    assert search.best_params_ == {"n_clusters": 4}
    assert search.best_estimator_.report_.n_links == 80  # refitted with all that is known


def test_the_score_of_the_estimator_serves_as_well(groups, routing):  # noqa: ARG001
    X, _, links = groups
    model = PCKMeans(4, random_state=0)
    model.set_fit_request(constraints=True).set_score_request(constraints=True)
    own, given = (
        cross_val_score(
            model,
            X,
            cv=LinkKFold(3, random_state=0),
            scoring=scoring,
            params={"constraints": links},
        )
        for scoring in (None, links_kept)
    )
    assert own.tolist() == given.tolist()


def test_a_pipeline_with_a_learned_metric_is_searched_too(groups, routing):  # noqa: ARG001
    X, _, links = groups
    model = make_pipeline(
        lw.metric.RCA().set_fit_request(constraints=True),
        PCKMeans(4, random_state=0).set_fit_request(constraints=True),
    )
    search = GridSearchCV(
        model, {"rca__ridge": [0.1, 10]}, cv=LinkShuffleSplit(3, random_state=0),
        scoring=links_kept, error_score="raise",
    )  # fmt: skip
    search.fit(X, constraints=links)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("splitter", [LinkKFold(), LinkShuffleSplit()])
def test_without_constraints_there_is_nothing_to_split(splitter):
    with pytest.raises(ValueError) as caught:
        next(splitter.split(np.eye(3)))
    assert str(caught.value) == (
        f"{type(splitter).__name__}.split got no constraints to split. Write split(X, "
        "constraints=links); in GridSearchCV call "
        "fit(X, constraints=links) after sklearn.set_config(enable_metadata_routing=True)."
    )


def test_more_folds_than_the_links_allow_are_refused():
    links = Links(9, must=[(0, 1), (1, 2)])
    with pytest.raises(ValueError) as caught:
        list(LinkKFold(3).split(np.eye(9), constraints=links))
    assert str(caught.value) == (
        "LinkKFold(n_splits=3): the 2 links cannot be parted into 3 with something to judge by "
        "in each. Ask for fewer parts, or know more."
    )
    with pytest.raises(ValueError, match=r"^LinkKFold\(n_splits=3\): the 1 link cannot"):
        list(LinkKFold(3).split(np.eye(9), constraints=Links(9, must=[(0, 1)])))
    with pytest.raises(ValueError, match=r"^LinkKFold\(n_splits=5\): the 3 labels cannot"):
        list(LinkKFold().split(np.eye(4), constraints=["a", "a", "b", None]))


@pytest.mark.parametrize(
    ("splitter", "words"),
    [
        (LinkKFold(1), "LinkKFold(n_splits=1): n_splits must be a whole number >= 2."),
        (
            LinkShuffleSplit(test_size=0.9),
            "LinkShuffleSplit(test_size=0.9): test_size must be a number from 0.001 to 0.5.",
        ),
    ],
)
def test_senseless_settings_are_refused(splitter, words):
    with pytest.raises(ValueError) as caught:
        list(splitter.split(np.eye(4), constraints=Links(4, must=[(0, 1), (2, 3)])))
    assert str(caught.value) == words
