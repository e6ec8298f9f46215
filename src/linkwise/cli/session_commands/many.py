"""Many answers from a file or from standard input, in one go."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from pathlib import Path

from linkwise.constraints.kinds import verdict_of
from linkwise.errors import InvalidInput

VERDICTS = ("same", "different", "unsure")


def read_answers(source: str) -> list[tuple[str, str, str]]:
    """Return the answers in a file, or from standard input where ``source`` is "-".

    Each line has two rows and a verdict, separated by commas or tabs; a first line that names the
    columns is passed over, and so are empty lines.
    """
    if source == "-":
        return _parse("standard input", sys.stdin)
    with Path(source).open(newline="", encoding="utf-8-sig") as file:
        return _parse(Path(source).name, file)


def _parse(name: str, lines: Iterable[str]) -> list[tuple[str, str, str]]:
    listed = list(lines)
    tabs = any("\t" in line for line in listed[:1])
    answers: list[tuple[str, str, str]] = []
    reader = csv.reader(listed, delimiter="\t" if tabs else ",")
    for cells in reader:
        words = [cell.strip() for cell in cells]
        if not any(words) or (not answers and words[:2] == ["i", "j"]):
            continue
        verdict = verdict_of(words[2]) if len(words) >= 3 else None
        if verdict is None or not words[0] or not words[1]:
            raise InvalidInput(
                f"{name} line {reader.line_num}: {','.join(cells)[:60]!r} is not two rows and a "
                f"verdict, such as a,b,same. Nothing was recorded."
            )
        answers.append((words[0], words[1], verdict))
    return answers
