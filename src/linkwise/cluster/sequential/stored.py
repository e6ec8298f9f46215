"""How what SequentialClustering knows becomes arrays in a file, and what is made of those."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.sequential.landmarks import Basis, checked_draws, draws_of
from linkwise.cluster.sequential.model_file import StoredModel
from linkwise.cluster.sequential.moment import Moment, Restored
from linkwise.cluster.sequential.solution import Solution
from linkwise.cluster.sequential.voters import Voters

#: The arrays of the basis that are written, and what they are called in files.
_BASIS_ARRAYS = ("rows", "blocks", "vectors", "smoothness", "labels", "order", "features")
_OLD_NAMES = {"order": "lot"}


def arrays_of(now: Moment[Basis, Solution]) -> dict[str, NDArray[Any]]:
    """Return the arrays that are written, besides ensemble, links and labels."""
    basis = {name: getattr(now.basis, name) for name in _BASIS_ARRAYS}
    solution = {part.name: getattr(now.solution, part.name) for part in fields(Solution)}
    counted = {
        "_count.draws": now.basis.draws,
        "_count.wanted": np.array(-1 if now.wanted == "auto" else now.wanted),
        "_count.left_out": now.left_out,
    }
    return {
        **counted,
        **{f"_basis.{_OLD_NAMES.get(name, name)}": array for name, array in basis.items()},
        **{f"_solution.{name}": array for name, array in solution.items()},
    }


def restored(stored: StoredModel, wanted: int | str) -> Restored[Basis, Solution]:
    """Return what a file of any version holds; answers of older ones are to be heard again.

    ``wanted`` is the number of clusters that the model's parameters ask for.
    """
    arrays, version = stored.arrays, stored.version
    parts = {
        name: arrays[f"_basis.{_OLD_NAMES.get(name, name)}"]
        for name in _BASIS_ARRAYS
        if not (version == 1 and name == "features")  # it kept none
    }
    parts.setdefault("features", np.empty((len(parts["rows"]), 0), dtype=np.float32))
    left_out = np.empty(0, dtype=np.int64)
    draws = draws_of(np.random.RandomState(0))  # older versions kept none
    if version >= 4:
        number, draws = int(arrays["_count.wanted"]), checked_draws(arrays["_count.draws"])
        wanted = number if number > 0 else "auto"
        left_out = arrays["_count.left_out"]
    basis = Basis(
        **parts,
        n_clusters=stored.n_clusters,
        n_blocks=int(stored.ensemble.n_blocks),
        draws=draws,
        voters=Voters(parts["blocks"], int(stored.ensemble.n_blocks)),
    )
    if version < 6:  # answers were heard by another rule
        return Restored(basis, None, wanted, left_out)
    found = {part.name: arrays[f"_solution.{part.name}"] for part in fields(Solution)}
    return Restored(basis, Solution(**found), wanted, left_out)
