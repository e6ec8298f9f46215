import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from linkwise.cluster.margin.cccp import Descent, only_cluster
from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.linear_clusterer import LinearClusterer


class Given(LinearClusterer):
    """Ends where it is told to."""

    def __init__(self, W=None, n_clusters=2, report="brief", random_state=None):
        self.W = W
        self.n_clusters = n_clusters
        self.report = report
        self.random_state = random_state

    def _check_params(self, X):
        pass

    def _fit(self, X, knowledge, rng):  # noqa: ARG002
        rows = CentredRows.of(X)
        self._keep(rows, only_cluster(rows) if self.W is None else Descent(self.W, [3.0, 2.0], 0))


@pytest.fixture
def X():
    return np.random.RandomState(0).normal(size=(30, 3)) + 5


def test_scores_are_those_of_centred_and_scaled_rows(X):
    W = np.random.RandomState(1).normal(size=(3, 2))
    model = Given(W).fit(X)
    centred = X - X.mean(axis=0)
    scores = centred / np.sqrt(np.square(centred).sum() / len(X)) @ W
    assert_allclose(model.decision_function(X), scores, atol=1e-12)
    assert_array_equal(model.labels_, scores.argmax(axis=1))
    assert_array_equal(model.predict(X), model.labels_)
    assert_allclose(model.margins_, np.abs(scores[:, 0] - scores[:, 1]), atol=1e-12)


def test_the_last_objective_is_kept_and_a_fit_has_at_least_one_round(X):
    model = Given(np.ones((3, 2))).fit(X)
    assert (model.objective_, model.n_iter_) == (2.0, 1)
    assert model.coef_.shape == (2, 3)


def test_the_only_cluster_takes_every_row_without_a_margin(X):
    model = Given(n_clusters=1).fit(X)
    assert model.labels_.tolist() == [0] * 30
    assert model.margins_.tolist() == [0.0] * 30


def test_scores_of_a_model_that_was_not_fitted_are_refused(X):
    with pytest.raises(NotFittedError):
        Given().decision_function(X)
