"""Texts and tables with known classes, made up: what ``features.py`` measures on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
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
