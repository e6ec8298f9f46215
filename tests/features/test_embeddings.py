"""Embeddings by models on this machine: a tiny one that stands for the real libraries'."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from linkwise import run_options
from linkwise.errors import Cancelled, InvalidInput, MissingData, MissingExtra
from linkwise.features import ImageEmbeddings, TextEmbeddings

TEXTS = ["a printer", "an invoice", "a printer", "", None]


class Letters:
    """A model that counts letters, and how often it is asked."""

    asked: list[int]

    def encode(self, texts, **_):
        self.asked.append(len(texts))
        return np.array([[t.count("a"), t.count("i"), len(t)] for t in texts], dtype=float)


@pytest.fixture
def letters(monkeypatch):
    """Put the model where model2vec would be."""
    model = Letters()
    model.asked = []
    module = ModuleType("model2vec")
    module.StaticModel = SimpleNamespace(from_pretrained=lambda _: model)
    monkeypatch.setitem(sys.modules, "model2vec", module)
    return model


@pytest.fixture
def folder(tmp_path):
    where = tmp_path / "model"
    where.mkdir()
    (where / "model.safetensors").write_bytes(b"weights")
    return where


def test_texts_become_rows_of_length_one(letters, folder, tmp_path):
    model = TextEmbeddings(str(folder), cache=str(tmp_path / "cache"))
    X = model.fit_transform(TEXTS)
    assert X.dtype == np.float32
    assert_allclose(np.linalg.norm(X, axis=1), [1, 1, 1, 0, 0], atol=1e-6)
    assert_allclose(X[0], np.array([1, 1, 9]) / np.sqrt(83), rtol=1e-6)
    assert list(model.get_feature_names_out()) == [f"textembeddings{k}" for k in range(3)]
    assert letters.asked == [3]
    assert clone(model).get_params()["model"] == str(folder)


def test_what_was_computed_once_is_found_by_its_content(letters, folder, tmp_path):
    cache = str(tmp_path / "cache")
    first = TextEmbeddings(str(folder), cache=cache).fit_transform(TEXTS)
    again = TextEmbeddings(str(folder), cache=cache).fit_transform(["new", *TEXTS])
    assert_array_equal(again[1:], first)
    assert letters.asked == [3, 1]
    (folder / "model.safetensors").write_bytes(b"others")
    TextEmbeddings(str(folder), cache=cache).fit_transform(TEXTS)
    assert letters.asked == [3, 1, 3]
    TextEmbeddings(str(folder), cache=None).fit_transform(TEXTS)
    assert letters.asked == [3, 1, 3, 3]


@pytest.mark.usefixtures("letters")
def test_the_cache_of_a_user_is_where_the_system_says(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    TextEmbeddings(str(folder)).fit_transform(TEXTS)
    assert list((tmp_path / "linkwise" / "embeddings").glob("*.sqlite"))


@pytest.mark.usefixtures("letters")
@pytest.mark.parametrize("home", ["/dev/null", None], ids=["cannot be written", "nobody has one"])
def test_where_nothing_can_be_kept_texts_are_embedded_all_the_same(
    folder, monkeypatch, caplog, home
):
    def nobody():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if home is None:
        monkeypatch.setattr(Path, "home", nobody)
    monkeypatch.setenv("HOME", home or "")
    assert TextEmbeddings(str(folder)).fit_transform(TEXTS).shape == (5, 3)
    assert caplog.messages[0].startswith("embeddings are not kept for the next time: ")


def test_batches_tell_how_far_they_are_and_can_be_stopped(letters, folder, tmp_path):
    steps = []
    model = TextEmbeddings(str(folder), batch_size=2, cache=str(tmp_path / "cache"))
    texts = [f"text {k}" for k in range(5)]
    with run_options(progress=lambda *step: steps.append(step)):
        model.fit_transform(texts)
    assert letters.asked == [2, 2, 1]
    assert steps == [(2, 5, "embedding"), (4, 5, "embedding"), (5, 5, "embedding")]
    with run_options(cancel=lambda: True), pytest.raises(Cancelled):
        model.fit_transform([f"other {k}" for k in range(5)])
    model.fit_transform([f"other {k}" for k in range(5)])
    assert letters.asked[3:] == [2, 2, 1]  # what was done before it was stopped is kept


@pytest.mark.parametrize("kind", [TextEmbeddings, ImageEmbeddings])
def test_a_model_that_is_not_here_is_one_sentence_and_no_download(kind, monkeypatch):
    asked = []

    def snapshot_download(name, *, local_files_only):
        asked.append((name, local_files_only))
        raise OSError("not here")

    hub = ModuleType("huggingface_hub")
    hub.snapshot_download = snapshot_download
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    with pytest.raises(MissingData) as caught:
        kind("some/model").fit([])
    instead = {
        TextEmbeddings: "Without it, TableFeatures places texts by their words.",
        ImageEmbeddings: "Without it, ImageFeatures places pictures by their colours and edges.",
    }
    assert str(caught.value) == (
        f'{kind.__name__}("some/model"): there is no such folder, and no such model in the cache '
        "of this machine. linkwise downloads nothing by itself; get it once with "
        '"hf download some/model" (pip install huggingface_hub), or give the folder it is in. '
        f"{instead[kind]}"
    )
    assert asked == [("some/model", True)]


@pytest.mark.usefixtures("letters")
def test_a_name_is_looked_up_in_the_cache_of_this_machine(folder, monkeypatch):
    def snapshot_download(name, *, local_files_only):
        assert local_files_only
        if name != "minishlab/tiny":
            raise OSError("not here")
        return str(folder)

    hub = ModuleType("huggingface_hub")
    hub.snapshot_download = snapshot_download
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    assert TextEmbeddings("tiny", cache=None).fit_transform(TEXTS).shape == (5, 3)


@pytest.mark.parametrize(
    ("kind", "commands"),
    [
        (TextEmbeddings, '"hf download sentence-transformers/x" or "hf download minishlab/x" (pip'),
        (ImageEmbeddings, '"hf download timm/x" or "hf download laion/x" (pip'),
    ],
)
def test_a_name_without_its_maker_is_looked_for_with_each_of_them(kind, commands):
    with pytest.raises(MissingData) as caught:
        kind("x").fit([])
    assert f"get it once with {commands}" in str(caught.value)


@pytest.mark.parametrize("path", ["/no/such/folder", "~/models/small", "a/b/c", "../x"])
def test_a_folder_that_is_not_here_is_no_name_to_download(path):
    with pytest.raises(MissingData) as caught:
        TextEmbeddings(path).fit([])
    assert str(caught.value) == (
        f'TextEmbeddings("{path}"): there is no such folder. linkwise downloads nothing by itself. '
        "Without it, TableFeatures places texts by their words."
    )


@pytest.mark.parametrize("model", ["", " ", 5, None])
def test_what_is_no_name_of_a_model_is_refused(model):
    with pytest.raises(InvalidInput) as caught:
        ImageEmbeddings(model).fit([])
    assert str(caught.value) == (
        f"ImageEmbeddings(model={model!r}): model must be the path of a folder, or a name."
    )


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("one text", "a text"),
        (pd.DataFrame({"said": ["one", "two"]}), "a data frame; give it a column"),
    ],
)
def test_letters_and_names_of_columns_are_not_taken_for_texts(folder, given, found):
    model = TextEmbeddings(str(folder), cache=None).fit([])
    with pytest.raises(InvalidInput) as caught:
        model.transform(given)
    assert str(caught.value) == f"TextEmbeddings reads a list of texts, got {found}."


def test_weights_that_may_run_code_are_not_read(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"weights")
    with pytest.raises(InvalidInput, match=r"holds no \.safetensors file"):
        TextEmbeddings(str(tmp_path)).fit([])


def test_a_missing_library_is_one_sentence(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "model2vec", None)
    with pytest.raises(MissingExtra) as caught:
        TextEmbeddings(str(folder), cache=None).fit_transform(TEXTS)
    assert str(caught.value) == (
        f'the model in {folder} needs model2vec: pip install "linkwise[texts]"'
    )
    (folder / "modules.json").write_text('[{"type": "sentence_transformers.models.Transformer"}]')
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r'sentence-transformers: pip install "linkwise\[emb'):
        TextEmbeddings(str(folder), cache=None).fit_transform(TEXTS)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InvalidInput, match=r'device="cuda".* needs PyTorch: pip install torch'):
        TextEmbeddings(str(folder), device="cuda").fit(TEXTS)


def test_sentence_transformers_are_asked_without_the_network(letters, folder, monkeypatch):
    (folder / "modules.json").write_text('[{"type": "sentence_transformers.models.Transformer"}]')
    told = []

    def load(path, **options):
        told.append((path, options))
        return letters

    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = load
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    assert TextEmbeddings(str(folder), cache=None).fit_transform(TEXTS).shape == (5, 3)
    assert told == [(str(folder), {"device": "cpu", "local_files_only": True})]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"batch_size": 0},
            "TextEmbeddings(batch_size=0): batch_size must be a whole number >= 1.",
        ),
        ({"device": "tpu"}, 'TextEmbeddings(device=\'tpu\'): device must be "cpu" or "cuda".'),
    ],
)
def test_parameters_that_cannot_be_are_refused(change, sentence, folder):
    with pytest.raises(InvalidInput) as caught:
        TextEmbeddings(str(folder), **change).fit(TEXTS)
    assert str(caught.value) == sentence


def test_what_is_no_text_is_refused(letters, folder):
    with pytest.raises(InvalidInput, match=r"TextEmbeddings reads texts, got 7\."):
        TextEmbeddings(str(folder), cache=None).fit_transform(["a", 7])
    with pytest.raises(InvalidInput, match="there are no texts"):
        TextEmbeddings(str(folder), cache=None).fit_transform([])
    assert letters.asked == []


@pytest.fixture
def brightness(monkeypatch):
    """Put a vision model that knows brightness only where timm and PyTorch would be."""

    class Model:
        def __call__(self, batch):
            return batch

        def eval(self):
            return self

        def to(self, _device):
            return self

    class Batch(np.ndarray):
        to = float = cpu = lambda self, *_: self
        numpy = lambda self: np.asarray(self)  # noqa: E731

    timm, torch = ModuleType("timm"), ModuleType("torch")
    timm.asked = []

    def create_model(name, **_):
        timm.asked.append(name)
        return Model()

    timm.create_model = create_model
    timm.data = SimpleNamespace(
        resolve_model_data_config=lambda _: {},
        create_transform=lambda: lambda picture: np.asarray(picture, float).mean(axis=(0, 1)),
    )
    torch.stack = lambda rows: np.stack(rows).view(Batch)
    torch.inference_mode = __import__("contextlib").nullcontext
    monkeypatch.setitem(sys.modules, "timm", timm)
    monkeypatch.setitem(sys.modules, "torch", torch)
    return timm


def test_pictures_become_rows_of_length_one(brightness, folder, tmp_path):
    image = pytest.importorskip("PIL.Image")
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for name in ("red", "blue"):
        image.new("RGB", (20, 10), name).save(pictures / f"{name}.png")
    (pictures / "x.png").write_text("no picture")
    model = ImageEmbeddings(str(folder), cache=str(tmp_path / "cache"), skip_broken=True)
    assert_allclose(model.fit_transform(pictures), [[0, 0, 1], [1, 0, 0]], atol=1e-6)
    assert [path.name for path in model.paths_] == ["blue.png", "red.png"]
    assert list(model.broken_) == [str(pictures / "x.png")]
    model.fit_transform(pictures)
    assert brightness.asked == [f"local-dir:{folder}"]
    with pytest.raises(InvalidInput, match="skip_broken=True leaves such files out"):
        ImageEmbeddings(str(folder), cache=None).fit_transform(pictures)
