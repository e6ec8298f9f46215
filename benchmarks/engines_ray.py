"""The Ray engine against the cpu engine: the same rows, the same number of processors.

    python benchmarks/engines_ray.py                       20 million x 32 rows, two nodes
    python benchmarks/engines_ray.py --rows 2000000        something smaller
    python benchmarks/engines_ray.py --folder F            keeps rows and results in F
    python benchmarks/engines_ray.py --units               what one row costs one processor
    python benchmarks/engines_ray.py --growth              work of fit against the number of rows

Rows are written to a folder of Parquet files, a part at a time. Then each engine fits, votes and
hears answers in a process of its own; at the end a node of the cluster is killed in the middle of
a vote. The nodes are processes of this machine, so they share its disk and its memory. With a
folder, what was measured is not measured again: a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import linkwise as lw
from linkwise.engines.rules import ByTables
from linkwise.ensemble import FileRows, build_ensemble

N_CLUSTERS = 10
N_VOTES = 5
#: Numbers of rows from which the work of more of them is worked out.
GROWTH = (500_000, 1_000_000, 2_000_000)
WHO = ("driver", "workers", "Ray itself")


def write_rows(folder, n_rows, n_features, n_files):
    """Write blobs, one file after the other, with the true class in a list beside them."""
    centers = np.random.default_rng(0).normal(0, 3, (N_CLUSTERS, n_features))
    bounds = np.linspace(0, n_rows, n_files + 1).astype(int)
    for k, (start, stop) in reversed(list(enumerate(pairwise(bounds.tolist())))):
        rng = np.random.default_rng([1, k])
        y = rng.integers(0, N_CLUSTERS, stop - start)
        rows = (centers[y] + rng.normal(0, 2, (stop - start, n_features))).astype(np.float32)
        columns = {f"f{j:02}": rows[:, j] for j in range(n_features)}
        pq.write_table(pa.table(columns), folder / f"{k:05}.parquet", row_group_size=1 << 16)
        if k == 0:
            np.save(folder / "truth.npy", y)


def memory(pid):
    """Return megabytes of a process: its own, and pages of files that it has mapped."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0, 0.0
    found = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith("Rss")}
    return int(found.get("RssAnon", 0)) / 1024, int(found.get("RssFile", 0)) / 1024


class Watch(threading.Thread):
    """Looks at this process and its descendants now and then: memory, and seconds of processors."""

    def __init__(self):
        super().__init__(daemon=True)
        self.own, self.mapped, self._seconds = 0.0, 0.0, {}
        self.look()
        self.start()

    @property
    def seconds(self):
        """Seconds so far: of this process, of workers, and of what else Ray has started."""
        self.look()
        total = dict.fromkeys(WHO, 0.0)
        for who, seconds in self._seconds.values():
            total[who] += seconds
        return np.array(list(total.values()))

    def look(self):
        for pid, seconds, name in descendants({os.getpid()}):
            self._seconds[pid] = who_is(pid, name), seconds
            if name.startswith(("ray::", "python")):
                own, mapped = memory(pid)
                self.own, self.mapped = max(self.own, own), max(self.mapped, mapped)

    def run(self):
        while True:
            time.sleep(0.5)
            self.look()


def who_is(pid, name):
    if pid == os.getpid():
        return "driver"
    agents = ("ray::Dashboard", "ray::Runtime")  # a name has 15 letters at most
    return "workers" if name.startswith("ray::") and not name.startswith(agents) else "Ray itself"


def descendants(roots):
    """Return number, seconds and name of processes and of all that come from them."""
    found, parents = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, rest = (folder / "stat").read_text().split(" (", 1)[1].rsplit(") ", 1)
        except (OSError, IndexError):
            continue
        parts = rest.split()
        parents[int(folder.name)] = int(parts[1])
        ticks = int(parts[11]) + int(parts[12])
        found[int(folder.name)] = ticks / os.sysconf("SC_CLK_TCK"), name
    kept = set(roots)
    while new := {pid for pid, parent in parents.items() if parent in kept} - kept:
        kept |= new
    return [(pid, *found[pid]) for pid in kept if pid in found]


def tell(what):
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def fitted(engine, options, watch):
    """Fit: return the model, seconds on the wall and seconds of processors."""
    model = lw.SequentialClustering(
        N_CLUSTERS,
        n_partitions=options.partitions,
        n_jobs=options.nodes * options.cpus,
        random_state=0,
        engine=engine,
    )
    rows = Path(options.folder) / "rows"
    labels = tempfile.mkdtemp(dir=options.folder) if engine == "cpu" else None
    with lw.run_options(folder=labels):  # in a file either way
        before = watch.seconds
        fit, _ = timed(lambda: model.fit(rows))
        work = watch.seconds - before
    tell(f"fitted in {fit:.0f} s, {work.sum():.1f} of processors")
    return model, fit, work.tolist()


