"""scikit-learn's own suite."""

import pytest
from estimators import exported, make
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

#: It takes whatever reads sparse rows and has predict_proba for a classifier of 2 or 4 classes.
NO_CLASSIFIER = dict.fromkeys(
    ("check_estimator_sparse_array", "check_estimator_sparse_matrix"),
    "asks a classifier's tags of a clusterer that has predict_proba",
)

#: It gives the same seed to fewer rows; scikit-learn expects the same of its own KMeans.
ANOTHER_START = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "rows that stand twice draw another start than rows of weight 2",
)


def expected_failures(estimator):
    if has_fit_parameter(estimator, "sample_weight"):
        return ANOTHER_START
    return NO_CLASSIFIER if hasattr(estimator, "predict_proba") else {}


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")  # some checks repeat four rows
@parametrize_with_checks(
    [make(cls) for cls in exported()], expected_failed_checks=expected_failures
)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)
