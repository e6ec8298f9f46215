"""What every estimator promises, checked the moment it is exported."""

import copy
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from estimators import RANDOM_START, make
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from linkwise import Links, PartialLabels, SequentialClustering
from linkwise.cluster.report import FitReport
from linkwise.errors import ConstraintWarning, Contradiction, InvalidInput
from linkwise.scores import nmi


def knowledge(cls, y, share=0.3):
    """Return what the class reads: links, or partial labels."""
    labels = PartialLabels.sample(y, share, random_state=0)
    return labels if cls._reads == "labels" else labels.to_links()


def make_links(known):
    return known if isinstance(known, Links) else known.to_links()


def same_partition(a, b):
    return adjusted_rand_score(a, b) == 1.0


def test_empty_knowledge_changes_nothing(estimator_class, blobs):
    X, _ = blobs
    expected = make(estimator_class, n_clusters=3).fit(X).labels_
    for nothing in (Links(60), PartialLabels(np.full(60, -1)), np.full(60, -1), [None] * 60):
        labels = make(estimator_class, n_clusters=3).fit(X, constraints=nothing).labels_
        assert_array_equal(labels, expected)


def test_y_is_never_read(estimator_class, blobs):
    X, y = blobs
    expected = make(estimator_class, n_clusters=3).fit(X).labels_
    assert_array_equal(make(estimator_class, n_clusters=3).fit(X, y).labels_, expected)


@pytest.mark.parametrize("kind", ["links", "labels"])
def test_knowledge_in_the_place_of_y_is_refused(fitting_class, kind, blobs):
    X, y = blobs
    given = {"links": Links.sample(y, 30, random_state=0), "labels": PartialLabels(y)}[kind]
    model = fitting_class()
    for fit in (model.fit, model.fit_predict if hasattr(model, "predict") else model.fit_transform):
        with pytest.raises(ValueError) as caught:
            fit(X, given)
        assert str(caught.value) == (
            f"{fitting_class.__name__}.fit(X, {kind}): {type(given).__name__} were given as y, "
            "which is never read; it is for scorers. Knowledge belongs to constraints: "
            f"fit(X, constraints={kind})."
        )


def test_order_and_direction_of_pairs_are_irrelevant(estimator_class, blobs):
    X, y = blobs
    if estimator_class._reads == "labels":
        pytest.skip("reads labels")
    links = Links.sample(y, 30, random_state=0)
    turned = Links(60, must=links.must[::-1, ::-1], cannot=links.cannot[::-1, ::-1])
    first = make(estimator_class, n_clusters=3).fit(X, constraints=links).labels_
    assert_array_equal(
        make(estimator_class, n_clusters=3).fit(X, constraints=turned).labels_, first
    )


def test_the_same_seed_gives_the_same_labels(estimator_class, blobs):
    X, y = blobs
    known = knowledge(estimator_class, y)
    first = make(estimator_class, n_clusters=3).fit(X, constraints=known).labels_
    assert_array_equal(make(estimator_class, n_clusters=3).fit(X, constraints=known).labels_, first)


def test_permuting_rows_permutes_labels_when_all_classes_are_seeded(estimator_class, blobs):
    X, y = blobs
    if estimator_class._reads != "labels" or estimator_class.__name__ in RANDOM_START:
        pytest.skip("its start is random")
    known = np.where(np.arange(60) < 20, y, -1)
    order = np.random.RandomState(0).permutation(60)
    straight = make(estimator_class, n_clusters=3).fit(X, constraints=known).labels_
    turned = make(estimator_class, n_clusters=3).fit(X[order], constraints=known[order]).labels_
    assert_array_equal(turned, straight[order])


def test_names_of_the_labels_do_not_matter(estimator_class, blobs):
    X, y = blobs
    codes = PartialLabels.sample(y, 0.3, random_state=0).codes
    names = np.array(["zebra", "ant", "moose", None], dtype=object)[codes]
    by_code = make(estimator_class, n_clusters=3).fit(X, constraints=codes).labels_
    by_name = make(estimator_class, n_clusters=3).fit(X, constraints=names).labels_
    assert same_partition(by_code, by_name)


def test_partial_labels_work(estimator_class, blobs):
    X, y = blobs
    model = make(estimator_class, n_clusters=3).fit(X, constraints=np.where(y == 0, 0, -1))
    report = model.report_
    assert report.n_named in (0, 20)
    assert report.n_links in (0, 19)
    assert report.n_named or report.n_links  # labels are counted, or the links they are read as


def test_links_that_name_all_classes_say_what_the_labels_say(estimator_class, blobs):
    X, y = blobs
    known = np.where(np.arange(60) < 20, y, -1)
    links = Links.from_labels(known)
    by_label = make(estimator_class, n_clusters=3).fit(X, constraints=known).labels_
    by_link = make(estimator_class, n_clusters=3).fit(X, constraints=links).labels_
    if estimator_class is SequentialClustering:  # there answers may be wrong, and names may not
        by_label, by_link = by_label[known >= 0], by_link[known >= 0]
    assert same_partition(by_label, by_link)


