"""Readers in other threads see a model before or after a change, never half of each."""

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs

from linkwise import SCSC, Links, PartialLabels, SequentialClustering

X, y = make_blobs(150, n_features=4, centers=3, cluster_std=4.0, random_state=0)


@pytest.fixture(autouse=True)
def switch_often():
    """Let the interpreter change threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def read_while(change, read, n_readers=3):
    """Return what readers saw while ``change`` ran; what any of them raised is raised here."""
    over = Event()

    def keep_reading():
        seen = [read()]
        while not over.is_set():
            seen.append(read())
        return seen

    with ThreadPoolExecutor(n_readers) as readers:
        waiting = [readers.submit(keep_reading) for _ in range(n_readers)]
        try:
            change()
        finally:
            over.set()
        return [one for reader in waiting for one in reader.result()]


def make(cls):
    return cls(3, n_partitions=5, random_state=0, n_jobs=1).fit(X)


@pytest.mark.filterwarnings("ignore:SequentialClustering.*set aside")
@pytest.mark.parametrize("cls", [SequentialClustering, SCSC])
def test_labels_read_during_updates_are_those_before_or_after_one(cls):
    model, steps = make(cls), [Links.sample(y, 6, random_state=k) for k in range(8)]
    twin = make(cls)
    known = {twin.labels_.tobytes()} | {twin.update(links).labels_.tobytes() for links in steps}

    def change():
        for links in steps:
            model.update(links)

    seen = read_while(change, lambda: model.labels_.tobytes())
    assert set(seen) <= known


@pytest.mark.parametrize("cls", [SequentialClustering, SCSC])
def test_everything_can_be_read_while_rows_join_and_answers_come_and_go(cls):
    model, links = make(cls), Links.sample(y, 10, random_state=0)

    def change():
        for k in range(6):
            here = Links(len(model.links_), must=links.must, cannot=links.cannot)
            model.update(here).extend(X[: 10 + k])
            model.retract(Links(len(model.links_), must=links.must, cannot=links.cannot))

    def read():
        report = model.report_
        assert report.n_links in (0, 10)
        assert len(model.query(2)) <= 2
        return len(model.labels_), len(model.margins_)

    seen = read_while(change, read)
    sizes = np.cumsum([len(X), *range(10, 16)]).tolist()
    assert {size for pair in seen for size in pair} <= set(sizes)
    assert len(model.labels_) == sizes[-1]


def test_suspects_memberships_and_classes_belong_together():
    model = make(SequentialClustering)
    links = Links.sample(y, 10, random_state=1)
    labels = PartialLabels.of_rows({3: "a", 4: "b"}, len(X))

    def change():
        for _ in range(6):
            model.update(links, labels)
            model.retract(links).retract(labels)

    def read():
        classes = [name for name in model.classes_ if name is not None]
        assert sorted(classes) in ([], ["a", "b"])
        assert model.memberships_.shape == (len(X), 3)
        return len(model.suspects_)

    assert set(read_while(change, read)) <= {0, 10}


def test_what_is_refused_changes_nothing():
    model = make(SequentialClustering)
    before = model.labels_
    with pytest.raises(ValueError, match="name 4 classes"):
        model.update(PartialLabels.of_rows({k: f"name {k}" for k in range(4)}, len(X)))
    assert model.named_.n_known == 0
    assert_array_equal(model.labels_, before)


@pytest.mark.parametrize(
    ("cls", "place"),
    [
        (SequentialClustering, "linkwise.engines.rules.vote"),
        (SCSC, "linkwise.cluster.sequential.scsc.scores"),
    ],
)
def test_a_change_in_the_middle_of_a_vote_does_not_reach_it(cls, place, monkeypatch):
    model, before = make(cls), make(cls).labels_
    module, name = place.rsplit(".", 1)
    count = getattr(sys.modules[module], name)
    changed = []

    def count_while_the_model_changes(*args, **options):
        if not changed:
            changed.append(True)
            model.extend(X[:5]).update(Links(155, must=[(0, 154), (1, 153)], cannot=[(2, 152)]))
        return count(*args, **options)

    monkeypatch.setattr(place, count_while_the_model_changes)
    assert_array_equal(model.labels_, before)
    assert len(model.labels_) == 155
    assert changed
