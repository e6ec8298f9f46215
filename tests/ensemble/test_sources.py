import numpy as np
import pytest
from scipy import sparse

from linkwise.ensemble import NpySource, RowSource, as_source
from linkwise.ensemble.sources import block_rows, blocks, find_bad_value, sample_rows
from linkwise.errors import InvalidInput, MissingData


class Table:
    """The least a source can be."""

    def __init__(self, X):
        self._X = X
        self.n_rows, self.n_features = X.shape

    def read(self, start, stop):
        return self._X[start:stop]


def table(dtype=np.float32, n_rows=97, n_features=5):
    rng = np.random.default_rng(0)
    return (100 * rng.normal(size=(n_rows, n_features))).astype(dtype)


def saved(path, X):
    np.save(path, X)
    return path


def written(path, X):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    frame.to_parquet(path, row_group_size=20)
    return path


SOURCES = {
    "array": lambda X, _: X,
    "column-major array": lambda X, _: np.asfortranarray(X),
    "list": lambda X, _: X.tolist(),
    "sparse": lambda X, _: sparse.csc_array(X),
    "npy": lambda X, folder: saved(folder / "X.npy", X),
    "column-major npy": lambda X, folder: saved(folder / "F.npy", np.asfortranarray(X)),
    "npy as str": lambda X, folder: str(saved(folder / "X.npy", X)),
    "big-endian npy": lambda X, folder: saved(folder / "X.npy", X.astype(">f4")),
    "parquet": lambda X, folder: written(folder / "X.parquet", X),
    "custom": lambda X, _: Table(X),
}


@pytest.fixture(params=SOURCES)
def source_of(request, tmp_path):
    return lambda X: as_source(SOURCES[request.param](X, tmp_path))


def test_any_source_reads_the_same_rows(source_of):
    X = table()
    source = source_of(X)
    assert isinstance(source, RowSource)
    assert (source.n_rows, source.n_features) == X.shape
    for start, stop in [(0, 97), (0, 1), (3, 50), (19, 21), (96, 97), (10, 20), (20, 40), (40, 41)]:
        np.testing.assert_array_equal(source.read(start, stop), X[start:stop])


def test_any_source_samples_the_same_rows(source_of):
    X = table()
    indices = np.array([0, 1, 7, 19, 20, 64, 96])
    np.testing.assert_array_equal(sample_rows(source_of(X), indices), X[indices])


def test_sampling_a_plain_source_reads_only_the_blocks_it_needs(monkeypatch):
    monkeypatch.setattr("linkwise.ensemble.sources.block_rows", lambda _: 10)
    source, reads = Table(table()), []
    read = source.read
    source.read = lambda start, stop: reads.append((start, stop)) or read(start, stop)
    rows = sample_rows(source, np.array([3, 9, 55, 95]))
    np.testing.assert_array_equal(rows, table()[[3, 9, 55, 95]])
    assert reads == [(0, 10), (50, 60), (90, 97)]


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float16, np.float64, bool])
def test_a_file_keeps_its_type(dtype, tmp_path):
    X = table(dtype)
    block = as_source(saved(tmp_path / "X.npy", X)).read(5, 9)
    assert block.dtype == X.dtype
    np.testing.assert_array_equal(block, X[5:9])


def test_blocks_cover_all_rows_in_order():
    starts, parts = zip(*blocks(as_source(table()), 40), strict=True)
    assert starts == (0, 40, 80)
    np.testing.assert_array_equal(np.concatenate(parts), table())


@pytest.mark.parametrize(
    ("n_features", "rows"), [(1, 8192), (54, 8192), (784, 512), (2000, 256), (10**6, 256)]
)
def test_blocks_are_about_2_megabytes_and_whole_tiles(n_features, rows):
    assert block_rows(n_features) == rows


