"""Linear maps learned from links: ``fit(X, constraints=links)``, then ``transform(X)``.

They are scikit-learn transformers, so any clusterer can follow them in a ``Pipeline``.

>>> import linkwise as lw
>>> from sklearn.cluster import KMeans
>>> X, links = [[0.0, 5.0], [1.0, 90.0], [9.0, 1.0]], lw.Links(3, must=[(0, 1)])
>>> KMeans(2, random_state=0).fit_predict(
...     lw.metric.RCA().fit_transform(X, constraints=links)
... ).shape
(3,)
"""

from __future__ import annotations

from linkwise.metric.dca import DCA
from linkwise.metric.itml import ITML
from linkwise.metric.lmnn import LMNN
from linkwise.metric.nca import NCA
from linkwise.metric.pgdm import PGDM
from linkwise.metric.rca import RCA
from linkwise.metric.sdml import SDML

__all__ = ["DCA", "ITML", "LMNN", "NCA", "PGDM", "RCA", "SDML"]
