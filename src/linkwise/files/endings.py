"""What the end of a file's name says about its content."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

DELIMITED = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
JSON_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
WORKBOOK = (".xlsx",)
#: Files whose columns have types.
TYPED = (".parquet", ".feather", ".arrow", *JSON_LINES, *WORKBOOK)
#: Texts, one a line.
LINES = (".txt", ".txt.gz")

#: How files begin that are no text, and how they should end.
BEGINNINGS = {
    b"PK\x03\x04": ".xlsx",
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\xff\xff\xff\xff": ".arrow",
    b"\x93NUMPY": ".npy",
}
_WHAT_HELPS = {
    (".xls", ".xlsm", ".xlsb", ".ods", ".numbers"): "Save it as .xlsx or .csv.",
    (".zip",): "Unpack it first; on the page of the studio it can be uploaded as it is.",
    (".tar", ".tgz", ".tar.gz", ".7z", ".rar", ".bz2", ".xz", ".zst"): "Unpack it first.",
    (".json",): "With an object on each line, call it .jsonl.",
}

#: Files of links and of labels: JSON has a layout of its own, the others have columns.
KNOWLEDGE_READ = (*DELIMITED, ".json", *TYPED)
KNOWLEDGE_WRITTEN = (".csv", ".json", ".parquet")


def ending_of(path: PurePath | str, known: Sequence[str]) -> str | None:
    """Return the ending among ``known`` that a name has, None if it has none of them."""
    name = str(path).lower()
    return next((ending for ending in known if name.endswith(ending)), None)


def what_helps(path: PurePath | str) -> str:
    """Return, after a blank, what to do with a file that is not read; "" where that is unknown."""
    found = (advice for endings, advice in _WHAT_HELPS.items() if ending_of(path, endings))
    return f" {advice}" if (advice := next(found, None)) else ""


def listed(endings: Sequence[str]) -> str:
    """Return endings as people list them: ".csv, .tsv or .npy"."""
    return f"{', '.join(endings[:-1])} or {endings[-1]}"
