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

#: Files of links and of labels: JSON has a layout of its own, the others have columns.
KNOWLEDGE_READ = (*DELIMITED, ".json", *TYPED)
KNOWLEDGE_WRITTEN = (".csv", ".json", ".parquet")


def ending_of(path: PurePath | str, known: Sequence[str]) -> str | None:
    """Return the ending among ``known`` that a name has, None if it has none of them."""
    name = str(path).lower()
    return next((ending for ending in known if name.endswith(ending)), None)


def listed(endings: Sequence[str]) -> str:
    """Return endings as people list them: ".csv, .tsv or .npy"."""
    return f"{', '.join(endings[:-1])} or {endings[-1]}"
