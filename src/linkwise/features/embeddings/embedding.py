"""What embeddings of texts and of pictures share: a local model, batches, a cache on disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from linkwise.ensemble.execution import Execution
from linkwise.errors import InvalidInput
from linkwise.features.embeddings.embedding_cache import EmbeddingCache, default_cache
from linkwise.features.embeddings.local_models import fingerprint
from linkwise.features.unit_length import unit_length
from linkwise.running import current_options

T = TypeVar("T")
#: Rows of numbers from a batch of things.
Encoder = Callable[[Sequence[T]], NDArray[np.float32]]


def embed(
    things: Sequence[T],
    contents: Sequence[bytes],
    load: Callable[[], Encoder[T]],
    folder: Path,
    cache: str | None,
    batch_size: int,
) -> NDArray[np.float32]:
    """Return a row of length one per thing; those of equal content are computed once.

    ``contents`` are hashes. The model is loaded only if something is not in the cache.
    """
    where = default_cache() if cache == "auto" else Path(cache) if cache is not None else None
    kept = None if where is None else EmbeddingCache(where, fingerprint(folder))
    first = {content: k for k, content in reversed(list(enumerate(contents)))}
    known = {} if kept is None else kept.find(list(first))
    todo = sorted(k for content, k in first.items() if content not in known)
    encode = load() if todo else None
    wishes = current_options()
    execution = Execution(progress=wishes.progress, cancel=wishes.cancel)
    for start in range(0, len(todo), batch_size):
        batch = todo[start : start + batch_size]
        assert encode is not None
        rows = np.asarray(encode([things[k] for k in batch]), dtype=np.float32)
        if rows.shape[:1] != (len(batch),) or not np.isfinite(rows).all():
            raise InvalidInput(f"the model in {folder} gave no numbers for some rows.")
        new = [(contents[k], row) for k, row in zip(batch, unit_length(rows), strict=True)]
        known.update(new)
        if kept is not None:
            kept.keep(new)
        execution.step(start + len(batch), len(todo), "embedding")
    return np.stack([known[content] for content in contents])


def check_device(owner: str, device: str) -> None:
    """Refuse a device that is not there."""
    if device not in ("cpu", "cuda"):
        raise InvalidInput(f'{owner}(device={device!r}): device must be "cpu" or "cuda".')
    if device == "cuda":
        try:
            import torch
        except ImportError:
            raise InvalidInput(f'{owner}(device="cuda") needs PyTorch: pip install torch') from None
        if not torch.cuda.is_available():
            raise InvalidInput(
                f'{owner}(device="cuda"): PyTorch finds no GPU here. Use device="cpu".'
            )
