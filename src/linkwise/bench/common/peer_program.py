"""Runs one method of another package; started in the environment of the peers, without linkwise.

Called as ``python peer_program.py NAME TASK.npz ANSWER.npz``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, Any]
Answer = tuple[Any, list[tuple[int, int]]]
Method = Callable[[Arrays], Answer]


def asc_clusterer(name: str) -> Method:
    """Load a clusterer of active-semi-supervised-clustering; it is told links."""
    from active_semi_clustering.semi_supervised import pairwise_constraints

    def run(task: Arrays) -> Answer:
        model = getattr(pairwise_constraints, name)(n_clusters=int(task["k"]))
        model.fit(task["X"], ml=_pairs(task["must"]), cl=_pairs(task["cannot"]))
        return model.labels_, []

    return run


def asc_min_max() -> Method:
    """Load min-max, which asks, and MPCKMeans, which is told the answers."""
    from active_semi_clustering.active.pairwise_constraints import ExampleOracle, MinMax
    from active_semi_clustering.semi_supervised.pairwise_constraints import MPCKMeans

    def run(task: Arrays) -> Answer:
        oracle = ExampleOracle(task["truth"], max_queries_cnt=int(task["budget"]))
        asking = MinMax(n_clusters=int(task["k"]))
        asking.fit(task["X"], oracle=oracle)
        must, cannot = asking.pairwise_constraints_
        model = MPCKMeans(n_clusters=int(task["k"])).fit(task["X"], ml=must, cl=cannot)
        return model.labels_, [*must, *cannot]

    return run


def learned_metric(name: str) -> Method:
    """Load a metric of metric-learn, which is told links; k-means follows."""
    import metric_learn
    from sklearn.cluster import KMeans

    def run(task: Arrays) -> Answer:
        ends = np.concatenate((task["must"], task["cannot"]))
        kind = np.repeat([1, -1], [len(task["must"]), len(task["cannot"])])
        learned = getattr(metric_learn, name)(random_state=int(task["seed"]))
        learned.fit(task["X"][ends], kind)
        model = KMeans(int(task["k"]), n_init=10, random_state=int(task["seed"]))
        return model.fit(learned.transform(task["X"])).labels_, []

    return run


def cobras() -> Method:
    """Load COBRAS, which asks and finds the number of clusters by itself."""
    vars(np)["int"] = int  # it was written for a NumPy that had this name
    from cobras_ts.cobras_kmeans import COBRAS_kmeans
    from cobras_ts.querier.labelquerier import LabelQuerier

    def run(task: Arrays) -> Answer:
        asking = COBRAS_kmeans(task["X"], LabelQuerier(task["truth"]), int(task["budget"]))
        _, clusterings, _, must, cannot = asking.cluster()
        return np.asarray(clusterings[-1]), [*must, *cannot]

    return run


def sized() -> Method:
    """Load k-means-constrained; it reads no links and is given no limits of sizes."""
    from k_means_constrained import KMeansConstrained

    def run(task: Arrays) -> Answer:
        model = KMeansConstrained(n_clusters=int(task["k"]), random_state=int(task["seed"]))
        return model.fit_predict(task["X"]), []

    return run


def cognitive() -> Method:
    """Load constrained k-means of cognitivefactory-interactive-clustering; it is told links."""
    from cognitivefactory.interactive_clustering.clustering.factory import clustering_factory
    from cognitivefactory.interactive_clustering.constraints.factory import managing_factory
    from scipy.sparse import csr_matrix

    def run(task: Arrays) -> Answer:
        names = [str(row) for row in range(len(task["X"]))]
        manager = managing_factory(manager="binary", list_of_data_IDs=names)
        for pairs, kind in ((task["must"], "MUST_LINK"), (task["cannot"], "CANNOT_LINK")):
            for i, j in pairs.tolist():
                manager.add_constraint(data_ID1=str(i), data_ID2=str(j), constraint_type=kind)
        model = clustering_factory(algorithm="kmeans", random_seed=int(task["seed"]))
        vectors = {name: csr_matrix(row) for name, row in zip(names, task["X"], strict=True)}
        found = model.cluster(
            constraints_manager=manager, nb_clusters=int(task["k"]), vectors=vectors, verbose=False
        )
        return np.array([found[name] for name in names]), []

    return run


#: What to load for each name; loading is not counted.
PROGRAMS: dict[str, Callable[[], Method]] = {
    "PCKMeans (asc)": lambda: asc_clusterer("PCKMeans"),
    "MPCKMeans (asc)": lambda: asc_clusterer("MPCKMeans"),
    "COPKMeans (asc)": lambda: asc_clusterer("COPKMeans"),
    "MinMax + MPCKMeans (asc)": asc_min_max,
    "ITML + k-means (metric-learn)": lambda: learned_metric("ITML"),
    "MMC + k-means (metric-learn)": lambda: learned_metric("MMC"),
    "SDML + k-means (metric-learn)": lambda: learned_metric("SDML"),
    "COBRAS (cobras-ts)": cobras,
    "KMeansConstrained (k-means-constrained)": sized,
    "COP k-means (cognitivefactory)": cognitive,
}


def _pairs(ends: NDArray[np.int64]) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in ends]


def _memory() -> float:
    """Return the most memory this process has held, in megabytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(name: str, task_file: str, answer_file: str) -> None:
    """Read the task, run the method, write its answer."""
    with np.load(task_file, allow_pickle=False) as arrays:
        task = dict(arrays)
    np.random.seed(int(task["seed"]))  # noqa: NPY002  # these packages draw from the global state
    method = PROGRAMS[name]()
    before, start = _memory(), time.process_time()
    labels, asked = method(task)
    seconds = time.process_time() - start
    pairs = np.array(sorted({(int(i), int(j)) for i, j in asked}), dtype=np.int64).reshape(-1, 2)
    np.savez(
        answer_file,
        labels=np.asarray(labels).astype(np.int64),
        asked=pairs,
        seconds=seconds,
        memory=_memory() - before,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