@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_the_first_bad_value_is_named(source_of, value, name):
    X = table()
    X[60, 3], X[60, 4], X[70, 0] = value, np.nan, np.nan
    assert str(find_bad_value(source_of(X))) == (
        f"X[60, 3] is {name}. Every value must be a finite number: fill or drop such rows first."
    )


def test_a_table_of_numbers_has_no_bad_value(source_of):
    assert find_bad_value(source_of(table())) is None


def test_missing_values_of_a_parquet_file_are_bad_values(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "X.parquet"
    pandas.DataFrame({"a": [1, 2, 3], "b": pandas.array([1, 2, None], "Int64")}).to_parquet(path)
    assert str(find_bad_value(as_source(path))).startswith("X[2, 1] is NaN.")


def refusal(X):
    with pytest.raises((InvalidInput, MissingData)) as caught:
        as_source(X)
    return str(caught.value)


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (
            np.zeros(3),
            "X has 1 dimensions, expected 2: one row per sample, one column per feature.",
        ),
        ([["a"]], "X holds <U1 values, expected real numbers."),
        ([[1j]], "X holds complex128 values, expected real numbers."),
        (sparse.eye_array(2, dtype=complex), "X holds complex128 values, expected real numbers."),
        (
            np.zeros((0, 2)),
            "the table has 0 rows and 2 features; at least one of each is needed.",
        ),
        (
            np.zeros((2, 0)),
            "the table has 2 rows and 0 features; at least one of each is needed.",
        ),
    ],
)
def test_what_is_not_a_table_of_numbers_is_refused(X, sentence):
    assert refusal(X) == sentence


def test_files_that_are_no_table_are_refused(tmp_path):
    path = tmp_path / "X.npy"
    assert refusal(path) == f"there is no file {path}."
    np.save(path, np.zeros(4))
    assert refusal(path) == f"{path} holds an array of shape (4,), expected a table."
    np.save(path, np.array([["a"]]))
    assert refusal(path) == f"{path} holds <U1 values, expected real numbers."
    np.save(path, np.array([[None]]), allow_pickle=True)
    assert refusal(path) == f"{path} holds object values, expected real numbers."
    path.write_bytes(b"not an array at all")
    assert refusal(path).startswith(f"{path} is not a .npy file: ")
    other = tmp_path / "X.xlsx"
    other.touch()
    assert refusal(other) == (
        f"{other}: rows are read from .npy and .parquet files, not '.xlsx'. Read it into a data "
        "frame; features.TableFeatures() makes rows of numbers of it."
    )


def test_a_data_frame_of_more_than_numbers_is_told_what_makes_rows_of_it():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0], "said": ["hello", "you"]})
    assert refusal(frame) == (
        'the column "said" of X holds more than numbers. features.TableFeatures().fit_transform(X) '
        "makes rows of numbers of any table."
    )


def test_a_file_that_was_cut_short_is_refused(tmp_path):
    path = saved(tmp_path / "X.npy", table())
    path.write_bytes(path.read_bytes()[:-1])
    assert refusal(path) == (
        f"{path} has 2067 bytes but 97 x 5 values of float32 need 2068. The file is cut short."
    )


def test_a_file_that_shrinks_while_it_is_read_is_noticed(tmp_path):
    path = saved(tmp_path / "X.npy", table())
    source = NpySource(path)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(InvalidInput) as caught:
        source.read(0, 97)
    assert str(caught.value) == f"{path} ended while it was read. The file was changed."


def test_a_source_that_returns_something_else_is_refused():
    source = Table(table())
    source.n_features = 4
    with pytest.raises(InvalidInput) as caught:
        sample_rows(source, np.array([0]))
    assert str(caught.value) == (
        "Table.read(0, 97) returned an array of shape (97, 5), expected (97, 4)."
    )
    with pytest.raises(InvalidInput) as caught:
        sample_rows(Table(table().astype(object)), np.array([0]))
    assert str(caught.value) == "Table.read(0, 97) returned object values, expected real numbers."
