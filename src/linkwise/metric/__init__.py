"""Linear maps learned from links: ``fit(X, constraints=links)``, then ``transform(X)``.

They are scikit-learn transformers, so any clusterer can follow them in a ``Pipeline``.
"""

from __future__ import annotations

from linkwise.metric.dca import DCA
from linkwise.metric.rca import RCA

__all__ = ["DCA", "RCA"]
