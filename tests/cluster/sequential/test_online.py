"""What the online estimators take from ``run_options``, and the old spelling of it."""

import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

import linkwise as lw
from linkwise.errors import Cancelled, ConstraintWarning

X = np.random.RandomState(0).normal(size=(300, 3))
ONLINE = (lw.SequentialClustering, lw.SCSC)
online = pytest.mark.parametrize("cls", ONLINE, ids=lambda cls: cls.__name__)


def make(cls, **wishes):
    return cls(3, n_partitions=5, random_state=0, **wishes)


@online
def test_how_a_fit_is_run_changes_no_label(cls, tmp_path):
    told = []
    plain, watched = make(cls).fit(X), make(cls)
    with lw.run_options(
        progress=lambda *step: told.append(step), cancel=lambda: False, folder=tmp_path / "labels"
    ):
        watched.fit(X)
    assert told
    assert (tmp_path / "labels").is_dir()
    assert_array_equal(watched.labels_, plain.labels_)


@online
def test_extend_is_watched_and_stopped_like_fit(cls):
    model, stop, told = make(cls).fit(X), threading.Event(), []
    with lw.run_options(progress=lambda *step: told.append(step), cancel=stop):
        model.extend(X[:10])
    assert told[-1] == (10, 10, "labelling rows")
    many = np.tile(X, (300, 1))
    stop.set()
    with lw.run_options(cancel=stop), pytest.raises(Cancelled):
        model.extend(many)
    assert len(model.labels_) == 310


@online
def test_nothing_about_running_is_a_parameter(cls):
    assert not {"progress", "cancel", "folder", "deprecated"} & set(cls().get_params())


@online
def test_the_old_spelling_is_heard_with_a_warning(cls, tmp_path):
    told = []
    with pytest.warns(FutureWarning) as caught:
        model = make(cls, progress=lambda *step: told.append(step), folder=tmp_path / "labels")
    assert str(caught[0].message) == (
        f"{cls.__name__}(progress=..., folder=...): how a fit is run is no parameter of a model "
        "and will be refused here by the next version. Say it around the fit instead: "
        "with linkwise.run_options(progress=..., folder=...): model.fit(X)."
    )
    assert caught[0].filename == __file__
    model.fit(X)
    assert told
    assert (tmp_path / "labels").is_dir()


@online
def test_the_old_spelling_can_be_cloned(cls):
    stop = threading.Event()
    with pytest.warns(FutureWarning, match="run_options"):
        model = make(cls, cancel=stop)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    stop.set()
    with pytest.raises(Cancelled):
        twin.fit(X)


@online
def test_run_options_are_preferred_to_the_old_spelling(cls):
    with pytest.warns(FutureWarning, match="run_options"):
        model = make(cls, cancel=lambda: True)
    with lw.run_options(cancel=lambda: False):
        assert len(model.fit(X).labels_) == 300


@online
def test_a_keyword_nobody_knows_is_refused(cls):
    with pytest.raises(TypeError) as caught:
        cls(n_cluster=3)
    assert str(caught.value) == (
        f"{cls.__name__}.__init__() got an unexpected keyword argument 'n_cluster'"
    )


@online
def test_links_and_labels_heard_together_are_heard_one_after_the_other(cls):
    links = lw.Links(300, must=[(0, 1), (5, 9)], cannot=[(1, 5)])
    labels = lw.PartialLabels.of_rows({2: "a", 3: "b", 9: "b"}, 300)
    at_once, in_turn = make(cls).fit(X).update(links, labels), make(cls).fit(X)
    in_turn.update(labels).update(links)
    assert_array_equal(at_once.labels_, in_turn.labels_)


def test_nobody_is_asked_about_two_rows_that_have_names():
    """Also where only a few of the named rows are landmarks."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 700)
    rows = 6 * np.eye(4)[y] + rng.normal(size=(len(y), 4))
    model = lw.SequentialClustering(4, n_partitions=10, random_state=0).fit(rows)
    named = set(range(0, len(y), 2))
    assert len(model.landmarks_.rows) < len(y)
    model.update(lw.PartialLabels.of_rows({row: int(y[row]) for row in named}, len(y)))
    assert not any({i, j} <= named for i, j in model.query(100).tolist())
    assert not any({row, *examples} <= named for row, examples in model.query(50, kind="choice"))


def test_what_is_set_aside_is_said_where_update_was_called():
    data, y = load_digits(return_X_y=True)
    model = lw.SequentialClustering(10, n_partitions=50, random_state=0).fit(data[:600])
    links = lw.Links.sample(y[:600], 600, noise=0.2, random_state=1)
    with pytest.warns(ConstraintWarning) as caught:
        model.update(links)
    assert any("were set aside" in str(w.message) for w in caught)
    assert {w.filename for w in caught} == {__file__}
    model.retract(links)
    with lw.run_options(quiet=True):
        assert model.update(links).report_.set_aside > 0


@pytest.mark.parametrize("method", ["update", "retract"])
@pytest.mark.parametrize("name", ["SequentialClustering", "SCSC"])
def test_a_model_that_is_not_fitted_says_so(name, method):
    with pytest.raises(NotFittedError):
        getattr(getattr(lw, name)(2), method)(lw.Links(4, must=[(0, 1)]))
