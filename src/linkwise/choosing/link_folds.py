"""Splitters that leave out links, not rows: how to choose parameters without labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import _num_samples

from linkwise.choosing.parts import parts_of
from linkwise.constraints import Knowledge, Links, PartialLabels, as_constraints
from linkwise.errors import InvalidInput
from linkwise.typing import MatrixLike, Seed
from linkwise.validation import check_number

Ints = NDArray[np.int64]
Fold = tuple[Ints, Ints]


class _LinkSplitter(BaseCrossValidator):
    """Leaves out some of the rows that links name, with all that is known about them."""

    #: Asks scikit-learn's routing for the constraints without being told to.
    __metadata_request__split: ClassVar[dict[str, object]] = {"groups": UNUSED, "constraints": True}

    n_splits: int
    random_state: Seed

    def split(
        self,
        X: MatrixLike,
        y: object = None,  # noqa: ARG002
        groups: object = None,  # noqa: ARG002
        *,
        constraints: Knowledge | None = None,
    ) -> Iterator[Fold]:
        """Yield the rows to fit and the rows to judge by, once per split.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y, groups : ignored
            Present for scikit-learn.
        constraints : Links, PartialLabels or array-like of shape (n_samples,)
            What is known.

        Yields
        ------
        train, test : ndarray
            Rows, ascending. Those that nothing is known about are always among ``train``.
        """
        check_number(self, "n_splits", low=self._fewest, integer=True)
        known = as_constraints(constraints, _num_samples(X))
        if known is None:
            raise InvalidInput(
                f"{type(self).__name__}.split got no constraints to split. Write "
                "split(X, constraints=links); in GridSearchCV call fit(X, constraints=links) after "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        rng = check_random_state(self.random_state)
        for test in self._left_out(known, rng):
            yield np.setdiff1d(np.arange(len(known)), test), test

    def get_n_splits(
        self,
        X: MatrixLike | None = None,  # noqa: ARG002
        y: object = None,  # noqa: ARG002
        groups: object = None,  # noqa: ARG002
        *,
        constraints: Knowledge | None = None,  # noqa: ARG002
    ) -> int:
        """Return the number of splits."""
        return self.n_splits

    _fewest: ClassVar[int] = 2

    def _left_out(self, known: Links | PartialLabels, rng: np.random.RandomState) -> Iterator[Ints]:
        raise NotImplementedError


class LinkKFold(_LinkSplitter):
    """K-fold cross-validation that leaves out links instead of rows.

    The rows that links name are parted into ``n_splits`` folds with about the same number of links
    inside, connected rows together. Each fold is left out once, with all that is known about
    it: a model is fitted on the other rows and their links, predicts the rows of the fold and is
    judged by the links inside (:data:`linkwise.scores.links_kept`). Kept and left-out links have no
    row in common, so nothing left out is entailed by what is kept. Labels are left out row by row,
    class by class.

    With metadata routing switched on it works in ``GridSearchCV`` and its kin.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    random_state : int, RandomState or None, default=None
        Seed of the parting.

    See Also
    --------
    LinkShuffleSplit : Draws anew for every split.
    linkwise.compare : Judges methods by such folds.

    Notes
    -----
    Links between a row left out and a row kept are used by neither. Random questions about many
    rows lose hardly any of them. Where all named rows hang together more are lost, cannot-links
    first: must-link groups are kept in one piece as far as they fit into a fold.

    Examples
    --------
    >>> import sklearn, linkwise as lw
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> links = lw.Links.sample(y, 100, random_state=0)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     model = lw.MPCKMeans(random_state=0).set_fit_request(constraints=True)
    ...     search = GridSearchCV(
    ...         model,
    ...         {"n_clusters": [2, 3, 6]},
    ...         cv=lw.LinkKFold(4, random_state=0),
    ...         scoring=lw.scores.links_kept,
    ...     ).fit(X, constraints=links)
    >>> search.best_params_
    {'n_clusters': 3}
    """

    def __init__(self, n_splits: int = 5, *, random_state: Seed = None) -> None:
        self.n_splits = n_splits
        self.random_state = random_state

    def _left_out(self, known: Links | PartialLabels, rng: np.random.RandomState) -> Iterator[Ints]:
        yield from parts_of(known, self.n_splits, rng, f"LinkKFold(n_splits={self.n_splits})")


class LinkShuffleSplit(_LinkSplitter):
    """Random splits that leave out links instead of rows.

    Every split parts the rows anew as :class:`LinkKFold` does, and leaves one of the parts out.

    Parameters
    ----------
    n_splits : int, default=10
        Number of splits.
    test_size : float, default=0.2
        Share of the links to leave out, at most one half; rounded to one part in two, three, four
        and so on.
    random_state : int, RandomState or None, default=None
        Seed of the draws.

    See Also
    --------
    LinkKFold : Leaves out every part once, with an example of a grid search.

    Examples
    --------
    >>> import linkwise as lw
    >>> links = lw.Links(8, must=[(0, 1), (2, 3)], cannot=[(4, 5), (6, 7)])
    >>> splitter = lw.LinkShuffleSplit(2, test_size=0.5, random_state=0)
    >>> for train, test in splitter.split(range(8), constraints=links):
    ...     print(links[train].n_links, links[test].n_links)
    2 2
    2 2
    """

    _fewest: ClassVar[int] = 1

    def __init__(
        self, n_splits: int = 10, *, test_size: float = 0.2, random_state: Seed = None
    ) -> None:
        self.n_splits = n_splits
        self.test_size = test_size
        self.random_state = random_state

    def _left_out(self, known: Links | PartialLabels, rng: np.random.RandomState) -> Iterator[Ints]:
        check_number(self, "test_size", low=0.001, high=0.5)
        n_parts = round(1 / self.test_size)
        where = f"LinkShuffleSplit(test_size={self.test_size})"
        for _ in range(self.n_splits):
            yield parts_of(known, n_parts, rng, where)[rng.randint(n_parts)]
