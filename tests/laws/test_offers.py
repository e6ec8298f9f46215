"""What other estimators have is had here too, or refused in a sentence."""

import numpy as np
import pytest
from estimators import exported, exported_maps, make
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.validation import has_fit_parameter

from linkwise import Links, PartialLabels
from linkwise.errors import InvalidInput, NotOffered
from linkwise.offering import WEIGHING
from linkwise.scores import links_kept

HAS_SHARES = ("SequentialClustering",)


def test_the_list_of_those_that_weigh_rows_is_right():
    weighing = [cls for cls in exported() if has_fit_parameter(cls(), "sample_weight")]
    assert tuple(sorted(cls.__name__ for cls in weighing)) == WEIGHING
    assert not any(has_fit_parameter(cls(), "sample_weight") for cls in exported_maps())


def test_the_score_is_the_share_of_links_that_predictions_keep(estimator_class, blobs):
    X, y = blobs
    model = make(estimator_class, n_clusters=3).fit(X)
    links = Links.sample(y, 40, random_state=1)
    expected = links_kept.of(links, model.predict(X))
    assert model.score(X, y, constraints=links) == expected
    assert np.isnan(model.score(X))
    with pytest.raises(InvalidInput, match=r"\.score\(sample_weight=\.\.\.\): rows have no "):
        model.score(X, constraints=links, sample_weight=np.ones(60))


def test_shares_of_clusters_are_told_or_refused_in_a_sentence(estimator_class, blobs):
    X, _ = blobs
    model = make(estimator_class, n_clusters=3).fit(X)
    name = estimator_class.__name__
    if name in HAS_SHARES:
        shares = model.predict_proba(X)
        assert_allclose(shares.sum(axis=1), 1.0, atol=1e-5)
        assert_array_equal(shares.argmax(axis=1), model.predict(X))
        return
    assert not hasattr(model, "predict_proba")
    with pytest.raises(NotOffered) as caught:
        model.predict_proba(X)
    assert str(caught.value) == (
        f"{name} puts each row into one cluster and knows no shares, so it has no predict_proba. "
        "SequentialClustering has one: the share of votes of each cluster."
    )


def test_weights_of_rows_are_heard_or_refused_in_a_sentence(fitting_class, blobs):
    X, _ = blobs
    model = make(fitting_class) if hasattr(fitting_class, "predict") else fitting_class()
    both = (model.fit, getattr(model, "fit_predict", model.fit))
    for fit in both:
        if fitting_class.__name__ in WEIGHING:
            fit(X, sample_weight=np.ones(60))
            continue
        with pytest.raises(InvalidInput) as caught:
            fit(X, sample_weight=np.ones(60))
        assert str(caught.value) == (
            f"{fitting_class.__name__}.{fit.__name__}(sample_weight=...): rows have no weights "
            "here. Weights of rows are heard when COPKMeans, ConstrainedKMeans, KCC, MPCKMeans, "
            "PCKMeans, PartitionKMeans and SeededKMeans are fitted; links have weights of their "
            "own: Links(..., weight=)."
        )


@pytest.mark.parametrize("name", ["score", "predict_proba"])
def test_maps_make_no_clusters_and_say_so(name):
    for cls in exported_maps():
        assert not hasattr(cls(), name)
        with pytest.raises(NotOffered) as caught:
            getattr(cls(), name)
        assert str(caught.value) == (
            f"{cls.__name__} learns a map and makes no clusters. Put an estimator behind it: "
            "make_pipeline(map, SequentialClustering(k))."
        )


@pytest.fixture(params=[cls for cls in exported() if cls.__name__ in WEIGHING])
def weighing_class(request):
    return request.param


def seeds(cls, y):
    """Return knowledge about ten rows of each class, which leaves nothing to chance."""
    rows = np.concatenate([np.flatnonzero(y == c)[:10] for c in range(3)])
    labels = PartialLabels.of_rows({int(i): int(y[i]) for i in rows}, len(y))
    return labels if cls._reads == "labels" else labels.to_links()


