"""Links: pairs of rows that belong together, and pairs that do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from linkwise.constraints.choices import pairs_of_choice
from linkwise.constraints.closure import closed, component_numbers, pairs_of_classes
from linkwise.constraints.conflicts import (
    MOST_SHOWN,
    Conflicts,
    find_conflicts,
    refuse_contradictions,
)
from linkwise.constraints.encoding import encode
from linkwise.constraints.files import PathLike, read_links, write_links
from linkwise.constraints.frames import links_from_frame, links_to_frame
from linkwise.constraints.link import Link
from linkwise.constraints.pairs import (
    Pairs,
    Weights,
    in_order,
    is_among,
    read_pairs,
    read_weights,
)
from linkwise.constraints.repair import Repair, links_to_withdraw
from linkwise.constraints.row_names import Ids, RowNames, rows_of_pairs
from linkwise.constraints.sampling import sample_pairs
from linkwise.constraints.selection import read_rows, renumber
from linkwise.errors import InvalidLinks
from linkwise.markup import count, html_table
from linkwise.typing import AnySeed, LabelsLike, PairsLike, RowsLike
from linkwise.validation import check_number

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Links:
    """Pairs of rows that belong together, and pairs that do not.

    Links are an immutable value as long as ``X``: ``links[rows]`` is the same knowledge about
    fewer rows, so that scikit-learn's cross-validation slices links along with ``X``.

    Parameters
    ----------
    n_samples : int
        How many rows the data has.
    must : array-like of shape (n_must, 2), default=()
        Pairs of rows, by position, that belong together.
    cannot : array-like of shape (n_cannot, 2), default=()
        Pairs of rows that do not.
    weight : array-like of shape (n_must + n_cannot,), default=None
        How much each pair counts, must-links first: finite and not negative. None is 1 for all.
    ids : sequence of str or int, or None, default=None
        The id of each row; then ``must`` and ``cannot`` name rows by id. Ids are compared as text
        and not kept.

    Attributes
    ----------
    n_samples : int
        How many rows the data has; also ``len(links)``.
    must, cannot : ndarray of shape (n_must, 2) and (n_cannot, 2)
        The pairs, each with the smaller row first, sorted. A pair given twice is kept once, with
        the larger weight.
    weight : ndarray of shape (n_must + n_cannot,)
        Weights of ``must``, then of ``cannot``.

    See Also
    --------
    PartialLabels : Knowledge about the classes of rows.

    Notes
    -----
    A pair may be given both as must-link and as cannot-link: that is a contradiction like any
    other, and :meth:`conflicts` reports it.

    Links are as long as the data, and iterating over them gives each link, must-links first, as
    a named tuple of i, j, kind and weight.

    Examples
    --------
    >>> links = Links(5, must=[(1, 0), (1, 2)], cannot=[(2, 4)])
    >>> links
    Links(n_samples=5, must=2, cannot=1)
    >>> links.must.tolist()
    [[0, 1], [1, 2]]
    >>> links[[2, 4]].cannot.tolist()
    [[0, 1]]
    >>> links.satisfied([0, 0, 1, 1, 1])
    array([ True, False, False])
    >>> [(link.i, link.j, link.kind) for link in links]
    [(0, 1, 'must'), (1, 2, 'must'), (2, 4, 'cannot')]
    >>> Links(3, must=[("ann", "eve")], ids=["ann", "bob", "eve"]).must.tolist()
    [[0, 2]]
    """

    n_samples: int
    must: Pairs
    cannot: Pairs
    weight: Weights

    def __init__(
        self,
        n_samples: int,
        must: PairsLike = (),
        cannot: PairsLike = (),
        weight: ArrayLike | Iterable[float] | None = None,
        *,
        ids: Ids = None,
    ) -> None:
        object.__setattr__(self, "n_samples", n_samples)
        check_number(self, "n_samples", low=0, integer=True)
        if ids is not None:
            must, cannot = rows_of_pairs(RowNames(n_samples, ids), must, cannot)
        must = read_pairs("must", must, n_samples)
        cannot = read_pairs("cannot", cannot, n_samples)
        weight = read_weights(weight, len(must) + len(cannot))
        n_must = len(must)
        must, must_weight = in_order(must, weight[:n_must])
        cannot, cannot_weight = in_order(cannot, weight[n_must:])
        object.__setattr__(self, "n_samples", int(n_samples))
        for name, value in (
            ("must", must),
            ("cannot", cannot),
            ("weight", np.concatenate((must_weight, cannot_weight))),
        ):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    @classmethod
    def from_labels(cls, y: LabelsLike) -> Links:
        """Return links that entail everything labels say about pairs.

        The rows of a class form one chain of must-links, and the first rows of any two classes are
        cannot-linked: about as many links as rows, not as pairs.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels of any kind; -1, None, NaN and empty text mean unknown.

        Returns
        -------
        links : Links

        Examples
        --------
        >>> links = Links.from_labels(["a", "b", "a", None, "a"])
        >>> links.must.tolist(), links.cannot.tolist()
        ([[0, 2], [2, 4]], [[0, 1]])
        """
        _, codes = encode(y)
        return cls(len(codes), *pairs_of_classes(codes))

    @classmethod
    def from_choice(
        cls, row: int, chosen: int | None, among: Iterable[int], n_samples: int
    ) -> Links:
        """Return what the answer to "which of these does it belong with?" says.

        Parameters
        ----------
        row : int
            The row that was asked about.
        chosen : int or None
            The one of ``among`` that it belongs with; None if it belongs with none of them.
        among : iterable of int
            The rows it was shown beside, of which no two belong together.
        n_samples : int
            How many rows the data has.

        Returns
        -------
        links : Links
            A must-link to the row chosen, and cannot-links to the others.

        Examples
        --------
        >>> links = Links.from_choice(4, chosen=7, among=[2, 7, 9], n_samples=10)
        >>> links.must.tolist(), links.cannot.tolist()
        ([[4, 7]], [[2, 4], [4, 9]])
        >>> Links.from_choice(4, chosen=None, among=[2, 7, 9], n_samples=10)
        Links(n_samples=10, must=0, cannot=3)
        """
        return cls(n_samples, *pairs_of_choice(row, chosen, among, n_samples))

    @classmethod
    def sample(
        cls, y: LabelsLike, n_links: int, *, noise: float = 0.0, random_state: AnySeed = None
    ) -> Links:
        """Ask about pairs drawn uniformly at random, each pair at most once.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            The truth. Rows whose label is -1, None or NaN are never drawn.
        n_links : int
            How many pairs to draw.
        noise : float, default=0.0
            Share of wrong answers, from 0 to 1: exactly ``round(noise * n_links)`` are flipped.
        random_state : int, RandomState, Generator or None, default=None
            Seed of the draw.

        Returns
        -------
        links : Links

        Examples
        --------
        >>> Links.sample([0, 0, 1, 1, 2], 10, random_state=0)
        Links(n_samples=5, must=2, cannot=8)
        """
        _, codes = encode(y)
        return cls(len(codes), *sample_pairs(codes, n_links, noise, random_state))

    @classmethod
    def read(
        cls,
        path: PathLike,
        n_samples: int,
        ids: Ids = None,
        left: str = "i",
        right: str = "j",
        kind: str = "kind",
        weight: str | None = None,
        *,
        skip_unknown: bool = False,
    ) -> Links:
        """Read links from a CSV, JSON, Parquet, Feather or JSON lines file.

        Parameters
        ----------
        path : str or path-like
            A file that ends in ``.csv``, ``.tsv`` (or these and ``.gz``), ``.json``, ``.parquet``,
            ``.feather``, ``.arrow`` or ``.jsonl``. All but JSON have the columns below.
        n_samples : int
            How many rows the data has.
        ids : sequence of str or int, or None, default=None
            The id of each row; None if the file names rows by number, from 0.
        left, right : str, default="i" and "j"
            The columns that name the two rows.
        kind : str, default="kind"
            The column that says ``must`` or ``cannot``, in these or other words: ``same``,
            ``must-link``, ``true``, ``yes`` or ``1``; ``different``, ``cannot-link``, ``false``,
            ``no``, ``0`` or ``-1``. Entries that say ``unsure`` are skipped, with a warning that
            counts them.
        weight : str or None, default=None
            The column of weights. None is the column ``weight`` if there is one, else 1 for all.
        skip_unknown : bool, default=False
            Whether to skip entries about rows that are not there, with a warning, instead of
            refusing the file.

        Returns
        -------
        links : Links

        See Also
        --------
        write : Writes such files, with an example.
        """
        names = {"i": left, "j": right, "kind": kind, "weight": weight}
        return cls(n_samples, *read_links(path, n_samples, ids, names, skip_unknown=skip_unknown))

    def write(self, path: PathLike, ids: Ids = None) -> None:
        """Write links to a file that :meth:`read` turns into exactly the same links.

        Parameters
        ----------
        path : str or path-like
            Where to write: ``.csv``, ``.json`` or ``.parquet``.
        ids : sequence of str or int, or None, default=None
            The id of each row; None to name rows by number.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> links = Links(3, must=[(0, 1)], cannot=[(0, 2)])
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "answers.csv")
        ...     links.write(path, ids=["ann", "bob", "eve"])
        ...     print(path.read_text(), end="")
        ...     Links.read(path, 3, ids=["ann", "bob", "eve"]) == links
        i,j,kind
        ann,bob,must
        ann,eve,cannot
        True
        """
        write_links(path, self.n_samples, self.must, self.cannot, self.weight, ids)

    @classmethod
    def from_frame(
        cls,
        frame: IntoDataFrame,
        ids: Ids = None,
        left: str = "i",
        right: str = "j",
        kind: str = "kind",
        weight: str | None = None,
        *,
        n_samples: int | None = None,
        skip_unknown: bool = False,
    ) -> Links:
        """Read links from a data frame: pandas, polars, pyarrow and others.

        Parameters
        ----------
        frame : data frame
            One row per link.
        ids : sequence of str or int, or None, default=None
            The id of each row of the data; None if the frame names rows by number, from 0.
        left, right : str, default="i" and "j"
            The columns that name the two rows.
        kind : str, default="kind"
            The column that says ``must`` or ``cannot``, in any of the words :meth:`read` knows.
        weight : str or None, default=None
            The column of weights. None is the column ``weight`` if there is one, else 1 for all.
        n_samples : int or None, default=None
            How many rows the data has. None is the number of ids; without ids, the highest row
            named and all before it.
        skip_unknown : bool, default=False
            Whether to skip links of rows that are not there, with a warning, instead of refusing.

        Returns
        -------
        links : Links

        Examples
        --------
        >>> import pandas as pd
        >>> people = ["ann", "bob", "eve"]
        >>> pairs = [("ann", "bob", "same"), ("bob", "eve", "cannot")]
        >>> said = pd.DataFrame(pairs, columns=["a", "b", "kind"])
        >>> links = Links.from_frame(said, people, left="a", right="b")
        >>> links
        Links(n_samples=3, must=1, cannot=1)
        >>> links.to_frame(people)
             i    j    kind  weight
        0  ann  bob    must     1.0
        1  bob  eve  cannot     1.0
        """
        names = {"i": left, "j": right, "kind": kind, "weight": weight}
        return cls(*links_from_frame(frame, n_samples, ids, names, skip_unknown=skip_unknown))

    def to_frame(self, ids: Ids = None, *, backend: str | None = None) -> Any:
        """Return a data frame with the columns i, j, kind and weight, must-links first.

        Parameters
        ----------
        ids : sequence of str or int, or None, default=None
            The id of each row; None to name rows by number.
        backend : {"pandas", "polars", "pyarrow"} or None, default=None
            Whose data frame; None is pandas, or pyarrow where pandas is not installed.

        Returns
        -------
        frame : data frame
            What :meth:`from_frame` reads; it has an example.
        """
        return links_to_frame(self.n_samples, self.must, self.cannot, self.weight, ids, backend)

    @property
    def shape(self) -> tuple[int]:
        """``(n_samples,)``: how scikit-learn learns that links can be sliced with ``X``."""
        return (self.n_samples,)

    def __len__(self) -> int:
        return self.n_samples

    def __iter__(self) -> Iterator[Link]:
        n_must = len(self.must)
        kinds: list[tuple[Literal["must", "cannot"], Pairs, Weights]] = [
            ("must", self.must, self.weight[:n_must]),
            ("cannot", self.cannot, self.weight[n_must:]),
        ]
        for kind, pairs, weights in kinds:
            for (i, j), weight in zip(pairs.tolist(), weights.tolist(), strict=True):
                yield Link(i, j, kind, weight)

    @property
    def n_links(self) -> int:
        """Number of links of both kinds."""
        return len(self.weight)

    @property
    def linked_rows(self) -> NDArray[np.int64]:
        """The rows named by any link, sorted."""
        return np.unique(np.concatenate((self.must, self.cannot)))

    def __getitem__(self, rows: RowsLike) -> Links:
        """Return what is known about ``rows``, renumbered by their order.

        ``rows`` is a mask, whole numbers, a slice, or ``(rows, ...)``. Links with an end outside
        are dropped, and with them what they entailed together with others; labels are better
        restricted as :class:`PartialLabels`. Where a row is drawn several times, as in a
        bootstrap, each of its links holds for every copy.

        Examples
        --------
        >>> links = Links(5, must=[(0, 4)], cannot=[(1, 4)])
        >>> links[[4, 0, 2]].must.tolist()
        [[0, 1]]
        >>> links[1:].cannot.tolist()
        [[0, 3]]
        """
        selected = read_rows("links", rows, self.n_samples)
        n_must = len(self.must)
        must, must_link = renumber(self.must, selected, self.n_samples)
        cannot, cannot_link = renumber(self.cannot, selected, self.n_samples)
        weight = np.concatenate((self.weight[must_link], self.weight[n_must + cannot_link]))
        return Links(len(selected), must, cannot, weight)

    def __or__(self, other: Links) -> Links:
        """Return all links of both; the same pair twice is kept once, with the larger weight.

        Examples
        --------
        >>> Links(4, must=[(0, 1)]) | Links(4, must=[(1, 0)], cannot=[(2, 3)])
        Links(n_samples=4, must=1, cannot=1)
        """
        if not isinstance(other, Links):
            return NotImplemented
        self._check_same_rows(other)
        a, b = len(self.must), len(other.must)
        parts = (self.weight[:a], other.weight[:b], self.weight[a:], other.weight[b:])
        return Links(
            self.n_samples,
            np.concatenate((self.must, other.must)),
            np.concatenate((self.cannot, other.cannot)),
            np.concatenate(parts),
        )

    def __add__(self, other: Links) -> Links:
        """Return all links of both, as ``|`` does: to say a thing twice adds nothing.

        Examples
        --------
        >>> sum([Links(4, must=[(0, 1)]), Links(4, must=[(1, 0)]), Links(4, cannot=[(2, 3)])])
        Links(n_samples=4, must=1, cannot=1)
        """
        return self | other if isinstance(other, Links) else NotImplemented

    def __radd__(self, other: object) -> Links:
        return self if other == 0 else NotImplemented  # where sum() begins

    def without(self, other: Links) -> Links:
        """Return these links less those of ``other``, whatever their weights.

        Examples
        --------
        >>> links = Links(4, must=[(0, 1)], cannot=[(2, 3)])
        >>> links.without(Links(4, must=[(0, 1)]))
        Links(n_samples=4, must=0, cannot=1)
        """
        self._check_same_rows(other)
        must, cannot = is_among(self.must, other.must), is_among(self.cannot, other.cannot)
        return self._subset(~np.concatenate((must, cannot)))

    def components(self) -> NDArray[np.int64]:
        """Return the must-link component of each row, numbered by first appearance.

        Examples
        --------
        >>> Links(5, must=[(1, 3), (3, 4)]).components()
        array([0, 1, 2, 1, 1])
        """
        return component_numbers(self.n_samples, self.must)

    def signed_graph(self) -> csr_array:
        """Return the symmetric graph with weight for must-links, minus weight for cannot-links.

        Where a pair is linked both ways, the two add up.

        Examples
        --------
        >>> Links(3, must=[(0, 1)], cannot=[(1, 2)], weight=[1, 5]).signed_graph().toarray()
        array([[ 0.,  1.,  0.],
               [ 1.,  0., -5.],
               [ 0., -5.,  0.]])
        """
        i, j = np.concatenate((self.must, self.cannot)).T
        sign = np.repeat([1.0, -1.0], [len(self.must), len(self.cannot)])
        data = sign * self.weight
        ends = (np.concatenate((i, j)), np.concatenate((j, i)))
        size = (self.n_samples, self.n_samples)
        return csr_array((np.concatenate((data, data)), ends), shape=size)

    def satisfied(self, labels: ArrayLike) -> NDArray[np.bool_]:
        """Tell which links a clustering keeps, must-links first.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            The cluster of each row.

        Returns
        -------
        satisfied : ndarray of shape (n_links,)

        Examples
        --------
        >>> Links(3, must=[(0, 1)], cannot=[(1, 2)]).satisfied(["a", "a", "a"])
        array([ True, False])
        """
        labels = np.asarray(labels)
        if labels.shape != (self.n_samples,):
            raise InvalidLinks(
                f"labels must be one per row, of shape ({self.n_samples},), "
                f"got shape {labels.shape}."
            )
        together = labels[self.must[:, 0]] == labels[self.must[:, 1]]
        apart = labels[self.cannot[:, 0]] != labels[self.cannot[:, 1]]
        return np.concatenate((together, apart))

    def closure(self) -> Links:
        """Return everything these links entail, in the one shortest form.

        Each must-link component becomes a star around its smallest row; each pair of components
        that is kept apart becomes one cannot-link between their smallest rows. Two sets of links
        of weight 1 entail the same exactly if their closures are equal. An entailed link weighs as
        much as the weakest link of the strongest chain that proves it.

        Returns
        -------
        links : Links
            Never more than the links there were.

        Raises
        ------
        Contradiction
            If a cannot-link joins two rows of one component; the message names the chain.

        Examples
        --------
        >>> closed = Links(6, must=[(4, 5), (1, 5), (2, 3)], cannot=[(3, 4), (2, 5)]).closure()
        >>> closed.must.tolist(), closed.cannot.tolist()
        ([[1, 4], [1, 5], [2, 3]], [[1, 2]])
        """
        refuse_contradictions(self.must, self.cannot)
        return Links(self.n_samples, *closed(self.must, self.cannot, self.weight))

    def conflicts(self) -> Conflicts:
        """Return each contradicted cannot-link with a shortest chain of must-links against it.

        The list is empty exactly if some clustering keeps all links.

        Examples
        --------
        >>> links = Links(9, must=[(3, 5), (5, 8)], cannot=[(0, 3), (3, 8)])
        >>> for conflict in links.conflicts():
        ...     print(conflict)
        rows 3 and 8 are must-linked through 3-5, 5-8 and cannot-linked by cannot[1]. \
