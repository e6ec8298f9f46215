"""The GPU engine against the cpu engine, where there is a GPU; what it says where there is none."""

import copy
import importlib.util
import pickle
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import linkwise as lw
from linkwise.engines.base import Ballot
from linkwise.engines.cpu import Cpu
from linkwise.engines.cuda import Cuda
from linkwise.engines.rules import ByNearestCenter, ByTables, ByWeights
from linkwise.ensemble import Ensemble, build_ensemble, holding, store
from linkwise.errors import InvalidInput, MissingDevice, MissingExtra
from linkwise.kernels.cuda import device, resident
from linkwise.lazy import LazyModule
from linkwise.scores import nmi

CHECKS = (
    "votes with tables are those of the emulation",
    "votes with weights are those of the emulation",
    "votes are those of the processor",
    "labels are those of the emulation",
    "all types of values; outliers; NaN",
    "a stream of blocks gives the same labels",
    "training is k-means",
)
X, y = make_blobs(6000, n_features=12, centers=4, cluster_std=4.0, random_state=0)


@pytest.fixture
def engine():
    """The engine; skips, and says why, where there is no GPU."""
    cupy = pytest.importorskip("cupy", reason="NO CUPY: the GPU engine is not tested here")
    try:
        yield Cuda()
    except MissingDevice as error:
        pytest.skip(f"NO GPU: {error}")
    finally:
        cupy.get_default_memory_pool().set_limit(size=0)


def ballot_on(rule, n_rows):
    nobody = np.empty(0, np.int64)
    return Ballot(rule, n_rows, nobody, nobody, nobody)


def rules(ensemble, n_clusters):
    rng = np.random.default_rng(n_clusters)
    shape = ensemble.n_partitions, ensemble.n_blocks
    weights = rng.random(ensemble.n_partitions)
    made = [
        ByTables(rng.dirichlet(np.full(n_clusters, 0.2), shape)),
        ByTables(rng.normal(size=(*shape, n_clusters))),  # solved ones have both signs, too
        ByWeights(weights, n_clusters),
    ]
    if n_clusters >= ensemble.n_blocks:  # every label names a cluster
        made.append(ByNearestCenter(weights, rng.random((n_clusters, n_clusters))))
    return made


def assert_same_votes(engine, ensemble, rule):
    found, expected = (
        one.vote(ensemble, ballot_on(rule, ensemble.n_rows), None) for one in (engine, Cpu())
    )
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.margins, expected.margins)


