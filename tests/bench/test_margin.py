import numpy as np
import pytest
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from linkwise import Links
from linkwise.bench import Kept, Settings
from linkwise.bench.papers.margin import trials, unseen
from linkwise.bench.papers.margin.methods import ALPHAS, BY_LABEL, PLAIN
from linkwise.bench.papers.margin.run import claims, run, varying
from linkwise.bench.papers.margin.trials import (
    COLUMNS,
    SETS,
    Score,
    cell,
    n_draws,
    n_links,
    prepared,
)
from linkwise.bench.report import expected, run_paper
from linkwise.datasets import Dataset
from linkwise.errors import InvalidInput
from linkwise.scores import accuracy


@pytest.fixture(autouse=True)
def small_tables(monkeypatch):
    """Stand-ins for the real sets: three overlapping groups under every name."""

    def load(name):
        X, y = make_blobs(60, n_features=5, centers=3, cluster_std=3.0, random_state=0)
        return Dataset(name, X, y.astype(np.int64))

    monkeypatch.setattr(trials, "load", load)


def test_every_column_has_a_method():
    assert set(COLUMNS) == set(PLAIN) | set(BY_LABEL)
    assert all(tuple(choices) == ALPHAS for choices in BY_LABEL.values())


def test_the_page_is_written_from_a_small_run():
    with threadpool_limits(1):
        page = run(Settings(draws=1, sets=("sonar", "ionosphere")))
    assert "Draws per figure: 1; the paper has 20" in page
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        "## Accuracy and NMI against the number of links (figures 4 and 5)",
        "## Which claims hold",
        "## Time (figures 6 and 7)",
        "## Unseen rows (figure 8)",
        "## The solver and alpha",
        "## Wrong answers",
        "## Curved borders",
        "## What we ask of ourselves",
    ]
    for name in ("ionosphere", "sonar"):
        for count in n_links(name):
            assert sum(line.startswith(f"| {name} | {count} |") for line in page.splitlines()) >= 4


def test_methods_see_the_same_links_and_the_best_alpha_is_kept():
    data = trials.load("sonar")
    found = cell(data, 20, Settings(draws=2))
    links = [(seed, Links.sample(data.y, 20, random_state=seed)) for seed in (0, 1)]
    each = [trials.score(data, method, links).accuracy for method in BY_LABEL["CPCMMC"].values()]
    assert found["CPCMMC"].accuracy == max(each)
    assert found["ours"].accuracy == trials.score(data, PLAIN["ours"], links).accuracy


def test_draws_that_are_kept_are_not_made_again(tmp_path):
    data, path = trials.load("sonar"), tmp_path / "kept.jsonl"
    one = cell(data, 20, Settings(draws=1, kept=Kept(path)))
    two = cell(data, 20, Settings(draws=2, kept=Kept(path)))
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2
    assert cell(data, 20, Settings(draws=2, kept=Kept(path))) == two  # to the microsecond
    again = cell(data, 20, Settings(draws=1, kept=Kept(path)))
    assert {c: s.seconds for c, s in again.items()} == {c: s.seconds for c, s in one.items()}


def test_the_spread_of_seconds_is_a_share_of_their_mean():
    found = Score.of([[0.5, 0.4, 0.3, 0.2, 1.0], [0.7, 0.4, 0.3, 0.2, 3.0]])
    assert found == Score(0.6, 0.4, 0.3, 0.2, 2.0, spread=np.sqrt(2) / 2)
    assert np.isnan(Score.of([[0.5, 0.4, 0.3, 0.2, 1.0]]).spread)
    steady = Score(0.5, 0.4, 0.3, 0.2, 1.0, spread=0.125)
    cells = {("sonar", 20): dict.fromkeys(COLUMNS, found), ("bci", 20): {"ours": steady}}
    (_, printed) = varying(cells)
    assert "| MMC | 0.707 | 0.707 |" in printed
    assert "| ours | 0.416 | 0.707 |" in printed


def test_rows_in_no_link_are_scored_apart():
    data = trials.load("sonar")
    links = Links.sample(data.y, 20, random_state=0)
    linked = np.isin(np.arange(len(data.y)), links.linked_rows)

    def knows_only_linked_rows(*_):
        return np.where(linked, data.y, 0)

    found = trials.score(data, knows_only_linked_rows, [(0, links)])
    assert found.accuracy == accuracy(data.y, np.where(linked, data.y, 0))
    assert found.accuracy_free == np.bincount(data.y[~linked]).max() / np.sum(~linked)


def test_features_of_different_scale_are_standardised_as_in_the_paper():
    for name in SETS:
        if name == "ohscal":
            continue
        data = prepared(trials.load(name))
        standard = np.allclose(data.X.std(axis=0), 1)
        assert standard == (name in ("vehicle", "segment", "mfeat_fac", "magic"))


def test_claims_are_counted_cell_by_cell():
    def one(accuracy):
        return trials.Score(accuracy, 0.0, 0.0, 0.0, 1.0)

    figures = {
        ("sonar", 20): (0.5, 0.6, 0.7, 0.7),
        ("sonar", 50): (0.5, 0.6, 0.4, 0.9),
        ("bci", 20): (0.5, 0.4, 0.6, 0.3),
    }
    columns = ("K-means", "CPCMMC", "paper, by label", "ours")
    cells = {
        key: dict.fromkeys(COLUMNS, one(0.1)) | dict(zip(columns, map(one, row), strict=True))
        for key, row in figures.items()
    }
    page = claims(cells)
    assert "λ chosen by label: best in 2 of 3 cells, holds." in page
    assert "the same with λ fixed: best in 0 of 3 cells, does not hold." in page
    assert (
        "paper, by label is above CPCMMC in 2 of 3 cells, by +0.033 on average, holds in part."
    ) in page


def test_unseen_rows_are_compared_with_clustered_ones():
    figures = np.array([[0.9, 0.88, 0.8, 0.7], [0.9, 0.91, 0.8, 0.95], [0.9, 0.9, 0.8, 0.8]])
    (verdict,) = unseen._verdicts(figures)
    assert "in 2 of 3 cells, holds." in verdict
    assert "at most 0.100 lower, does not hold." in verdict
    assert unseen._verdicts(np.empty((0, 4))) == []


def test_fewer_draws_are_made_where_a_fit_takes_long():
    assert n_draws("sonar", Settings()) == 10
    assert n_draws("uspst", Settings()) == 3
    assert n_draws("uspst", Settings(draws=20)) == 20


def test_what_we_ask_of_ourselves_is_written_down():
    asked = {(one["set"], one["links"]): one["accuracy"] for one in expected("margin")["asked"]}
    assert len(asked) == 8
    assert asked["digits", 500] == 0.79


def test_a_set_that_is_not_the_papers_is_refused():
    with pytest.raises(InvalidInput) as caught:
        run_paper("margin", Settings(sets=("wine",)))
    assert str(caught.value).startswith("'wine' is not part of this reproduction: pendigit389, ")
