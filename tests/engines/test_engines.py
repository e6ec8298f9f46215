"""What an engine is asked, and that nothing else looks at all rows."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_blobs

import linkwise as lw
from linkwise.engines import find_engine
from linkwise.engines.base import Ballot, Engine, Votes
from linkwise.engines.cpu import Cpu
from linkwise.engines.rules import ByNearestCenter, ByTables, ByWeights
from linkwise.errors import InvalidInput

X, y = make_blobs(700, n_features=5, centers=3, cluster_std=2.5, random_state=0)
MODELS = {
    "sequential": lambda **more: lw.SequentialClustering(
        3, n_partitions=9, random_state=0, report="full", **more
    ),
    "scsc": lambda **more: lw.SCSC(3, n_partitions=9, random_state=0, **more),
    "scsc rounded": lambda **more: lw.SCSC(
        3, n_partitions=9, finish="round", random_state=0, **more
    ),
}


class Clerk(Cpu):
    """Does what the cpu engine does and writes down what it was asked."""

    def __init__(self):
        self.asked = []

    def __getattribute__(self, name):
        if not name.startswith("_") and name != "asked":
            self.asked.append(name)
        return super().__getattribute__(name)


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_all_work_over_all_rows_is_asked_of_the_engine(make):
    clerk = Clerk()
    asked = make(engine=clerk).fit(X[:600])
    plain = make().fit(X[:600])
    assert [call for call in clerk.asked if call != "open"] == ["train", "label"]
    clerk.asked.clear()
    links = lw.Links.sample(y, 30, random_state=0)
    for model in (asked, plain):
        model.extend(X[600:]).update(links)
    assert clerk.asked == ["open", "extend"]
    clerk.asked.clear()
    np.testing.assert_array_equal(asked.labels_, plain.labels_)
    np.testing.assert_array_equal(asked.margins_, plain.margins_)
    np.testing.assert_array_equal(asked.predict(X + 0.5), plain.predict(X + 0.5))
    assert clerk.asked == ["vote", "open", "predict"]
    assert asked.report_ == plain.report_


def test_votes_are_read_only():
    model = MODELS["sequential"]().fit(X)
    for array in (model.labels_, model.margins_):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_another_engine_later_is_for_another_fit():
    model = MODELS["sequential"]().fit(X)
    labels = model.labels_
    clerk = Clerk()
    model.set_params(engine=clerk).update(lw.Links(700, must=[(0, 1)]))
    assert len(model.labels_) == len(labels)
    assert clerk.asked == []


def test_an_engine_is_no_part_of_a_stored_model(tmp_path):
    model = MODELS["sequential"](engine=Clerk()).fit(X)
    model.save(tmp_path / "model")
    assert "engine" not in (tmp_path / "model" / "model.json").read_text()
    twin = lw.load(tmp_path / "model")
    assert twin.engine == "cpu"
    np.testing.assert_array_equal(twin.labels_, model.labels_)


def test_a_copy_of_a_model_has_the_engine():
    assert isinstance(clone(MODELS["scsc"](engine=Clerk())).engine, Clerk)


def test_an_engine_of_a_name_is_made_once():
    assert isinstance(find_engine("cpu"), Engine)
    assert find_engine("cpu") is find_engine("cpu")
    assert isinstance(Clerk(), Engine)


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize(
    ("engine", "message"),
    [
        ("abacus", 'engine=\'abacus\': engines are called "cpu", "cuda" and "ray".'),
        (None, "engine=None: expected the name of an engine, or an engine."),
        (Cpu, "engine=<class 'linkwise.engines.cpu.Cpu'>: expected the name of an engine"),
    ],
)
def test_what_is_no_engine_is_refused(make, engine, message):
    with pytest.raises(InvalidInput) as caught:
        make(engine=engine).fit(X)
    assert str(caught.value).startswith(message)


def draw_rules(rng):
    blocks = rng.integers(0, 4, (7, 500), dtype=np.uint8)
    weights = rng.random(7)
    rules = [
        ByTables(rng.random((7, 4, 4))),
        ByWeights(weights, 4),
        ByNearestCenter(weights, rng.random((4, 4))),
    ]
    return blocks, rules


@pytest.mark.parametrize("which", range(3), ids=["tables", "weights", "nearest"])
@settings(max_examples=20, deadline=None)
@given(
    cuts=st.lists(st.integers(0, 500), max_size=4),
    settled=st.dictionaries(st.integers(0, 499), st.integers(0, 3), max_size=20),
    left_out=st.sets(st.integers(0, 499), max_size=5),
)
def test_rows_voted_on_in_parts_get_what_they_get_together(which, cuts, settled, left_out):
    blocks, rules = draw_rules(np.random.default_rng(0))
    rows, said = (np.array(list(part), dtype=np.int64) for part in (settled, settled.values()))
    ballot = Ballot(rules[which], 500, rows, said, np.array(sorted(left_out), dtype=np.int64))
    together = ballot.amend(ballot.rule.count(blocks))
    parts = []
    for start, stop in zip([0, *sorted(cuts)], [*sorted(cuts), 500], strict=True):
        if start < stop:
            part = ballot.rule.count(np.ascontiguousarray(blocks[:, start:stop]))
            parts.append(ballot.part(start, stop - start).amend(part))
    for whole, pieces in zip(together, zip(*parts, strict=True), strict=True):
        np.testing.assert_array_equal(whole, np.concatenate(pieces))
    kept = np.setdiff1d(rows, ballot.left_out)
    assert [together.labels[row] for row in kept] == [settled[row] for row in kept]
    assert (together.labels[ballot.left_out] == -1).all()
    assert not together.margins[ballot.left_out].any()


@pytest.mark.parametrize("which", range(3), ids=["tables", "weights", "nearest"])
def test_a_rule_is_its_formula(which):
    blocks, rules = draw_rules(np.random.default_rng(1))
    rule, one_hot = rules[which], np.eye(4)
    if which == 0:
        found = sum(rule.tables[k, blocks[k]] for k in range(7))
        expected, scale = found.argmax(axis=1), 7
    else:
        found = sum(rule.weights[k] * one_hot[blocks[k]] for k in range(7))
        expected, scale = found.argmax(axis=1), 1
    if which == 2:
        gaps = found[:, None, :] - rule.centers
        expected = np.square(gaps).sum(axis=2).argmin(axis=1)
    votes = rule.count(blocks, n_threads=2)
    assert isinstance(votes, Votes)
    np.testing.assert_array_equal(votes.labels, expected)
    two = np.sort(found, axis=1)[:, -2:]
    np.testing.assert_allclose(votes.margins, (two[:, 1] - two[:, 0]) / scale, atol=0.02)
    assert rule.n_clusters == 4


def test_a_worker_starts_without_scikit_learn():
    """Half of its seconds: a cluster starts two workers a processor for every fit."""
    script = "import sys, linkwise.engines.on_ray.keepers; print('sklearn' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
