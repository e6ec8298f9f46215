"""scikit-learn's own suite, with no expected failure."""

from estimators import exported, make
from sklearn.utils.estimator_checks import parametrize_with_checks


@parametrize_with_checks([make(cls) for cls in exported()])
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)
