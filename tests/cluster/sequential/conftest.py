import numpy as np
import pytest
from sklearn.datasets import make_blobs

from linkwise import Links, PartialLabels, SequentialClustering
from linkwise.cluster.sequential.answers import Answers
from linkwise.cluster.sequential.landmarks import lift
from linkwise.cluster.sequential.places import Places


@pytest.fixture(scope="module")
def blobs():
    """Four groups that overlap a little, in five features."""
    return make_blobs(240, n_features=5, centers=4, cluster_std=3.5, random_state=4)


@pytest.fixture(scope="module")
def small(blobs):
    """A model of the blobs that nothing was said to; every row is a landmark."""
    return SequentialClustering(4, n_partitions=20, random_state=0).fit(blobs[0])


@pytest.fixture
def gather():
    """Return what links and labels say, as the model reads it."""

    def read(links=None, labels=None, n=None):
        n = n or len(links if links is not None else labels)
        return Answers.of(
            Links(n) if links is None else links,
            PartialLabels(np.full(n, -1) if labels is None else labels),
        )

    return read


@pytest.fixture
def place():
    """Return where the rows that answers speak about lie among the landmarks of a model."""

    def find(model, answers):
        blocks = model.ensemble_.labels.rows(answers.rows)
        mixture = lift(model._basis, answers.rows, blocks)
        return Places.of(model._basis, mixture, blocks.T)

    return find
