"""Newcomers: rows that are not part of a session, read as its model sees rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from linkwise.errors import InvalidInput
from linkwise.session.data.complaints import complaints_about
from linkwise.session.data.description import Description
from linkwise.session.data.features_file import read_features
from linkwise.session.data.file import Placed, TableLike, place_data
from linkwise.tables import Choice, read_table
from linkwise.tables.made_rows import make_more, picture_columns
from linkwise.tables.picture_column import any_inside
from linkwise.tables.plain_rows import read_numbers
from linkwise.tables.read import ARRAYS, read_frame
from linkwise.typing import Matrix

if TYPE_CHECKING:
    from linkwise.features import TableFeatures


def elsewhere() -> InvalidInput:
    """Return the error about pictures in another folder than those of the session.

    It names no folder, because it is also told to people who must not know where a service keeps
    its files.
    """
    return InvalidInput(
        "this session looks for pictures where those of its first rows are, also for those that "
        "join, and these lie elsewhere. Put them there first, and name them as seen from there."
    )


class NewRows(NamedTuple):
    """The features of rows, and which of these have nothing to group by."""

    X: Matrix
    unusable: Sequence[int] = ()


class Newcomers:
    """Picks the features of a session, and gives them its mean and spread where it has them."""

    def __init__(self, description: Description, folder: Path) -> None:
        self._about, self._folder = description, folder

    def read(self, data: TableLike) -> NewRows:
        """Return the rows of a file, an array or a data frame."""
        with complaints_about(data), TemporaryDirectory() as folder:
            placed = place_data(data, Path(folder))
            if placed.path.is_dir():
                raise InvalidInput(
                    f"{placed.path} is a folder of Parquet files, which are not read as a whole. "
                    "session.model.predict(folder) reads them block by block."
                )
            new = NewRows(self._features(placed)) if self._made is None else self._make(placed)
        return new if self._scaler is None else new._replace(X=self._scaler.transform(new.X))

    def check_pictures(self, placed: Placed) -> None:
        """Refuse pictures that lie beside their table, and not where those of the session are.

        Rows that joined are read again whenever the session is opened, from there.
        """
        made = self._made
        if made is None or placed.copied or not picture_columns(made):
            return
        home, folder = Path(made.folder or "").resolve(), placed.path.parent
        frame = read_frame(placed.path, encoding=self._about.columns.encoding)
        for name in set(picture_columns(made)) & set(frame.names):
            names = frame.arrow([name])[name]
            if folder != home and any_inside(names, folder):
                raise elsewhere()

    def _make(self, placed: Placed) -> NewRows:
        """Make rows of columns of any kind as the first ones were made."""
        made, about = self._made, self._about
        if placed.path.suffix.lower() in ARRAYS:
            raise InvalidInput(
                "the columns of an array have no names, and the session groups by "
                f"{about.grouped_by}: give a data frame or a table that has them."
            )
        frame = read_frame(placed.path, encoding=about.columns.encoding)
        lacking = [name for name in about.features if name not in frame.names]
        if made is None or lacking:
            named = " and ".join(f'"{name}"' for name in lacking)
            column = "column" if len(lacking) == 1 else "columns"
            raise InvalidInput(
                f"the rows have no {column} {named}, by which the session groups. They have "
                f"{', '.join(frame.names)}."
            )
        folder = placed.pictures or placed.path.parent
        X, unusable = make_more(made, frame.arrow(about.features), folder)
        return NewRows(X, unusable.tolist())

    def _features(self, placed: Placed) -> Matrix:
        path, features, columns = placed.path, self._about.features, self._about.columns
        if path.suffix.lower() not in ARRAYS:
            return read_numbers(path, features, columns.encoding)
        X = read_table(path, Choice(), columns.array if path.suffix == ".npz" else None).X
        by_number = self._about.data.path.suffix.lower() in ARRAYS
        chosen = bool(columns.features or columns.drop)
        if X.shape[1] != len(features) and by_number and chosen:
            return read_table(path, Choice(features=tuple(features))).X
        if X.shape[1] != len(features):
            raise InvalidInput(
                f"the rows have {X.shape[1]} columns, the session is about {len(features)} "
                f"features: {', '.join(features[:10])}{', ...' if len(features) > 10 else ''}."
            )
        return X

    @cached_property
    def _made(self) -> TableFeatures | None:
        return read_features(self._folder)

    @cached_property
    def _scaler(self) -> Any:
        """What gives features the mean and spread of the session's first rows; None: nothing."""
        about = self._about
        if not about.standardised:
            return None
        X = about.read_rows().X
        return StandardScaler(with_mean=not sp.issparse(X)).fit(X)
