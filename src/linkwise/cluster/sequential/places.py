"""Where the rows that people speak about lie among the landmarks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.cluster.sequential.landmarks import Basis
from linkwise.cluster.sequential.voters import Seen

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Places:
    """The rows spoken about, as mixtures of landmarks.

    ``traits`` and ``features`` are theirs; ``seen`` are the rows as landmarks vote on them.
    """

    traits: Floats
    features: Floats
    seen: Seen

    @classmethod
    def of(cls, basis: Basis, mixture: sp.csr_array, blocks: NDArray[np.uint8]) -> Places:
        """Place rows that are given as mixtures of landmarks, and by their blocks."""
        features = np.asarray(mixture @ basis.features.astype(np.float64))
        traits = basis.traits.describe(np.asarray(mixture @ basis.vectors), features)
        return cls(traits=traits, features=features, seen=basis.voters.see(blocks))
