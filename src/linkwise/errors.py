"""Every error linkwise raises on purpose.

All descend from :class:`LinkwiseError`; those about values are ``ValueError`` too, so code
written for scikit-learn catches them without knowing us.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class LinkwiseError(Exception):
    """Anything linkwise refuses to do, in a sentence meant to be read.

    Examples
    --------
    >>> import linkwise as lw
    >>> try:
    ...     lw.COPKMeans(n_clusters=0).fit([[0.0], [1.0]])
    ... except lw.errors.LinkwiseError as error:
    ...     print(error)
    COPKMeans(n_clusters=0): n_clusters must be a whole number >= 1 or 'auto'.
    """


class InvalidInput(LinkwiseError, ValueError):
    """A value given by the caller cannot be used.

    Examples
    --------
    >>> import linkwise as lw
    >>> lw.PCKMeans(n_clusters=2, max_iter=0).fit([[0.0], [1.0]])
    Traceback (most recent call last):
    linkwise.errors.InvalidInput: PCKMeans(max_iter=0): max_iter must be a whole number >= 1.
    """


class NotOffered(LinkwiseError, AttributeError):
    """A method that other estimators have and this one cannot have.

    Examples
    --------
    >>> import linkwise as lw
    >>> model = lw.PCKMeans(2, random_state=0).fit([[0.0], [1.0]])
    >>> hasattr(model, "predict_proba")
    False
    >>> model.predict_proba([[0.0]])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    linkwise.errors.NotOffered: PCKMeans puts each row into one cluster and knows no shares, ...
    """


class Remedy(Enum):
    """What might help, in words that fit everywhere; a caller may know better ones."""

    FILL_IN = "fill it in"
    REMOVE_ROW = "remove the row"
    CORRECT = "correct it"
    LEAVE_COLUMN_OUT = "leave the column out"
    NAME_ARRAY = "name one of them"
    SAVE_AS_UTF8 = "save it as UTF-8"
    GIVE_IDS = "give ids= if rows go by id"
    NAME_COLUMNS = "name them with left=, right= and kind="
    SKIP_UNKNOWN = "leave such entries out with skip_unknown=True"


@dataclass(frozen=True)
class Advice:
    """One thing that might help, and the column or array it is about."""

    remedy: Remedy
    name: str = ""


class InvalidFile(InvalidInput):
    """A file that cannot be used: which one, what is wrong, and what might help.

    These are data, so that who talks to people can use the name they know the file by, and words
    that fit where they are: a terminal has flags, a page has buttons.

    Parameters
    ----------
    file : str
        What the file is called.
    found : str
        The rest of the sentence, such as ``" line 3: 1 value for 2 columns."``.
    *advice : Advice
        What might help, any one of them.
    """

    def __init__(self, file: str, found: str, *advice: Advice) -> None:
        super().__init__(file, found, *advice)
        self.file, self.found, self.advice = file, found, advice

    def worded(self, words: Mapping[Remedy, str] | None = None, file: str | None = None) -> str:
        """Return the sentence with one's own words, in which ``{name}`` stands for the column."""
        said = f"{self.file if file is None else file}{self.found}"
        if not self.advice:
            return said
        known = words or {}
        told = [known.get(a.remedy, a.remedy.value).format(name=a.name) for a in self.advice]
        sentence = told[0] if len(told) == 1 else f"{', '.join(told[:-1])}, or {told[-1]}"
        return f"{said} {sentence[0].upper()}{sentence[1:]}."

    def __str__(self) -> str:
        return self.worded()


class InvalidLinks(InvalidInput):
    """Links or labels that cannot be what was meant.

    Examples
    --------
    >>> import linkwise as lw
    >>> lw.Links(4, must=[(0, 9)])
    Traceback (most recent call last):
    linkwise.errors.InvalidLinks: must[0] = (0, 9) points outside the 4 rows (0 to 3).
    """


class MissingColumns(InvalidFile, InvalidLinks):
    """A table of links or labels lacks columns that were looked for.

    Examples
    --------
    >>> import pandas as pd, linkwise as lw
    >>> said = pd.DataFrame({"a": [0], "b": [1], "kind": ["same"]})
    >>> lw.Links.from_frame(said)
    Traceback (most recent call last):
    linkwise.errors.MissingColumns: the data frame has no column 'i', it has 'a', 'b', 'kind'. \
Name them with left=, right= and kind=.
    >>> lw.Links.from_frame(said, left="a", right="b")
    Links(n_samples=2, must=1, cannot=0)
    """


