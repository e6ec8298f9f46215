"""Small data files for the service: rightly made ones of every format, and ones that went wrong."""

from __future__ import annotations

import csv
import io
import pickle
import zipfile
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
from hypothesis import strategies as st

FORMATS = (".csv", ".tsv", ".parquet", ".npy", ".npz")


class DataFile(NamedTuple):
    """A file, and how many rows it has if it is one that must be taken."""

    name: str
    content: bytes
    n_rows: int = 0


class Rows(NamedTuple):
    """Rows of numbers, and a text for each row of a table."""

    X: np.ndarray
    notes: list[str]


@st.composite
def rows(draw: st.DrawFn) -> Rows:
    """Draw a few rows with a text each; the texts may hold anything that can be written."""
    n_rows, n_columns = draw(st.integers(2, 12)), draw(st.integers(1, 5))
    numbers = st.floats(-1e6, 1e6, width=32)
    row = st.lists(numbers, min_size=n_columns, max_size=n_columns)
    X = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    note = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=20)
    notes = draw(st.lists(note, min_size=n_rows, max_size=n_rows))
    return Rows(np.array(X, dtype=np.float32), notes)


def right_files(suffix: str) -> st.SearchStrategy[DataFile]:
    """Return the strategy of files of one format that the service must take."""
    return rows().map(lambda drawn: write(suffix, drawn))


def write(suffix: str, drawn: Rows) -> DataFile:
    """Write rows in one of the formats."""
    return DataFile(f"drawn{suffix}", _WRITERS[suffix](drawn), len(drawn.X))


def _separated(drawn: Rows, delimiter: str) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerow([*(f"x{k}" for k in range(drawn.X.shape[1])), "note"])
    writer.writerows([*map(str, x), note] for x, note in zip(drawn.X, drawn.notes, strict=True))
    return file.getvalue().encode()


def _parquet(drawn: Rows) -> bytes:
    columns = {f"x{k}": column for k, column in enumerate(drawn.X.T)}
    file = io.BytesIO()
    pq.write_table(pa.table(columns | {"note": drawn.notes}), file)
    return file.getvalue()


def _feather(drawn: Rows) -> bytes:
    columns = {f"x{k}": column for k, column in enumerate(drawn.X.T)}
    file = io.BytesIO()
    pf.write_feather(pa.table(columns | {"note": drawn.notes}), file, compression="uncompressed")
    return file.getvalue()


def _npy(drawn: Rows) -> bytes:
    file = io.BytesIO()
    np.save(file, drawn.X)
    return file.getvalue()


def _npz(drawn: Rows) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, X=drawn.X, notes=np.array(drawn.notes))
    return file.getvalue()


_WRITERS: dict[str, Callable[[Rows], bytes]] = {
    ".csv": lambda drawn: _separated(drawn, ","),
    ".tsv": lambda drawn: _separated(drawn, "\t"),
    ".parquet": _parquet,
    ".npy": _npy,
    ".npz": _npz,
}


@st.composite
def wrong_files(draw: st.DrawFn) -> DataFile:
    """Draw a file that was cut, changed, called something else, or made to do harm.

    Some of them can still be read; whether they are taken or refused, it must be in good order.
    """
    made = draw(st.sampled_from(FORMATS).flatmap(right_files))
    content = bytearray(made.content)
    what = draw(st.sampled_from(("cut", "changed", "renamed", "random", "harmful")))
    if what == "cut":
        del content[draw(st.integers(0, len(content) - 1)) :]
    elif what == "changed":
        for at in draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=8)):
            content[at] = draw(st.integers(0, 255))
    elif what == "renamed":
        return DataFile(f"drawn{draw(st.sampled_from(FORMATS))}", made.content)
    elif what == "random":
        return DataFile(made.name, draw(st.binary(max_size=200)))
    elif what == "harmful":
        return draw(st.sampled_from(HARMFUL))
    return DataFile(made.name, bytes(content))


def inconsistent_files() -> st.SearchStrategy[DataFile]:
    """Return the strategy of files that are well formed, and say things that cannot all be true."""
    return st.one_of(
        _sparse_files(), _headed_files(), _torn_parquet(), _torn_feather(), _odd_tables()
    )


#: Numbers that lead astray: around nothing, around the few values there are, and far outside.
_LEADS = st.integers(-2, 6) | st.sampled_from([2000, 10**9, 2**31, 2**62, -(2**62)])
_TYPES = st.sampled_from([np.int64, np.int32, np.uint64, np.int8, np.float64])


def _leads(draw: st.DrawFn, most: int) -> np.ndarray:
    values = draw(st.lists(_LEADS, max_size=most))
    with np.errstate(all="ignore"):
        return np.array(values, dtype=np.float64).astype(draw(_TYPES))


@st.composite
def _sparse_files(draw: st.DrawFn) -> DataFile:
    """Draw sparse rows of which one part or more do not fit the others."""
    parts = {
        "data": np.array([1.0, 2.0, 3.0]),
        "indices": np.array([0, 1, 2]),
        "indptr": np.array([0, 1, 2, 3]),
        "shape": np.array([3, 3]),
    }
    for name in draw(st.sets(st.sampled_from(sorted(parts)), min_size=1)):
        parts[name] = _leads(draw, 6)
    if draw(st.booleans()):
        parts["format"] = np.array(draw(st.sampled_from([b"csr", b"csc", b"bsr", b"", b"dia"])))
    return DataFile("drawn.npz", _saved(**parts))