def measure(engine, options, watch):
    """Fit, vote, hear answers: return seconds, and what the labels are."""
    model, fit, work = fitted(engine, options, watch)
    first, _ = timed(model.count_labels)
    tell(f"voted in {first:.1f} s")
    y = np.load(Path(options.folder) / "rows" / "truth.npy")
    drawn = lw.Links.sample(y, 40, random_state=0)
    updates, votes = [], []
    for _ in range(N_VOTES):
        for change in (model.update, model.retract):
            links = lw.Links(options.rows, must=drawn.must, cannot=drawn.cannot)
            updates.append(timed(lambda change=change, links=links: change(links))[0])
            votes.append(timed(model.count_labels)[0])
    digest = sha256(model.labels_.tobytes()).hexdigest()
    found = {
        "fit": fit,
        "fit's work": sum(work),
        "first vote": first,
        "update": median(updates),
        "vote": median(votes),
        "labels": digest,
        "own MB": watch.own,
        "mapped MB": watch.mapped,
    }
    return model, found


def run_cpu(options):
    return measure("cpu", options, Watch())[1]


@contextmanager
def small_cluster(options):
    """Start nodes that are processes here; yield them and an engine."""
    import ray
    from ray.cluster_utils import Cluster

    machine = {"num_cpus": options.cpus, "object_store_memory": 200 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**machine, "include_dashboard": False})
    nodes = [cluster.add_node(**machine) for _ in range(options.nodes - 1)]
    ray.init(address=cluster.address, log_to_driver=False)
    tell(f"{options.nodes} nodes are there")
    yield cluster, nodes, lw.engines.Ray(shards=options.nodes * options.cpus)
    ray.shutdown()
    cluster.shutdown()


def run_ray(options):
    with small_cluster(options) as (cluster, nodes, engine):
        return measure_ray(cluster, nodes, engine, options)


def measure_ray(cluster, nodes, engine, options):
    """Measure, and kill a node in the end."""
    model, found = measure(engine, options, Watch())
    tell("a node is killed in a vote")
    drawn = lw.Links(options.rows, must=[(0, 1)])
    model.update(drawn).retract(drawn)
    killer = threading.Timer(found["vote"] / 3, kill, (cluster, nodes[-1]))
    killer.start()
    lost, labels = timed(lambda: model.labels_)
    killer.join()
    found["seconds lost"] = lost - found["vote"]
    found["labels after kill"] = sha256(labels.tobytes()).hexdigest()
    tell(f"that vote took {lost:.1f} s; one without the node begins")
    model.update(drawn).retract(drawn)
    found["vote without the node"], labels = timed(lambda: model.labels_)
    found["labels without the node"] = sha256(labels.tobytes()).hexdigest()
    return found


def kill(cluster, node):
    """End a node and its workers at one stroke: Ray's own way leaves them, and they answer on."""
    started = {info.process.pid for kind in node.all_processes.values() for info in kind}
    for pid, _, _ in descendants(started):
        os.kill(pid, signal.SIGKILL)
    cluster.remove_node(node, allow_graceful=False)


def run_cpu_fit(options):
    return fitted("cpu", options, Watch())[1:]


def run_ray_fit(options):
    with small_cluster(options) as (_, _, engine):
        return fitted(engine, options, Watch())[1:]


def print_growth(options, folder):
    """Print what fit asks of all processors at several numbers of rows, and lines through it."""
    work = {"cpu-fit": [], "ray-fit": []}
    for n_rows in GROWTH:
        options.rows, options.folder = n_rows, Path(folder) / str(n_rows)
        ready_rows(options)
        for name, found in work.items():
            found.append(in_a_process(name, options)[1])
            told = ", ".join(f"{who} {x:.1f}" for who, x in zip(WHO, found[-1], strict=True))
            print(f"{n_rows:9} rows, {name}: {sum(found[-1]):6.1f} s of processors ({told})")
    foreseen = []
    for name, found in work.items():
        lines = np.polyfit(GROWTH, found, 1).T  # a row of it costs, and all of them
        for who, (a_row, at_once) in zip((*WHO, "all"), (*lines, lines.sum(axis=0)), strict=True):
            print(f"{name}, {who}: {at_once:.1f} s, and {1e6 * a_row:.2f} us a row")
        foreseen.append(np.polyval(lines.sum(axis=0), options.foreseen))
    cpu, ray = foreseen
    print(f"so {options.foreseen} rows: cpu {cpu:.0f}, ray {ray:.0f}, {ray / cpu - 1:+.0%}")


