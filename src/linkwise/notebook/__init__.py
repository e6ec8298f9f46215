"""A clustering that answers in a notebook's cell: a map, questions, and the result in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.errors import missing_extra
from linkwise.notebook.rows import RowData
from linkwise.session import Session

if TYPE_CHECKING:
    from linkwise.notebook.cell import ClusterWidget

__all__ = ["widget"]


def widget(
    model: SequentialClustering | Session,
    data: RowData | None = None,
    *,
    ids: ArrayLike | None = None,
) -> ClusterWidget:
    """Show a map of the rows in a notebook's cell, and ask which of them belong together.

    Every answer reaches the model at once, and the map follows. Answers may be taken back. All of
    it runs in the kernel and the browser: nothing is loaded from another host.

    Parameters
    ----------
    model : SequentialClustering or Session
        What is asked about. A fitted model is changed by the answers; a session records them.
    data : data frame, array or sequence of str, or None, default=None
        What people see of the rows of a model: the columns of a frame or of an array of shape
        (n_samples, n_columns), pictures of shape (n_samples, height, width) or (n_samples,
        height, width, 3), or texts. None: their numbers. A session knows its rows.
    ids : array-like of shape (n_samples,) or None, default=None
        What the rows of a model are called; None: by their numbers.

    Returns
    -------
    widget : ClusterWidget
        Shows itself as the last line of a cell. Its ``model``, ``links`` and ``labels`` are the
        result so far.

    See Also
    --------
    linkwise.plot.clusters : A map that stands still.

    Examples
    --------
    >>> import linkwise as lw
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [9.0], [9.1]]
    >>> model = lw.SequentialClustering(2, n_partitions=20, random_state=0).fit(X)
    >>> widget = lw.widget(model, X)
    >>> widget.answer("different")
    >>> widget.links.n_links, len(widget.labels)
    (1, 8)
    """
    try:
        from linkwise.notebook.cell import ClusterWidget
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("linkwise"):
            raise
        raise missing_extra("The widget", "anywidget", "notebook") from None
    from linkwise.notebook.speaking import speak_with

    return ClusterWidget(speak_with(model, data, ids))
