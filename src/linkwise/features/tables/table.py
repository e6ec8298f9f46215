"""Any table to rows of numbers: each column by its role, none louder than its share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from linkwise.errors import InvalidInput
from linkwise.features.blocks.fit import Block, fit_block
from linkwise.features.columns import Columns
from linkwise.features.tables.balance import Loudness, balanced, loudness
from linkwise.features.tables.roles import Role, check_roles, doubt, guessed
from linkwise.features.tables.storage import put_together, take_apart
from linkwise.files.headed import Format

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

FORMAT = Format("linkwise features", 2)


class TableFeatures(TransformerMixin, BaseEstimator):
    """Rows of numbers from any table.

    Parameters
    ----------
    roles : dict of str to str or None, default=None
        What columns are to be used as: "number", "category", "date", "text", "picture", "vector",
        "id" or "ignored". Columns that are not named are looked at.
    folder : path or None, default=None
        Where the names of picture files begin; None is the working directory.

    Attributes
    ----------
    roles_ : dict of str to Role
        What each column is used as, with the reason in words.
    unusable_rows_ : int64 array
        Rows of the table in which every column that is grouped by is missing. They lie in the
        middle of everything.
    notes_ : list of str
        What else people should know, a sentence each.

    See Also
    --------
    guess_roles : What each column would be used as.
    TextEmbeddings : Texts by what they mean.
    ImageEmbeddings : Pictures by what they show.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"price": [1.0, None, 3.0], "colour": ["red", "red", "blue"]})
    >>> features = TableFeatures().fit(frame)
    >>> features.roles_["colour"]
    Role(name='category', reason='2 different values')
    >>> [str(name) for name in features.get_feature_names_out()]
    ['price', 'price is missing', 'colour = red']
    """

    def __init__(
        self, roles: Mapping[str, str] | None = None, *, folder: str | None = None
    ) -> None:
        self.roles = roles
        self.folder = folder

    def fit(self, X: IntoDataFrame, y: object = None) -> Self:  # noqa: ARG002
        """Learn what each column is and how it is scaled."""
        columns = Columns(X)
        if not columns.n_rows:
            raise InvalidInput(f"the table has no {'rows' if len(columns) else 'columns'}.")
        folder = "" if self.folder is None else str(self.folder)
        told = check_roles(self.roles, columns)
        self.roles_, self.blocks_, self.notes_ = {}, {}, []
        loud: dict[str, Loudness] = {}
        empty = np.ones(columns.n_rows, dtype=bool)
        for name in columns:
            column = columns[name]
            role = self.roles_[name] = told.get(name) or guessed(name, column, columns)
            doubtful = None if name in told else doubt(name, column, role)
            self.notes_ += [doubtful] if doubtful else []
            if role.used:
                block = fit_block(role.name, name, column, self.notes_.append, folder)
                self.blocks_[name] = block
                loud[name] = loudness(role.name, block, column)
                empty &= column.is_null().to_numpy()
        if not self.blocks_:
            raise InvalidInput(f"no column of the table can be grouped by. {_why_not(self.roles_)}")
        self.loudness_ = balanced(loud)
        self.unusable_rows_ = np.flatnonzero(empty)
        self.feature_names_in_ = np.array(list(columns), dtype=object)
        self.n_features_in_ = len(columns)
        return self

    def transform(self, X: IntoDataFrame) -> NDArray[np.float32]:
        """Return the rows of a table as numbers; columns are found by name."""
        check_is_fitted(self, "blocks_")
        columns = Columns(X)
        missing = [name for name in self.blocks_ if name not in columns]
        if missing:
            raise InvalidInput(
                f'the table has no column "{missing[0]}", which the features were fitted with.'
            )
        out = np.empty((columns.n_rows, self._n_features_out), dtype=np.float32)
        start = 0
        for name, block in self.blocks_.items():
            part = out[:, start : start + block.n_features]
            block.fill(columns[name], part)
            part *= np.float32(self.loudness_[name])
            start += block.n_features
        return out

    def unusable_rows(self, X: IntoDataFrame) -> NDArray[np.int64]:
        """Return the rows of a table in which every column that is grouped by is missing."""
        check_is_fitted(self, "blocks_")
        columns = Columns(X)
        empty = [columns[name].is_null().to_numpy() for name in self.blocks_]
        return np.flatnonzero(np.logical_and.reduce(empty))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Return what the columns of the result are called."""
        check_is_fitted(self, "blocks_")
        names = [block.feature_names(name) for name, block in self.blocks_.items()]
        return np.array([name for part in names for name in part], dtype=object)

    def summary(self) -> str:
        """Return one line: what rows are grouped by, what was left out, and why."""
        check_is_fitted(self, "blocks_")
        used = [f"{name} ({self.roles_[name].name})" for name in self.blocks_]
        out = [f"{name} ({role.reason})" for name, role in self.roles_.items() if not role.used]
        line = f"grouped by {_listed(used)}"
        return f"{line}; left out: {', '.join(out)}." if out else f"{line}."

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return all that ``transform`` needs: a header that JSON can hold, and arrays by name."""
        check_is_fitted(self, "blocks_")
        arrays: dict[str, NDArray[Any]] = {"unusable_rows": self.unusable_rows_}
        header = {
            "format": FORMAT.name,
            "version": FORMAT.version,
            "params": {
                "roles": None if self.roles is None else dict(self.roles),
                "folder": None if self.folder is None else str(self.folder),
            },
            "columns": [str(name) for name in self.feature_names_in_],
            "roles": {name: [role.name, role.reason] for name, role in self.roles_.items()},
            "notes": list(self.notes_),
            "loudness": self.loudness_,
            "blocks": {
                name: take_apart(block, f"features.{k}", arrays)
                for k, (name, block) in enumerate(self.blocks_.items())
            },
        }
        return header, arrays

    @classmethod
    def from_arrays(cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return what :meth:`to_arrays` was called on."""
        FORMAT.check("these features", header)
        features = cls(**header["params"])
        features.roles_ = {name: Role(*role) for name, role in header["roles"].items()}
        features.blocks_ = {n: put_together(b, arrays) for n, b in header["blocks"].items()}
        features.loudness_ = dict(header["loudness"])
        features.notes_ = list(header["notes"])
        features.unusable_rows_ = arrays["unusable_rows"]
        features.feature_names_in_ = np.array(header["columns"], dtype=object)
        features.n_features_in_ = len(features.feature_names_in_)
        return features

    @property
    def _n_features_out(self) -> int:
        return sum(block.n_features for block in self.blocks_.values())

    blocks_: dict[str, Block]
    roles_: dict[str, Role]
    notes_: list[str]


def _why_not(roles: Mapping[str, Role]) -> str:
    return " ".join(f'"{name}": {role.reason}.' for name, role in roles.items())


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
