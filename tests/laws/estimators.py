"""Every exported estimator, ready to be put under the laws."""

import linkwise as lw
from linkwise.cluster.base import ConstrainedClusterer


def exported():
    """Return all exported estimator classes, by name."""
    found = (getattr(lw, name) for name in lw.__all__)
    return [c for c in found if isinstance(c, type) and issubclass(c, ConstrainedClusterer)]


def exported_maps():
    """Return all exported classes that learn a linear map, by name."""
    return [getattr(lw.metric, name) for name in lw.metric.__all__]


#: Settings that keep the laws quick, by class name.
QUICK = {
    "SCSC": {"n_partitions": 10},
    "SequentialClustering": {"n_partitions": 10},
    "KCC": {"n_partitions": 5, "n_init": 2},
    "MaxMarginClustering": {"n_clusters": 3},
}

#: Estimators that read labels and yet begin by chance.
RANDOM_START = ("KCC",)


#: Estimators that promise that rows with a label end in the cluster of their class.
KEEPS_LABELS = ("COPKMeans", "ConstrainedKMeans", "SequentialClustering", "SizedKMeans")

#: Of these, those that read links: told of too many classes, they say what has no cluster left.
KEEPS_LINKS = ("COPKMeans", "SizedKMeans")


def make(cls, **params):
    """Return an instance of ``cls`` with quick settings and a fixed seed."""
    return cls(**{"random_state": 0, **QUICK.get(cls.__name__, {}), **params})
