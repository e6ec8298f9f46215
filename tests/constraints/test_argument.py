"""What may be passed as constraints=."""

import numpy as np
import pandas as pd
import pytest

from linkwise.constraints import Links, PartialLabels, as_constraints
from linkwise.errors import InvalidInput


def test_links_labels_and_nothing_pass_unchanged():
    links, labels = Links(3, must=[(0, 1)]), PartialLabels([0, -1, 1])
    assert as_constraints(None, 3) is None
    assert as_constraints(links, 3) is links
    assert as_constraints(labels, 3) is labels


@pytest.mark.parametrize(
    "labels", [[0, -1, 1], np.array([0.0, np.nan, 1.0]), pd.Series([0, -1, 1]), (0, None, 1)]
)
def test_one_label_per_row_is_read_as_partial_labels(labels):
    assert as_constraints(labels, 3) == PartialLabels([0, -1, 1])


@pytest.mark.parametrize(
    ("constraints", "name"),
    [(Links(60), "links"), (PartialLabels([-1] * 60), "labels"), ([-1] * 60, "labels")],
)
def test_constraints_about_other_rows_are_refused(constraints, name):
    with pytest.raises(InvalidInput) as error:
        as_constraints(constraints, 90)
    assert str(error.value) == (
        f"constraints describe 60 rows but X has 90. Slice both together: X[rows], {name}[rows]."
    )


@pytest.mark.parametrize(
    ("constraints", "kind"),
    [
        ([(0, 1), (1, 2)], "list"),
        (np.zeros((3, 2), dtype=int), "ndarray"),
        ({"must": [(0, 1)]}, "dict"),
        ("must", "str"),
        (7, "int"),
    ],
)
def test_anything_else_is_refused_with_the_way_to_write_it(constraints, kind):
    with pytest.raises(InvalidInput) as error:
        as_constraints(constraints, 3)
    assert str(error.value) == (
        "constraints must be Links, PartialLabels or a 1-d array of partial labels, "
        f"got {kind}. Pairs are written Links(n_samples, must=[(0, 1)], cannot=[(2, 3)])."
    )
