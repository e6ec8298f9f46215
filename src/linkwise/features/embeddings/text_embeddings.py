"""Texts placed by what they mean, by a model that is on this machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from linkwise.errors import InvalidInput, missing_extra
from linkwise.features.embeddings.embedding import Encoder, check_device, embed
from linkwise.features.embeddings.local_models import model_folder
from linkwise.files.frames import is_frame
from linkwise.validation import check_number

_OWNERS = ("sentence-transformers", "minishlab")
_INSTEAD = "Without it, TableFeatures places texts by their words."


class TextEmbeddings(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Rows of numbers from texts, by a sentence model; texts that mean the same lie together.

    Nothing is downloaded. The model is a folder, or a name that is in Hugging Face's cache on this
    machine, of model2vec (small, quick, no PyTorch) or of sentence-transformers, its weights in
    safetensors. What was computed once is kept on disk and found again by the text's hash.

    Parameters
    ----------
    model : str
        Path of a folder, or a name such as "minishlab/potion-base-8M".
    batch_size : int, default=256
        Texts given to the model at once.
    device : "cpu" or "cuda", default="cpu"
        Where sentence-transformers computes; model2vec needs no GPU.
    cache : str or None, default="auto"
        Folder for what was computed; "auto" is this user's cache, None keeps nothing.

    See Also
    --------
    TableFeatures : Takes columns of texts as they are, without a model.
    ImageEmbeddings : The same for pictures.

    Examples
    --------
    >>> TextEmbeddings("no-such-model").fit(["a text"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    linkwise.errors.MissingData: TextEmbeddings("no-such-model"): there is no such folder, and no...
    """

    def __init__(
        self,
        model: str,
        *,
        batch_size: int = 256,
        device: str = "cpu",
        cache: str | None = "auto",
    ) -> None:
        self.model = model
        self.batch_size = batch_size
        self.device = device
        self.cache = cache

    def fit(self, X: Iterable[str | None], y: object = None) -> Self:
        """Find the model; there is nothing to learn."""
        del X, y
        check_number(self, "batch_size", low=1, integer=True)
        check_device("TextEmbeddings", self.device)
        self.folder_ = model_folder("TextEmbeddings", self.model, _OWNERS, _INSTEAD)
        return self

    def transform(self, X: Iterable[str | None]) -> NDArray[np.float32]:
        """Return a row of length one for every text; a gap counts as an empty text."""
        check_is_fitted(self, "folder_")
        if isinstance(X, str) or is_frame(X):
            found = "a text" if isinstance(X, str) else "a data frame; give it a column"
            raise InvalidInput(f"TextEmbeddings reads a list of texts, got {found}.")
        texts = [_checked(text) for text in X]
        if not texts:
            raise InvalidInput("TextEmbeddings: there are no texts.")
        hashes = [hashlib.sha256(text.encode("utf-8", "replace")).digest() for text in texts]
        rows = embed(texts, hashes, self._load, self.folder_, self.cache, self.batch_size)
        self._n_features_out = rows.shape[1]
        return rows

    def _load(self) -> Encoder[str]:
        modules = self.folder_ / "modules.json"
        if not modules.is_file() or "StaticEmbedding" in modules.read_text(encoding="utf-8"):
            return _model2vec(self.folder_)
        return _sentence_transformer(self.folder_, self.device)


def _checked(text: object) -> str:
    if text is None or text != text:
        return ""
    if not isinstance(text, str):
        raise InvalidInput(f"TextEmbeddings reads texts, got {text!r}.")
    return text


def _model2vec(folder: Path) -> Encoder[str]:
    try:
        from model2vec import StaticModel
    except ImportError:
        raise missing_extra(f"the model in {folder}", "model2vec", "texts") from None
    model = StaticModel.from_pretrained(str(folder))

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.asarray(model.encode(list(texts)), dtype=np.float32)

    return encode


def _sentence_transformer(folder: Path, device: str) -> Encoder[str]:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise missing_extra(
            f"the model in {folder}", "sentence-transformers", "embeddings"
        ) from None
    model = SentenceTransformer(str(folder), device=device, local_files_only=True)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        rows = model.encode(list(texts), batch_size=len(texts), show_progress_bar=False)
        return np.asarray(rows, dtype=np.float32)

    return encode
