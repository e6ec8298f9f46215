import numpy as np
import pytest
import sklearn
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline

import linkwise as lw
from linkwise import LinkKFold, Links, PartialLabels, PCKMeans, SeededKMeans
from linkwise.scores import links_kept


@pytest.fixture(scope="module")
def stretched():
    """Two groups that only the second feature tells apart, and links about them."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1], 60)
    X = np.column_stack([rng.normal(0, 5, 120), rng.normal(0, 1, 120) + 6 * y])
    return X, y, Links.sample(y, 60, random_state=0)


@pytest.fixture(scope="module")
def found(stretched):
    X, _, links = stretched
    return lw.compare(
        X,
        links,
        {
            "told nothing": KMeans(2, n_init=3, random_state=0),
            "metric": lw.MPCKMeans(2, random_state=0),
            "labels only": SeededKMeans(2, random_state=0),
        },
    )


def test_methods_are_judged_by_links_they_were_not_told(stretched, found):
    X, _, links = stretched
    scores = []
    for train, test in LinkKFold(random_state=0).split(X, constraints=links):
        model = lw.MPCKMeans(2, random_state=0).fit(X[train], constraints=links[train])
        scores.append(links_kept(model, X[test], constraints=links[test]))
    assert found["metric"].kept.tolist() == scores
    assert found["metric"].score == pytest.approx(np.mean(scores))
    assert found.n_folds == 5


def test_the_best_comes_first_and_is_fitted_with_all_that_is_known(found):
    assert [one.name for one in found.judgements] == ["metric", "told nothing", "labels only"]
    assert found.best.model.report_.n_links == 60
    assert found.best.told > 0.95
    assert found.best.seconds > 0


def test_a_method_that_refuses_says_why(found):
    refused = found["labels only"]
    assert np.isnan(refused.score)
    assert refused.model is None
    assert refused.trouble.startswith("SeededKMeans reads PartialLabels, got Links.")


def test_it_prints_as_a_table(found):
    lines = str(found).splitlines()
    assert lines[0].split() == ["method", "left", "out", "must", "cannot", "told", "seconds"]
    assert lines[1].startswith("metric ")
    assert lines[1].endswith("best")
    assert "behind by 0." in lines[2]
    assert "refused" in lines[3]
    assert lines[-1] == (
        "left out: mean of must and cannot, the shares kept of links left out, 5 folds; "
        "told: of links told."
    )


def test_notebooks_show_it_and_names_are_made_harmless(stretched):
    X, _, links = stretched
    found = lw.compare(X, links, {"<b>k</b>": KMeans(2, n_init=1, random_state=0)})
    shown = found._repr_html_()
    assert "&lt;b&gt;k&lt;/b&gt;" in shown
    assert shown.count("<tr>") == 2


def test_methods_of_one_class_go_by_their_settings(stretched):
    X, _, links = stretched
    methods = [PCKMeans(2, random_state=0), PCKMeans(3, random_state=0)]
    found = lw.compare(X, links, methods, cv=LinkKFold(2, random_state=0))
    assert {one.name for one in found.judgements} == {
        "PCKMeans(n_clusters=2, random_state=0)",
        "PCKMeans(n_clusters=3, random_state=0)",
    }


def test_estimators_may_be_named(stretched):
    X, _, links = stretched
    cv = LinkKFold(2, random_state=0)
    found = lw.compare(X, links, ["PCKMeans", "ConstrainedLinkage", "KMeans"], n_clusters=2, cv=cv)
    assert {one.name for one in found.judgements} == {"PCKMeans", "ConstrainedLinkage", "KMeans"}
    alone = lw.compare(X, links, {"mine": PCKMeans(2, random_state=0)}, cv=cv)
    assert found["PCKMeans"].score == alone["mine"].score
    assert repr(found["PCKMeans"].model) == "PCKMeans(n_clusters=2, random_state=0)"
    assert lw.compare(X, links, "PCKMeans", n_clusters=2, cv=cv).best.name == "PCKMeans"
    assert lw.compare(X, links, PCKMeans(2), cv=cv).best.name == "PCKMeans"


@pytest.mark.parametrize(
    ("methods", "complaint"),
    [
        (
            ["nobody"],
            "compare: linkwise has no estimator called 'nobody'. Name one that clusters, such as "
            "'PCKMeans', or give an estimator itself.",
        ),
        ([], "compare got no methods. Leave them out to compare one of each family."),
        ({}, "compare got no methods. Leave them out to compare one of each family."),
    ],
)
def test_who_is_not_there_is_told(stretched, methods, complaint):
    X, _, links = stretched
    with pytest.raises(ValueError) as caught:
        lw.compare(X, links, methods)
    assert str(caught.value) == complaint


def test_one_that_cannot_be_judged_does_not_keep_the_others_from_it(stretched):
    X, _, links = stretched
    methods = [KMeans(2, random_state=0), AgglomerativeClustering(2), KMeans(500)]
    found = lw.compare(X, links, methods, cv=LinkKFold(2, random_state=0))
    assert found.best.name == "KMeans(n_clusters=2, random_state=0)"
    assert found["AgglomerativeClustering"].trouble == (
        "AgglomerativeClustering has no predict, which tells where rows that were left out belong."
    )
    assert "n_clusters=500" in found["KMeans(n_clusters=500)"].trouble


def test_labels_and_pipelines_are_compared_too(stretched):
    X, y, _ = stretched
    with sklearn.config_context(enable_metadata_routing=True):
        mapped = make_pipeline(
            lw.metric.RCA().set_fit_request(constraints=True), KMeans(2, n_init=3, random_state=0)
        )
    labels = PartialLabels(np.where(np.arange(120) % 5 == 0, y, -1))
    methods = {"plain": KMeans(2, n_init=3, random_state=0), "mapped": mapped}
    found = lw.compare(X, labels, methods, cv=LinkKFold(3, random_state=0))
    assert found.best.name == "mapped"
    assert found["mapped"].cannot > found["plain"].cannot


def test_one_of_each_family_is_compared_unless_told_otherwise():
    X, y = make_blobs(90, n_features=3, centers=3, random_state=0)
    links = Links.sample(y, 40, random_state=0)
    found = lw.compare(X, links, n_clusters=3, cv=LinkKFold(2, random_state=0))
    assert {one.name for one in found.judgements} >= {"KMeans", "SequentialClustering", "COPKMeans"}
    assert not any(one.trouble for one in found.judgements)
    assert found.best.score == 1.0


def test_it_says_when_there_is_nothing_to_judge_by_or_nobody_to_judge(stretched):
    X, _, links = stretched
    with pytest.raises(ValueError) as caught:
        lw.compare(X, None)
    assert str(caught.value) == (
        "compare got no constraints: without links there is nothing to judge by."
    )
    with pytest.raises(ValueError, match=r"every method refused. SeededKMeans: SeededKMeans reads"):
        lw.compare(X, links, [SeededKMeans(2)])
    with pytest.raises(ValueError, match=r"'nobody' was not compared. Compared: KMeans."):
        lw.compare(X, links, [KMeans(2, n_init=1, random_state=0)])["nobody"]