def repeated(known, times):
    """Return the same knowledge about rows that stand several times each, the first one named."""
    first = np.cumsum(times) - times
    if isinstance(known, PartialLabels):
        return PartialLabels(np.repeat(known.codes, times))
    copies = [(f, f + c) for f, t in zip(first, times, strict=True) for c in range(1, t)]
    must = np.concatenate([first[known.must], np.array(copies).reshape(-1, 2)])
    return Links(int(times.sum()), must, first[known.cannot])


#: Settings that leave nothing to chance, as copies of rows change what is drawn.
CERTAIN = {
    "KCC": {"n_blocks": 3, "n_init": 20},
    "PCKMeans": {"weight": 50.0},
}


def sorted_centers(model):
    return model.cluster_centers_[np.lexsort(model.cluster_centers_.T)]


def test_a_row_of_weight_three_counts_as_three_rows(weighing_class, blobs):
    X, y = blobs
    times = np.random.default_rng(0).integers(1, 6, 60)
    known = seeds(weighing_class, y)
    if weighing_class.__name__ == "MPCKMeans":  # there a must-link to a copy costs nothing
        times[known.linked_rows] = 1
    told = CERTAIN.get(weighing_class.__name__, {})
    one = make(weighing_class, n_clusters=3, **told)
    one.fit(X, constraints=known, sample_weight=times)
    many = make(weighing_class, n_clusters=3, **told)
    many.fit(np.repeat(X, times, axis=0), constraints=repeated(known, times))
    assert adjusted_rand_score(np.repeat(one.labels_, times), many.labels_) == 1.0
    if hasattr(one, "cluster_centers_"):
        assert_allclose(sorted_centers(one), sorted_centers(many), atol=1e-8)


def test_equal_weights_say_nothing(weighing_class, blobs):
    X, y = blobs
    known = seeds(weighing_class, y)
    plain = make(weighing_class, n_clusters=3).fit(X, constraints=known)
    alike = make(weighing_class, n_clusters=3)
    alike.fit(X, constraints=known, sample_weight=np.ones(60))
    assert_array_equal(alike.labels_, plain.labels_)
    if hasattr(plain, "cluster_centers_"):
        assert_allclose(alike.cluster_centers_, plain.cluster_centers_)


def test_rows_of_weight_nothing_move_no_centre(weighing_class, blobs):
    X, y = blobs
    known = seeds(weighing_class, y)
    named = known.known_rows if isinstance(known, PartialLabels) else known.linked_rows
    far = np.vstack([X, X[:5] + 5.0])
    weights = np.append(np.ones(60), np.zeros(5))
    longer = (
        PartialLabels(np.append(known.codes, np.full(5, -1)))
        if isinstance(known, PartialLabels)
        else Links(65, known.must, known.cannot)
    )
    plain = make(weighing_class, n_clusters=3).fit(X, constraints=known)
    model = make(weighing_class, n_clusters=3)
    model.fit(far, constraints=longer, sample_weight=weights)
    assert len(named) == 30
    assert adjusted_rand_score(plain.labels_, model.labels_[:60]) == 1.0
    if hasattr(plain, "cluster_centers_"):
        assert_allclose(sorted_centers(plain), sorted_centers(model), atol=1e-8)


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        (
            np.ones(7),
            "the weights have shape (7,), but X has 60 rows. Give one number for each row.",
        ),
        (-np.ones(60), "the weight of row 0 is -1; it must be a number >= 0."),
        (np.zeros(60), "all weights are zero, so that no row counts."),
    ],
)
def test_senseless_weights_are_refused(weighing_class, blobs, weights, complaint):
    with pytest.raises(InvalidInput) as caught:
        make(weighing_class, n_clusters=3).fit(blobs[0], sample_weight=weights)
    assert str(caught.value) == f"{weighing_class.__name__}.fit(sample_weight=...): {complaint}"
