"""The widget as its page sees it: what it is told when it opens, and what its messages do."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits

import linkwise as lw
from linkwise.errors import InvalidInput, MissingExtra
from linkwise.notebook import speaking
from linkwise.session import Columns, Session

comm = pytest.importorskip("comm", reason='needs anywidget: pip install "linkwise[notebook]"')
pytest.importorskip("anywidget", reason='needs anywidget: pip install "linkwise[notebook]"')

from comm.base_comm import BaseComm  # noqa: E402

from linkwise.notebook.cell import PAGE  # noqa: E402

pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="the widget's page is not built: python web/build.py --fetch"
)

CENTRES = np.repeat([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 20, axis=0)
X = CENTRES + np.random.default_rng(0).normal(size=CENTRES.shape)
TRUTH = np.repeat([0, 1, 2], 20)


class Wire(BaseComm):
    """A comm whose other end is the test."""

    sent = ()

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):  # noqa: ARG002
        """Keep what the page would get; it must be JSON and bytes."""
        json.dumps(data)
        self.sent = [*self.sent, (msg_type, data, buffers)]


@pytest.fixture(autouse=True)
def wires(monkeypatch):
    monkeypatch.setattr(comm, "create_comm", Wire)


@pytest.fixture
def model():
    return lw.SequentialClustering(3, n_partitions=12, random_state=0).fit(X)


@pytest.fixture
def session(tmp_path):
    with Session.create(tmp_path / "s", X, 3, n_partitions=12) as made:
        yield made


def tell(widget, **content):
    """Say something as the page does; returns the traits that it is told then."""
    wire = widget.comm
    before = len(wire.sent)
    wire.handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})
    told = {}
    for _, data, buffers in wire.sent[before:]:
        if data["method"] == "update":
            told |= data["state"]
            told |= {path[0]: buffers[k] for k, path in enumerate(data.get("buffer_paths", []))}
        elif data["method"] == "custom":
            told["said"] = data["content"]
    return told


def opened(widget):
    """Return all that the page gets when it opens."""
    kind, data, buffers = widget.comm.sent[0]
    assert kind == "comm_open"
    return data["state"] | {path[0]: buffers[k] for k, path in enumerate(data["buffer_paths"])}


def answer(widget, verdict):
    return tell(widget, kind="answer", question=widget.question["number"], verdict=verdict)


def test_the_page_gets_places_colours_clusters_and_a_question(model):
    widget = lw.widget(model, X)
    state = opened(widget)
    places = np.frombuffer(state["places"], "<f4").reshape(-1, 2)
    assert places.shape == (60, 2)
    assert np.abs(places).max() <= 1
    assert np.frombuffer(state["colours"], np.uint8).tolist() == model.labels_.tolist()
    assert [c["size"] for c in state["clusters"]] == np.bincount(model.labels_).tolist()
    assert [c["name"] for c in state["clusters"]] == ["cluster 0", "cluster 1", "cluster 2"]
    a, b = state["question"]["rows"]
    assert (a["row"], b["row"]) == widget.pair
    assert a["fields"] == {"0": X[a["row"], 0], "1": X[a["row"], 1]}
    assert state["_esm"] == PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("verdict", ["same", "different"])
def test_an_answer_reaches_the_model_and_recolours_the_map(model, verdict):
    widget = lw.widget(model)
    i, j = widget.pair
    told = answer(widget, verdict)
    assert widget.model is model
    expected = lw.Links(60, **{"must" if verdict == "same" else "cannot": [(i, j)]})
    assert widget.links == expected == model.links_
    assert (model.labels_[i] == model.labels_[j]) == (verdict == "same")
    assert np.frombuffer(widget.colours, np.uint8).tolist() == widget.labels.tolist()
    assert told["n_answers"] == 1
    assert told["n_dealt_with"] == 1
    assert told["question"]["number"] == 2
    assert widget.pair != (i, j)


def test_undo_is_as_if_nothing_had_been_said(model):
    widget = lw.widget(model)
    pair, before = widget.pair, widget.labels
    answer(widget, "same")
    told = tell(widget, kind="undo")
    assert told["n_answers"] == 0
    assert widget.pair == pair
    assert widget.links.n_links == 0
    assert widget.labels.tolist() == before.tolist()
    assert tell(widget, kind="undo")["notice"] == "there is no answer to take back."


def test_a_pair_that_nobody_can_tell_is_not_asked_about_until_that_is_undone(model):
    widget = lw.widget(model)
    first = widget.pair
    asked = [first]
    for _ in range(3):
        answer(widget, "unsure")
        assert widget.pair not in asked
        asked.append(widget.pair)
    assert widget.links.n_links == 0
    for _ in range(3):
        tell(widget, kind="undo")
    assert widget.pair == first


def test_a_second_click_on_the_same_question_says_nothing(model):
    widget = lw.widget(model)
    answer(widget, "same")
    told = tell(widget, kind="answer", question=1, verdict="different")
    assert widget.links.n_links == 1
    assert told == {"n_dealt_with": 2}


def test_answers_by_truth_make_the_clustering_right(model):
    widget = lw.widget(model)
    for _ in range(15):
        if widget.pair is not None:
            i, j = widget.pair
            answer(widget, "same" if TRUTH[i] == TRUTH[j] else "different")
    assert lw.scores.nmi(TRUTH, widget.labels) > 0.95


def test_a_contradiction_is_told_and_can_be_undone(model, monkeypatch):
    model.update(lw.Links(60, must=[(0, 1), (1, 2)]))
    monkeypatch.setattr(speaking.ModelPartner, "ask", lambda _: speaking.Asked(0, 2))
    widget = lw.widget(model)
    assert "0-1, 1-2" in answer(widget, "different")["notice"]
    assert tell(widget, kind="undo")["notice"] == ""


def test_what_the_page_cannot_say_is_a_sentence(model):
    widget = lw.widget(model)
    told = tell(widget, kind="answer", question=1, verdict="perhaps")
    assert told["notice"] == "verdict is 'perhaps', expected one of same, different, unsure."
    for row in (-1, 60, None, "7"):
        assert "outside the 60 rows" in tell(widget, kind="look", row=row)["notice"]
    assert widget.links.n_links == 0


def test_better_places_come_later_and_only_once(model):
    widget = lw.widget(model)
    before = widget.places
    tell(widget, kind="improve")
    tell(widget, kind="improve")
    widget._improving.join()
    assert len(widget.places) == len(before)
    assert widget.places != before
    assert sum("places" in str(data.get("buffer_paths")) for _, data, _ in widget.comm.sent) == 2


def test_a_session_records_what_the_widget_hears(session):
    widget = lw.widget(session)
    i, j = widget.pair
    answer(widget, "different")
    answer(widget, "unsure")
    assert [(e.kind, e.payload.get("verdict")) for e in session.history()] == [
        ("answer", "different"),
        ("answer", "unsure"),
    ]
    assert widget.links == lw.Links(60, cannot=[(i, j)])
    assert widget.labels.tolist() == session.labels().tolist()
    tell(widget, kind="undo")
    tell(widget, kind="undo")
    assert widget.links.n_links == 0
    assert [e.kind for e in session.history()][2:] == ["undo", "undo"]


def test_refresh_shows_what_was_heard_elsewhere(session):
    widget = lw.widget(session)
    session.rename(0, "the first")
    assert widget.clusters[0]["name"] == "cluster 0"
    widget.refresh()
    assert widget.clusters[0]["name"] == "the first"


def test_rows_that_belong_nowhere_have_no_label(session):
    session.nowhere([5])
    widget = lw.widget(session)
    assert widget.labels[5] == -1
    assert widget.colours[5] == 255
    assert widget.clusters[-1]["number"] == 255


def test_pictures_of_a_session_come_with_the_rows(tmp_path):
    digits = load_digits().data[:60]
    shape = Columns(image_shape=(8, 8))
    with Session.create(tmp_path / "d", digits, 3, columns=shape, n_partitions=5) as session:
        widget = lw.widget(session)
        said = tell(widget, kind="look", row=7)["said"]
    assert said["row"]["row"] == 7
    assert said["row"]["picture"].startswith("data:image/png;base64,")


@pytest.mark.parametrize("kind", ["frame", "texts", "pictures", "coloured", "column", "nothing"])
def test_rows_are_seen_as_they_were_given(model, kind):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"name": [f"r{k}" for k in range(60)], "size": [np.nan, *range(59)]})
    data = {
        "frame": frame,
        "texts": [f"text {k}" for k in range(60)],
        "pictures": np.arange(60 * 4 * 5, dtype=float).reshape(60, 4, 5),
        "coloured": np.zeros((60, 4, 5, 3), dtype=np.uint8),
        "column": frame["name"],
        "nothing": None,
    }[kind]
    widget = lw.widget(model, data, ids=[f"id-{k}" for k in range(60)])
    row = tell(widget, kind="look", row=0)["said"]["row"]
    assert row["id"] == "id-0"
    assert row["fields"] == ({"name": "r0", "size": None} if kind == "frame" else {})
    assert row["text"] == {"texts": "text 0", "column": "r0"}.get(kind)
    assert (row["picture"] is not None) == (kind in ("pictures", "coloured"))


@pytest.mark.parametrize(
    ("data", "ids", "sentence"),
    [
        (X[:5], None, "data has 5 rows, the model has 60"),
        (np.zeros((60, 2, 2, 2)), None, "Pictures are"),
        ("a file", None, "got str"),
        (None, ["a"], "ids must be one per row"),
    ],
)
def test_data_that_do_not_fit_are_refused(model, data, ids, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        lw.widget(model, data, ids=ids)


def test_what_cannot_hear_answers_is_refused(session):
    with pytest.raises(InvalidInput, match="expected a fitted SequentialClustering or a Session"):
        lw.widget(lw.PCKMeans(3).fit(X))
    with pytest.raises(InvalidInput, match="knows its rows"):
        lw.widget(session, X)


def test_too_many_rows_are_sent_to_the_studio(model, monkeypatch):
    monkeypatch.setattr(speaking, "MOST_ROWS", 50)
    with pytest.raises(InvalidInput, match="up to 50 rows, there are 60"):
        lw.widget(model)


def test_a_session_whose_map_lacks_rows_is_sent_to_the_studio(session, monkeypatch):
    monkeypatch.setattr(Session, "on_map", np.arange(5))
    with pytest.raises(InvalidInput, match="only some of its rows"):
        lw.widget(session)


def test_the_answer_of_a_question_that_is_not_there_is_refused(model, monkeypatch):
    monkeypatch.setattr(speaking.ModelPartner, "ask", lambda _: None)
    widget = lw.widget(model)
    assert widget.pair is None
    assert widget.question is None
    with pytest.raises(InvalidInput, match="nothing is worth asking"):
        widget.answer("same")


def test_the_missing_extra_is_a_sentence(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "linkwise.notebook.cell")
    with pytest.raises(MissingExtra, match=r'needs anywidget: pip install "linkwise\[notebook\]"'):
        lw.widget(model)


def test_the_page_loads_nothing_from_anywhere():
    text = PAGE.read_text(encoding="utf-8")
    assert "import(" not in text
    assert not [line for line in text.splitlines() if line.startswith("import ")]
    addresses = {part.split('"')[0].split("`")[0] for part in text.split("https://")[1:]}
    assert all(part.startswith("svelte.dev/e/") for part in addresses), addresses


def test_importing_linkwise_does_not_import_anywidget():
    code = "import linkwise as lw, sys; lw.widget; assert 'anywidget' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