@st.composite
def _headed_files(draw: st.DrawFn) -> DataFile:
    """Draw an array whose header and values disagree, alone or in an archive."""
    shape = tuple(draw(st.lists(_LEADS, max_size=3)))
    kind = draw(st.sampled_from(["<f8", ">f4", "|u1", "<U9", "|O", "<c16", "<M8[s]", "|V4"]))
    order = draw(st.booleans())
    header = f"{{'descr': {kind!r}, 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    header += b" " * (117 - len(header)) + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    content += draw(st.binary(max_size=72))
    if draw(st.booleans()):
        return DataFile("drawn.npz", _archive("X.npy", content))
    return DataFile("drawn.npy", content)


@st.composite
def _torn_parquet(draw: st.DrawFn) -> DataFile:
    """Draw a Parquet file whose parts come from two files, or whose footer was changed."""
    first, second = (draw(rows().map(_parquet)) for _ in range(2))
    footer = int.from_bytes(first[-8:-4], "little") + 8
    if draw(st.booleans()):
        return DataFile("drawn.parquet", second[: -len(second) // 2] + first[-footer:])
    content = bytearray(first)
    at = len(content) - draw(st.integers(9, footer))
    content[at] ^= 1 << draw(st.integers(0, 7))
    return DataFile("drawn.parquet", bytes(content))


@st.composite
def _torn_feather(draw: st.DrawFn) -> DataFile:
    """Draw a Feather file with numbers inside that lead astray, such as where a text begins."""
    content = bytearray(draw(rows().map(_feather)))
    for at in draw(st.lists(st.integers(1, len(content) // 8 - 1), min_size=1, max_size=4)):
        content[8 * at : 8 * at + 8] = (draw(_LEADS) % 2**64).to_bytes(8, "little")
    return DataFile("drawn.feather", bytes(content))


@st.composite
def _odd_tables(draw: st.DrawFn) -> DataFile:
    """Draw a CSV file that changes its mind about columns, quotes, separators or encoding."""
    cell = st.sampled_from(["1", "1,5", '"', '""', '"a', "é", "=1+1", "", "1e999", "\ufeff", "nan"])
    line = st.lists(cell, min_size=1, max_size=5).flatmap(
        lambda cells: st.sampled_from(",;\t|").map(lambda mark: mark.join(cells))
    )
    ends = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])
    text = draw(ends).join(draw(st.lists(line, min_size=1, max_size=6)))
    encoding = draw(st.sampled_from(["utf-8", "utf-16", "cp1252"]))
    return DataFile("drawn.csv", text.encode(encoding, "ignore"))


class _Harm:
    """Would end the process if it were unpickled."""

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return exit, ("unpickled",)


def _saved(*arrays: np.ndarray, **named: np.ndarray) -> bytes:
    file = io.BytesIO()
    if named:
        np.savez(file, **named)
    else:
        np.save(file, arrays[0], allow_pickle=True)
    return file.getvalue()


def _archive(name: str, content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


_SPARSE = {"data": np.ones(2), "indices": np.array([0, -7]), "indptr": np.array([0, 9])}
HARMFUL = (
    DataFile("pickle.npy", _saved(np.array([_Harm()], dtype=object))),
    DataFile("pickle.npz", _archive("X.npy", pickle.dumps(_Harm()))),
    DataFile("way-out.npz", _archive("../../../way-out.npy", _saved(np.ones((3, 2))))),
    DataFile("sparse.npz", _saved(**_SPARSE, shape=np.array([2, 2]))),
    DataFile("huge.npz", _saved(**_SPARSE, shape=np.array([2**62, 2**62]))),
    DataFile("empty.npz", _archive("nothing.txt", b"")),
    DataFile("scalar.npy", _saved(np.float64(1.0))),
    DataFile("text.npy", _saved(np.array([["a", "b"]]))),
    DataFile("infinite.npy", _saved(np.full((3, 2), np.inf))),
    DataFile("announced.npy", _saved(np.ones((3, 2))).replace(b"(3, 2)", b"(3,9999999999)")),
    DataFile("header.csv", b"a,b,c\n"),
    DataFile("ragged.csv", b"a,b\n1\n1,2,3\n"),
    DataFile("quote.csv", b'a,b\n"1,2\n'),
    DataFile("zero.csv", b"a\x00b,c\n1,2\n"),
    DataFile("latin.csv", "größe,b\n1,2\n".encode("latin-1")),
    DataFile("formula.csv", b"a,b\n1,=cmd|'/c calc'!A0\n2,@x\n"),
    DataFile("twice.csv", b"a,a\n1,2\n3,4\n"),
    DataFile("wide.csv", b",".join([b"1"] * 3000) + b"\n"),
    DataFile("../../etc/passwd.csv", b"a,b\n1,2\n3,4\n"),
    DataFile("script.html", b"<script>alert(1)</script>"),
)
