"""Where files lie: on this machine, or at an address that pyarrow opens, such as s3://bucket/x."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from linkwise.errors import InvalidInput, LinkwiseError

if TYPE_CHECKING:
    import pyarrow.fs


def place_of(name: str) -> tuple[pyarrow.fs.FileSystem, str]:
    """Return the file system a path or an address is about, and the path in it.

    Paths of this machine become absolute ones: another process may be elsewhere.
    """
    import pyarrow.fs as fs

    if "://" not in name:
        return fs.LocalFileSystem(), os.path.abspath(name)
    with reaching(name):
        filesystem, path = fs.FileSystem.from_uri(name)
    return filesystem, path


@contextmanager
def reaching(name: str) -> Iterator[None]:
    """Say in a sentence what is wrong with an address; a file of this machine speaks for itself."""
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
        if "://" not in name:
            raise
        raise InvalidInput(f"{name} is no address that pyarrow opens: {error}") from None
    except LinkwiseError:
        raise
    except OSError as error:
        if "://" not in name:
            raise
        raise LinkwiseError(f"{name} cannot be reached: {error}") from error
