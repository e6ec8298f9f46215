"""What people know for sure holds, in every estimator that promises it."""

import numpy as np
import pytest
from estimators import KEEPS_LINKS, make
from numpy.testing import assert_array_equal
from sklearn.datasets import load_digits, load_iris
from sklearn.preprocessing import StandardScaler

from linkwise import PartialLabels
from linkwise.errors import LinkwiseError
from linkwise.scores import accuracy


def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300], y[:300]


def noise():
    """Names that have nothing to do with where rows lie."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(120, 3)), rng.integers(0, 3, 120)


@pytest.fixture(
    scope="module",
    params=[iris, digits, noise],
    ids=lambda data: data.__name__,
)
def truth(request):
    return request.param()


def test_where_all_rows_are_labelled_the_classes_are_returned(keeping_class, truth):
    X, y = truth
    model = make(keeping_class, n_clusters=len(np.unique(y))).fit(X, constraints=y)
    assert accuracy(y, model.labels_) == 1.0
    report = model.report_
    assert (report.n_named, report.named_kept) == (len(y), len(y))
    assert str(report).splitlines()[0] == f"{len(y)} of {len(y)} labels hold"


@pytest.mark.parametrize("share", [0.03, 0.2, 0.6])
@pytest.mark.parametrize("seed", [0, 1])
def test_rows_with_one_label_are_together_and_with_another_apart(keeping_class, truth, share, seed):
    X, y = truth
    known = PartialLabels.sample(y, share, random_state=seed)
    model = make(keeping_class, n_clusters=len(np.unique(y))).fit(X, constraints=known)
    rows = known.known_rows
    labels = model.labels_[rows]
    assert_array_equal(
        labels[:, None] == labels[None, :], known.codes[rows][:, None] == known.codes[rows][None, :]
    )
    assert model.report_.named_kept == len(rows)


def test_more_classes_than_clusters_are_refused(keeping_class):
    X, y = iris()
    with pytest.raises(LinkwiseError) as caught:
        make(keeping_class, n_clusters=2).fit(X, constraints=y)
    assert "2" in str(caught.value)
    if keeping_class.__name__ not in KEEPS_LINKS:
        assert str(caught.value) == (
            f"{keeping_class.__name__}(n_clusters=2): the labels name 3 classes. "
            "Ask for at least that many clusters."
        )