@pytest.mark.gpu
@pytest.mark.parametrize("check", CHECKS)
def test_kernels_do_what_their_emulation_does(engine, check):  # noqa: ARG001
    path = Path(__file__).parents[2] / "benchmarks" / "engines_cuda.py"
    spec = importlib.util.spec_from_file_location("engines_cuda", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.CHECKS[check]()


@pytest.mark.gpu
@pytest.mark.parametrize("n_clusters", [1, 2, 4, 10, 16, 40, 256])
def test_votes_are_those_of_the_cpu_engine_bit_by_bit(engine, n_clusters):
    ensemble = build_ensemble(X, 4, n_partitions=30, seed=0)
    for rule in rules(ensemble, n_clusters):
        assert_same_votes(engine, ensemble, rule)


@pytest.mark.gpu
def test_labels_are_those_of_the_cpu_engine_but_for_ties(engine):
    built = build_ensemble(X, 4, n_partitions=40, seed=0)
    again = build_ensemble(X, 4, n_partitions=40, seed=0, label=engine.label)
    assert (built.labels.array != again.labels.array).mean() <= 1e-4


@pytest.mark.gpu
@pytest.mark.parametrize("fast", [False, True])
def test_rows_that_are_projected_first_are_labelled_alike(engine, fast):
    wide = np.hstack([X] * 7)
    built = build_ensemble(wide, 4, n_partitions=20, seed=0, fast=fast)
    again = build_ensemble(wide, 4, n_partitions=20, seed=0, fast=fast, label=engine.label)
    assert (built.labels.array != again.labels.array).mean() <= 1e-4


@pytest.mark.gpu
def test_most_partitions_are_trained_alike(engine):
    built = build_ensemble(X, 4, n_partitions=40, seed=0)
    again = build_ensemble(X, 4, n_partitions=40, seed=0, train=engine.train)
    np.testing.assert_array_equal(built.models.features, again.models.features)
    off = np.abs(built.models.centers - again.models.centers).max(axis=(1, 2))
    assert (off < 1e-5).mean() >= 0.8


@pytest.mark.gpu
def test_an_estimator_does_on_a_gpu_what_it_does_elsewhere(engine):
    links = lw.Links.sample(y[:5000], 60, random_state=0)
    models = [
        lw.SequentialClustering(4, n_partitions=60, random_state=0, engine=one)
        .fit(X[:5000], constraints=links)
        .extend(X[5000:])
        for one in (engine, "cpu")
    ]
    found, expected = models
    assert nmi(found.labels_, expected.labels_) > 0.97
    assert (found.predict(X) == expected.predict(X)).mean() > 0.98
    assert found.margins_.shape == (6000,)
    weighed = lw.SCSC(4, n_partitions=20, random_state=0, engine=engine).fit(X)
    plain = lw.SCSC(4, n_partitions=20, random_state=0).fit(X)
    np.testing.assert_array_equal(weighed.labels_, plain.labels_)


@pytest.mark.gpu
def test_a_stored_model_says_the_same_with_both_engines(engine, tmp_path):
    links = lw.Links.sample(y, 60, random_state=0)
    fitted = lw.SequentialClustering(4, n_partitions=60, random_state=0).fit(X, constraints=links)
    fitted.save(tmp_path / "model")
    more = lw.Links(len(X), must=[(0, int(np.flatnonzero(y == y[0])[1]))])
    found, expected = (
        lw.load(tmp_path / "model", engine=one).update(more) for one in (engine, "cpu")
    )
    for what in ("labels_", "margins_", "memberships_"):
        np.testing.assert_array_equal(getattr(found, what), getattr(expected, what))
    np.testing.assert_array_equal(found.count_labels(), expected.count_labels())
    np.testing.assert_array_equal(found.query(3), expected.query(3))


@pytest.mark.gpu
def test_rows_that_are_added_are_brought_to_the_gpu(engine):
    ensemble = build_ensemble(X[:5000], 4, n_partitions=30, seed=0)
    rule = rules(ensemble, 5)[0]
    assert_same_votes(engine, ensemble, rule)
    for start in (5000, 5100):
        ensemble.extend(X[start : start + 100])
        assert_same_votes(engine, ensemble, rule)
    ensemble.extend(X)
    assert_same_votes(engine, ensemble, rule)
    other = build_ensemble(X[:5000][::-1], 4, n_partitions=30, seed=0)
    assert_same_votes(engine, other, rule)


@pytest.mark.gpu
def test_labels_in_a_file_that_nobody_lends_are_counted_in_parts(engine, monkeypatch, tmp_path):
    build_ensemble(X, 4, n_partitions=30, seed=0).save(tmp_path / "a")
    monkeypatch.setattr(holding, "_lease", lambda _: False)
    monkeypatch.setattr(store, "PART_ROWS", 2_500)
    ensemble = Ensemble.load(tmp_path / "a")
    for rule in rules(ensemble, 5):
        assert_same_votes(engine, ensemble, rule)


@pytest.mark.gpu
def test_labels_that_do_not_fit_are_counted_in_stretches(engine, monkeypatch):
    ensemble = build_ensemble(X, 4, n_partitions=30, seed=0)
    monkeypatch.setattr(resident, "free_bytes", lambda: 0)
    monkeypatch.setattr(resident, "STRETCH_BYTES", 30 * 640)
    for rule in rules(ensemble, 5):
        assert_same_votes(engine, ensemble, rule)


@pytest.mark.gpu
def test_too_little_memory_is_a_sentence_and_nothing_is_lost(engine, tmp_path):
    import cupy

    ensemble = build_ensemble(X[:5000], 4, n_partitions=30, seed=0)
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=1 << 16)
    with pytest.raises(MissingDevice, match="the GPU has too little memory"):
        build_ensemble(X, 4, n_partitions=30, seed=0, path=tmp_path / "a", label=engine.label)
    assert not (tmp_path / "a").exists()
    before = ensemble.n_rows
    with pytest.raises(MissingDevice, match='use engine="cpu"'):
        lw.SequentialClustering(4, n_partitions=10, engine=engine).fit(X)
    assert ensemble.n_rows == before
    pool.set_limit(size=0)
    assert_same_votes(engine, ensemble, rules(ensemble, 5)[0])


