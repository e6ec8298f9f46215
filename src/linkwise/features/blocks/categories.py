"""Categories: a column for each value, or, where there are many, the values' letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput, missing_extra
from linkwise.features.blocks.terms import Terms
from linkwise.features.columns import spread_rows, strings_in

if TYPE_CHECKING:
    import pyarrow as pa

#: More values are not told apart one by one.
MOST_VALUES = 30
_LETTER_FEATURES = 30
_SAMPLE_ROWS = 20_000


def fit_category(name: str, column: pa.ChunkedArray) -> OneHotBlock | EitherBlock | LettersBlock:
    """Return the block that fits the number of values."""
    import pyarrow.compute as pc

    column = strings_in(column)
    counts = pc.value_counts(pc.drop_null(column))
    if not len(counts):
        raise InvalidInput(f'column "{name}" cannot be used as category: it is empty.')
    if len(counts) > MOST_VALUES:
        return LettersBlock.fit(name, column)
    values = counts.field("values").to_pylist()
    order = np.lexsort([values, -counts.field("counts").to_numpy()])
    values = [values[k] for k in order]
    if len(values) == 2 and not column.null_count:
        return EitherBlock(values)
    return OneHotBlock(values, column.null_count > 0)


@dataclass(frozen=True, eq=False)
class OneHotBlock:
    """A column of ones and zeros for each value, and one for gaps if there are some."""

    values: list[str]
    flagged: bool

    @property
    def n_features(self) -> int:
        return len(self.values) + self.flagged

    def feature_names(self, name: str) -> list[str]:
        named = [f"{name} = {value}" for value in self.values]
        return [*named, f"{name} is missing"][: self.n_features]

    def fill(self, column: pa.ChunkedArray, out: NDArray[np.float32]) -> None:
        """Write the features of a column; a value that was not there before is none of them."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = strings_in(column)
        out[:] = 0.0
        if self.flagged:
            out[:, -1] = column.is_null().to_numpy()
        found = pc.index_in(column, pa.array(self.values, column.type), skip_nulls=True)
        place = pc.fill_null(found, -1).to_numpy()
        known = np.flatnonzero(place >= 0)
        out[known, place[known]] = 1.0


@dataclass(frozen=True, eq=False)
class EitherBlock:
    """One column for two values, 1 and 0.

    Two columns would say the same thing twice, and be seen by most of the partitions that look at
    half of the columns each.
    """

    values: list[str]

    @property
    def n_features(self) -> int:
        return 1

    def feature_names(self, name: str) -> list[str]:
        return [f"{name} = {self.values[0]}"]

    def fill(self, column: pa.ChunkedArray, out: NDArray[np.float32]) -> None:
        """Write the feature of a column; what is neither value lies between them."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = strings_in(column)
        found = pc.index_in(column, pa.array(self.values, column.type), skip_nulls=True)
        out[:, 0] = 1.0 - pc.fill_null(pc.cast(found, pa.float32()), 0.5).to_numpy()


@dataclass(frozen=True, eq=False)
class LettersBlock:
    """Values seen as the letters they are written with, so that spellings of one are close."""

    terms: Terms

    @classmethod
    def fit(cls, name: str, column: pa.ChunkedArray) -> Self:
        """Learn the letters with skrub's ``StringEncoder``."""
        import warnings

        try:
            from skrub import StringEncoder
        except ImportError:
            raise missing_extra(
                f'"{name}", a category of many values,', "skrub", "tables"
            ) from None
        sample = column.take(spread_rows(len(column), _SAMPLE_ROWS)).to_pandas()
        encoder = StringEncoder(n_components=_LETTER_FEATURES, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            encoder.fit_transform(sample.rename(name))
        letters = encoder.vectorizer_
        if hasattr(encoder, "tsvd_"):
            components = encoder.tsvd_.components_
        else:
            n_terms = len(letters.vocabulary_)
            components = np.eye(min(_LETTER_FEATURES, n_terms), n_terms)
        directions = np.ascontiguousarray(components.T, dtype=np.float32)
        return cls(Terms.of_vectorizer(letters, directions, unit=False))

    @property
    def n_features(self) -> int:
        return self.terms.n_features

    def feature_names(self, name: str) -> list[str]:
        return [f"{name} letters {k}" for k in range(self.n_features)]

    def fill(self, column: pa.ChunkedArray, out: NDArray[np.float32]) -> None:
        """Write the features of a column; each value is encoded once."""
        import pyarrow.compute as pc

        coded = strings_in(column).combine_chunks().dictionary_encode()
        encoded = np.zeros((len(coded.dictionary) + 1, self.n_features), dtype=np.float32)
        self.terms.fill(coded.dictionary.to_pylist(), encoded[:-1])
        np.take(encoded, pc.fill_null(coded.indices, -1).to_numpy(), axis=0, out=out)
