import inspect

import numpy as np

import linkwise as lw
from linkwise.bench.common.methods import SILENT, Problem, methods
from linkwise.bench.common.tasks import Oracle
from linkwise.cluster.base import ConstrainedClusterer


def test_everything_that_is_exported_takes_part():
    exported = {
        name
        for name in lw.__all__
        if inspect.isclass(cls := getattr(lw, name)) and issubclass(cls, ConstrainedClusterer)
    }
    assert exported <= set(methods())
    assert {f"{name} + k-means" for name in lw.metric.__all__} <= set(methods())


def test_those_that_listen_to_nothing_are_told_nothing():
    for name in SILENT:
        assert methods()[name].kinds == {"none"}


def test_who_asks_spends_what_may_be_asked():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 2)) + 5 * y[:, None]
    oracle = Oracle(y, 25)
    labels = methods()["SequentialClustering"].run(Problem(X, 2, None, oracle, 0))
    assert len(labels) == 60
    assert oracle.n_left == 0
    assert len(oracle.named_rows) > 2
