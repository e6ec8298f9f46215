"""What a notebook shows: small tables whose text is escaped, and how far work is."""

import io
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import linkwise as lw
from linkwise import bars
from linkwise.markup import html_table
from linkwise.session import Session

EVIL = '<script>alert("x")</script>'
MANY = lw.Links(200, must=[(k, k + 1) for k in range(80)], cannot=[(0, k) for k in range(90, 120)])


class Checker(HTMLParser):
    """Collects cells and complains of tags that do not close."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.cells = [], [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.cells.append(data)


def shown(value):
    """Return the texts of a value's HTML, which must be small, whole and without colours."""
    text = value._repr_html_()
    assert len(text) < 20_000
    assert not re.search(r"color: (?!inherit)|background|<script|<style", text)
    assert text.count("<table") == text.count("color: inherit")
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    assert set(checker.tags) <= {"div", "strong", "table", "thead", "tbody", "tr", "th", "td", "p"}
    return checker.cells


@pytest.fixture
def session(tmp_path):
    X = np.repeat([[0.0], [5.0], [9.0]], 8, axis=0) + np.linspace(0, 1, 24)[:, None]
    with Session.create(tmp_path / "s", X, n_clusters=3, n_partitions=8, name=EVIL) as made:
        yield made


def test_links_are_listed_and_counted():
    cells = shown(lw.Links(4, must=[(0, 1)], cannot=[(2, 3)], weight=[2, 1]))
    assert cells[0] == "2 links between 4 rows: 1 must, 1 cannot"
    assert cells[1:5] == ["i", "j", "kind", "weight"]
    assert cells[5:] == ["0", "1", "must", "2.0", "2", "3", "cannot", "1.0"]
    assert shown(lw.Links(3)) == ["0 links between 3 rows: 0 must, 0 cannot"]
    assert shown(MANY)[-1] == "and 100 more"


def test_labels_are_counted_by_class_and_their_names_escaped():
    cells = shown(lw.PartialLabels([EVIL, "b", "b", None]))
    assert cells == ["3 labels for 4 rows", "class", "rows", "b", "2", EVIL, "1"]
    assert EVIL not in lw.PartialLabels([EVIL])._repr_html_()
    assert shown(lw.PartialLabels([f"c{k}" for k in range(30)]))[-1] == "and 20 more"


def test_contradictions_are_a_table():
    assert shown(lw.Links(3, must=[(0, 1)]).conflicts()) == ["The links agree with each other."]
    found = lw.Links(3, must=[(0, 1), (1, 2)], cannot=[(0, 2)]).conflicts()
    assert found == list(found)
    assert shown(found)[0] == "1 contradiction"
    assert shown(found)[-2:] == ["0, 2", "0-1, 1-2"]
    many = lw.Links(
        100, must=[(k, k + 1) for k in range(99)], cannot=[(0, k) for k in range(9, 60)]
    )
    assert shown(many.conflicts())[-1] == "and 41 more"


def test_a_report_is_a_table():
    X = [[0.0], [1.0], [8.0], [9.0]]
    links = lw.Links(4, must=[(0, 1)], cannot=[(0, 2), (1, 3)])
    model = lw.PCKMeans(2, random_state=0, report="full").fit(X, constraints=links)
    cells = shown(model.report_)
    assert cells[:4] == ["What the constraints bought", "given", "hold", "must-links"]
    assert cells[-1] == "agreement with no constraints: NMI 1.000"
    told = lw.SeededKMeans(2).fit(X, constraints=[0, None, 1, None]).report_
    assert shown(told)[3:6] == ["labels", "2", "2"]
    assert shown(lw.PCKMeans(2, random_state=0).fit(X).report_) == ["no constraints were given"]


def test_a_session_and_its_view_are_tables(session):
    cells = shown(session)
    assert cells[:7] == [EVIL, "rows", "24", "clusters", "3", "events", "0"]
    session.say("rename", {"cluster": 0, "name": EVIL})
    cells = shown(session.view())
    assert cells[0] == "24 rows in 3 clusters after 1 event"
    assert EVIL in cells


def test_text_is_escaped_everywhere():
    text = html_table(EVIL, [(EVIL,)], titles=(EVIL,), note=EVIL)
    assert text.count("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;") == 4
    assert "<script" not in text


@pytest.fixture
def model():
    return lw.SequentialClustering(2, n_partitions=3, random_state=0)


ROWS = [[0.0], [1.0], [8.0], [9.0]]


def test_progress_true_tells_every_step_where_nobody_watches(model, capsys):
    with lw.run_options(progress=True):
        model.fit(ROWS)
    assert capsys.readouterr().err == "training partitions: 3 of 3\nlabelling rows: 4 of 4\n"
    model.fit(ROWS)
    assert capsys.readouterr().err == ""


def test_a_session_shows_how_far_it_is_too(tmp_path, capsys):
    options = {"n_partitions": 3, "progress": True}
    with Session.create(tmp_path / "s", np.arange(8.0)[:, None], 2, **options) as made:
        assert capsys.readouterr().err.startswith("training partitions: 3 of 3\n")
        made.layout("neighbours", progress=True)
    assert capsys.readouterr().err == "placing rows: 8 of 8\n"


def test_progress_false_silences_an_outer_block(model, capsys):
    with lw.run_options(progress=True), lw.run_options(progress=False):
        model.fit(ROWS)
    assert capsys.readouterr().err == ""


def test_a_terminal_has_a_bar(model, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with lw.run_options(progress=True):
        model.fit(ROWS)
    assert "labelling rows" in sys.stderr.getvalue()


def test_a_notebook_has_one_line_that_is_written_over(model, monkeypatch, capsys):
    monkeypatch.setattr(bars, "_in_notebook", lambda: True)
    with lw.run_options(progress=True):
        model.fit(ROWS)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.endswith("\n")
    assert "\rtraining partitions: ██████████░░░░░░░░░░░░░░░░░░░░ 1/3 " in said
    assert "\rlabelling rows: ██████████████████████████████ 4/4 " in said


def test_a_kernel_is_told_from_a_terminal(monkeypatch):
    class ZMQInteractiveShell:
        pass

    class Notebook:
        get_ipython = staticmethod(ZMQInteractiveShell)

    class Terminal:
        get_ipython = staticmethod(lambda: None)

    monkeypatch.setitem(sys.modules, "IPython", Notebook)
    assert bars._in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", Terminal)
    assert not bars._in_notebook()
