"""Where the work over all rows is done: in this process, or elsewhere with the same result.

``engine=`` of an estimator is a name or an engine made by hand; see :mod:`linkwise.engines.base`
for what an engine is asked.

>>> import linkwise as lw
>>> X = [[0.0], [1.0], [8.0], [9.0]]
>>> lw.SequentialClustering(2, n_partitions=5, engine="cpu", random_state=0).fit_predict(X).shape
(4,)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwise.lazy import loader

if TYPE_CHECKING:
    from linkwise.engines.cuda import Cuda as Cuda
    from linkwise.engines.find import find_engine as find_engine
    from linkwise.engines.ray import Ray as Ray

#: Where each name lives; loaded on first use.
_HOME = {
    "Cuda": "linkwise.engines.cuda",
    "Ray": "linkwise.engines.ray",
    "find_engine": "linkwise.engines.find",
}

__all__ = [*_HOME]


if not TYPE_CHECKING:  # type checkers would believe that any name is there
    __getattr__ = loader(__name__, _HOME)
