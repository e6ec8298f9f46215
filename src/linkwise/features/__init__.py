"""Tables, texts and pictures become rows of numbers, which is all that a clustering can read.

>>> import pandas as pd
>>> from linkwise.features import TableFeatures
>>> frame = pd.DataFrame({"price": [1.0, None, 3.0, 2.5], "colour": ["red", "red", "blue", "blue"]})
>>> features = TableFeatures()
>>> features.fit_transform(frame).shape
(4, 3)
>>> features.summary()
'grouped by price (number) and colour (category).'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwise.lazy import loader

if TYPE_CHECKING:
    from linkwise.features.embeddings.image_embeddings import ImageEmbeddings as ImageEmbeddings
    from linkwise.features.embeddings.text_embeddings import TextEmbeddings as TextEmbeddings
    from linkwise.features.pictures.images import ImageFeatures as ImageFeatures
    from linkwise.features.tables.roles import Role as Role
    from linkwise.features.tables.roles import guess_roles as guess_roles
    from linkwise.features.tables.table import TableFeatures as TableFeatures

#: Where each name lives. Modules load on first use: who only looks at columns needs no estimator.
_HOME = {
    "ImageEmbeddings": "linkwise.features.embeddings.image_embeddings",
    "ImageFeatures": "linkwise.features.pictures.images",
    "Role": "linkwise.features.tables.roles",
    "TableFeatures": "linkwise.features.tables.table",
    "TextEmbeddings": "linkwise.features.embeddings.text_embeddings",
    "guess_roles": "linkwise.features.tables.roles",
}

__all__ = [*_HOME]


if not TYPE_CHECKING:  # type checkers would believe that any name is there
    __getattr__ = loader(__name__, _HOME)