class UnknownRows(InvalidFile, InvalidLinks):
    """Links or labels name rows that are not there: all of them, where they stand, what is near.

    Examples
    --------
    >>> import pandas as pd, linkwise as lw
    >>> said = pd.DataFrame({"i": ["ann"], "j": ["Bob"], "kind": ["same"]})
    >>> lw.Links.from_frame(said, ids=["ann", "bob"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    linkwise.errors.UnknownRows: the data frame's row 0: 'Bob' is not among the 2 ids. \
Did you mean 'bob'? ...
    """


class Contradiction(InvalidInput):
    """A cannot-link whose two ends are must-linked through a chain of other links.

    Examples
    --------
    >>> import linkwise as lw
    >>> lw.Links(3, must=[(0, 1), (1, 2)], cannot=[(0, 2)]).closure()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    linkwise.errors.Contradiction: rows 0 and 2 are must-linked through 0-1, 1-2 and ...
    """


class Infeasible(LinkwiseError, ValueError):
    """No clustering with this many clusters keeps all the links.

    Examples
    --------
    >>> import linkwise as lw
    >>> apart = lw.Links(3, cannot=[(0, 1), (0, 2), (1, 2)])
    >>> model = lw.COPKMeans(n_clusters=2, random_state=0)
    >>> model.fit([[0.0], [1.0], [2.0]], constraints=apart)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    linkwise.errors.Infeasible: COPKMeans: row 2 is cannot-linked to all 2 clusters (0-2, 1-2)...
    """


class Cancelled(LinkwiseError):
    """The caller asked to stop before the work was finished.

    Examples
    --------
    >>> import linkwise as lw
    >>> with lw.run_options(cancel=lambda: True):
    ...     lw.SequentialClustering(2, n_partitions=9).fit([[0.0], [1.0], [8.0], [9.0]])
    Traceback (most recent call last):
    linkwise.errors.Cancelled: cancelled while training partitions, 1 of 9 done.
    """


class MissingExtra(LinkwiseError, ImportError):
    """An optional package is needed and not installed.

    Examples
    --------
    >>> raise missing_extra("reading Parquet", "pyarrow", "files")
    Traceback (most recent call last):
    linkwise.errors.MissingExtra: reading Parquet needs pyarrow: pip install "linkwise[files]"
    """


class MissingDevice(LinkwiseError, RuntimeError):
    """A GPU is needed, and there is none, or it is too old, or its memory is taken.

    Examples
    --------
    >>> raise MissingDevice("there are 2 GPUs here, counted from 0.")
    Traceback (most recent call last):
    linkwise.errors.MissingDevice: there are 2 GPUs here, counted from 0.
    """


class MissingData(LinkwiseError, FileNotFoundError):
    """A data set, a model or another file is not on this machine.

    Examples
    --------
    >>> import linkwise as lw
    >>> lw.load("models/never-saved")
    Traceback (most recent call last):
    linkwise.errors.MissingData: there is no model in models/never-saved: model.json is missing.
    """


def missing_extra(what: str, package: str, extra: str) -> MissingExtra:
    """Return the one sentence for an absent optional dependency."""
    return MissingExtra(f'{what} needs {package}: pip install "linkwise[{extra}]"')


class ConstraintWarning(UserWarning):
    """The result is usable, but not all that was said could be kept.

    Examples
    --------
    >>> import warnings, pandas as pd, linkwise as lw
    >>> said = pd.DataFrame({"i": [0, 1], "j": [1, 2], "kind": ["same", "unsure"]})
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     links = lw.Links.from_frame(said)
    >>> print(caught[0].category.__name__, caught[0].message, sep=": ")
    ConstraintWarning: the data frame: 1 of 2 entries is unsure and was skipped.
    """


class ContradictionWarning(ConstraintWarning):
    """The links contradict each other, so not all of them can hold.

    Examples
    --------
    >>> import warnings, linkwise as lw
    >>> links = lw.Links(3, must=[(0, 1), (1, 2)], cannot=[(0, 2)])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = lw.PCKMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]], constraints=links)
    >>> [warning.category.__name__ for warning in caught]
    ['ContradictionWarning']
    """
