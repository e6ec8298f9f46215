"""Clusterings on a Ray cluster of two machines, which are processes here, against one machine."""

import os
import re
import shutil
import signal
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import make_blobs

import linkwise as lw
from linkwise.engines.on_ray import keepers as keeping
from linkwise.ensemble import as_source
from linkwise.ensemble.execution import Execution
from linkwise.errors import Cancelled, InvalidInput, MissingData, MissingExtra
from linkwise.session import Session

ray = pytest.importorskip(
    "ray", reason="the engine on a cluster needs Ray: pip install 'ray[data]'"
)

pytestmark = pytest.mark.xdist_group("ray")  # one cluster, not one for every worker

X, y = make_blobs(3000, n_features=4, centers=3, cluster_std=2.5, random_state=0)
X = X.astype(np.float32)
LINKS = lw.Links.sample(y, 20, random_state=0)


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    machine = {"num_cpus": 1, "object_store_memory": 80_000_000}
    asked_often = {  # whether a machine is alive: soon known to be dead, also where all is slow
        "health_check_initial_delay_ms": 0,
        "health_check_period_ms": 200,
        "health_check_failure_threshold": 10,
        "health_check_timeout_ms": 10_000,
    }
    head = {**machine, "include_dashboard": False, "_system_config": asked_often}
    made = Cluster(initialize_head=True, head_node_args=head)
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
    cluster.remove_node(node, allow_graceful=False)


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


def test_a_machine_that_dies_while_rows_are_labelled_is_replaced(cluster, second, folder, plain):
    machines, model = [second], make(lw.engines.Ray(shards=2))

    def die_once(done, total, what):
        if what == "labelling rows" and done < total and machines:
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


@pytest.mark.usefixtures("cluster")
def test_what_goes_wrong_on_a_worker_is_said_as_here(tmp_path):
    """A file is gone when labels are to be made again; a value that no sample met is bad."""
    files, storage = [str(tmp_path / f"{k}.npy") for k in range(2)], tmp_path / "storage"
    for file, rows in zip(files, np.split(X, [1500]), strict=True):
        np.save(file, rows)
    engine = lw.engines.Ray(shards=1, storage=storage)
    model = make(engine).fit(files)
    sources = as_source(files), model.ensemble_.preparation, model.ensemble_.models
    os.remove(files[1])
    shutil.rmtree(storage)
    with pytest.raises(MissingData, match=r"there is no file .*1\.npy"):
        engine.label(*sources, None, Execution())
    spoiled = X[1500:].copy()
    spoiled[1000, 2] = np.nan
    np.save(files[1], spoiled)
    with pytest.raises(InvalidInput, match=r"X\[2500, 2\] is NaN"):
        engine.label(*sources, None, Execution())


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
    ],
)
def test_wrong_options_are_refused(wrong, message):
    with pytest.raises(InvalidInput) as caught:
        lw.engines.Ray(**wrong)
    assert str(caught.value) == message


def test_without_ray_one_is_told_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r'engine="ray" needs Ray: pip install "linkwise\[clu'):
        lw.engines.Ray()


@pytest.mark.usefixtures("cluster")
def test_the_page_about_scale_runs(tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) == 2
    monkeypatch.chdir(tmp_path)
    scope = {}
    for block in blocks:
        exec(block, scope)
    assert capsys.readouterr().out == "3000\n3000\n"
    one, many = (pq.read_table(tmp_path / name) for name in ("labels", "labels-of-a-cluster"))
    assert many.column_names == ["row", "id", "label", "margin"]
    assert many["id"][1500].as_py() == "item 1/500"
    assert one["label"].to_pylist() == many["label"].to_pylist()
