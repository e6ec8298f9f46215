"""Clusterings on a Ray cluster of two machines, which are processes here, against one machine."""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import make_blobs

import linkwise as lw
from linkwise.engines.on_ray import calls
from linkwise.engines.on_ray import keepers as keeping
from linkwise.ensemble import as_source, build_ensemble
from linkwise.ensemble.execution import Execution
from linkwise.errors import (
    Cancelled,
    InvalidInput,
    LinkwiseError,
    MissingData,
    MissingDevice,
    MissingExtra,
)
from linkwise.session import Session

ray = pytest.importorskip(
    "ray", reason="the engine on a cluster needs Ray: pip install 'ray[data]'"
)

pytestmark = pytest.mark.xdist_group("ray")  # one cluster, not one for every worker

X, y = make_blobs(3000, n_features=4, centers=3, cluster_std=2.5, random_state=0)
X = X.astype(np.float32)
LINKS = lw.Links.sample(y, 20, random_state=0)


@pytest.fixture(scope="module")
def cluster(start_cluster):
    machine = {"num_cpus": 1, "num_gpus": 0, "object_store_memory": 80_000_000}
    asked_often = {  # whether a machine is alive: soon known to be dead, also where all is slow
        "health_check_initial_delay_ms": 0,
        "health_check_period_ms": 200,
        "health_check_failure_threshold": 10,
        "health_check_timeout_ms": 10_000,
    }
    made = start_cluster(**machine, _system_config=asked_often)
    made.machine = machine
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def second(cluster):
    """A second machine, as long as a test does not kill it."""
    node = cluster.add_node(**cluster.machine)
    cluster.wait_for_nodes(timeout=120)
    yield node
    if node in cluster.list_all_nodes():
        kill(cluster, node)


def kill(cluster, node):
    """End a machine and its workers at one stroke; Ray's own way leaves them for a while."""
    roots = {info.process.pid for kind in node.all_processes.values() for info in kind}
    for pid in roots | {child for root in roots for child in descendants(root)}:
        os.kill(pid, signal.SIGKILL)
    cluster.remove_node(node, allow_graceful=False)


def descendants(pid):
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, file.read_text().split()):
            yield child
            yield from descendants(child)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("rows")
    for k, rows in enumerate(np.split(X, [1000, 1001, 2200])):
        columns = {f"f{j}": rows[:, j] for j in range(4)}
        pq.write_table(pa.table(columns), place / f"{k}.parquet", row_group_size=500)
    return place


def make(engine="cpu"):
    return lw.SequentialClustering(3, n_partitions=6, random_state=0, engine=engine)


@pytest.fixture(scope="module")
def plain(folder):
    """The model of one machine: as fitted, with answers, and with more rows."""
    model = make().fit(folder)
    found = {"fitted": (model.labels_, model.margins_)}
    model.update(LINKS)
    found["told"] = (model.labels_, model.margins_)
    found["shares"], found["far"] = model.memberships_, model.outliers(0.01)
    model.extend(X[:700]).update(lw.Links(3700, must=[(0, 3100)]))
    found["grown"] = (model.labels_, model.margins_)
    found["predicted"] = model.predict(folder)
    return found


def assert_same(model, expected):
    np.testing.assert_array_equal(model.labels_, expected[0])
    np.testing.assert_array_equal(model.margins_, expected[1])


def pids(model):
    """Return the processes that keep the rows of a model."""
    keepers = [team._keepers[k] for team, k, *_ in model.ensemble_.labels.held(10_000)]
    return ray.get([keeper.__ray_call__.remote(lambda _: os.getpid()) for keeper in keepers])


def machines(model):
    """Return the machines that keep the rows of a model, one for each shard."""
    keepers = [team._keepers[k] for team, k, *_ in model.ensemble_.labels.held(10_000)]
    where = [
        keeper.__ray_call__.remote(lambda _: ray.get_runtime_context().get_node_id())
        for keeper in keepers
    ]
    return ray.get(where)


