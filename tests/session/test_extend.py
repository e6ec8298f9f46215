"""Rows join a living session: an event like any other, except that it stays."""

import shutil

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from linkwise import Links
from linkwise.errors import InvalidFile, InvalidInput
from linkwise.session import Columns, Entry, Session, describe
from linkwise.session.errors import DataChanged, InvalidEvent, KeyReused
from linkwise.session.state import margins

N = 60


def test_rows_that_join_get_the_labels_they_were_predicted(session, blobs):
    session.answer(0, 25, "different")
    new = blobs[[3, 24, 45]] + 0.01
    predicted, before = session.predict(new), session.labels()
    event = session.extend(new, who="ann")
    assert (event.kind, event.who, event.payload["n_rows"]) == ("extend", "ann", 3)
    assert session.n_rows == N + 3
    assert_array_equal(session.labels()[:N], before)
    assert_array_equal(session.labels()[N:], predicted)
    assert session.view(at=1).labels.shape == (N,)
    assert_array_equal(session.view(at=1).labels, before)


def test_new_rows_can_be_spoken_about_shown_and_placed(session, blobs):
    session.extend(blobs[:2])
    session.answer(0, N, "same")
    session.label([N + 1], "x")
    assert session.labels()[0] == session.labels()[N]
    shown = session.rows([N + 1, 3])
    assert [(row.row, row.id) for row in shown] == [(N + 1, N + 1), (3, 3)]
    assert shown[0].fields["0"] == pytest.approx(blobs[1, 0])
    places = session.layout()
    assert places.shape == (N + 2, 2)
    assert np.abs(places).max() <= 1
    assert len(session.query(3)) == 3
    assert session.model.links_.n_samples == N + 2
    with pytest.raises(InvalidInput, match="outside the 62 rows"):
        session.answer(0, N + 2, "same")


def test_a_restart_gives_the_same_bytes_with_and_without_a_checkpoint(session, blobs):
    session.answer(0, 25, "different")
    session.extend(blobs[:5] + 0.1)
    session.split(0)
    session.extend(blobs[40:43] + 0.1)
    session.merge([1, 2])
    session.answer(N, N + 6, "different")
    views = {at: session.view(at) for at in range(7)}
    session.close()
    for checkpoint in (True, False):
        if not checkpoint:
            (session.folder / "checkpoint").unlink()
        with Session.open(session.folder) as again:
            assert again.n_rows == N + 8
            for at, view in views.items():
                assert again.view(at).labels.tobytes() == view.labels.tobytes()
                assert again.view(at).margins.tobytes() == view.margins.tobytes()


def test_changes_tell_of_rows_that_joined(session, blobs):
    before = session.view()
    session.extend(blobs[:2])
    rows, labels = session.delta(0)
    assert rows.tolist() == [N, N + 1]
    assert_array_equal(labels, session.labels()[N:])
    view = session.view()
    assert (before.moved, view.moved) == (0, 2)
    assert sum(cluster.moved_in for cluster in view.clusters) == 2


def test_rows_that_lack_a_column_are_told_which_they_have(tmp_path):
    notes = pd.DataFrame({"note": ["late parcel", "lost key", "lost parcel", "late key"] * 6})
    columns = Columns(features=("note",), roles={"note": "text"})
    session = Session.create(tmp_path / "s", notes, n_clusters=2, columns=columns)
    with session, pytest.raises(InvalidInput) as caught:
        session.extend(pd.DataFrame({"text": ["late", "lost"], "day": [1, 2]}))
    assert str(caught.value) == (
        'the rows have no column "note", by which the session groups. They have text, day.'
    )


def test_rows_that_joined_stay(session, blobs):
    event = session.extend(blobs[:2])
    with pytest.raises(InvalidEvent) as caught:
        session.undo(event.seq)
    assert str(caught.value) == (
        "undo: with event 1 rows joined, and what was said since may be about them. Rows that "
        "joined stay."
    )
    assert session.seq == 1


