"""Keywords that were parameters once, still heard by constructors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from linkwise.cluster.sequential.online import OnlineClusterer
from linkwise.running import RunOptions

Model = TypeVar("Model", bound=OnlineClusterer[Any, Any])
P = ParamSpec("P")


def accepts_old_options(
    init: Callable[Concatenate[Model, P], None],
) -> Callable[Concatenate[Model, P], None]:
    """Let a constructor hear, with a warning, the keywords that were parameters once.

    Its signature, which scikit-learn reads the parameters from, stays as it is.
    """

    @wraps(init)
    def hear(self: Model, /, *args: P.args, **given: P.kwargs) -> None:
        wishes: dict[str, Any] = {
            field.name: given.pop(field.name) for field in fields(RunOptions) if field.name in given
        }
        init(self, *args, **given)
        if wishes:
            where, listed = type(self).__name__, ", ".join(f"{name}=..." for name in wishes)
            warnings.warn(
                f"{where}({listed}): how a fit is run is no parameter of a model and will be "
                f"refused here by the next version. Say it around the fit instead: "
                f"with linkwise.run_options({listed}): model.fit(X).",
                FutureWarning,
                stacklevel=2,
            )
            self._wishes = RunOptions(**wishes)

    return hear