@pytest.mark.usefixtures("second")
def test_a_cluster_says_what_one_machine_says(folder, plain, tmp_path):
    told = []
    model = make(lw.engines.Ray(shards=3))
    with lw.run_options(progress=lambda *step: told.append(step)):
        model.fit(folder)
    assert told[0][1:] == (6, "training partitions")
    assert told[-1] == (3000, 3000, "labelling rows")
    assert_same(model, plain["fitted"])
    assert_same(model.update(LINKS), plain["told"])
    sizes = np.bincount(plain["told"][0], minlength=3)
    np.testing.assert_array_equal(model.count_labels(), sizes)
    model.write_labels(tmp_path / "labels")
    assert len(os.listdir(tmp_path / "labels")) == 3
    written = pq.read_table(tmp_path / "labels")
    np.testing.assert_array_equal(written["row"], np.arange(3000))
    np.testing.assert_array_equal(written["label"], plain["told"][0])
    np.testing.assert_array_equal(written["margin"], plain["told"][1])
    with pytest.raises(InvalidInput, match=r"holds labels-.* already; it was left alone"):
        model.write_labels(tmp_path / "labels")
    twin, first = model.twin(), model.of_first(1100)
    model.extend(X[:700]).update(lw.Links(3700, must=[(0, 3100)]))
    assert_same(model, plain["grown"])
    np.testing.assert_array_equal(model.predict(folder), plain["predicted"])
    np.testing.assert_array_equal(model.predict(X), plain["predicted"])
    assert_same(twin, plain["told"])
    assert len(first.labels_) == 1100
    np.testing.assert_array_equal(twin.memberships_, plain["shares"])
    np.testing.assert_array_equal(twin.outliers(0.01), plain["far"])
    with pytest.raises(InvalidInput, match="the labels of 3700 rows in 6 partitions lie on a clu"):
        _ = model.ensemble_.labels.array
    with pytest.raises(InvalidInput, match="rows were appended to a model on a cluster"):
        model.save(tmp_path / "model")


