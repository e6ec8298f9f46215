"""How deep the values of JSON lines lie in each other, found out before a parser follows them.

pyarrow's parser calls itself for every level, in threads with little room for that: a file of some
kilobytes could end the program that reads it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwise.errors import InvalidFile
from linkwise.files.text import open_utf8

#: As many levels as readers of Parquet files allow.
MOST_DEEP = 100
_PIECE = 1 << 20
_MARKS = b'{}[]"\n'
_OTHERS = bytes(byte for byte in range(256) if byte not in _MARKS)
_QUOTE, _NEW_LINE = b'"\n'
#: What opens and what closes, once a bit is set in which braces and brackets differ.
_BIT, _OPENS, _CLOSES = 0x20, ord("{"), ord("}")


def check_depth(path: Path, encoding: str) -> None:
    """Refuse JSON lines that nest deeper than pyarrow can follow.

    It reads a file in parts side by side, so a flaw in one part keeps it from no other: what ends
    more than was begun, or a text that goes on after its line, is refused here.
    """
    depth, in_text = 0, False
    with open_utf8(path, encoding) as stream:
        while piece := stream.read(_PIECE):
            while piece.endswith(b"\\") and (more := stream.read(1)):
                piece += more
            bare = piece.replace(b"\\\\", b"").replace(b'\\"', b"")
            marks = np.frombuffer(bare.translate(None, _OTHERS), np.uint8)
            if not len(marks):
                continue
            within = (np.cumsum(marks == _QUOTE) + in_text) % 2 == 1
            if (within & (marks == _NEW_LINE)).any():
                raise _unreadable(path, "a text in quotes does not end on its line")
            kinds = np.where(within, 0, marks | _BIT)
            depths = depth + np.cumsum(kinds == _OPENS) - np.cumsum(kinds == _CLOSES)
            if depths.min() < 0:
                raise _unreadable(path, "it ends more than it began")
            if depths.max() > MOST_DEEP:
                raise InvalidFile(
                    path.name, f" has values within values deeper than {MOST_DEEP} levels."
                )
            depth, in_text = int(depths[-1]), bool(within[-1])


def _unreadable(path: Path, why: str) -> InvalidFile:
    return InvalidFile(path.name, f" is not a JSON lines file linkwise can read: {why}.")
