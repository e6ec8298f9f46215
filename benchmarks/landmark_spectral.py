"""What landmark spectral clustering costs, on one thread, and what wrong links cost it.

Prints ratios of CPU times measured in this run (the smallest of several), next to the time of the
one float32 matrix product that compares all rows with all landmarks: no landmark method can be
faster than that. The part "wrong" prints NMI. Data sets are looked for in the folder that
LINKWISE_DATA names.

    python benchmarks/landmark_spectral.py            # everything
    python benchmarks/landmark_spectral.py memory     # one part
"""

import argparse
import resource
import time
import warnings

import numpy as np
from sklearn.cluster import SpectralClustering
from threadpoolctl import threadpool_limits

from linkwise import LSC, SCPC, LandmarkSpectralClustering, Links, PartialLabels
from linkwise.datasets import load
from linkwise.errors import ConstraintWarning
from linkwise.scores import nmi

SETS = (
    "digits",
    "usps",
    "pendigits",
    "segment",
    "satimage",
    "mfeat_fac",
    "coil20",
    "vehicle",
    "letter",
)


def cpu_seconds(work, repeats):
    """Return the smallest CPU time of several calls."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def product_seconds(X, n_landmarks, repeats):
    """Return the time of the bare products of all rows with the landmarks."""
    points = np.ascontiguousarray(X[:n_landmarks], dtype=np.float32)
    rows = np.ascontiguousarray(X[:2000], dtype=np.float32)
    return cpu_seconds(lambda: rows @ points.T, repeats) * len(X) / len(rows)


def known(y, n_labels, seed=0):
    """Return the labels of ``n_labels`` random rows, -1 elsewhere."""
    labels = np.full(len(y), -1)
    rows = np.random.RandomState(seed).choice(len(y), n_labels, replace=False)
    labels[rows] = y[rows]
    return PartialLabels(labels)


def name_of(model):
    """Return the name of a model, and of its method where there are several."""
    return f"{type(model).__name__} {getattr(model, 'method', '')}".strip()


def against_lsc(repeats):
    """SC-PC and our method with 1200 linked rows of MNIST, against LSC with 1200 landmarks."""
    mnist = load("mnist")
    labels = known(mnist.y, 1200)
    floor = product_seconds(mnist.X, 1200, repeats)
    lsc = LSC(10, landmarks="random", n_landmarks=1200, random_state=0)
    base = cpu_seconds(lambda: lsc.fit(mnist.X), repeats)
    print(f"MNIST 70000 x 784, 1200 landmarks: products alone {floor:.2f} s")
    print(f"  LSC, random landmarks               {base:6.2f} s  {base / floor:5.2f} x products")
    for model in (
        SCPC(10, random_state=0),
        LandmarkSpectralClustering(10, method="inject", random_state=0),
        LandmarkSpectralClustering(10, random_state=0),
    ):
        spent = cpu_seconds(lambda model=model: model.fit(mnist.X, constraints=labels), repeats)
        print(f"  {name_of(model):<36}{spent:6.2f} s  {spent / base:5.2f} x LSC")


def against_scikit_learn(repeats):
    """The default on 10,000 rows of MNIST against scikit-learn's SpectralClustering."""
    mnist = load("mnist")
    rows = np.random.RandomState(0).choice(len(mnist.y), 10_000, replace=False)
    X, labels = mnist.X[rows], known(mnist.y[rows], 300)
    ours = LandmarkSpectralClustering(10, random_state=0)
    theirs = SpectralClustering(10, affinity="nearest_neighbors", random_state=0)
    slow = cpu_seconds(lambda: theirs.fit(X), 1)
    print(f"MNIST 10000 x 784: SpectralClustering(nearest_neighbors) {slow:.2f} s")
    for name, constraints in (("no links", None), ("300 labels", labels)):
        fast = cpu_seconds(lambda c=constraints: ours.fit(X, constraints=c), repeats)
        print(
            f"  LandmarkSpectralClustering, {name:<10} {fast:6.2f} s  {slow / fast:5.1f} x faster"
        )


