from html.parser import HTMLParser

import numpy as np
import pytest

from linkwise.bench.common.running import Plan
from linkwise.bench.common.summary import behind, costs, missing, pairs, statuses, task_table
from linkwise.bench.common.tasks import TASKS
from linkwise.bench.common.writing import OURS, html, markdown


def line(name, method, task="100 links", nmi=0.5, status="done", seed=0, n_free=100, **more):
    made = {"set": name, "method": method, "task": task, "seed": seed, "status": status, "n": 150}
    if status == "done":
        made |= {"nmi": 0.9, "nmi_free": nmi, "n_free": n_free, "seconds": 2.0, "memory_mb": 3.0}
        made |= {"ari": 0.8, "ari_free": 0.7, "accuracy": 0.6, "accuracy_free": 0.55}
    return {**made, **more}


@pytest.fixture
def lines():
    return [
        line("iris", OURS, nmi=0.8),
        line("iris", OURS, nmi=0.6, seed=1),
        line("wine", OURS, nmi=0.4),
        line("iris", "k-means", nmi=0.5),
        line("wine", "k-means", nmi=0.6),
        line("iris", "<slow>", nmi=0.9),
        line("wine", "<slow>", status="too slow"),
        line("iris", "SeededKMeans", status="refused", said="reads labels"),
        line("iris", "rare", nmi=1.0),
        line("iris", OURS, task="100 asked", nmi=0.1),
    ]


def test_a_table_holds_means_over_seeds_and_ranks_over_sets(lines):
    table = task_table(lines, "100 links")
    assert table.sets == ["iris", "wine"]
    assert "SeededKMeans" not in table.methods  # no result anywhere
    assert "rare" not in table.methods  # tried on too few sets
    scores = dict(zip(table.methods, table.scores.T.tolist(), strict=True))
    assert scores[OURS] == pytest.approx([0.7, 0.4])
    assert scores["k-means"] == [0.5, 0.6]
    assert np.isnan(scores["<slow>"][1])
    ranks = dict(zip(table.methods, table.ranks.tolist(), strict=True))
    assert ranks == {OURS: 2.0, "k-means": 2.0, "<slow>": 2.0}
    assert table.critical > 1


def test_sets_whose_rows_are_nearly_all_named_are_left_out():
    table = task_table([line("iris", OURS, n_free=29), line("wine", OURS, n_free=30)], "100 links")
    assert table.sets == ["wine"]


def test_who_refuses_does_not_bring_back_a_set_whose_rows_are_all_named():
    lines = [line("iris", OURS, n_free=3), line("wine", OURS), line("wine", "KCC")]
    lines += [line("iris", "KCC", status="refused")]
    assert task_table(lines, "100 links").sets == ["wine"]
    assert set(task_table(lines, "100 links").methods) == {OURS, "KCC"}


def test_who_could_not_be_installed_was_not_tried():
    lines = [line(name, "k-means") for name in ("iris", "wine")]
    absent = [line(name, "peer", status="not installed", said="no net") for name in ("iris", "a")]
    assert task_table([*lines, *absent], "100 links").methods == ["k-means"]
    assert statuses(absent)["peer"] == {"not installed": 2}


def test_other_scores_have_tables_too(lines):
    for measure, free in (("ari", 0.7), ("accuracy", 0.55)):
        table = task_table(lines, "100 links", measure)
        assert table.scores[0, table.methods.index("k-means")] == free


def test_who_asks_is_judged_on_all_rows(lines):
    assert task_table(lines, "100 asked").scores.tolist() == [[0.9]]
    assert task_table(lines, "200 asked") is None


def test_where_a_method_is_behind_is_told_with_who_is_first(lines):
    table = task_table(lines, "100 links")
    found = behind(table, OURS, 0.02)
    assert [(name, who) for name, _, who, _ in found] == [("iris", "<slow>"), ("wine", "k-means")]
    assert behind(table, OURS, 0.5) == []
    assert behind(table, "nobody", 0.0) == []


def test_what_there_is_no_figure_for_is_counted(lines):
    assert statuses(lines)["<slow>"] == {"done": 1, "too slow": 1}
    assert costs(lines)["k-means"] == [(150.0, 2.0)]
    assert costs(lines, "memory_mb")["k-means"] == [(150.0, 3.0)]