Drop one of the three.
        """
        return Conflicts(find_conflicts(self.must, self.cannot))

    def repair(self) -> Repair:
        """Find the lightest links to withdraw so that no contradiction is left.

        Returns
        -------
        repair : Repair
            The pair ``(kept, withdrawn)`` of :class:`Links`. Its attribute ``exact`` tells whether
            no lighter set of links would do (up to a millionth of the heaviest link, the
            precision of the solver). False means that they were chosen greedily.

        Notes
        -----
        The choice is exact where no more than about 25 links of one must-link component have to
        go, and greedy beyond. Links without contradictions are returned as they are.

        Examples
        --------
        >>> links = Links(3, must=[(0, 1), (1, 2)], cannot=[(0, 2)], weight=[5, 1, 2])
        >>> kept, withdrawn = links.repair()
        >>> withdrawn.must.tolist(), kept.conflicts()
        ([[1, 2]], [])
        >>> links.repair().exact
        True
        """
        withdrawn, exact = links_to_withdraw(self.must, self.cannot, self.weight)
        if not len(withdrawn):
            return Repair(self, Links(self.n_samples), exact)
        keep = np.ones(self.n_links, dtype=bool)
        keep[withdrawn] = False
        return Repair(self._subset(keep), self._subset(~keep), exact)

    def _subset(self, chosen: NDArray[np.bool_]) -> Links:
        """Return the links at the positions marked, must first."""
        n_must = len(self.must)
        must, cannot = self.must[chosen[:n_must]], self.cannot[chosen[n_must:]]
        return Links(self.n_samples, must, cannot, self.weight[chosen])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Links):
            return NotImplemented
        return (
            self.n_samples == other.n_samples
            and np.array_equal(self.must, other.must)
            and np.array_equal(self.cannot, other.cannot)
            and np.array_equal(self.weight, other.weight)
        )

    def __hash__(self) -> int:
        arrays = (self.must, self.cannot, self.weight)
        return hash((self.n_samples, *(array.tobytes() for array in arrays)))

    def __repr__(self) -> str:
        return (
            f"Links(n_samples={self.n_samples}, must={len(self.must)}, cannot={len(self.cannot)})"
        )

    def _repr_html_(self) -> str:
        shown = list(islice(self, MOST_SHOWN))
        weighted = bool((self.weight != 1).any())
        rows = [link if weighted else link[:3] for link in shown]
        about = f"{count(self.n_links, 'link')} between {count(self.n_samples, 'row')}"
        more = self.n_links - len(shown)
        return html_table(
            f"{about}: {len(self.must):,} must, {len(self.cannot):,} cannot",
            rows,
            titles=("i", "j", "kind", "weight")[: 4 if weighted else 3],
            note=f"and {more:,} more" if more else "",
        )

    def __reduce__(self) -> tuple[type[Links], tuple[Any, ...]]:
        return Links, (self.n_samples, self.must, self.cannot, self.weight)

    def _check_same_rows(self, other: Links) -> None:
        if self.n_samples != other.n_samples:
            raise InvalidLinks(
                f"these links describe {self.n_samples} rows, the others {other.n_samples}: "
                f"they are about different data."
            )
