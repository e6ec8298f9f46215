import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, make_blobs
from threadpoolctl import threadpool_limits

from linkwise import PartialLabels
from linkwise.bench import Settings
from linkwise.bench.papers.partition import methods, trials
from linkwise.bench.papers.partition.generalising import GENERALISING
from linkwise.bench.papers.partition.run import SHARES, draws_of, run
from linkwise.bench.papers.partition.trials import SETS, Score
from linkwise.bench.report import expected


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("LINKWISE_DATA", raising=False)


def test_the_paper_has_a_figure_for_every_cell():
    paper = expected("partition")
    assert tuple(paper["kmeans"]) == SETS
    for method in ("ours", "lcvqe", "kcc"):
        assert tuple(paper["seconds"][method]) == SETS
        assert all(len(paper[method][name]) == len(SHARES) for name in SETS)
    assert paper["ours"]["iris"][4] == [85.41, 3.03]
    assert paper["lcvqe"]["breast"][3] == [81.56, 11.29]


def test_the_page_is_written_from_a_small_run():
    with threadpool_limits(1):  # hundreds of tiny fits: waking threads would cost more than they do
        page = run(Settings(draws=1, sets=("iris", "glass")))
    lines = page.splitlines()
    assert "At most 1 draw per figure. The first seed is 0. Left out: breast, ecoli, glass" in page
    assert [line for line in lines if line.startswith("## ")] == [
        "## Table II: all rows",
        "## Table III: time, as multiples of ours",
        "## Figure 3: the strength of the side information",
        "## Figure 4: labels drawn at random",
        "## Unlabelled rows only",
    ]
    cells = [line for line in lines if line.startswith("| iris | 50% |")]
    assert len(cells) == 1
    assert "| 85.41 ± 3.03 |" in cells[0]
    assert sum(line.startswith("| iris, 10% labelled | 76.6 ± 1.4 |") for line in lines) == 1
    assert any(line.startswith("| iris, 20% wrong, tied | >= 83.0 |") for line in lines)


def test_fewer_draws_are_made_where_a_fit_takes_long():
    assert draws_of("iris", Settings()) == 50
    assert draws_of("pendigits", Settings()) == 10
    assert draws_of("pendigits", Settings(), links=True) == 3
    assert draws_of("pendigits", Settings(draws=7), links=True) == 7


@pytest.mark.parametrize(
    ("here", "paper", "verdict"),
    [
        (Score(75.0, 1.0), Score(76.0, 0.1), "agrees"),
        (Score(75.0, 0.1), Score(76.0, 1.0), "agrees"),
        (Score(75.0, 0.9), Score(76.0, 0.9), "lower"),
        (Score(77.0, 0.0), Score(76.0, 0.9), "higher"),
        (Score(73.613, 0.0), Score(73.61, 0.0), "agrees"),
    ],
)
def test_a_verdict_goes_by_the_larger_deviation(here, paper, verdict):
    assert here.compared(paper) == verdict


def test_all_pairs_are_all_pairs():
    known = PartialLabels([0, -1, 1, 0, 1])
    links = methods.all_pairs(known, seed=0)
    assert links.must.tolist() == [[0, 3], [2, 4]]
    assert links.cannot.tolist() == [[0, 2], [0, 4], [2, 3], [3, 4]]


def test_of_very_many_pairs_a_part_is_drawn(monkeypatch):
    monkeypatch.setattr(methods, "MOST_PAIRS", 20)
    known = PartialLabels(np.arange(30) % 3)
    links = methods.all_pairs(known, seed=0)
    assert links.n_links == 20
    assert links.satisfied(known.codes).all()


def test_the_public_program_may_leave_a_row_where_it_is():
    distance = np.array([[1.0, 2.0, 3.0], [5.0, 4.0, 9.0]])
    original = methods.LCVQE(3)._ways_out(distance)
    public = methods.SecondNearestLCVQE(3)._ways_out(distance)
    assert [way.tolist() for way in original] == [[0, 1], [1, 0]]
    assert [way.tolist() for way in public] == [[1, 0], [1, 0]]


def test_random_labels_replace_a_share_of_the_known_ones():
    known = PartialLabels(np.where(np.arange(900) < 600, np.arange(900) % 3, -1))
    noisy = methods.with_random_labels(known, 0.5, seed=0)
    assert_array_equal(noisy.known, known.known)
    changed = np.count_nonzero(noisy.codes != known.codes)
    assert 160 < changed < 240  # two of three of the 300 drawn ones are wrong


def test_wine_is_scaled_as_the_figures_of_the_paper_ask():
    data = trials.available(Settings(sets=("wine",)))["wine"]
    assert data.X[0, -1] == pytest.approx(10.65)
    assert data.X[0, 0] == 14.23


@pytest.mark.parametrize("name", GENERALISING)
def test_easy_unlabelled_rows_are_found_by_every_method(name):
    X, y = make_blobs(150, n_features=4, centers=3, random_state=0, cluster_std=0.5)
    known = PartialLabels.sample(y, 0.1, random_state=0)
    data = trials.Dataset("blobs", X, y)
    got = trials.score(
        data, GENERALISING[name], 1, Settings(), lambda _: known, unlabelled_only=True
    )
    assert got.mean == pytest.approx(100.0)


def test_labelled_rows_of_the_mixture_keep_their_class():
    X, y = load_iris(return_X_y=True)
    known = PartialLabels.sample(y, 0.3, noise=0.5, random_state=0)
    labels = GENERALISING["Gaussian mixture"](X, known, 3, 0)
    assert_array_equal(labels[known.known], known.codes[known.known])