@pytest.mark.usefixtures("second")
@pytest.mark.parametrize("shards", [2, 4])
def test_machines_have_as_many_shards_as_they_have_processors(folder, shards):
    model = make(lw.engines.Ray(shards=shards)).fit(folder)
    assert sorted(Counter(machines(model)).values()) == [shards // 2] * 2


@pytest.mark.parametrize("during", ["training partitions", "labelling rows"])
def test_a_machine_that_dies_in_fit_is_replaced(cluster, second, folder, plain, during):
    machines, model = [second], make(lw.engines.Ray(shards=2))

    def die_once(done, total, what):
        if what == during and done < total and machines:
            kill(cluster, machines.pop())

    with pytest.MonkeyPatch.context() as patch, lw.run_options(progress=die_once):
        patch.setattr(keeping, "STEP", 256)
        model.fit(folder)
    assert machines == []
    assert_same(model, plain["fitted"])


def test_machines_and_workers_that_die_in_a_vote_are_replaced(cluster, second, folder, plain):
    model = make(lw.engines.Ray(shards=2)).fit(folder).update(LINKS)
    killer = threading.Timer(0.01, kill, (cluster, second))
    killer.start()
    assert_same(model, plain["told"])
    killer.join()
    model.retract(LINKS).update(LINKS)  # forgets what was voted
    os.kill(pids(model)[0], signal.SIGKILL)
    assert_same(model, plain["told"])


@pytest.mark.usefixtures("cluster")
def test_a_stored_model_finds_its_labels_again(folder, plain, tmp_path):
    engine = lw.engines.Ray(shards=1, storage=tmp_path / "storage")
    model = make(engine).fit(folder).update(LINKS)
    model.save(tmp_path / "model")
    del model
    files = sorted((tmp_path / "storage").rglob("labels.npy"))
    assert len(files) == 1
    before = [file.stat().st_mtime_ns for file in files]
    with pytest.raises(MissingData, match=r"holds no labels: .*load\(path, X=rows, engine="):
        lw.load(tmp_path / "model")
    again = lw.load(tmp_path / "model", X=folder, engine=engine)
    assert_same(again, plain["told"])
    assert [file.stat().st_mtime_ns for file in files] == before
    assert_same(lw.load(tmp_path / "model", X=folder), plain["told"])
    with pytest.raises(InvalidInput, match="is a model of 3000 rows, but X has 2999"):
        lw.load(tmp_path / "model", X=X[1:])
    make(engine).fit(folder)
    assert sorted((tmp_path / "storage").rglob("labels.npy")) == files


@pytest.mark.usefixtures("cluster")
def test_a_session_lives_there_and_opens_again(folder, tmp_path, monkeypatch):
    """Two sessions are told the same: one on the cluster, one in this process."""
    monkeypatch.setattr("linkwise.session.data.layout.MOST_ON_MAP", 50)
    engine = lw.engines.Ray(shards=2, storage=tmp_path / "storage")
    there = Session.create(tmp_path / "there", folder, 3, n_partitions=6, engine=engine)
    here = Session.create(tmp_path / "here", folder, 3, n_partitions=6)
    files = sorted((tmp_path / "storage").rglob("labels.npy"))
    assert len(files) == 2
    assert list((tmp_path / "there").rglob("labels.npy")) == []
    before = [file.stat().st_mtime_ns for file in files]
    others = int(np.flatnonzero(y != y[0])[0])
    for session in (there, here):
        session.answer(0, others, "different", who="ann")
        session.split(0, who="ann")
        session.export(tmp_path / f"labels of {session.name}")
    assert there.query(3) == here.query(3)
    for look in ("labels", "outliers"):
        np.testing.assert_array_equal(getattr(there, look)(), getattr(here, look)())
    np.testing.assert_array_equal(there.on_map, here.on_map)
    for kind in ("pca", "neighbours"):
        np.testing.assert_array_equal(there.layout(kind), here.layout(kind))
    assert there.around(1) == here.around(1)
    assert there.describe_cluster(1) == here.describe_cluster(1)
    tables = [pq.read_table(tmp_path / f"labels of {name}") for name in ("there", "here")]
    assert tables[0].equals(tables[1])
    there.extend(X[:9])
    there.close()
    here.close()
    with pytest.raises(MissingData, match="lie on a cluster"):
        Session.open(tmp_path / "there")
    with Session.open(tmp_path / "there", engine=engine) as again:
        np.testing.assert_array_equal(again.labels()[:3000], here.labels())
        assert again.n_rows == len(again.labels()) == 3009
        again.undo(1)
    assert [file.stat().st_mtime_ns for file in files] == before
    assert sorted((tmp_path / "storage").rglob("labels.npy")) == files
    with Session.open(tmp_path / "here", engine=engine) as other:  # keeps its labels itself
        assert other.n_rows == 3000


@pytest.fixture(scope="module")
def trained():
    """What it takes to label rows: how they are prepared, and partitions."""
    ensemble = build_ensemble(X, 3, n_partitions=6, seed=0)
    return ensemble.preparation, ensemble.models


def label_there(rows, trained, **options):
    """Have rows labelled on the cluster."""
    lw.engines.Ray(shards=1, **options).label(rows, *trained, None, Execution())


def schema_that_differs(file):
    table = pq.read_table(file)
    pq.write_table(table.set_column(2, "f2", pa.array(["text"] * len(table))), file)


def value_that_no_sample_met(file):
    table = pq.read_table(file)
    spoiled = table["f2"].to_numpy().copy()
    spoiled[999] = np.nan
    pq.write_table(table.set_column(2, "f2", pa.array(spoiled)), file)


@pytest.mark.parametrize(
    ("harm", "error", "sentence"),
    [
        (schema_that_differs, InvalidInput, r"column 'f2' of .*2\.parquet holds string values"),
        (value_that_no_sample_met, InvalidInput, r"X\[2000, 2\] is NaN"),
        (os.remove, MissingData, r"there is no file .*2\.parquet"),
    ],
)
@pytest.mark.usefixtures("cluster")
def test_a_file_that_changed_since_is_said_by_the_worker_as_here(
    folder, trained, tmp_path, harm, error, sentence
):
    """The driver saw the files as they were; the worker that labels their rows does not."""
    own = shutil.copytree(folder, tmp_path / "own")
    rows = as_source(own)
    harm(own / "2.parquet")
    with pytest.raises(error, match=sentence):
        label_there(rows, trained)


class Troubled:
    """Rows whose reading ends in trouble on a worker, not here."""

    n_rows, n_features = X.shape

    def __init__(self, trouble):
        self._trouble, self._here = trouble, os.getpid()

    def read(self, start, stop):
        if os.getpid() != self._here:
            self._trouble()
        return X[start:stop]


def ask_for_too_much():
    np.ones(1 << 47, np.uint8)


def be_killed():
    """Die as the kernel lets die who has taken all memory."""
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        (ask_for_too_much, r"^a worker of the cluster has too little memory \(Unable to allocate"),
        (be_killed, r"^a worker of the cluster died again and again .*too little memory: ask for"),
    ],
)
@pytest.mark.usefixtures("cluster")
def test_a_worker_out_of_memory_is_a_sentence(trained, trouble, sentence, monkeypatch):
    monkeypatch.setattr(calls, "PAUSES", (0.1,))
    with pytest.raises(LinkwiseError, match=sentence):
        label_there(Troubled(trouble), trained)


