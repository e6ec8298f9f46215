"""Picture files: which ones there are, and small square copies of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from os import PathLike
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput, MissingData, missing_extra

if TYPE_CHECKING:
    from PIL import Image

PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")


def is_picture_name(name: str) -> bool:
    """Tell whether a file is a picture, by how its name ends."""
    return PurePath(name.strip().lower()).suffix in PICTURE_ENDINGS


def is_there(path: Path) -> bool:
    """Tell whether there is such a file; what no file can be called is not there."""
    try:
        return path.is_file()
    except OSError:  # such as a text that is too long for a name
        return False


def picture_paths(where: str | PathLike[str] | Sequence[str | PathLike[str]]) -> list[Path]:
    """Return the pictures in a folder and the folders in it, by name; or the files listed."""
    if not isinstance(where, str | PathLike):
        return _files_of(where)
    folder = Path(where)
    if folder.is_file():
        raise InvalidInput(f"{folder} is a file. Give a folder, or a list of files.")
    if not folder.is_dir():
        raise MissingData(f"there is no folder {folder}.")
    found = sorted(path for path in folder.rglob("*") if is_picture_name(path.name))
    if not found:
        raise InvalidInput(
            f"{folder} holds no pictures: no name in it ends in {', '.join(PICTURE_ENDINGS)}."
        )
    return found


def _files_of(listed: Sequence[str | PathLike[str]]) -> list[Path]:
    try:
        paths = [Path(path) for path in listed]
    except TypeError:
        raise InvalidInput(
            f"expected a folder of pictures or a list of files, got {type(listed).__name__}."
        ) from None
    if not paths:
        raise InvalidInput("there is no picture in the list of files.")
    return paths


#: What helps where a broken picture stops everything.
SKIP = "skip_broken=True leaves such files out."


class BrokenPicture(InvalidInput):
    """A file that is no picture, or not all of one."""


def thumbnail(path: Path, side: int) -> NDArray[np.uint8]:
    """Return a picture as (side, side, 3) bytes: turned as the camera says, on white, squeezed."""
    opened = open_picture(path, side)
    return np.asarray(opened.resize((side, side), resample=3, reducing_gap=2.0))


def open_picture(path: Path, side: int) -> Image.Image:
    """Return a picture in red, green and blue, turned as the camera says, on white.

    It may be smaller than the file's, but not smaller than ``side``.
    """
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError:
        raise missing_extra("reading pictures", "Pillow", "tables") from None

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            warnings.simplefilter("ignore", UserWarning)  # odd metadata
            with Image.open(path) as opened:
                opened.draft("RGB", (2 * side, 2 * side))
                turned = ImageOps.exif_transpose(opened)
                if turned.mode in ("RGBA", "LA", "PA") or "transparency" in turned.info:
                    seen = turned.convert("RGBA")
                    white = Image.new("RGBA", seen.size, "white")
                    return Image.alpha_composite(white, seen).convert("RGB")
                if turned.mode.startswith("I;16"):
                    turned = Image.fromarray((np.asarray(turned) >> 8).astype(np.uint8))
                return turned.convert("RGB")
    except FileNotFoundError:
        raise BrokenPicture(f"{path}: there is no such file.") from None
    except Image.DecompressionBombWarning:
        raise BrokenPicture(f"{path}: too many pixels.") from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        said = "no picture" if isinstance(error, UnidentifiedImageError) else str(error)
        raise BrokenPicture(f"{path}: it cannot be read ({said}).") from None
