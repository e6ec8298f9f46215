"""How long the ensemble takes, beside the matrix products it cannot do without.

The measure is the time NumPy's BLAS needs for the products of the labelling pass alone: one per
partition, all rows against all base clusters over half of the features. Training, reading, centring
and picking the nearest cluster come on top. Labels are made by products of our own where these pay,
which may be faster: OPENBLAS_CORETYPE=SKYLAKEX lets BLAS have AVX-512 where it was told of less or
does not know the processor, and NUMBA_CPU_NAME=haswell NUMBA_CPU_FEATURES=+avx,+avx2,+fma takes it
from us.

    python benchmarks/ensemble.py                       MNIST and Covtype (or random rows like them)
    python benchmarks/ensemble.py --disk 1000000        rows in a .npy file, peak memory
    python benchmarks/ensemble.py --growth              time against the number of rows

Real data are read from the folder named by LINKWISE_DATA (mnist.npz, covtype.npz with X and y).
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from linkwise.ensemble import build_ensemble, default_blocks
from linkwise.ensemble.blas import one_blas_thread
from linkwise.ensemble.generate import train_all
from linkwise.ensemble.preparation import TILE

SHAPES = {"mnist": (70000, 784, 10), "covtype": (581012, 54, 7)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--partitions", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=1, help="take the fastest of so many runs")
    parser.add_argument("--disk", type=int, metavar="ROWS", help="rows x 784 from a .npy file")
    parser.add_argument("--growth", action="store_true", help="time against the number of rows")
    parser.add_argument("--child", metavar="FILE", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        from_disk(Path(arguments.child), arguments)
    elif arguments.disk:
        on_disk(arguments)
    elif arguments.growth:
        growth(arguments)
    else:
        for name in SHAPES:
            X, n_clusters, origin = rows(name)
            report(f"{name} ({origin})", X, n_clusters, arguments)


def rows(name: str) -> tuple[np.ndarray, int, str]:
    """Return real rows where they are, random rows of the same shape elsewhere."""
    folder = os.environ.get("LINKWISE_DATA")
    n_rows, n_features, n_clusters = SHAPES[name]
    if folder and (Path(folder) / f"{name}.npz").exists():
        return np.load(Path(folder) / f"{name}.npz")["X"], n_clusters, "real"
    return clumps(n_rows, n_features, n_clusters), n_clusters, "random"


def clumps(n_rows: int, n_features: int, n_clusters: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(n_clusters, n_features)).astype(np.float32)
    X = rng.standard_normal((n_rows, n_features), dtype=np.float32)
    X += centers[rng.integers(n_clusters, size=n_rows)]
    return X


def product_floor(n_rows: int, n_features: int, n_blocks: int, n_partitions: int) -> float:
    """Return CPU seconds of the bare products of the labelling pass, best of several tries."""
    rng = np.random.default_rng(0)
    n_used = -(-n_features // 2)
    centers = rng.standard_normal((n_blocks, n_used), dtype=np.float32)
    tile = rng.standard_normal((n_used, TILE), dtype=np.float32)
    out = np.empty((n_blocks, TILE), dtype=np.float32)
    tries = []
    with one_blas_thread():
        for _ in range(9):
            start = time.process_time()
            for _ in range(200):
                np.matmul(centers, tile, out=out)
            tries.append((time.process_time() - start) / 200)
    return min(tries) * n_rows / TILE * n_partitions


def build_seconds(
    X: np.ndarray, n_clusters: int, arguments: argparse.Namespace
) -> tuple[float, float]:
    """Return CPU seconds, best of several tries, and how many of them are training."""
    training = []

    def train(*told: object) -> list:
        start = time.process_time()
        trained = train_all(*told)
        training.append(time.process_time() - start)
        return trained

    tries = []
    for _ in range(arguments.repeat):
        start = time.process_time()
        build_ensemble(
            X,
            n_clusters,
            n_partitions=arguments.partitions,
            seed=0,
            n_threads=arguments.threads,
            train=train,
        )
        tries.append(time.process_time() - start)
    return min(zip(tries, training, strict=True))


def report(name: str, X: np.ndarray, n_clusters: int, arguments: argparse.Namespace) -> float:
    """Print one line and return the CPU seconds."""
    build_ensemble(X[:2000], n_clusters, n_partitions=1, seed=0)  # compile
    n_blocks = default_blocks(n_clusters, len(X))
    floor = product_floor(*X.shape, n_blocks, arguments.partitions)
    seconds, training = build_seconds(X, n_clusters, arguments)
    print(
        f"{name}: {X.shape[0]} x {X.shape[1]}, {arguments.partitions} partitions, {n_blocks} base "
        f"clusters: {seconds:.2f} CPU s ({training:.2f} of them training), products of labelling "
        f"alone {floor:.2f}, ratio {seconds / floor:.2f}",
        flush=True,
    )
    return seconds


def growth(arguments: argparse.Namespace) -> None:
    """Print time per million rows; training is a constant, so it falls to a limit."""
    for n_rows in (50_000, 100_000, 200_000, 400_000, 800_000):
        seconds = report("growth", clumps(n_rows, 54, 7), 7, arguments)
        print(f"    {seconds / n_rows * 1e6:.2f} CPU s per million rows", flush=True)


def on_disk(arguments: argparse.Namespace) -> None:
    """Write random rows to a file and build from it in a process of its own.

    Plain writes, not a mapped file: a child's peak memory starts from that of its parent.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        header = {"descr": "<f4", "fortran_order": False, "shape": (arguments.disk, 784)}
        with open(path, "wb") as file:
            np.lib.format.write_array_header_2_0(file, header)
            for start in range(0, arguments.disk, 2000):
                count = min(2000, arguments.disk - start)
                file.write(clumps(count, 784, 10, seed=start).tobytes())
        command = [sys.executable, __file__, "--child", str(path)]
        command += ["--partitions", str(arguments.partitions), "--threads", str(arguments.threads)]
        subprocess.run(command, check=True)


def from_disk(path: Path, arguments: argparse.Namespace) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.process_time()
    ensemble = build_ensemble(
        path,
        10,
        n_partitions=arguments.partitions,
        seed=0,
        n_threads=arguments.threads,
        path=path.parent / "labels",
    )
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    floor = product_floor(
        ensemble.n_rows, ensemble.n_features, ensemble.n_blocks, ensemble.n_partitions
    )
    print(
        f"{ensemble.n_rows} x {ensemble.n_features} from a file of "
        f"{path.stat().st_size / 1e6:.0f} MB: {seconds:.1f} CPU s, products alone {floor:.1f}, "
        f"peak memory {peak:.0f} MB ({before:.0f} MB after the imports)"
    )


if __name__ == "__main__":
    main()
