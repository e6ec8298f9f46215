"""What linkwise writes for itself: JSON that says of what format and version it is, and arrays.

Nothing executable is ever read. What an older linkwise wrote is still opened.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidFile, InvalidInput, MissingData
from linkwise.files.npy import read_header

#: Bytes of the longest file of JSON that is read.
LONGEST = 1 << 28


@dataclass(frozen=True)
class Format:
    """A format: what it is called, and the newest version of it that is known.

    Examples
    --------
    >>> print(Format("linkwise model", 2).text({"n_rows": 3}), end="")
    {"format": "linkwise model", "version": 2, "n_rows": 3}
    """

    name: str
    version: int

    @property
    def what(self) -> str:
        """What such a file holds: "model", "label matrix"."""
        return self.name.removeprefix("linkwise ")

    def text(
        self,
        content: Mapping[str, Any],
        *,
        indent: int | None = None,
        ensure_ascii: bool = True,
        default: Callable[[Any], object] | None = None,
    ) -> str:
        """Return JSON and a line end: format and version first, then the content.

        The keywords are those of ``json.dumps``.
        """
        whole = {"format": self.name, "version": self.version, **content}
        text = json.dumps(whole, indent=indent, ensure_ascii=ensure_ascii, default=default)
        return text + "\n"

    def write(
        self,
        path: Path,
        content: Mapping[str, Any],
        *,
        default: Callable[[Any], object] | None = None,
    ) -> None:
        """Write a file of JSON; readers see it whole or not at all."""
        draft = path.with_name(f"{path.name}.new")
        draft.write_text(self.text(content, indent=1, default=default), encoding="utf-8")
        os.replace(draft, path)

    def read(self, path: Path) -> dict[str, Any]:
        """Return the content of a file, if it is of this format, in a version that is known."""
        try:
            size = path.stat().st_size
            if size > LONGEST:
                raise InvalidFile(str(path), f" has {size} bytes, more than any {self.what} needs.")
            refuse_pipe(path)
            text = path.read_text(encoding="utf-8-sig")
        except (FileNotFoundError, NotADirectoryError):
            raise MissingData(
                f"there is no {self.what} in {path.parent}: {path.name} is missing."
            ) from None
        except OSError as error:
            reason = (error.strerror or "the system refuses").lower()
            raise InvalidFile(str(path), f" cannot be read: {reason}.") from None
        except UnicodeDecodeError:
            raise InvalidFile(str(path), " is not text in UTF-8.") from None
        return self.parse(str(path), text)

    def parse(self, file: str, text: str | bytes) -> dict[str, Any]:
        """Return the content of JSON that was read from ``file``."""
        try:
            content = json.loads(text)
        except json.JSONDecodeError as error:
            raise InvalidFile(
                file, f" line {error.lineno}: not valid JSON ({error.msg})."
            ) from None
        except RecursionError:
            raise InvalidFile(file, " is nested too deeply.") from None
        except ValueError as error:  # bytes that are no text, a number of too many digits
            raise InvalidFile(file, f" is not valid JSON ({error}).") from None
        return self.check(file, content)

    def check(self, file: str, content: object) -> dict[str, Any]:
        """Return content that came from ``file``, if it is of this format and a known version."""
        if not isinstance(content, dict) or content.get("format") != self.name:
            raise InvalidFile(file, f': expected a JSON object with "format": "{self.name}".')
        version = content.get("version")
        if type(version) is not int or version not in range(1, self.version + 1):
            known = "version 1" if self.version == 1 else f"versions 1 to {self.version}"
            newer = type(version) is int and version > self.version
            raise InvalidFile(
                file,
                f": version {short(version)} is unknown; this linkwise reads {known}."
                f"{' A newer linkwise may open it.' if newer else ''}",
            )
        return content


def short(value: object) -> str:
    """Return a value as Python writes it, cut to fit into a sentence."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or too many digits
        return f"some {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def write_arrays(folder: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays into a folder, a file each."""
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


def refuse_pipe(path: Path) -> None:
    """Refuse a pipe or a device in the place of a file: who opens one may wait for ever."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise InvalidFile(str(path), " is not a file.")


def read_array(folder: Path, name: str, what: str) -> NDArray[Any]:
    """Return an array that :func:`write_arrays` wrote; it belongs to a ``what``."""
    path = folder / f"{name}.npy"
    refuse_pipe(path)
    try:
        with path.open("rb") as file:
            header = read_header(file)
            needed = header.offset + header.n_bytes
            if header.dtype.kind not in "biuf" or os.fstat(file.fileno()).st_size < needed:
                raise ValueError(f"it does not hold {header.shape} values of {header.dtype}")
            file.seek(0)
            array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    except (FileNotFoundError, NotADirectoryError):
        raise MissingData(
            f"the {what} in {folder} is not complete: {path.name} is missing."
        ) from None
    except OSError as error:
        reason = (error.strerror or str(error) or "the system refuses").lower()
        raise InvalidInput(f"{path} cannot be read: {reason}.") from None
    except (ValueError, TypeError, EOFError, MemoryError, OverflowError, SyntaxError) as error:
        raise InvalidInput(
            f"{path} cannot be read as an array ({error}). The file may be cut short."
        ) from None
    return array