def blobs(n_samples):
    """Ten overlapping groups in 20 features, made without copies."""
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n_samples)
    centers = 3 * rng.standard_normal((10, 20))
    X = rng.standard_normal((n_samples, 20))
    for k in range(10):
        X[y == k] += centers[k]
    return X, y


def memory(repeats):  # noqa: ARG001
    """Peak memory beyond X, 1,000,000 x 20 and 1000 labels."""
    for model in (
        LandmarkSpectralClustering(10, random_state=0),
        LandmarkSpectralClustering(10, method="inject", random_state=0),
        SCPC(10, random_state=0),
    ):
        X, y = blobs(20_000)
        model.fit(X, constraints=known(y, 1000))  # load and compile what there is
        X, y = blobs(1_000_000)
        labels = known(y, 1000)
        before = _resident()
        _forget_peak()
        model.fit(X, constraints=labels)
        beyond = _peak() - before
        print(f"1000000 x 20, 1000 labels: {name_of(model):<36} {beyond:4.0f} MB beyond X")


def growth(repeats):
    """Time per row as the table grows: linear means it stays."""
    print("time per row, 20 features, 1000 labels, 500 extra landmarks")
    for n_samples in (50_000, 100_000, 200_000, 400_000):
        X, y = blobs(n_samples)
        labels = known(y, 1000)
        model = LandmarkSpectralClustering(10, n_landmarks=500, random_state=0)
        spent = cpu_seconds(lambda m=model, X=X, c=labels: m.fit(X, constraints=c), repeats)
        print(f"  {n_samples:7d} rows  {spent:6.2f} s  {1e6 * spent / n_samples:6.2f} us per row")


def wrong(repeats):
    """NMI on rows in no link: no links, random links, and the same with some of them wrong."""
    shares = (0.0, 0.1, 0.2)
    print(f"500 random links (no more than half the rows), NMI of free rows, {repeats} draws")
    print(f"  {'set':<12}" + "".join(f"  none {100 * share:2.0f} % wrong" for share in shares))
    rows = []
    for name in SETS:
        data = load(name)
        drawn = [
            [figure for share in shares for figure in _gain(data, share, seed)]
            for seed in range(repeats)
        ]
        rows.append(np.mean(drawn, axis=0))
        print(f"  {name:<12}" + _figures(rows[-1]), flush=True)
    print(f"  {'mean':<12}" + _figures(np.mean(rows, axis=0)))


def _gain(data, share, seed):
    """Return the NMI of free rows without and with links, ``share`` of which are wrong."""
    n_links = min(500, len(data.y) // 2)
    links = Links.sample(data.y, n_links, noise=share, random_state=seed)
    free = np.setdiff1d(np.arange(len(data.y)), links.linked_rows)
    model = LandmarkSpectralClustering(data.n_classes, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstraintWarning)  # wrong links contradict each other
        fits = [model.fit(data.X).labels_, model.fit(data.X, constraints=links).labels_]
    return [nmi(data.y[free], labels[free]) for labels in fits]


def _figures(row):
    return "".join(f"  {a:.3f}      {b:.3f}" for a, b in zip(row[::2], row[1::2], strict=True))


def _resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 1e6


def _forget_peak():
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")


def _peak():
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e6


PARTS = {
    "lsc": against_lsc,
    "scikit-learn": against_scikit_learn,
    "memory": memory,
    "growth": growth,
    "wrong": wrong,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="*", choices=[*PARTS], help="default: all")
    parser.add_argument("--repeats", type=int, default=3, help="runs; the fastest counts")
    chosen = parser.parse_args()
    with threadpool_limits(1):
        for name in chosen.part or PARTS:
            PARTS[name](chosen.repeats)


if __name__ == "__main__":
    main()