def test_knowledge_of_another_table_is_refused(estimator_class, blobs):
    X, y = blobs
    with pytest.raises(ValueError) as caught:
        make(estimator_class, n_clusters=3).fit(X, constraints=knowledge(estimator_class, y[:40]))
    kind = estimator_class._reads
    assert str(caught.value) == (
        f"constraints describe 40 rows but X has 60. Slice both together: X[rows], {kind}[rows]."
    )


def test_more_clusters_than_rows_are_refused(estimator_class):
    with pytest.raises(ValueError) as caught:
        make(estimator_class, n_clusters=4).fit(np.eye(3))
    assert str(caught.value) == (
        f"{estimator_class.__name__}(n_clusters=4): X has n_samples=3, fewer rows than clusters. "
        "Ask for at most that many."
    )


def test_a_senseless_number_of_clusters_is_refused(estimator_class, blobs):
    with pytest.raises(ValueError) as caught:
        make(estimator_class, n_clusters=0).fit(blobs[0])
    or_auto = " or 'auto'" if estimator_class._counts else ""
    assert str(caught.value) == (
        f"{estimator_class.__name__}(n_clusters=0): n_clusters must be a whole number >= 1"
        f"{or_auto}."
    )


def test_the_number_of_clusters_is_told(estimator_class, blobs):
    assert make(estimator_class, n_clusters=2).fit(blobs[0]).n_clusters_ == 2


def test_float32_stays_float32_and_gives_a_partition(estimator_class, blobs):
    X, y = blobs
    known = knowledge(estimator_class, y)
    model = make(estimator_class, n_clusters=3).fit(X.astype(np.float32), constraints=known)
    assert model.labels_.dtype == np.int32
    if hasattr(model, "cluster_centers_"):
        assert model.cluster_centers_.dtype == np.float32


@pytest.mark.parametrize(
    ("values", "found"),
    [(["x", "1"] * 30, "holds more than numbers"), ([None, 1.5] * 30, "has gaps")],
    ids=["text", "gaps"],
)
def test_a_data_frame_that_is_not_numbers_alone_is_sent_to_what_makes_rows_of_it(
    estimator_class, blobs, values, found
):
    frame = pd.DataFrame(blobs[0][:, :2], columns=["a", "b"]).assign(c=values)
    with pytest.raises(InvalidInput) as refused:
        make(estimator_class, n_clusters=3).fit(frame)
    assert str(refused.value) == (
        f'the column "c" of X {found}. features.TableFeatures().fit_transform(X) makes rows of '
        "numbers of any table."
    )


def test_a_data_frame_keeps_its_column_names(estimator_class, blobs):
    X, y = blobs
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(60)[::-1])
    known = knowledge(estimator_class, y)
    model = make(estimator_class, n_clusters=3).fit(frame, constraints=known)
    assert model.feature_names_in_.tolist() == list("abcd")
    plain = make(estimator_class, n_clusters=3).fit(X, constraints=known)
    assert_array_equal(model.labels_, plain.labels_)


def test_sparse_rows_give_the_same_partition(estimator_class, blobs):
    X, y = blobs
    if not estimator_class._sparse:
        pytest.skip("dense rows only")
    X = np.where(np.abs(X) < 2, 0.0, X)
    known = knowledge(estimator_class, y)
    dense = make(estimator_class, n_clusters=3).fit(X, constraints=known)
    sparse = make(estimator_class, n_clusters=3).fit(sp.csr_array(X), constraints=known)
    assert same_partition(dense.labels_, sparse.labels_)
    for rows in (sp.csr_array(X), sp.csr_matrix(X)):
        assert_array_equal(sparse.predict(rows), sparse.predict(X))
        if hasattr(sparse, "predict_proba"):
            assert_array_equal(sparse.predict_proba(rows), sparse.predict_proba(X))


def test_constraints_follow_the_rows_through_cross_validation(estimator_class, blobs, routing):  # noqa: ARG001
    X, y = blobs
    model = make(estimator_class, n_clusters=3).set_fit_request(constraints=True)
    known = knowledge(estimator_class, y)
    folds = cross_validate(
        model, X, y, params={"constraints": known}, cv=3, scoring="adjusted_rand_score",
        return_estimator=True, return_indices=True, error_score="raise",
    )  # fmt: skip
    for fold, rows in zip(folds["estimator"], folds["indices"]["train"], strict=True):
        alone = make(estimator_class, n_clusters=3).fit(X[rows], constraints=known[rows])
        assert_array_equal(fold.labels_, alone.labels_)
        assert fold.report_ == alone.report_


