"""Texts and tables with known classes, made up: what ``features.py`` measures on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Ints = NDArray[np.int64]
_CONSONANTS, _VOWELS = list("bdfgklmnprstvz"), list("aeiou")


class Texts(NamedTuple):
    """Texts, and the topic of each."""

    texts: list[str]
    y: Ints


def made_up_words(n_words: int, rng: np.random.Generator) -> list[str]:
    """Return different words of two to four syllables."""
    words: dict[str, None] = {}
    while len(words) < n_words:
        n = rng.integers(2, 5)
        syllables = zip(rng.choice(_CONSONANTS, n), rng.choice(_VOWELS, n), strict=True)
        words["".join(c + v for c, v in syllables)] = None
    return list(words)


def short_texts(
    n_texts: int,
    n_topics: int = 8,
    *,
    topic_share: float = 0.25,
    typos: float = 0.05,
    longest: int = 200,
    seed: int = 0,
) -> Texts:
    """Return texts of 5 to ``longest`` words, most of them short.

    One word in four is of the text's topic, the others are shared by all; words are as unequal as
    in language (Zipf). Neighbouring topics have a third of their words in common. One word in
    twenty is misspelled: a letter is missing, doubled or exchanged with the next.
    """
    rng = np.random.default_rng(seed)
    n_shared, n_own = 2000, 150
    words = np.array(made_up_words(n_shared + n_own * n_topics, rng), dtype=object)
    starts = n_shared + (n_own * 2 // 3) * np.arange(n_topics)
    y = rng.integers(n_topics, size=n_texts)
    lengths = np.clip(5 + rng.lognormal(2.3, 0.9, n_texts), 5, longest).astype(int)
    texts = []
    for topic, length in zip(y, lengths, strict=True):
        own = rng.random(length) < topic_share
        rank = np.where(own, _zipf(n_own, length, rng), _zipf(n_shared, length, rng))
        chosen = words[np.where(own, starts[topic] + rank, rank)]
        wrong = rng.random(length) < typos
        texts.append(
            " ".join(_typo(w, rng) if bad else w for w, bad in zip(chosen, wrong, strict=True))
        )
    return Texts(texts, y)


def _zipf(n: int, size: int, rng: np.random.Generator) -> Ints:
    """Return ranks below ``n``, each about inversely as likely as its size."""
    return (np.exp(rng.random(size) * np.log(n + 1)) - 1).astype(np.int64)


def _typo(word: str, rng: np.random.Generator) -> str:
    k = int(rng.integers(len(word) - 1))
    kind = rng.integers(3)
    if kind == 0:
        return word[:k] + word[k + 1 :]
    if kind == 1:
        return word[:k] + word[k] + word[k:]
    return word[:k] + word[k + 1] + word[k] + word[k + 2 :]


class Mixed(NamedTuple):
    """A table, the class of each row, and which columns are of which kind."""

    frame: pd.DataFrame
    y: Ints
    blocks: dict[str, list[str]]


def mixed_table(n_rows: int, n_classes: int = 4, *, clear: float = 1.0, seed: int = 0) -> Mixed:
    """Return numbers, categories and dates that tell something of the class, and some that do not.

    ``clear`` says how much: 1 puts the classes' means of each number about two standard deviations
    apart. One number in twenty is missing, one in two hundred is ten times too large.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_rows)
    columns: dict[str, object] = {}
    for k in range(4):
        values = rng.normal(size=n_rows) + clear * rng.normal(0, 1.5, n_classes)[y]
        values[rng.random(n_rows) < 0.005] *= 10
        columns[f"number {k}"] = np.where(rng.random(n_rows) < 0.05, np.nan, values * 10.0**k)
    for k, n_values in enumerate((3, 5, 8)):
        told = rng.integers(n_values, size=n_classes)[y]
        drawn = np.where(
            rng.random(n_rows) < 0.6 * clear, told, rng.integers(n_values, size=n_rows)
        )
        columns[f"category {k}"] = np.array([f"kind {c}" for c in "abcdefgh"], dtype=object)[drawn]
    start = rng.permutation(n_classes)[y] * (300 / n_classes) + rng.normal(0, 30 / clear, n_rows)
    days = start.astype(int) % 360 + 365 * rng.integers(3, size=n_rows)
    columns["date"] = (np.datetime64("2020-01-01") + days).astype("datetime64[s]")
    blocks = {
        "numbers": [name for name in columns if name.startswith("number")],
        "categories": [name for name in columns if name.startswith("category")],
        "dates": ["date"],
    }
    for k in range(3):
        columns[f"noise number {k}"] = rng.gamma(2.0, size=n_rows)
    for k, n_values in enumerate((2, 6)):
        columns[f"noise category {k}"] = rng.choice(list("uvwxyz")[:n_values], n_rows)
    return Mixed(pd.DataFrame(columns), y, blocks)