def test_what_was_not_run_is_gathered_by_methods_tasks_and_sets(tmp_path):
    told = ("none", "30 links", "3 labels")
    plan = Plan(tmp_path, ("iris", "wine", "digits"), ("k-means", "LCVQE", "KCC"), 2, tasks=told)
    done = [
        *(line("iris", "k-means", task) for task in told),
        line("wine", "k-means", "none"),
        *(line(name, method, "none") for name in ("iris", "wine") for method in ("LCVQE", "KCC")),
    ]
    first, second = missing(plan.cells(), done)
    assert (first.seed, first.n_cells, first.n_planned) == (0, 19, 27)
    assert first.untouched == ("digits",)
    two = ("30 links", "3 labels")
    assert [(set(gap.methods), gap.tasks, gap.sets, gap.n_cells) for gap in first.gaps] == [
        ({"LCVQE", "KCC"}, two, ("iris", "wine"), 8),
        ({"k-means"}, two, ("wine",), 2),
    ]
    assert (second.seed, second.n_cells, second.untouched, second.gaps) == (
        1, 27, ("iris", "wine", "digits"), (),
    )  # fmt: skip
    (gap,) = missing(plan.cells(), [line("iris", "LCVQE", task) for task in told])[0].gaps
    assert (gap.tasks, gap.n_cells) == ((), 6)  # nothing at all of the two others
    everything = [line(c.set, c.method, c.task, seed=c.seed) for c in plan.cells()]
    assert missing(plan.cells(), everything) == []


def test_the_page_says_after_how_many_seconds_cells_were_ended(tmp_path):
    plan = Plan(tmp_path, sets=("iris",), methods=("k-means",), n_seeds=1, limit=999.0)
    slow = [line("iris", "k-means", seconds=1.5, status="too slow")]
    slower = [line("wine", "k-means", seconds=20.0, status="too slow")]
    assert "1 seed, at most 1.5 seconds of computing a cell." in markdown(plan, slow, [])
    assert "at most 1.5 to 20 seconds of computing a cell." in markdown(plan, slow + slower, [])
    done = [line("iris", "k-means", seconds=3.21)]
    page = markdown(plan, done, [])
    assert "1 seed, no cell too slow, the longest 3.2 seconds of computing." in page


def test_the_page_says_who_is_first_and_where_we_are_not(lines, tmp_path):
    plan = Plan(tmp_path, sets=("iris",), methods=("k-means",), n_seeds=1)
    tables = [found for task in TASKS if (found := task_table(lines, task.name))]
    page = markdown(plan, lines, tables)
    assert "| 100 links | wine | .400 | k-means | .600 |" in page
    assert "- **Round clusters** (k-means; 1 of 2 cells: wine). The clusters are round in " in page
    assert "| k-means | 2.00 |" in page
    assert "| k-means | 3 |" in page
    assert "Less than half a megabyte" not in page
    lighter = [{**one, "memory_mb": 0.2} if one["method"] == "k-means" else one for one in lines]
    page = markdown(plan, lighter, tables)
    assert "Less than half a megabyte on all of these: k-means." in page
    assert "Not run with seed 0: 8 of 9 cells:\n\n- 8 cells: k-means, told none; 30 links; " in page
    assert "- SeededKMeans, refused: reads labels" in page
    assert "10 cells of 18 that could be run: 2 sets, 5 methods, 2 seeds, no cell too " in page
    assert "No cell was run of" not in page
    all_methods = Plan(tmp_path, sets=("iris",), n_seeds=1)
    assert "No cell was run of: " in markdown(all_methods, lines, tables)
    assert "numpy" in page
    assert "A dash: " not in page.split("## Mean NMI")[0]


def test_the_page_says_where_we_were_measured_on_too_few_sets(tmp_path):
    plan = Plan(tmp_path, sets=("iris",), methods=("k-means",), n_seeds=1)
    lines = [line(name, "k-means") for name in ("iris", "wine")] + [line("iris", OURS)]
    page = markdown(plan, lines, [task_table(lines, "100 links")])
    assert "| 100 links | 2 | – | – | k-means 1.0 |" in page
    assert f"A dash: {OURS} was measured on too few of these sets." in page


