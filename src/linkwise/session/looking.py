"""Looking: rows and clusters of a session as people see them, and where they lie on the map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise import running
from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.errors import InvalidInput
from linkwise.running import run_options
from linkwise.session.advice.around import Around, ClusterPage, Company, look_around
from linkwise.session.data.description import Description
from linkwise.session.data.display import Row
from linkwise.session.data.display_parts import DisplayParts
from linkwise.session.data.layout import Places, place_others
from linkwise.session.data.layout_file import LayoutFiles
from linkwise.session.data.looking import (
    ColumnValues,
    column_values,
    diverse,
    search,
    sets_apart,
)
from linkwise.session.events.speaking import RowName
from linkwise.session.state.history import History
from linkwise.session.state.views import Views

#: Diverse examples of a cluster, and the central rows among which they are looked for.
N_DIVERSE = 9
MOST_CENTRAL = 500


class Looking:
    """What there is to see in a session; all of it can be asked for at any time."""

    _about: Description
    _history: History
    _views: Views
    _display: DisplayParts
    _layouts: LayoutFiles
    _grown: SequentialClustering
    _company_known: Company | None = None

    @property
    def ids(self) -> Sequence[Any]:
        """What the data calls its rows; their numbers where it has no names for them."""
        ids = self._display.ids
        return range(self._history.n_rows) if ids is None else ids

    @property
    def has_images(self) -> bool:
        return self._display.has_images

    @property
    def has_text(self) -> bool:
        return self._display.has_text

    def rows(self, rows: Sequence[RowName], fresh: bool = True) -> list[Row]:
        """Return rows for showing; ``fresh=False`` does not wait for a view of all events."""
        view = (None if fresh else self._views.latest()) or self._views.view()
        return self._display.read([self._number(row) for row in rows], view.labels, view.margins)

    def search(self, text: str, limit: int = 200) -> list[int]:
        """Return the first rows whose id, text or any field holds ``text``, whatever the case.

        Where the map shows some of the rows, these alone are looked through.
        """
        return search(self._read, self._looked_at, text, limit)

    def column(self, name: str) -> ColumnValues:
        """Return one column, as positions on a scale or as categories, of all rows on the map."""
        return column_values(self._read, self._looked_at, name)

    def around(self, row: RowName, n: int = 8) -> Around:
        """Return the rows most like one, in which clusters they are, and what was said of it."""
        number = self._display.check(self._number(row))
        view, labelling, model = self._views.current(fresh=False)
        labels = self._grown.ensemble_.labels
        return look_around(number, n, view, labelling, model, labels, self._company)

    def describe_cluster(self, cluster: int, limit: int = 1000, after: int = 0) -> ClusterPage:
        """Return a cluster's rows, the surest first, diverse examples and what sets it apart.

        Of the rows there are ``limit`` at most, those behind the first ``after``.
        """
        view = self._views.latest() or self._views.view()
        rows = np.flatnonzero(view.labels == cluster)
        if not len(rows):
            raise InvalidInput(f"there is no cluster {cluster} with rows in it.")
        order = rows[np.argsort(-view.margins[rows], kind="stable")]
        central = np.sort(order[: max(N_DIVERSE, min(len(order) // 2, MOST_CENTRAL))])
        blocks = np.ascontiguousarray(self._grown.ensemble_.labels.rows(central).T)
        apart, names = sets_apart(self._read, rows, self._history.n_rows)
        examples = [int(central[k]) for k in diverse(blocks, N_DIVERSE)]
        shown = order[after : after + limit].tolist()
        return ClusterPage(cluster, len(rows), shown, examples, apart, names)

    @property
    def _looked_at(self) -> Sequence[int]:
        """The rows that are looked at one by one when a question is about all."""
        on_map = self.on_map
        return range(self._history.n_rows) if on_map is None else on_map.tolist()

    @property
    def _company(self) -> Company | None:
        """The rows among which neighbours are looked for, None for all."""
        on_map, known = self.on_map, self._company_known
        if on_map is None:
            return None
        if known is None or len(known.rows) != len(on_map):
            blocks = self._grown.ensemble_.labels.rows(on_map)
            self._company_known = known = Company(on_map, np.ascontiguousarray(blocks.T))
        return known

    def _read(self, rows: Sequence[int]) -> list[Row]:
        return self.rows(rows, fresh=False)

    def row_of(self, name: str | int) -> int:
        """Return the row that the data calls ``name``."""
        return self._display.row_of(name)

    def name_of(self, row: int) -> str:
        """Return what the data call a row, as text; its number where they have no names."""
        return str(self.ids[row])

    def image(self, row: RowName) -> tuple[bytes, str]:
        """Return the picture of a row and its media type."""
        return self._display.image(self._number(row))

    @property
    def layouts(self) -> list[str]:
        """The layouts that are there."""
        return self._layouts.ready()

    def has_layout(self, kind: str) -> bool:
        """Tell whether a layout is there already."""
        return kind in self._layouts.ready()

    def layout(
        self,
        kind: str = "pca",
        progress: running.Progress | bool | None = None,
        cancel: running.Cancel | None = None,
    ) -> Places:
        """Return a place in [-1, 1] x [-1, 1] for every row; made when it is not there yet.

        "pca" are the two leading principal components; "neighbours" keeps rows together that
        often share a block of the ensemble, and takes longer.
        """
        with run_options(progress=progress, cancel=cancel):
            places = self._layouts.get(kind)
        if self._history.n_rows == self._about.n_rows:
            return places
        shown, n_first = self._layouts.shown, self._about.n_rows
        return place_others(places, shown, n_first, self._grown.of_first(self._history.n_rows))

    @property
    def on_map(self) -> NDArray[np.int64] | None:
        """The rows that have a place in the layouts, increasing; None are all of them.

        Of rows that stay in their files a map shows 100,000, the landmarks among them.
        """
        shown, n_first = self._layouts.shown, self._about.n_rows
        if len(shown) == n_first:
            return None
        return np.append(shown, np.arange(n_first, self._history.n_rows))

    def _number(self, row: RowName) -> int:
        return self.row_of(row) if isinstance(row, str) else row

    def _called(self, row: int) -> str:
        ids = self._display.ids
        return f"row {row}" if ids is None else str(ids[row])
