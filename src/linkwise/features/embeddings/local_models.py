"""Models that are on this machine; nothing is ever downloaded."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from linkwise.errors import InvalidInput, MissingData

_LOOKED_AT = 1 << 20
#: What a model can be called, alone or behind its maker; all else is a path.
_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")


def model_folder(owner: str, model: str, makers: tuple[str, ...], instead: str) -> Path:
    """Return the folder of a model: a path, or a name in Hugging Face's cache.

    ``makers`` are tried for names without one. A model that is not here is refused with a sentence
    that says how to get it and what is used ``instead``.
    """
    if not isinstance(model, str) or not model.strip():
        raise InvalidInput(
            f"{owner}(model={model!r}): model must be the path of a folder, or a name."
        )
    folder = Path(model).expanduser()
    if folder.is_dir():
        return _checked(owner, folder)
    if not _NAME.fullmatch(model):
        raise MissingData(
            f'{owner}("{model}"): there is no such folder. linkwise downloads nothing by itself. '
            f"{instead}"
        )
    names = [model] if "/" in model else [model, *(f"{maker}/{model}" for maker in makers)]
    for name in names:
        found = _cached(name)
        if found is not None:
            return _checked(owner, found)
    known = " or ".join(f'"hf download {name}"' for name in names if "/" in name)
    raise MissingData(
        f'{owner}("{model}"): there is no such folder, and no such model in the cache of this '
        f"machine. linkwise downloads nothing by itself; get it once with {known} "
        f"(pip install huggingface_hub), or give the folder it is in. {instead}"
    )


def _checked(owner: str, folder: Path) -> Path:
    if next(folder.rglob("*.safetensors"), None) is None:
        raise InvalidInput(
            f"{owner}: {folder} holds no .safetensors file. Weights in other formats may run code "
            "when they are read, so they are not."
        )
    return folder


def _cached(name: str) -> Path | None:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        return None
    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (OSError, ValueError):  # not here, or no name of a model
        return None


def fingerprint(folder: Path) -> str:
    """Return a hash of what a model's files are called, how large they are, and how they begin."""
    told = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        told.update(f"{path.relative_to(folder)} {path.stat().st_size}\n".encode())
        with path.open("rb") as file:
            told.update(file.read(_LOOKED_AT))
    return told.hexdigest()
