"""A model file from anywhere is a working model or a sentence, nothing else."""

import json
import shutil
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linkwise as lw
from linkwise import SCSC, Links, PartialLabels, SequentialClustering
from linkwise.errors import LinkwiseError

N = 40
X = np.random.default_rng(0).normal(size=(N, 3)) + np.repeat([[0], [6]], N // 2, axis=0)
HEADERS = ("model.json", "ensemble/ensemble.json", "ensemble/labels.json")
FUZZ = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module", params=[SequentialClustering, SCSC], ids=lambda c: c.__name__)
def files(request, tmp_path_factory):
    """The files of a model that has heard links and, if it can, names."""
    folder = tmp_path_factory.mktemp("model") / "model"
    model = request.param(2, n_partitions=6, random_state=0).fit(X)
    model.update(Links(N, must=[(0, 1), (2, 3)], cannot=[(0, 30)]))
    if request.param is SequentialClustering:
        model.update(PartialLabels.of_rows({4: "left", 35: "right"}, N))
    model.save(folder)
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def write(files, folder):
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def use(folder, mmap):
    """Open a model and do all that one does with it; return what it says if it refuses."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = lw.load(folder, mmap=mmap)
            assert model.labels_.shape == model.margins_.shape == (N,)
            assert model.labels_.max() < model.n_clusters_ <= 256
            model.predict(X[:3])
            model.query(2)
            model.report_  # noqa: B018
            model.update(Links(N, must=[(5, 6)])).labels_  # noqa: B018
            model.extend(X[:2]).labels_  # noqa: B018
    except LinkwiseError as error:
        said = str(error)
    else:
        return None
    assert said.endswith(".")
    return said


def test_the_model_itself_works(files, tmp_path):
    write(files, tmp_path / "model")
    assert use(tmp_path / "model", mmap=False) is use(tmp_path / "model", mmap=True) is None


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**9, 2**63, -1, 0, 10**400])
    | st.floats()
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@FUZZ
@given(data=st.data())
def test_any_value_in_a_header(files, tmp_path, data):
    name = data.draw(st.sampled_from(HEADERS))
    header = json.loads(files[name])
    spot = header
    key = data.draw(st.sampled_from(sorted(header)))
    if key == "params" and data.draw(st.booleans()):
        spot = header["params"]
        key = data.draw(st.sampled_from([*sorted(spot), "folder", "cancel", "nothing"]))
    if data.draw(st.booleans()):
        spot[key] = data.draw(values)
    else:
        spot.pop(key, None)
    write(files | {name: json.dumps(header).encode()}, tmp_path / "model")
    use(tmp_path / "model", mmap=data.draw(st.booleans()))


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.parametrize(
    "text",
    ["[" * 100_000 + "]" * 100_000, '{"a":' * 50_000, "1" * 5_000, "", "\x00", "null", '"\\ud800"'],
    ids=["lists", "objects", "digits", "nothing", "zero", "null", "half a pair"],
)
def test_any_text_for_a_header(files, tmp_path, name, text):
    write(files | {name: text.encode()}, tmp_path / "model")
    assert use(tmp_path / "model", mmap=False) is not None


@FUZZ
@given(data=st.data())
def test_any_file_cut_or_with_a_flipped_bit(files, tmp_path, data):
    name = data.draw(st.sampled_from(sorted(files)))
    content = bytearray(files[name])
    at = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[at:]
    else:
        content[at] ^= 1 << data.draw(st.integers(0, 7))
    write(files | {name: bytes(content)}, tmp_path / "model")
    use(tmp_path / "model", mmap=data.draw(st.booleans()))


WAYS = ("longer", "shorter", "empty", "scalar", "deeper", "large", "negative", "other", "text")
WAYS += ("complex", "zeros")


def replaced(array, way):
    """Return an array that is well-formed and does not fit."""
    some = np.atleast_1d(array)
    ways = {
        "longer": lambda: np.concatenate([some, some]),
        "shorter": lambda: some[:-1],
        "empty": lambda: some[:0],
        "scalar": lambda: np.array(1),
        "deeper": lambda: array[None],
        "large": lambda: (
            np.full_like(array, np.iinfo(array.dtype).max)
            if array.dtype.kind in "iu"
            else np.full_like(array, np.inf)
        ),
        "negative": lambda: np.full(array.shape, -1).astype(array.dtype),
        "other": lambda: array.astype(np.float32 if array.dtype.kind in "iu" else np.int64),
        "text": lambda: array.astype("U8"),
        "complex": lambda: array.astype(complex),
        "zeros": lambda: np.zeros_like(array),
    }
    return ways[way]()


@pytest.mark.parametrize("way", WAYS)
def test_any_array_of_another_kind(files, tmp_path, way):
    arrays = [name for name in sorted(files) if name.endswith(".npy")]
    for name in arrays:
        write(files, tmp_path / "model")
        array = np.load(tmp_path / "model" / name)
        np.save(tmp_path / "model" / name, replaced(array, way))
        use(tmp_path / "model", mmap=False)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"class": ["SCSC"]}, "holds a ['SCSC'], which cannot be loaded."),
        ({"n_rows": 10**9}, "it tells of 1000000000 rows, its ensemble has 40."),
        ({"n_features": 4}, "it tells of 4 features, its ensemble has 3."),
        ({"feature_names": ["a"]}, "it has 1 names for 3 features."),
        ({"params": {"n_clusters": 10**9}}, "n_clusters must be a whole number from 1 to 256"),
        ({"n_clusters": 0}, "n_clusters is 0."),
        ({"n_clusters": "auto"}, "n_clusters is 'auto'."),
        (
            {"version": 3, "params": {"n_clusters": "auto"}},
            "it does not tell how many clusters there are.",
        ),
    ],
)
def test_what_is_wrong_is_said(files, tmp_path, change, sentence):
    header = json.loads(files["model.json"])
    write(files | {"model.json": json.dumps(header | change).encode()}, tmp_path / "model")
    assert sentence in use(tmp_path / "model", mmap=False)


def test_a_missing_file_is_named(files, tmp_path):
    for name in files:
        write({other: files[other] for other in files if other != name}, tmp_path / "model")
        assert name.rpartition("/")[2] in use(tmp_path / "model", mmap=False)