def ready_rows(options):
    """Write the rows, unless they are there."""
    rows = Path(options.folder) / "rows"
    if not (rows / "truth.npy").exists():
        shutil.rmtree(rows, ignore_errors=True)
        rows.mkdir(parents=True)
        tell("writing rows")
        write_rows(rows, options.rows, options.features, options.files)


def print_units(options):
    """Print what a row costs one processor, in its own time: the numbers of docs/scale.md."""
    n_rows, block = 200_000, 8192
    with tempfile.TemporaryDirectory() as folder:
        write_rows(Path(folder), n_rows, options.features, 4)
        rows = FileRows(folder)
        starts = range(0, n_rows, block)
        read = worked(lambda: [rows.read(a, min(a + block, n_rows)) for a in starts])
        sample = np.random.default_rng(0).normal(size=(20_000, options.features))
        ensemble = build_ensemble(
            sample, N_CLUSTERS, n_partitions=options.partitions, n_blocks=128, seed=0, n_threads=1
        )
        ensemble.assign(sample[:3000])  # compiles
        label = worked(lambda: ensemble.assign(rows, n_threads=1))
        blocks = ensemble.assign(rows)
    tables = np.random.default_rng(0).dirichlet(np.full(N_CLUSTERS, 0.3), (len(blocks), 128))
    rule = ByTables(tables)
    rule.count(blocks, 1)
    vote = min(worked(lambda: rule.count(blocks, 1)) for _ in range(N_VOTES))
    for name, seconds in (("read", read), ("read and label", label), ("vote", vote)):
        print(f"{name:15} {1e6 * seconds / n_rows:7.2f} us a row")


def worked(work):
    """Return the seconds of the processor that something takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--features", type=int, default=32)
    parser.add_argument("--partitions", type=int, default=200)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--cpus", type=int, default=1, help="processors of each node")
    parser.add_argument("--folder", help="where rows and labels go; a temporary one by default")
    parser.add_argument("--units", action="store_true", help="what one row costs, and no more")
    parser.add_argument("--growth", action="store_true", help="the work of fit, and no more")
    parser.add_argument("--only", choices=list(RUNS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.units:
        print_units(options)
        return
    if options.only:
        print(json.dumps(RUNS[options.only](options)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        options.folder = options.folder or temporary
        if options.growth:
            options.foreseen = options.rows
            print_growth(options, options.folder)
            return
        ready_rows(options)
        found = {name: in_a_process(name, options) for name in ("cpu", "ray")}
    print(f"{options.rows} x {options.features} rows, {options.partitions} partitions,")
    print(f"{options.nodes} nodes of {options.cpus} processors; seconds, and megabytes at most")
    for what in ("fit", "fit's work", "first vote", "update", "vote", "own MB", "mapped MB"):
        print(f"{what:12} cpu {found['cpu'][what]:9.3f}   ray {found['ray'][what]:9.3f}")
    cpu, ray = found["cpu"], found["ray"]
    work = ray["fit's work"] / cpu["fit's work"] - 1
    print(f"overhead of fit {ray['fit'] / cpu['fit'] - 1:+.0%}, of its work {work:+.0%}")
    over = ray["update"] + ray["vote"] - cpu["update"] - cpu["vote"]
    print(f"overhead of update and vote {1000 * over:+.1f} ms")
    print(f"labels identical: {cpu['labels'] == ray['labels']}")
    print(
        f"a node killed in a vote: identical {ray['labels after kill'] == ray['labels']}, "
        f"{ray['seconds lost']:.1f} s lost"
    )
    print(
        f"the next vote: identical {ray['labels without the node'] == ray['labels']}, "
        f"{ray['vote without the node']:.1f} s in all"
    )


def in_a_process(name, options):
    switches = ("only", "units", "growth", "foreseen")
    given = [f"--{key}={x}" for key, x in vars(options).items() if key not in switches]
    kept = Path(options.folder) / f"{name}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    tell(f"{name} begins")
    command = [sys.executable, __file__, *given, f"--only={name}"]
    # idle threads of BLAS wait by spinning, here on the processors of the nodes
    told = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=told)
    if done.returncode:
        sys.exit(f"{name} ended with code {done.returncode}; the same command goes on from here.")
    kept.write_text(done.stdout.splitlines()[-1])
    return json.loads(kept.read_text())


RUNS = {"cpu": run_cpu, "ray": run_ray, "cpu-fit": run_cpu_fit, "ray-fit": run_ray_fit}


if __name__ == "__main__":
    main()
