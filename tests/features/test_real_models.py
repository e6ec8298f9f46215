"""Embeddings by the real libraries, where they are installed; tiny models are made on the spot."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import run_options
from linkwise.errors import InvalidInput, MissingData
from linkwise.features import ImageEmbeddings, TextEmbeddings

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "printer", "invoice", "is", "broken", "wrong"]
TEXTS = [
    "the printer is broken",
    "the invoice is wrong",
    "the printer is broken",
    "",
    None,
    "?" * 50,
]


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    """Let nothing look for the network, and keep every cache to the test."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))


def wanted(library, extra="embeddings"):
    """Return a library; the test is skipped, with a word how to get it, where it is not here."""
    needs = f'real models need {library}: pip install "linkwise[{extra}]"'
    return pytest.importorskip(library, reason=needs)


def tokenizer():
    tokenizers = wanted("tokenizers", "texts")
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({w: k for k, w in enumerate(WORDS)}, unk_token="[UNK]")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return made


def vectors():
    return np.random.default_rng(0).normal(size=(len(WORDS), 8)).astype(np.float32)


def model2vec_model(folder):
    library = wanted("model2vec", "texts")
    library.StaticModel(vectors=vectors(), tokenizer=tokenizer()).save_pretrained(str(folder))


def static_sentence_model(folder):
    library = wanted("sentence_transformers")
    models = wanted("sentence_transformers.models")
    static = models.StaticEmbedding(tokenizer(), embedding_weights=vectors())
    library.SentenceTransformer(modules=[static], device="cpu").save(str(folder))


def sentence_model(folder):
    library = wanted("sentence_transformers")
    transformers = wanted("transformers")
    inside = folder.parent / "transformer"
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
    )
    transformers.BertModel(config).save_pretrained(str(inside))
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer(),
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    ).save_pretrained(str(inside))
    models = wanted("sentence_transformers.models")
    words, pooling = models.Transformer(str(inside)), models.Pooling(8)
    library.SentenceTransformer(modules=[words, pooling], device="cpu").save(str(folder))


@pytest.mark.parametrize("make", [model2vec_model, static_sentence_model, sentence_model])
def test_texts_are_placed_by_a_model_in_a_folder(make, tmp_path):
    folder = tmp_path / "model"
    make(folder)
    steps = []
    model = TextEmbeddings(str(folder), batch_size=2, cache=str(tmp_path / "cache"))
    with run_options(progress=lambda *step: steps.append(step)):
        X = model.fit_transform(TEXTS)
    assert X.dtype == np.float32
    assert X.shape == (6, 8)
    lengths = np.linalg.norm(X, axis=1)
    assert_allclose(lengths[:3], 1.0, rtol=1e-5)
    assert_array_equal(X[0], X[2])
    assert_array_equal(X[3], X[4])
    assert abs(float(X[0] @ X[1])) < 0.999
    assert steps == [(2, 4, "embedding"), (4, 4, "embedding")]
    again = TextEmbeddings(str(folder), batch_size=5, cache=None).fit_transform(TEXTS)
    assert_allclose(again, X, atol=1e-5)  # however texts are parted into batches
    steps.clear()
    with run_options(progress=lambda *step: steps.append(step)):
        kept = TextEmbeddings(str(folder), cache=str(tmp_path / "cache")).fit_transform(TEXTS)
    assert_array_equal(kept, X)
    assert steps == []


def timm_model(folder):
    timm = wanted("timm")
    wanted("safetensors")
    model = timm.create_model("test_resnet", pretrained=False)
    timm.models.save_for_hf(model, str(folder), safe_serialization=True)


def open_clip_model(folder):
    open_clip = wanted("open_clip")
    torch = wanted("torch")
    from safetensors.torch import save_file

    part = {"width": 16, "layers": 1}
    config = {
        "embed_dim": 8,
        "vision_cfg": {"image_size": 32, "patch_size": 16, "head_width": 8, **part},
        "text_cfg": {"context_length": 8, "vocab_size": 49408, "heads": 2, **part},
    }
    torch.manual_seed(0)
    model = open_clip.CLIP(**config)
    folder.mkdir()
    about = {"model_cfg": config, "preprocess_cfg": {"mean": [0.5] * 3, "std": [0.5] * 3}}
    (folder / "open_clip_config.json").write_text(json.dumps(about))
    save_file(model.state_dict(), str(folder / "open_clip_model.safetensors"))


@pytest.mark.parametrize("make", [timm_model, open_clip_model])
def test_pictures_are_placed_by_a_model_in_a_folder(make, tmp_path):
    image = pytest.importorskip("PIL.Image")
    folder, pictures = tmp_path / "model", tmp_path / "pictures"
    make(folder)
    pictures.mkdir()
    for name in ("red", "blue", "green"):
        image.new("RGB", (60, 40), name).save(pictures / f"{name}.png")
    image.new("L", (9, 300), 7).save(pictures / "tall grey.jpg")
    (pictures / "cut.png").write_bytes((pictures / "red.png").read_bytes()[:40])
    steps = []
    cache = str(tmp_path / "cache")
    model = ImageEmbeddings(str(folder), batch_size=2, cache=cache, skip_broken=True)
    with run_options(progress=lambda *step: steps.append(step)):
        X = model.fit_transform(pictures)
    assert X.dtype == np.float32
    assert len(X) == 4
    assert_allclose(np.linalg.norm(X, axis=1), 1.0, rtol=1e-5)
    assert len(np.unique(X.round(4), axis=0)) == 4
    assert [path.name for path in model.paths_] == [
        "blue.png",
        "green.png",
        "red.png",
        "tall grey.jpg",
    ]
    assert list(model.broken_) == [str(pictures / "cut.png")]
    assert steps == [(2, 4, "embedding"), (4, 4, "embedding")]
    once = ImageEmbeddings(str(folder), batch_size=9, cache=None, skip_broken=True)
    assert_allclose(once.fit_transform(pictures), X, atol=1e-5)
    steps.clear()
    with run_options(progress=lambda *step: steps.append(step)):
        assert_array_equal(model.fit_transform(pictures), X)
    assert steps == []


def test_a_gpu_that_is_not_there_is_one_sentence(tmp_path):
    torch = wanted("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(InvalidInput) as caught:
        TextEmbeddings(str(tmp_path), device="cuda").fit(TEXTS)
    assert str(caught.value) == (
        'TextEmbeddings(device="cuda"): PyTorch finds no GPU here. Use device="cpu".'
    )


def test_a_name_is_found_in_the_cache_of_hugging_face_and_nowhere_else(tmp_path, monkeypatch):
    hub = wanted("huggingface_hub", "texts")
    monkeypatch.setattr(hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(MissingData, match=r'^TextEmbeddings\("tiny"\): there is no such folder'):
        TextEmbeddings("tiny").fit(TEXTS)
    stored = tmp_path / "models--minishlab--tiny"
    (stored / "refs").mkdir(parents=True)
    (stored / "refs" / "main").write_text("a" * 40)
    (stored / "snapshots").mkdir()
    model2vec_model(stored / "snapshots" / ("a" * 40))
    assert TextEmbeddings("tiny", cache=None).fit_transform(TEXTS).shape == (6, 8)
    assert TextEmbeddings("minishlab/tiny", cache=None).fit_transform(TEXTS).shape == (6, 8)
