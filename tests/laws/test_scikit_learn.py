"""scikit-learn's own suite."""

from estimators import exported, make
from sklearn.utils.estimator_checks import parametrize_with_checks

#: It takes whatever reads sparse rows and has predict_proba for a classifier of 2 or 4 classes.
NO_CLASSIFIER = dict.fromkeys(
    ("check_estimator_sparse_array", "check_estimator_sparse_matrix"),
    "asks a classifier's tags of a clusterer that has predict_proba",
)


def expected_failures(estimator):
    return NO_CLASSIFIER if hasattr(estimator, "predict_proba") else {}


@parametrize_with_checks(
    [make(cls) for cls in exported()], expected_failed_checks=expected_failures
)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)
