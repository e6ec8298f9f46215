"""Data to try things on: small bundled sets, and a door to the larger ones.

Bundled sets come with scikit-learn. The larger ones are looked for as ``NAME.npz`` (arrays ``X``
and ``y``) in the folder that the environment variable ``LINKWISE_DATA`` names; many can be fetched
from OpenML, whose checksums scikit-learn verifies.

>>> import linkwise as lw
>>> lw.datasets.load("digits")
Dataset('digits': 1797 rows, 64 features, 10 classes)
"""

from __future__ import annotations

from linkwise.datasets.examples import write_example
from linkwise.datasets.load import Dataset, available, load

__all__ = ["Dataset", "available", "load", "write_example"]
