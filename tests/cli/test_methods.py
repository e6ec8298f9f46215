"""Names of estimators on the command line."""

import pytest

import linkwise as lw
from linkwise.cli.methods import DEFAULT, MethodName, estimator_class, method_names
from linkwise.cluster.base import ConstrainedClusterer


def exported():
    found = (getattr(lw, name) for name in lw.__all__)
    return {c for c in found if isinstance(c, type) and issubclass(c, ConstrainedClusterer)}


def test_every_exported_estimator_has_exactly_one_name():
    classes = [estimator_class(method) for method in method_names()]
    assert len(classes) == len(set(classes))
    assert set(classes) == exported()


def test_the_default_comes_first_and_is_the_sequential_system():
    assert next(iter(method_names())) == DEFAULT
    assert estimator_class(DEFAULT) is lw.SequentialClustering


def test_names_are_lower_case_words_with_hyphens():
    assert all(method.replace("-", "").isalnum() for method in method_names())
    assert all(method == method.lower() for method in method_names())


@pytest.mark.parametrize("method", method_names())
def test_a_method_may_be_called_by_its_class_too(method):
    name = method_names()[method]
    for spelled in (method, method.replace("-", "_"), name, name.lower()):
        assert MethodName().convert(spelled, None, None) == method


def test_familiar_methods_go_by_familiar_names():
    assert estimator_class("cop-kmeans") is lw.COPKMeans
    assert estimator_class("pck-means") is lw.PCKMeans
    assert estimator_class("constrained-kmeans") is lw.ConstrainedKMeans
