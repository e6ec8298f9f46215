"""PartialLabels: the classes of some of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints.conflicts import MOST_SHOWN, refuse_contradictions
from linkwise.constraints.encoding import UNKNOWN, encode
from linkwise.constraints.files import PathLike, read_labels, write_labels
from linkwise.constraints.groups import Groups
from linkwise.constraints.links import Links
from linkwise.constraints.row_names import Ids
from linkwise.constraints.sampling import sample_codes
from linkwise.constraints.selection import read_rows
from linkwise.errors import InvalidLinks
from linkwise.markup import count, html_table
from linkwise.typing import AnySeed, LabelsLike, RowsLike


@dataclass(frozen=True, init=False, eq=False, repr=False)
class PartialLabels:
    """The classes of some of the rows, an immutable value as long as ``X``.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        One label per row, of any kind: text, numbers, booleans; a list, an array, or a column of
        any data frame. None, NaN and empty text mean unknown.
    unknown : object, default=-1
        What else means unknown. In an array of text, its text does: NumPy turns
        ``["cat", -1]`` into ``["cat", "-1"]``.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The names that occur, sorted.
    codes : ndarray of shape (n_samples,)
        Position of each row's label in ``classes``, -1 where it is unknown.

    See Also
    --------
    Links : Knowledge about pairs of rows.

    Examples
    --------
    >>> labels = PartialLabels(["cat", None, "dog", None, "cat"])
    >>> labels
    PartialLabels(n_samples=5, known=3, classes=2)
    >>> labels.codes
    array([ 0, -1,  1, -1,  0])
    >>> labels[1:4].classes.tolist()
    ['dog']
    >>> labels.to_links()
    Links(n_samples=5, must=1, cannot=1)
    """

    classes: NDArray[Any]
    codes: NDArray[np.int64]

    def __init__(self, labels: LabelsLike, unknown: object = UNKNOWN) -> None:
        self._set(*encode(labels, unknown))

    def _set(self, classes: NDArray[Any], codes: NDArray[np.int64]) -> None:
        for name, value in (("classes", classes), ("codes", codes)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    @classmethod
    def _from_codes(cls, classes: NDArray[Any], codes: NDArray[np.int64]) -> PartialLabels:
        """Make labels of codes into ``classes``, forgetting the classes that do not occur."""
        present = np.zeros(len(classes), dtype=bool)
        present[codes[codes >= 0]] = True
        renumbered = np.append(np.cumsum(present) - 1, UNKNOWN)  # the code -1 stays -1
        labels = cls.__new__(cls)
        labels._set(classes[present], renumbered[codes])
        return labels

    @classmethod
    def of_rows(cls, names: Mapping[int, object], n_samples: int) -> PartialLabels:
        """Return the labels of a few rows of many.

        Parameters
        ----------
        names : mapping of int to object
            The label of each row that is known.
        n_samples : int
            How many rows the data has.

        Examples
        --------
        >>> PartialLabels.of_rows({4: "cat", 0: "dog"}, 5).labels.tolist()
        ['dog', None, None, None, 'cat']
        """
        given = list(names.values()) if names else np.empty(0, dtype=np.int64)
        classes, known = encode(given, unknown=None)
        codes = np.full(n_samples, UNKNOWN, dtype=np.int64)
        codes[read_rows("rows", list(names), n_samples)] = known
        labels = cls.__new__(cls)
        labels._set(classes, codes)
        return labels

    def __or__(self, other: PartialLabels) -> PartialLabels:
        """Return what either knows; a row that has two different labels is refused."""
        rows, added = np.flatnonzero(self.known), np.flatnonzero(self._check_same_rows(other).known)
        if not len(added):
            return self
        names = dict(zip(rows.tolist(), self.classes[self.codes[rows]].tolist(), strict=True))
        for row, name in zip(
            added.tolist(), other.classes[other.codes[added]].tolist(), strict=True
        ):
            if names.setdefault(row, name) != name:
                raise InvalidLinks(
                    f"row {row} is labelled {names[row]!r} already and now {name!r}. "
                    "Take the first label back before giving another."
                )
        return PartialLabels.of_rows(names, len(self))

    def without(self, other: PartialLabels) -> PartialLabels:
        """Return what is known without the rows that ``other`` labels."""
        known = self._check_same_rows(other).codes >= 0
        return self._from_codes(self.classes, np.where(known, UNKNOWN, self.codes))

    def extended(self, n_samples: int) -> PartialLabels:
        """Return the same labels about more rows, the new ones unknown."""
        new = np.full(n_samples - len(self.codes), UNKNOWN)
        return self._from_codes(self.classes, np.append(self.codes, new))

    def _check_same_rows(self, other: PartialLabels) -> PartialLabels:
        if len(other.codes) != len(self.codes):
            raise InvalidLinks(
                f"one set of labels describes {len(self.codes)} rows, the other {len(other.codes)}."
            )
        return other

    @classmethod
    def sample(
        cls, y: LabelsLike, fraction: float, *, noise: float = 0.0, random_state: AnySeed = None
    ) -> PartialLabels:
        """Reveal the labels of rows drawn uniformly at random.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            The truth. Rows whose label is -1, None or NaN are never drawn.
        fraction : float
            Share of the labelled rows to reveal, from 0 to 1, rounded to a whole number of rows.
        noise : float, default=0.0
            Share of the revealed labels, again rounded, that name another class.
        random_state : int, RandomState, Generator or None, default=None
            Seed of the draw.

        Returns
        -------
        labels : PartialLabels

        Examples
        --------
        >>> PartialLabels.sample(["a", "a", "b", "b"], 0.5, random_state=0)
        PartialLabels(n_samples=4, known=2, classes=2)
        """
        classes, codes = encode(y)
        return cls._from_codes(classes, sample_codes(codes, fraction, noise, random_state))

    @classmethod
    def from_links(cls, links: Links, *, reader: str | None = None) -> PartialLabels:
        """Read links as labels, where they say enough for that.

        Links say which rows are together and which apart, not how many classes there are. They
        can be read as labels if any two linked rows are known to be in the same class or in
        different ones: then the classes are the must-link components, numbered by first
        appearance, and rows in no link are unknown.

        Parameters
        ----------
        links : Links
            The links; contradictory ones are refused with the chain that proves it.
        reader : str or None, default=None
            Who wants labels, for the message.

        Returns
        -------
        labels : PartialLabels

        Raises
        ------
        InvalidLinks
            If the links leave open whether two linked rows are of one class.

        Examples
        --------
        >>> links = Links(6, must=[(1, 5)], cannot=[(1, 2), (2, 3), (3, 5)])
        >>> PartialLabels.from_links(links).codes
        array([-1,  0,  1,  2, -1,  0])
        """
        refuse_contradictions(links.must, links.cannot)
        groups = Groups.of(links)
        if len(groups.apart) < groups.n_groups * (groups.n_groups - 1) // 2:
            i, j = _undecided_rows(groups)
            who = f"{reader} reads PartialLabels, got Links. " if reader else ""
            raise InvalidLinks(
                f"{who}Labels cannot be recovered from links alone. "
                f"Nothing says whether rows {i} and {j} belong together: link them, or give labels."
            )
        codes = np.full(len(links), UNKNOWN, dtype=np.int64)
        codes[groups.rows] = groups.group
        return cls(codes)

    @classmethod
    def read(
        cls,
        path: PathLike,
        n_samples: int,
        ids: Ids = None,
        *,
        unknown: object = UNKNOWN,
        skip_unknown: bool = False,
    ) -> PartialLabels:
        """Read labels from a CSV, JSON, Parquet, Feather or JSON lines file; see :meth:`write`.

        Parameters
        ----------
        path : str or path-like
            A file like those of :meth:`Links.read`. All but JSON have the columns ``label`` and
            ``row`` or ``id``. Rows that the file does not name are unknown.
        n_samples : int
            How many rows the data has.
        ids : sequence of str or int, or None, default=None
            The id of each row; None if the file names rows by number.
        unknown : object, default=-1
            The label that means unknown, besides an empty one.
        skip_unknown : bool, default=False
            Whether to skip entries about rows that are not there, with a warning, instead of
            refusing the file.

        Returns
        -------
        labels : PartialLabels
        """
        return cls(read_labels(path, n_samples, ids, skip_unknown=skip_unknown), unknown)

    def write(self, path: PathLike, ids: Ids = None) -> None:
        """Write the known labels to a file that ends in ``.csv``, ``.json`` or ``.parquet``.

        JSON and Parquet keep the type of the labels. CSV has none: text that looks like numbers
        is read back as numbers.

        Parameters
        ----------
        path : str or path-like
            Where to write.
        ids : sequence of str or int, or None, default=None
            The id of each row; None to name rows by number.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> labels = PartialLabels(["cat", None, "dog"])
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "labels.csv")
        ...     labels.write(path)
        ...     print(path.read_text(), end="")
        ...     PartialLabels.read(path, 3) == labels
        row,label
        0,cat
        2,dog
        True
        """
        write_labels(path, self.labels, ids)

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each row as it was given, None where it is unknown."""
        names = np.full(len(self), None, dtype=object)
        rows = self.known_rows
        names[rows] = self.classes[self.codes[rows]].tolist()
        return names

    @property
    def shape(self) -> tuple[int]:
        """``(n_samples,)``."""
        return (len(self.codes),)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which rows have a label."""
        return np.asarray(self.codes >= 0)

    @cached_property
    def known_rows(self) -> NDArray[np.int64]:
        """The rows that have a label, increasing."""
        return np.flatnonzero(self.known)

    @property
    def n_known(self) -> int:
        """Number of rows that have a label."""
        return len(self.known_rows)

    def to_links(self) -> Links:
        """Return links that entail the same: a chain per class, and the classes kept apart.

        Examples
        --------
        >>> links = PartialLabels(["a", "b", None, "a"]).to_links()
        >>> links.must.tolist(), links.cannot.tolist()
        ([[0, 3]], [[0, 1]])
        """
        rows = self.known_rows
        among = Links.from_labels(self.codes[rows])
        return Links(len(self), must=rows[among.must], cannot=rows[among.cannot])

    def __getitem__(self, rows: RowsLike) -> PartialLabels:
        """Return the labels of ``rows``: a mask, whole numbers, a slice, or ``(rows, ...)``.

        Examples
        --------
        >>> PartialLabels(["a", None, "b"])[[2, 0]].labels.tolist()
        ['b', 'a']
        """
        selected = read_rows("labels", rows, len(self))
        return self._from_codes(self.classes, self.codes[selected])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PartialLabels):
            return NotImplemented
        same_classes = self.classes.tolist() == other.classes.tolist()
        return same_classes and np.array_equal(self.codes, other.codes)

    def __hash__(self) -> int:
        return hash((tuple(self.classes.tolist()), self.codes.tobytes()))

    def __repr__(self) -> str:
        return (
            f"PartialLabels(n_samples={len(self)}, known={self.n_known}, "
            f"classes={len(self.classes)})"
        )

    def _repr_html_(self) -> str:
        sizes = np.bincount(self.codes[self.codes >= 0], minlength=len(self.classes))
        largest = np.argsort(-sizes, kind="stable")[:MOST_SHOWN]
        more = len(sizes) - len(largest)
        return html_table(
            f"{count(self.n_known, 'label')} for {count(len(self), 'row')}",
            [(self.classes[k], f"{sizes[k]:,}") for k in largest.tolist()],
            titles=("class", "rows"),
            note=f"and {more:,} more" if more else "",
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return PartialLabels._from_codes, (self.classes, self.codes)


def _undecided_rows(groups: Groups) -> tuple[int, int]:
    """Return the first rows of two must-link components that no cannot-link separates."""
    apart, n_groups = groups.apart, groups.n_groups
    n_apart = np.bincount(apart.ravel(), minlength=n_groups)
    a = int(np.argmax(n_apart < n_groups - 1))
    others = np.ones(n_groups, dtype=bool)
    others[apart[(apart == a).any(axis=1)].ravel()] = False
    others[a] = False
    b = int(np.argmax(others))
    return int(groups.members(a)[0]), int(groups.members(b)[0])
