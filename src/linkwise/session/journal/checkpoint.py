"""Checkpoints: the log and the labels as they were after so many events, to shorten replay.

A checkpoint is never needed. One that is damaged, or belongs to another journal, is left aside with
a warning in the log, and the journal is replayed from the start.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linkwise
from linkwise.files.headed import Format
from linkwise.session.journal.chain import Link
from linkwise.session.journal.journal import Journal
from linkwise.session.journal.log import COLUMNS, Log

logger = logging.getLogger(__name__)

FORMAT = Format("linkwise checkpoint", 4)
FILE = "checkpoint"


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """What was known after the first ``log.n`` events.

    ``labels`` and ``margins`` are those of the view after ``labelled`` events, if there is one.
    """

    log: Log
    labelled: int | None = None
    labels: NDArray[Any] | None = None
    margins: NDArray[np.float32] | None = None
    moved: tuple[tuple[int, int], ...] = ()


def write_checkpoint(folder: Path, session: str, last: Link, checkpoint: Checkpoint) -> None:
    """Write a checkpoint; the one before is replaced when all is written.

    The file is the hash of a line of JSON, that line, which tells the length and hash of every
    part, and the parts. ``last`` is the link of the last event it knows.
    """
    log = checkpoint.log
    parts = {name: _pack(log.column(name)) for name in COLUMNS}
    parts["others"] = json.dumps(log.others).encode()
    parts["people"] = json.dumps(list(log.people)).encode()
    if checkpoint.labels is not None and checkpoint.margins is not None:
        parts["labels"] = _pack(checkpoint.labels)
        parts["margins"] = _pack(checkpoint.margins)
    header = {
        "linkwise": linkwise.__version__,
        "session": session,
        "seq": log.n,
        "last": last.hash.hex(),
        "labelled": checkpoint.labelled,
        "moved": checkpoint.moved,
        "parts": {name: [len(part), _hash(part)] for name, part in parts.items()},
    }
    draft = folder / f"{FILE}.new"
    with draft.open("wb") as file:
        line = FORMAT.text(header).encode()
        file.write(_hash(line).encode() + b"\n" + line)
        for part in parts.values():
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    draft.chmod(0o600)
    os.replace(draft, folder / FILE)


def read_checkpoint(folder: Path, session: str, journal: Journal) -> Checkpoint | None:
    """Return the checkpoint if there is one that fits the journal."""
    path = folder / FILE
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        logger.warning("%s cannot be read (%s); the journal is replayed instead", path, error)
        return None
    try:
        return _read(content, session, journal)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        logger.warning("%s is not used (%s); the journal is replayed instead", path, error)
        return None


def _read(content: bytes, session: str, journal: Journal) -> Checkpoint:
    digest, _, rest = content.partition(b"\n")
    line, end, body = rest.partition(b"\n")
    if _hash(line + end).encode() != digest:
        raise ValueError("its header is damaged, or an older linkwise wrote it")
    header = FORMAT.parse(FILE, line)
    if header["session"] != session:
        raise ValueError("it belongs to another session")
    parts = _unpack(body, header["parts"])
    n = header["seq"]
    last = journal.link(n) if n <= journal.last() else None
    if last is None or last.hash.hex() != header["last"]:
        raise ValueError("the journal is another one")
    others = {int(seq): payload for seq, payload in json.loads(parts["others"]).items()}
    people = [str(name) for name in json.loads(parts["people"])]
    log = Log.restore({name: _array(parts[name]) for name in COLUMNS}, others, people)
    if log.n != n:
        raise ValueError("its columns have another length than announced")
    moved = tuple((int(seq), int(rows)) for seq, rows in header["moved"])
    if "labels" not in parts or header["linkwise"] != linkwise.__version__:
        return Checkpoint(log, moved=moved)  # another version may label differently
    labels, margins = _array(parts["labels"]), _array(parts["margins"])
    return Checkpoint(log, header["labelled"], labels, margins, moved)


def _unpack(body: bytes, sizes: dict[str, Any]) -> dict[str, bytes]:
    parts, start = {}, 0
    for name, (size, digest) in sizes.items():
        parts[name] = body[start : start + size]
        start += size
        if len(parts[name]) != size or _hash(parts[name]) != digest:
            raise ValueError(f"its part {name} is damaged")
    return parts


def _pack(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _array(part: bytes) -> NDArray[Any]:
    return np.asarray(np.load(io.BytesIO(part), allow_pickle=False))


def _hash(part: bytes) -> str:
    return hashlib.sha256(part).hexdigest()
