"""Tables, texts and pictures become rows of numbers, which is all that a clustering can read.

>>> import pandas as pd
>>> from linkwise.features import TableFeatures
>>> frame = pd.DataFrame({"price": [1.0, None, 3.0, 2.5], "colour": ["red", "red", "blue", "blue"]})
>>> features = TableFeatures()
>>> features.fit_transform(frame).shape
(4, 4)
>>> features.summary()
'grouped by price (number) and colour (category).'
"""

from __future__ import annotations

from linkwise.features.image_embeddings import ImageEmbeddings
from linkwise.features.images import ImageFeatures
from linkwise.features.roles import Role, guess_roles
from linkwise.features.table import TableFeatures
from linkwise.features.text_embeddings import TextEmbeddings

__all__ = [
    "ImageEmbeddings",
    "ImageFeatures",
    "Role",
    "TableFeatures",
    "TextEmbeddings",
    "guess_roles",
]
