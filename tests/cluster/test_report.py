"""What of the knowledge holds: counted by hand."""

from dataclasses import replace

import numpy as np
import pytest

from linkwise import Links
from linkwise.cluster.report import FitReport

NOTHING = FitReport.compare(Links(6), Links(6), np.zeros(6, dtype=np.int32))


def count(names, labels):
    report = NOTHING.with_names(np.array(names), np.array(labels))
    return report.named_kept, report.n_named


def test_labels_hold_in_a_cluster_in_which_their_class_has_most_of_the_named_rows():
    assert count([0, 0, 1, 1, 1, -1], [0, 0, 1, 1, 0, 0]) == (4, 5)


def test_a_class_may_have_several_clusters():
    assert count([0, 0, 0, 1, 1, -1], [0, 0, 2, 1, 1, 1]) == (5, 5)


def test_of_two_classes_that_share_a_cluster_evenly_only_one_holds():
    assert count([0, 0, 1, 1, -1, -1], [0, 0, 0, 0, 1, 1]) == (2, 4)


def test_without_names_none_are_counted():
    assert count([-1] * 6, [0] * 6) == (0, 0)
    assert str(NOTHING) == "no constraints were given"


@pytest.mark.parametrize(
    ("links", "lines"),
    [
        (Links(6), ["2 of 3 labels hold"]),
        (
            Links(6, must=[(0, 1)], cannot=[(0, 2)]),
            ["2 of 3 labels hold", "1 of 2 links hold (1 of 1 must, 0 of 1 cannot)"],
        ),
    ],
)
def test_the_report_speaks_of_what_was_given(links, lines):
    labels = np.array([0, 0, 0, 1, 1, 1])
    report = FitReport.compare(links, Links(6), labels)
    names = np.array([0, 0, 1, -1, -1, -1])
    assert str(report.with_names(names, labels)).splitlines() == lines


@pytest.mark.parametrize(
    ("n_aside", "withdrawn", "lines"),
    [
        (
            1,
            Links(6, must=[(0, 1)]),
            ["1 probably wrong answer was set aside", "1 contradictory link was left out"],
        ),
        (
            2,
            Links(6, must=[(0, 1), (1, 2)]),
            ["2 probably wrong answers were set aside", "2 contradictory links were left out"],
        ),
    ],
)
def test_one_is_spoken_of_as_one(n_aside, withdrawn, lines):
    links = Links(6, must=[(0, 1), (1, 2)], cannot=[(0, 2)])
    report = replace(FitReport.compare(links, withdrawn, np.zeros(6, np.int32)), set_aside=n_aside)
    assert str(report).splitlines()[1:] == lines