def test_constraints_follow_the_rows_through_grid_search(estimator_class, blobs, routing):  # noqa: ARG001
    X, y = blobs
    pipeline = make_pipeline(
        StandardScaler(), make(estimator_class).set_fit_request(constraints=True)
    )
    name = f"{estimator_class.__name__.lower()}__n_clusters"
    folds = [(np.arange(0, 60, 2), np.arange(1, 60, 2)), (np.arange(40), np.arange(40, 60))]
    search = GridSearchCV(
        pipeline, {name: [3, 4]}, cv=folds, scoring="adjusted_rand_score", error_score="raise"
    )
    known = knowledge(estimator_class, y)
    search.fit(X, y, constraints=known)
    for k, mean in zip((3, 4), search.cv_results_["mean_test_score"], strict=True):
        scores = []
        for train, test in folds:
            scaler = StandardScaler().fit(X[train])
            alone = make(estimator_class, n_clusters=k)
            alone.fit(scaler.transform(X[train]), constraints=known[train])
            scores.append(adjusted_rand_score(y[test], alone.predict(scaler.transform(X[test]))))
        assert mean == pytest.approx(np.mean(scores))
    assert search.best_estimator_[-1].report_.n_links == make_links(known).n_links


def test_a_clone_is_unfitted_and_fits_alike(estimator_class, blobs):
    X, y = blobs
    known = knowledge(estimator_class, y)
    model = make(estimator_class, n_clusters=3).fit(X, constraints=known)
    twin = clone(model)
    assert not hasattr(twin, "labels_")
    assert_array_equal(twin.fit(X, constraints=known).labels_, model.labels_)


def test_pickles_and_copies_predict_alike(estimator_class, blobs):
    X, y = blobs
    model = make(estimator_class, n_clusters=3).fit(X, constraints=knowledge(estimator_class, y))
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_array_equal(twin.labels_, model.labels_)
        assert_array_equal(twin.predict(X), model.predict(X))


def test_predict_is_thread_safe(estimator_class, blobs):
    X, y = blobs
    model = make(estimator_class, n_clusters=3).fit(X, constraints=knowledge(estimator_class, y))
    expected = model.predict(X)
    with ThreadPoolExecutor(8) as pool:
        for labels in pool.map(lambda _: model.predict(X), range(32)):
            assert_array_equal(labels, expected)


def test_the_report_says_what_the_constraints_bought(estimator_class, blobs):
    X, y = blobs
    known = knowledge(estimator_class, y)
    model = make(estimator_class, n_clusters=3, report="full").fit(X, constraints=known)
    report = model.report_
    links = make_links(known)
    kept = links.satisfied(model.labels_)
    assert isinstance(report, FitReport)
    assert (report.n_must, report.n_cannot) == (len(links.must), len(links.cannot))
    assert (report.must_kept, report.cannot_kept) == (
        kept[: len(links.must)].sum(),
        kept[len(links.must) :].sum(),
    )
    told_nothing = make(estimator_class, n_clusters=3).fit(X).labels_
    assert report.agreement == pytest.approx(nmi(told_nothing, model.labels_))
    assert f"of {links.n_links} links hold" in str(report)
    assert make(estimator_class, n_clusters=3).fit(X, constraints=known).report_.agreement is None


def test_agreement_without_constraints_is_perfect(estimator_class, blobs):
    X, _ = blobs
    model = make(estimator_class, n_clusters=3, report="full").fit(X)
    assert model.report_.agreement == pytest.approx(1.0)
    assert str(model.report_) == "no constraints were given"


def test_an_unknown_report_is_refused(estimator_class, blobs):
    with pytest.raises(ValueError) as caught:
        make(estimator_class, n_clusters=3, report="long").fit(blobs[0])
    assert str(caught.value) == (
        f"{estimator_class.__name__}(report='long'): report must be one of 'brief', 'full'."
    )


def test_the_number_of_rounds_is_told(estimator_class, blobs):
    assert make(estimator_class, n_clusters=3).fit(blobs[0]).n_iter_ >= 1


def test_contradictory_links_are_never_taken_silently(fitting_class, blobs):
    X, y = blobs
    known = Links.from_labels(np.where(np.arange(60) < 20, y, -1))
    i, j = known.must[0]
    links = known | Links(60, cannot=[(i, j)])
    clusters = hasattr(fitting_class, "predict")
    model = make(fitting_class, n_clusters=3) if clusters else fitting_class()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(X, constraints=links)
        except Contradiction:
            assert not clusters or fitting_class._refuses or fitting_class._reads == "labels"
            return
    said = [str(w.message) for w in caught if "the links contradict each other" in str(w.message)]
    assert len(said) == 1
    assert said[0].startswith(f"{fitting_class.__name__}: ")
    if hasattr(model, "update"):
        model = make(fitting_class, n_clusters=3).fit(X, constraints=known)
        with pytest.warns(ConstraintWarning, match="the links contradict each other"):
            model.update(links)
