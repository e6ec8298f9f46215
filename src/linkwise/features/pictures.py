"""Which files are pictures."""

from __future__ import annotations

from pathlib import PurePath

PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")


def is_picture_name(name: str) -> bool:
    """Tell whether a file is a picture, by how its name ends."""
    return PurePath(name.strip().lower()).suffix in PICTURE_ENDINGS