def test_the_same_key_lets_rows_join_once(session, blobs):
    first = session.extend(blobs[:2], key="k")
    again = session.extend(blobs[:2], key="k")
    assert (again.seq, again.repeated, session.n_rows) == (first.seq, True, N + 2)
    assert len(session.labels()) == N + 2
    session.extend(blobs[:3])
    assert len(session.labels()) == N + 5
    assert [row.id for row in session.rows([N + 4])] == [N + 4]


def test_rows_join_by_extend_only(session):
    for said in ({"data": "0" * 64}, {"data": "x", "file": "../x", "n_rows": 3}):
        with pytest.raises(InvalidEvent, match=r"no such rows wait to join|has no field"):
            session.append([Entry("extend", said)])
    assert session.seq == 0


def test_a_file_of_joined_rows_that_changed_is_noticed(session, blobs):
    session.extend(blobs[:2])
    session.close()
    path = next(session.folder.glob("added-*"))
    kept = path.read_bytes()
    path.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
    with pytest.raises(DataChanged, match="2 rows that joined the session"):
        Session.open(session.folder)
    path.write_bytes(kept)
    Session.open(session.folder).close()


def test_what_does_not_fit_leaves_nothing_behind(session):
    before = sorted(path.name for path in session.folder.iterdir())
    with pytest.raises(InvalidInput, match="the rows have 3 columns, the session is about 8"):
        session.extend(np.zeros((2, 3)))
    with pytest.raises(InvalidInput):
        session.extend(np.full((2, 8), np.nan))
    assert sorted(path.name for path in session.folder.iterdir()) == before
    assert session.seq == 0


@pytest.fixture
def named(tmp_path):
    """Return an open session of six people who have names and heights, and its folder."""
    lines = [
        f"{name},{height}" for name, height in zip("abcdef", (1, 2, 3, 11, 12, 13), strict=True)
    ]
    (tmp_path / "people.csv").write_text("name,height\n" + "\n".join(lines) + "\n")
    columns = Columns(id="name")
    with Session.create(
        tmp_path / "s", tmp_path / "people.csv", 2, columns=columns, n_partitions=10
    ) as session:
        yield session


def test_newcomers_have_ids_and_are_scaled_as_the_others(named, tmp_path):
    path = tmp_path / "more.csv"
    path.write_text("name,height\ng,2.5\nh,12.5\n")
    named.extend(path)
    path.unlink()
    labels = named.labels()
    assert (labels[6], labels[7]) == (labels[1], labels[4])
    assert named.answer("a", "h", "different").payload["j"] == 7
    named.close()
    with Session.open(named.folder) as again:
        assert again.row_of("g") == 6
        assert again.ids == list("abcdefgh")
        assert again.rows(["h"])[0].fields["height"] == "12.5"


def test_labels_from_before_are_exported_without_those_who_joined(named, tmp_path):
    before = len(named.labels())
    named.export(tmp_path / "before.csv")
    (tmp_path / "more.csv").write_text("name,height\ng,2.5\n")
    named.extend(tmp_path / "more.csv")
    named.export(tmp_path / "then.csv", at=0)
    named.export(tmp_path / "parts", at=0)
    assert (tmp_path / "then.csv").read_bytes() == (tmp_path / "before.csv").read_bytes()
    assert len((tmp_path / "then.csv").read_text().splitlines()) == before + 1
    assert [part.name for part in (tmp_path / "parts").iterdir()] == [f"labels-{0:014}.parquet"]
    with pytest.raises(InvalidInput, match="at is for labels; answers are exported as they stand"):
        named.export(tmp_path / "answers.csv", "answers", at=0)