@pytest.mark.usefixtures("cluster")
def test_a_worker_that_dies_whenever_it_samples_is_a_sentence(monkeypatch):
    monkeypatch.setattr(calls, "PAUSES", (0.1,))
    sentence = r"^a worker of the cluster died again and again \(WorkerCrashedError"
    with pytest.raises(LinkwiseError, match=sentence):
        lw.engines.Ray().sample(Troubled(be_killed), np.arange(0, 3000, 100))


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 64 KB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk needs the right to mount one: run the tests as root")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.usefixtures("cluster")
def test_a_full_disk_of_a_worker_is_a_sentence_and_the_call_can_be_made_again(
    folder, trained, small_disk
):
    others = small_disk / "of others"
    others.write_bytes(bytes(40_000))
    rows = as_source(folder)
    with pytest.raises(LinkwiseError, match=f"no room for .* of labels in {small_disk}.*Make some"):
        label_there(rows, trained, storage=small_disk)
    others.unlink()
    label_there(rows, trained, storage=small_disk)
    (file,) = small_disk.rglob("labels.npy")
    assert file.stat().st_size >= 6 * 3000


@pytest.mark.usefixtures("cluster")
def test_a_fit_can_be_cancelled(folder):
    with lw.run_options(cancel=lambda: True), pytest.raises(Cancelled, match="training partitions"):
        make(lw.engines.Ray()).fit(folder)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.usefixtures("cluster")
def test_a_dataset_is_rows(folder, plain):
    data = pytest.importorskip("ray.data", exc_type=ImportError)
    dataset = data.from_arrow([pq.read_table(path) for path in sorted(folder.iterdir())])
    model = make(lw.engines.Ray(shards=1)).fit(dataset)
    assert_same(model, plain["fitted"])


@pytest.mark.usefixtures("cluster")
def test_the_published_method_runs_there_too(folder):
    models = [lw.SCSC(3, n_partitions=5, random_state=0, engine=e) for e in ("cpu", "ray")]
    labels = [model.fit(folder).update(LINKS).labels_ for model in models]
    np.testing.assert_array_equal(*labels)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"shards": 0}, "Ray(shards=0): shards must be a whole number >= 1 or 'auto'."),
        ({"gpus": -1}, "Ray(gpus=-1): gpus must be a whole number >= 0."),
        (
            {"shards": 3, "gpus": 2},
            "Ray(shards=3, gpus=2): a GPU has one shard. Leave shards out.",
        ),
    ],
)
def test_wrong_options_are_refused(wrong, message):
    with pytest.raises(InvalidInput) as caught:
        lw.engines.Ray(**wrong)
    assert str(caught.value) == message


@pytest.mark.usefixtures("cluster")
def test_gpus_that_no_machine_has_are_refused_and_not_waited_for(folder):
    with pytest.raises(MissingDevice, match=r"^Ray\(gpus=2\): this cluster has fewer GPUs, 0\."):
        make(lw.engines.Ray(gpus=2)).fit(folder)


@pytest.fixture
def with_gpu(cluster):
    """A machine of which Ray believes that it has a GPU."""
    node = cluster.add_node(**{**cluster.machine, "num_gpus": 1})
    cluster.wait_for_nodes(timeout=120)
    yield
    kill(cluster, node)


@pytest.mark.usefixtures("with_gpu")
def test_a_gpu_has_one_shard_and_others_do_not_wait_for_it(trained, monkeypatch):
    monkeypatch.setattr(keeping, "PATIENCE", 0.5)
    engine, rows = lw.engines.Ray(gpus=1), as_source(X)
    team = engine._team(rows, *trained, None, 1, gpus=1)
    assert ray.get(team._keepers[0].__ray_call__.remote(lambda _: ray.get_gpu_ids())) == [0]
    with pytest.raises(MissingDevice, match=r"fewer GPUs .* are free \(0\) than are needed \(1\)"):
        engine.label(rows, *trained, None, Execution())
    ensemble = lw.engines.Ray(shards=1).label(rows, *trained, None, Execution())
    engine.extend(ensemble, as_source(X[:700]), Execution())  # by processors
    assert ensemble.n_rows == 3700
    del team
    monkeypatch.undo()
    keeping.require_gpus(1)


def test_without_ray_one_is_told_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r'engine="ray" needs Ray: pip install "linkwise\[clu'):
        lw.engines.Ray()


@pytest.mark.usefixtures("cluster")
def test_the_page_about_scale_runs(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) == 2
    monkeypatch.chdir(tmp_path)
    printed = []  # by the page: Ray prints news of its machines whenever they come
    scope = {"print": printed.append}
    for block in blocks:
        exec(block, scope)
    assert printed == [3000, 3000]
    one, many = (pq.read_table(tmp_path / name) for name in ("labels", "labels-of-a-cluster"))
    assert many.column_names == ["row", "id", "label", "margin"]
    assert many["id"][1500].as_py() == "item 1/500"
    assert one["label"].to_pylist() == many["label"].to_pylist()