@pytest.mark.gpu
def test_a_value_that_is_not_finite_is_named(engine):
    bad = X.copy()
    bad[4321, 3] = np.nan
    with pytest.raises(InvalidInput, match=r"X\[4321, 3\] is NaN"):
        build_ensemble(bad, 4, n_partitions=9, seed=1, label=engine.label)


@pytest.mark.gpu
def test_an_engine_is_copied_by_its_number(engine):
    for twin in (copy.deepcopy(engine), pickle.loads(pickle.dumps(engine))):
        assert repr(twin) == "Cuda(device=0)"


@pytest.fixture
def pretend(monkeypatch):
    """Pretend that CuPy is there and finds these GPUs."""

    class CudaRuntimeError(RuntimeError):
        pass

    def install(*found):
        def count():
            if not found:
                raise CudaRuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected")
            return len(found)

        runtime = SimpleNamespace(
            CUDARuntimeError=CudaRuntimeError,
            getDeviceCount=count,
            getDeviceProperties=lambda number: found[number],
        )
        monkeypatch.setattr(device, "cp", SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)))
        device.require_device.cache_clear()

    yield install
    device.require_device.cache_clear()


def properties(name, major, minor, shared):
    return {"name": name, "major": major, "minor": minor, "sharedMemPerBlockOptin": shared}


def test_no_cupy_is_a_sentence(monkeypatch):
    monkeypatch.setattr(device, "cp", LazyModule("cupy_that_is_not_there"))
    device.require_device.cache_clear()
    with pytest.raises(MissingExtra, match=r'engine="cuda" needs CuPy: pip install "linkwise\[gpu'):
        Cuda()


def test_labels_in_a_file_are_lent_while_they_are_brought_to_the_gpu(
    pretend, monkeypatch, tmp_path
):
    pretend(properties(b"NVIDIA H200", 9, 0, 232448))
    build_ensemble(X, 4, n_partitions=30, seed=0).save(tmp_path / "a")
    ensemble, engine, brought = Ensemble.load(tmp_path / "a"), Cuda(), []

    def count(blocks, rule, n_threads, kept):
        brought.append((ensemble.labels._watch._holders, kept is engine._resident))
        return rule.count(blocks, n_threads)

    monkeypatch.setattr(engine, "_count", count)
    monkeypatch.setattr(store, "PART_ROWS", 2_500)
    rule = rules(ensemble, 5)[0]
    assert_same_votes(engine, ensemble, rule)
    assert brought == [(int(sys.platform == "linux"), True)]
    monkeypatch.setattr(holding, "_lease", lambda _: False)
    assert_same_votes(engine, ensemble, rule)
    assert brought[1:] == [(0, False)] * 3


def test_no_gpu_is_a_sentence(pretend):
    pretend()
    with pytest.raises(MissingDevice, match=r'needs an NVIDIA GPU .* engine="cpu" gives'):
        Cuda()


def test_an_old_gpu_is_a_sentence(pretend):
    pretend(properties(b"Tesla T4", 7, 5, 65536))
    with pytest.raises(MissingDevice, match=r"Tesla T4 is too old: it has compute capability 7\.5"):
        Cuda()


def test_a_gpu_that_is_not_there_is_a_sentence(pretend):
    pretend(properties(b"NVIDIA H200", 9, 0, 232448))
    assert repr(Cuda()) == "Cuda(device=0)"
    with pytest.raises(MissingDevice, match="there are 1 GPUs here, counted from 0"):
        Cuda(device=3)
