"""Terms of texts, weighed by how rare they are, and the directions in which texts differ most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import qr
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from linkwise.features.unit_length import unit_length

_CHUNK = 1024
#: Most terms that are kept, the commonest.
_MOST_TERMS = 20_000
_N_HASHES = 2**20
#: Directions beyond those wanted, and rounds, by which the wanted ones are found.
_MORE_DIRECTIONS, _ITERATIONS = 10, 6


@dataclass(frozen=True, eq=False)
class Terms:
    """What is needed to place a text: its terms, their weights, and directions.

    Attributes
    ----------
    analyzer : str
        What a term is made of, as scikit-learn calls it: "word" or "char_wb".
    lengths : list of int
        Fewest and most words (letters) of a term.
    terms : list of str
        The terms, in the order of the columns of ``directions``.
    rarity : float64 array of shape (n_terms,)
        Inverse document frequency.
    directions : float32 array of shape (n_terms, n_features)
        Where each term points.
    sublinear, unit : bool
        Whether a term's tenth time counts less than its first; whether texts get length one.
    """

    analyzer: str
    lengths: list[int]
    terms: list[str]
    rarity: NDArray[np.float64]
    directions: NDArray[np.float32]
    sublinear: bool
    unit: bool

    @classmethod
    def fit(cls, texts: Sequence[str], n_features: int) -> Self:
        """Learn words and pairs of words of several texts, and the leading directions."""
        choices = (("word", (1, 2), 2), ("word", (1, 2), 1), ("char_wb", (1, 3), 1))
        for analyzer, lengths, in_texts in choices:
            terms_of = CountVectorizer(analyzer=analyzer, ngram_range=lengths).build_analyzer()
            vectorizer = TfidfVectorizer(
                analyzer=_without_singles(terms_of, texts) if in_texts > 1 else terms_of,
                min_df=in_texts,
                sublinear_tf=True,
                max_features=_MOST_TERMS,
                dtype=np.float32,
            )
            try:
                X = vectorizer.fit_transform(texts)
            except ValueError:  # no term at all
                continue
            vectorizer.set_params(analyzer=analyzer, ngram_range=lengths)
            return cls.of_vectorizer(vectorizer, _leading(X, n_features), unit=True)
        raise ValueError("no terms")

    @classmethod
    def of_vectorizer(
        cls, vectorizer: TfidfVectorizer, directions: NDArray[np.float32], *, unit: bool
    ) -> Self:
        """Keep what a fitted ``TfidfVectorizer`` knows, and where each of its terms points."""
        place = vectorizer.vocabulary_
        return cls(
            vectorizer.analyzer,
            list(vectorizer.ngram_range),
            sorted(place, key=place.__getitem__),
            np.asarray(vectorizer.idf_, dtype=np.float64),
            directions,
            vectorizer.sublinear_tf,
            unit,
        )

    @property
    def n_features(self) -> int:
        return int(self.directions.shape[1])

    @cached_property
    def _counter(self) -> CountVectorizer:
        return CountVectorizer(
            analyzer=self.analyzer,
            ngram_range=tuple(self.lengths),
            vocabulary={term: k for k, term in enumerate(self.terms)},
            dtype=np.float32,
        )

    def fill(self, texts: Sequence[str], out: NDArray[np.float32]) -> None:
        """Write the place of each text; one without a known term lies at the origin."""
        for start in range(0, len(texts), _CHUNK):
            part = texts[start : start + _CHUNK]
            out[start : start + len(part)] = self._placed(part)

    def _placed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        counts = sp.csr_array(self._counter.transform(texts))
        weights = 1.0 + np.log(counts.data) if self.sublinear else counts.data
        counts.data = (weights * self.rarity[counts.indices]).astype(np.float32)
        placed = counts @ self.directions
        if self.unit:
            return unit_length(placed)
        length = np.sqrt(np.asarray(counts.power(2).sum(axis=1)))[:, None]
        return np.asarray(placed / np.maximum(length, np.finfo(np.float32).tiny))


def _without_singles(
    terms_of: Callable[[str], list[str]], texts: Sequence[str]
) -> Callable[[str], list[str]]:
    """Return a function to the terms of a text without most of those that no other text has.

    Most pairs of words occur once. A dictionary of them all would be the largest thing in memory,
    so texts are counted by the terms' hashes first; a few single terms that share one pass.
    """
    once, several = bytearray(_N_HASHES), bytearray(_N_HASHES)
    for text in texts:
        for place in {hash(term) % _N_HASHES for term in terms_of(text)}:
            several[place] = once[place]
            once[place] = 1
    return lambda text: [term for term in terms_of(text) if several[hash(term) % _N_HASHES]]


def _leading(X: sp.csr_matrix, n_features: int) -> NDArray[np.float32]:
    """Return the leading right singular vectors as columns.

    Of many texts by subspace iteration from a random start [1]_, which is what ``TruncatedSVD``
    does, with half the memory: the iteration runs over texts, of which there are fewer than terms.

    .. [1] N. Halko, P. G. Martinsson, J. A. Tropp. Finding structure with randomness. SIAM Review,
       2011.
    """
    if min(X.shape) <= 2 * n_features:
        _, values, vectors = np.linalg.svd(X.toarray().astype(np.float64), full_matrices=False)
        kept = values[:n_features] > 1e-6 * max(values[0], 1e-30)
        return np.ascontiguousarray(vectors[:n_features][kept].T, dtype=np.float32)
    n_drawn = n_features + _MORE_DIRECTIONS
    texts = np.random.default_rng(0).standard_normal((X.shape[0], n_drawn), dtype=np.float32)
    for _ in range(_ITERATIONS):
        texts, _ = qr(X @ (X.T @ texts), mode="economic", overwrite_a=True)
    terms = X.T @ texts
    squares, turns = np.linalg.eigh((terms.T @ terms).astype(np.float64))
    leading = slice(-1, -n_features - 1, -1)
    return np.asarray(terms @ (turns[:, leading] / np.sqrt(squares[leading])).astype(np.float32))
