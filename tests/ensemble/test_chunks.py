"""Dask arrays and frames as rows; a stand-in with the members that are used, or Dask itself."""

import pickle

import numpy as np
import pandas as pd
import pytest

import linkwise as lw
from linkwise.ensemble import as_source
from linkwise.errors import InvalidInput

X = np.random.default_rng(0).normal(size=(300, 3)) + 4 * np.arange(300)[:, None] // 100


class Delayed:
    """A table that is not there until it is computed, and counts how often that is."""

    n_computed = 0

    def __init__(self, rows, chunks=()):
        self._rows, self.chunks = rows, (tuple(chunks), (rows.shape[-1],))
        self.ndim, self.shape = rows.ndim, rows.shape

    def __dask_graph__(self):
        return {}

    def __getitem__(self, rows):
        return Delayed(self._rows[rows])

    def compute(self):
        Delayed.n_computed += 1
        return self._rows

    def compute_chunk_sizes(self):
        return Delayed(self._rows, (90, 0, 210))


class DelayedFrame(Delayed):
    """A data frame of three partitions."""

    npartitions = 3

    def __init__(self, frame):
        super().__init__(frame)
        self.columns = frame.columns
        self.partitions = [Delayed(frame[:90]), Delayed(frame[90:90]), Delayed(frame[90:])]

    def map_partitions(self, function):
        return Delayed(np.array([function(part.compute()) for part in self.partitions]))


def tables():
    """Return what stands for the same rows."""
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    found = {
        "array": Delayed(X, (90, 0, 210)),
        "lengths unknown": Delayed(X, (np.nan, np.nan, np.nan)),
        "frame": DelayedFrame(frame),
    }
    try:
        import dask.array
        import dask.dataframe
    except ImportError:
        return found
    whole = dask.array.from_array(X, chunks=(90, 2))
    some = dask.dataframe.from_pandas(frame, npartitions=3)
    return found | {"dask array": whole, "dask frame": some, "values": some.to_dask_array()}


@pytest.mark.parametrize("kind", tables())
def test_rows_are_read_chunk_by_chunk(kind):
    source = as_source(tables()[kind])
    assert (source.n_rows, source.n_features) == X.shape
    for start, stop in [(0, 300), (80, 95), (299, 300), (0, 1)]:
        np.testing.assert_array_equal(source.read(start, stop), X[start:stop])
    if not isinstance(tables()[kind], DelayedFrame):
        again = pickle.loads(pickle.dumps(source))
        np.testing.assert_array_equal(again.read(10, 250), X[10:250])


@pytest.mark.parametrize("kind", tables())
def test_a_model_of_it_is_that_of_the_array(kind):
    expected = lw.SequentialClustering(3, n_partitions=4, random_state=0).fit(X)
    model = lw.SequentialClustering(3, n_partitions=4, random_state=0).fit(tables()[kind])
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.predict(tables()[kind]), expected.predict(X))


def test_a_chunk_is_computed_once_while_rows_are_read_in_order():
    source = as_source(Delayed(X, (90, 0, 210)))
    Delayed.n_computed = 0
    for start in range(0, 300, 30):
        source.read(start, start + 30)
    assert Delayed.n_computed == 2


def test_what_is_no_table_is_refused():
    with pytest.raises(InvalidInput, match="a Dask Delayed of 1 dimensions is no table"):
        as_source(Delayed(X[:, 0]))