def test_where_we_were_not_measured_nobody_says_that_we_are_first(lines, tmp_path):
    plan = Plan(tmp_path, sets=("iris",), methods=("k-means",), n_seeds=1)
    alone = [line("iris", "k-means"), line("iris", "k-means", task="none")]

    def told(lines):
        tables = [found for task in TASKS if (found := task_table(lines, task.name))]
        return markdown(plan, lines, tables).split(f"## Where {OURS} is not first\n\n")[1]

    assert told(alone).startswith(
        "Not known when told none; 100 links: it was measured on too few sets.\n\n## "
    )
    assert told([]).startswith("Nothing yet.\n\n## ")
    first = [line("iris", OURS, nmi=0.9), *alone]
    assert told(first).startswith(
        "Nowhere by more than 0.02 in NMI.\n\nNot known when told none: it was measured on too few "
        "sets.\n\n## "
    )
    assert "\n\nNot known when told none: it was" in told([*lines, *alone])
    assert "Not known" not in told(lines)


def test_the_page_says_which_commit_measured_what(lines, tmp_path):
    plan = Plan(tmp_path, sets=("iris",), methods=("k-means",), n_seeds=1)
    made = [{**one, "commit": "new" if one["method"] == OURS else "old"} for one in lines]
    page = markdown(plan, made, [])
    assert "Commit old, new; " in page
    assert "| old | 6 | <slow>, SeededKMeans, k-means, rare |" in page
    assert f"| new | 4 | {OURS} |" in page
    assert f"{OURS} was measured by new. " in page


def test_the_same_method_of_two_packages_is_compared_where_both_gave_a_result(tmp_path):
    theirs, ours = "ITML + k-means (metric-learn)", "ITML + k-means"
    both = [line("iris", theirs, nmi=0.4, seconds=5.0), line("iris", ours, nmi=0.6)]
    alone = [line("wine", theirs, nmi=0.9), line("glass", ours, status="too slow")]
    (pair,) = pairs([*both, *alone], {theirs: ours, "nobody": ours})
    assert (pair.n_cells, pair.their_score, pair.our_score) == (1, 0.4, 0.6)
    assert (pair.their_seconds, pair.our_seconds) == (5.0, 2.0)
    crowded = [line("glass", name, nmi=None, n_free=0) for name in (theirs, ours)]
    assert pairs([*both, *alone, *crowded], {theirs: ours}) == [pair]  # no row is left to judge by
    plan = Plan(tmp_path, sets=("iris",), methods=("k-means",), n_seeds=1)
    page = markdown(plan, both, [])
    assert f"| {theirs} | .400 | 5.00 | {ours} | .600 | 2.00 | 1 |" in page
    assert "Theirs are active-semi-supervised-clustering 0.0.1, metric-learn 0.7.0, " in page
    assert "with numpy 1.26.4, scipy 1.11.4, scikit-learn 1.3.2; installed by `--peers`." in page
    assert "No other package has taken part" in markdown(plan, alone[:0], [])


def test_curves_go_through_the_same_sets_and_have_ours(tmp_path):
    others = [f"method {number}" for number in range(9)]
    lines = [
        line(name, who, task, nmi=0.1 if who == OURS else 0.5 + number / 100)
        for name, task in (("iris", "none"), ("wine", "none"), ("wine", "30 links"))
        for number, who in enumerate([*others, OURS])
    ]
    lines = [{**one, "nmi_free": 0.9} if one["set"] == "iris" else one for one in lines]
    tables = [task_table(lines, task) for task in ("none", "30 links")]
    page = html(Plan(tmp_path, sets=("iris",), n_seeds=1), lines, tables)
    drawn = page.split("<h2>More answers</h2>")[1].split("<h2>Mean ranks</h2>")[0]
    assert "<p>Means over wine.</p>" in drawn  # it alone has both points
    assert OURS in drawn
    assert "method 0<" not in drawn  # the worst of the others
    assert ">0<" in drawn
    heights = {point.split(",")[1] for point in drawn.split('points="')[1].split('"')[0].split()}
    assert len(heights) == 1  # iris, where all are better, does not raise the first point


class Tags(HTMLParser):
    """Checks that what is opened is closed."""

    EMPTY = ("meta",)

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("none", [True, False])
def test_the_pictures_are_one_page_of_sound_html(lines, tmp_path, none):
    plan = Plan(tmp_path, sets=("iris",), n_seeds=1)
    some = [] if none else lines
    tables = [found for task in TASKS if (found := task_table(some, task.name))]
    page = html(plan, some, tables)
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert "<slow>" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert none == ("<svg" not in page)
    assert "nan" not in page.replace("–", "")
