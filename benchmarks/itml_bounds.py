"""What it changes to take the bounds of ITML from plain distances instead of squared ones.

    LINKWISE_DATA=FOLDER python benchmarks/itml_bounds.py

Agreement (NMI) of k-means on rows in no link, 100 links, mean of three draws; a minute.
"""

from __future__ import annotations

import warnings
from unittest.mock import patch

import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

import linkwise as lw
from linkwise.metric import itml

SETS = (
    "iris", "glass", "wine", "ecoli", "letterIJL", "pendigit389", "breast", "ionosphere", "sonar",
    "vehicle", "segment", "digits",
)  # fmt: skip
N_DRAWS, N_LINKS = 3, 100
squared_bounds = itml._bounds


def plain_bounds(X, links):
    """Return the bounds of packages that hold squared lengths against plain distances."""
    near, far = squared_bounds(X, links)
    return near**0.5, far**0.5


def agreement(X, y, bounds):
    """Return the mean NMI of k-means after ITML with such bounds."""
    found = []
    for seed in range(N_DRAWS):
        links = lw.Links.sample(y, N_LINKS, random_state=seed)
        with patch.object(itml, "_bounds", bounds):
            mapped = itml.ITML().fit_transform(X, constraints=links)
        labels = KMeans(len(np.unique(y)), n_init=10, random_state=seed).fit_predict(mapped)
        free = np.setdiff1d(np.arange(len(y)), links.linked_rows)
        found.append(lw.scores.nmi(y[free], labels[free]))
    return np.mean(found)


def main():
    """Print a row for each set, and the means."""
    warnings.simplefilter("ignore")
    rows = []
    print("set          squared  plain  squared, standardised  plain, standardised")
    for name in SETS:
        data = lw.datasets.load(name)
        tables = data.X, StandardScaler().fit_transform(data.X)
        rows.append(
            [agreement(X, data.y, b) for X in tables for b in (squared_bounds, plain_bounds)]
        )
        print(f"{name:12} {'  '.join(f'{figure:.3f}' for figure in rows[-1])}", flush=True)
    print(f"{'mean':12} {'  '.join(f'{figure:.3f}' for figure in np.mean(rows, axis=0))}")


if __name__ == "__main__":
    main()
