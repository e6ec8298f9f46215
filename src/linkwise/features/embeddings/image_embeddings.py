"""Pictures placed by what they show, by a model that is on this machine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from linkwise.errors import missing_extra
from linkwise.features.embeddings.embedding import Encoder, check_device, embed
from linkwise.features.embeddings.local_models import model_folder
from linkwise.features.pictures.images import Pictures
from linkwise.features.pictures.picture_files import (
    SKIP,
    BrokenPicture,
    open_picture,
    picture_paths,
)
from linkwise.validation import check_number

_OWNERS = ("timm", "laion")
_INSTEAD = "Without it, ImageFeatures places pictures by their colours and edges."
_SIDE = 512


class ImageEmbeddings(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Rows of numbers from pictures, by a vision model; pictures of the same thing lie together.

    Nothing is downloaded. The model is a folder, or a name that is in Hugging Face's cache on this
    machine, of timm or of open_clip, its weights in safetensors. What was computed once is kept on
    disk and found again by the hash of the picture's file.

    Parameters
    ----------
    model : str
        Path of a folder, or a name such as "timm/resnet18.a1_in1k".
    batch_size : int, default=64
        Pictures given to the model at once.
    device : "cpu" or "cuda", default="cpu"
        Where the model computes.
    cache : str or None, default="auto"
        Folder for what was computed; "auto" is this user's cache, None keeps nothing.
    skip_broken : bool, default=False
        Leave out files that cannot be read, and list them in ``broken_``, instead of refusing.

    Attributes
    ----------
    paths_ : list of Path
        The files that the rows of the last ``transform`` stand for, in their order.
    broken_ : dict of str to str
        The files that were left out, and what is wrong with each.

    See Also
    --------
    TableFeatures : Takes columns of pictures as they are, without a model.
    TextEmbeddings : The same for texts.

    Examples
    --------
    >>> ImageEmbeddings("no-such-model").fit(["a.png"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    linkwise.errors.MissingData: ImageEmbeddings("no-such-model"): there is no such folder, and...
    """

    def __init__(
        self,
        model: str,
        *,
        batch_size: int = 64,
        device: str = "cpu",
        cache: str | None = "auto",
        skip_broken: bool = False,
    ) -> None:
        self.model = model
        self.batch_size = batch_size
        self.device = device
        self.cache = cache
        self.skip_broken = skip_broken

    def fit(self, X: Pictures, y: object = None) -> Self:
        """Find the model; there is nothing to learn."""
        del X, y
        check_number(self, "batch_size", low=1, integer=True)
        check_device("ImageEmbeddings", self.device)
        self.folder_ = model_folder("ImageEmbeddings", self.model, _OWNERS, _INSTEAD)
        return self

    def transform(self, X: Pictures) -> NDArray[np.float32]:
        """Return a row of length one for every picture of a folder, or of a list of files."""
        check_is_fitted(self, "folder_")
        self.broken_: dict[str, str] = {}
        self.paths_ = [path for path in picture_paths(X) if self._can_be_read(path)]
        if not self.paths_:
            raise BrokenPicture(f"no picture can be read. {next(iter(self.broken_.values()), '')}")
        hashes = [hashlib.sha256(path.read_bytes()).digest() for path in self.paths_]
        rows = embed(self.paths_, hashes, self._load, self.folder_, self.cache, self.batch_size)
        self._n_features_out = rows.shape[1]
        return rows

    def _can_be_read(self, path: Path) -> bool:
        try:
            open_picture(path, _SIDE)
        except BrokenPicture as error:
            if not self.skip_broken:
                raise BrokenPicture(f"{error} {SKIP}") from None
            self.broken_[str(path)] = str(error)
            return False
        return True

    def _load(self) -> Encoder[Path]:
        if (self.folder_ / "open_clip_config.json").is_file():
            return _open_clip(self.folder_, self.device)
        return _timm(self.folder_, self.device)


def _timm(folder: Path, device: str) -> Encoder[Path]:
    try:
        import timm
    except ImportError:
        raise missing_extra(f"the model in {folder}", "timm", "embeddings") from None
    model = timm.create_model(f"local-dir:{folder}", pretrained=True, num_classes=0)
    prepare = timm.data.create_transform(**timm.data.resolve_model_data_config(model))
    return _encoder(model.eval().to(device), prepare, device)


def _open_clip(folder: Path, device: str) -> Encoder[Path]:
    try:
        import open_clip
    except ImportError:
        raise missing_extra(f"the model in {folder}", "open_clip_torch", "embeddings") from None
    model, _, prepare = open_clip.create_model_and_transforms(f"local-dir:{folder}")
    return _encoder(model.eval().to(device).encode_image, prepare, device)


def _encoder(place: Callable[..., Any], prepare: Callable[..., Any], device: str) -> Encoder[Path]:
    import torch

    def encode(paths: Sequence[Path]) -> NDArray[np.float32]:
        batch = torch.stack([prepare(open_picture(path, _SIDE)) for path in paths])
        with torch.inference_mode():
            return np.asarray(place(batch.to(device)).float().cpu().numpy())

    return encode