@pytest.mark.parametrize(
    ("heights", "complaint"),
    [
        (["tall"], 'the data frame, row 0: column "height" is "tall", which is no number.'),
        ([2.5, None], 'the data frame, row 1: column "height" has no value. Fill it in, or remove '
                      'the row.'),
        (["2026-01-01", "2.5"], 'the data frame, row 0: column "height" is "2026-01-01", which is '
                                'no number.'),
        (pd.to_datetime(["2026-01-01"]), 'the data frame, column "height" holds no numbers.'),
    ],
    ids=["text", "gap", "date as text", "date"],
)  # fmt: skip
def test_newcomers_of_a_session_of_numbers_are_numbers(named, heights, complaint):
    frame = pd.DataFrame({"name": [f"g{k}" for k in range(len(heights))], "height": heights})
    for call in (named.predict, named.extend):
        with pytest.raises(InvalidFile) as refused:
            call(frame)
        assert str(refused.value) == complaint
    assert named.n_rows == 6


def test_numbers_of_newcomers_may_be_written_as_text(named):
    written, plain = (pd.DataFrame({"height": h}) for h in (["2.5", " 12.5 "], [2.5, 12.5]))
    assert_array_equal(named.predict(written), named.predict(plain))
    assert len(set(named.predict(plain))) == 2
    counting = named.predict(pd.DataFrame({"height": [1, 2, 3]}))  # looks like an id, but is none
    assert_array_equal(counting, named.labels()[:3])


def test_an_id_that_is_there_already_is_refused(named, tmp_path):
    path = tmp_path / "more.csv"
    path.write_text("name,height\na,2.5\n")
    with pytest.raises(InvalidInput, match="a row called 'a' is part of the session already"):
        named.extend(path)
    with pytest.raises(InvalidInput, match="have the column name: give a table"):
        named.extend([[1.0]])
    assert named.n_rows == 6


def test_the_same_key_lets_rows_with_ids_join_once(named, tmp_path):
    path = tmp_path / "more.csv"
    path.write_text("name,height\ng,2.5\n")
    first = named.extend(path, key="k")
    again = named.extend(path, key="k")
    assert (again.seq, again.repeated, named.n_rows) == (first.seq, True, 7)
    assert (named.ids, len(named.labels())) == (list("abcdefg"), 7)
    path.write_text("name,height\nh,12.5\n")
    with pytest.raises(KeyReused):
        named.extend(path, key="k")
    assert named.extend(path).payload["n_rows"] == 1
    assert (named.ids, len(named.labels())) == (list("abcdefgh"), 8)


def test_a_model_of_the_first_rows_is_the_one_before_others_joined(blobs):
    from linkwise import SequentialClustering

    model = SequentialClustering(3, n_partitions=10, random_state=0).fit(blobs)
    model.update(Links(N, must=[(0, 30)]))
    before = model.labels_
    larger = model.twin().extend(blobs[:4])
    larger.update(Links(N + 4, must=[(0, N + 1)]))
    assert_array_equal(larger.of_first(N).labels_, before)
    assert len(larger.labels_) == N + 4
    with pytest.raises(InvalidInput, match="there are 64 rows, so there are no first 65"):
        larger.of_first(65)


def test_what_is_on_the_disk_at_the_acknowledgement_is_enough(session, blobs, tmp_path):
    session.extend(blobs[:2])
    assert describe(session.folder).n_rows == N + 2
    shutil.copytree(session.folder, tmp_path / "copy")  # as if the process had ended here
    (tmp_path / "copy" / ".added-left-over").mkdir()
    with Session.open(tmp_path / "copy") as copy:
        assert_array_equal(copy.labels(), session.labels())
        assert not list(copy.folder.glob(".added-*"))


def test_after_more_splits_than_are_kept_rows_are_still_predicted(session, blobs, monkeypatch):
    for cluster in range(4):
        session.split(cluster)
    kept, labels = session.predict(blobs), session.labels().copy()
    session.close()
    (session.folder / "checkpoint").unlink()
    monkeypatch.setattr(margins, "MOST_BYTES", 2)
    with Session.open(session.folder) as again:
        assert_array_equal(again.predict(blobs), kept)
        assert_array_equal(again.labels(), labels)
        again.extend(blobs[:2])
        assert_array_equal(again.labels()[:N], labels)
        assert_array_equal(again.labels()[N:], kept[:2])
