"""Sessions of what people bring: texts, pictures, tables with gaps."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from linkwise.errors import InvalidInput
from linkwise.session import Columns, Session
from linkwise.session.errors import SessionError

WORDS = [
    ["parcel", "late", "damaged", "courier", "address", "lost"],
    ["password", "login", "account", "locked", "reset", "phone"],
]


def texts(n):
    return [" ".join(np.random.default_rng(k).permutation(WORDS[k % 2])[:4]) for k in range(n)]


@pytest.fixture
def tickets():
    """Forty tickets with gaps; there is nothing at all in row 5."""
    channel = [("mail", "chat", None)[k % 3] for k in range(40)]
    frame = pd.DataFrame({"nr": np.arange(40) * 3, "message": texts(40), "channel": channel})
    frame.loc[5, ["message", "channel"]] = None
    return frame


@pytest.mark.parametrize("shown", ["text", "image"])
def test_a_column_to_show_that_is_not_there_is_refused(tickets, tmp_path, shown):
    with pytest.raises(InvalidInput) as refused:
        Session.create(tmp_path / "s", tickets, 2, columns=Columns(**{shown: "mesage"}))
    assert str(refused.value) == (
        'the data frame has no column "mesage". Did you mean "message"? It has nr, message, '
        "channel."
    )
    assert list(tmp_path.iterdir()) == []


def test_a_frame_is_grouped_by_what_is_in_it_and_shows_its_text(tickets, tmp_path):
    with Session.create(tmp_path / "s", tickets, 2, n_partitions=20) as session:
        assert session.grouped_by == "channel (category) and message (text)"
        assert session.left_out == {"nr": "its name says so, and no two rows share a value"}
        assert session.unusable == [5]
        assert session.notes == [
            "There is no value of channel in 12 rows; such rows are grouped by the others."
        ]
        assert session.has_text
        assert session.rows([3])[0].text == tickets["message"][3]
        labels = session.labels()
        assert len(set(labels[0:4:2])) == 1
        assert labels.shape == (40,)


def test_rows_that_cannot_be_used_are_nowhere_until_somebody_speaks_of_them(tickets, tmp_path):
    with Session.create(tmp_path / "s", tickets, 2, n_partitions=20) as session:
        assert np.flatnonzero(session.labels() == session.view().nowhere).tolist() == [5]
        assert {5} not in [{q.i, q.j} & {5} for q in session.query(10)]
        session.export(tmp_path / "labels.csv")
        exported = pd.read_csv(tmp_path / "labels.csv")
        assert exported[exported["cluster"] == -1].index.tolist() == [5]
        assert exported["name"][5] == "nowhere"
        event = session.answer(5, 0, "same")
        assert session.view().nowhere is None
        assert session.labels()[5] == session.labels()[0]
        session.undo(event.seq)
        last = session.labels()
    with Session.open(tmp_path / "s") as session:
        assert session.view(1).nowhere is None
        assert session.view(2).labels.tobytes() == last.tobytes()
        assert session.labels()[5] == session.view().nowhere


def test_many_rows_that_cannot_be_used_are_no_cluster_of_their_own(tmp_path):
    messages = [None if k % 4 > 1 else text for k, text in enumerate(texts(80))]
    frame = pd.DataFrame({"message": messages})
    for n_clusters in (2, "auto"):
        made = tmp_path / str(n_clusters)
        with Session.create(made, frame, n_clusters, n_partitions=20) as session:
            labels = session.labels()
            assert session.unusable == [k for k in range(80) if k % 4 > 1]
            assert [cluster.size for cluster in session.view().clusters] == [20, 20, 40]
            assert len({*labels[::4].tolist()}) == len({*labels[1::4].tolist()}) == 1


def test_more_clusters_than_rows_that_can_be_used_are_refused(tmp_path):
    frame = pd.DataFrame({"message": ["parcel lost", "my password", "parcel late", None, None]})
    with pytest.raises(InvalidInput) as refused:
        Session.create(tmp_path / "s", frame, 4, columns=Columns(roles={"message": "text"}))
    assert str(refused.value) == "3 rows cannot make 4 clusters. Ask for fewer clusters."


def test_what_made_the_rows_is_kept_and_makes_new_ones(tickets, tmp_path):
    with Session.create(tmp_path / "s", tickets, 2, n_partitions=5) as session:
        made = session.features.transform(tickets)
        places = session.layout("pca").copy()
    with Session.open(tmp_path / "s") as session:
        assert np.array_equal(session.features.transform(tickets), made)
        assert session.features.transform(tickets[:3]).shape == (3, made.shape[1])
    (tmp_path / "s" / "layout-pca.npy").unlink()
    with Session.open(tmp_path / "s") as session:
        assert np.allclose(session.layout("pca"), places, atol=1e-5)
    assert [path.suffix for path in (tmp_path / "s" / "features").iterdir()].count(".json") == 1


@pytest.mark.parametrize(
    "text", ["", '{"header": {}, "arrays"', "[]", "[" * 100_000, '{"header": 1}']
)
def test_what_made_the_rows_is_told_to_be_damaged(tickets, tmp_path, text):
    Session.create(tmp_path / "s", tickets, 2, n_partitions=5).close()
    (tmp_path / "s" / "features" / "features.json").write_text(text)
    with Session.open(tmp_path / "s") as session:
        with pytest.raises(SessionError, match=r"features\.json is damaged"):
            session.predict(tickets[:3])
        session.answer(0, 1, "same")  # all else goes on
        assert len(session.labels()) == len(tickets)


def test_plain_numbers_need_nothing_to_be_kept(tmp_path):
    with Session.create(tmp_path / "s", np.eye(6), 2, n_partitions=5) as session:
        assert session.features is None
        assert session.grouped_by == "6 numbers"
        assert session.left_out == {}
        assert session.unusable == []


def test_a_session_made_by_an_older_linkwise_says_what_it_is_grouped_by(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,5\n2,7\n9,1\n")
    Session.create(tmp_path / "s", tmp_path / "t.csv", 2, n_partitions=5).close()
    told = json.loads((tmp_path / "s" / "session.json").read_text())
    for new in ("roles", "grouped_by", "unusable", "notes", "follows", "pictures"):
        del told[new]
    for new in ("roles", "encoding"):
        del told["columns"][new]
    (tmp_path / "s" / "session.json").write_text(json.dumps(told))
    (tmp_path / "s" / "layout-pca.npy").unlink()
    with Session.open(tmp_path / "s") as session:
        assert session.grouped_by == "a and b (numbers)"
        assert session.layout("pca").shape == (3, 2)


def test_roles_and_encoding_are_told_and_kept(tmp_path):
    lines = "".join(f"{k % 3:02d};Größe {k % 4};{k},5\n" for k in range(12))
    (tmp_path / "t.csv").write_bytes(f"zip;Maß;n\n{lines}".encode("cp437"))
    columns = Columns(features=("zip", "Maß"), roles={"zip": "category"}, encoding="cp437")
    with Session.create(tmp_path / "s", tmp_path / "t.csv", 2, columns=columns, n_partitions=5):
        pass
    with Session.open(tmp_path / "s") as session:
        assert session.grouped_by == "zip and Maß (categories)"
        assert session.rows([1])[0].fields == {"zip": "01", "Maß": "Größe 1", "n": "1,5"}


def test_lines_of_text_are_rows(tmp_path):
    (tmp_path / "t.txt").write_text("\n".join(texts(20)))
    with Session.create(tmp_path / "s", tmp_path / "t.txt", 2, n_partitions=5) as session:
        assert session.grouped_by == "line (text)"
        assert session.rows([4])[0].text == texts(20)[4]


@pytest.fixture
def photos(tmp_path):
    folder = tmp_path / "photos"
    (folder / "more").mkdir(parents=True)
    for k in range(10):
        colour = (200, 9 * k, 20) if k % 2 else (20, 9 * k, 200)
        Image.new("RGB", (20 + k, 16), colour).save(
            folder / ("more" if k % 2 else ".") / f"{k}.png"
        )
    return folder


def test_a_folder_of_pictures_is_a_session_that_shows_them(photos, tmp_path):
    with Session.create(tmp_path / "s", photos, 2, n_partitions=10) as session:
        assert session.grouped_by == "file (picture)"
        assert session.ids[:2] == ["0.png", "2.png"]
        assert session.has_images
        assert session.image(5) == ((photos / "more" / "1.png").read_bytes(), "image/png")
        labels = session.labels().tolist()
        assert len(set(labels[:5])) == len(set(labels[5:])) == 1
    (tmp_path / "s" / "layout-pca.npy").unlink()
    with Session.open(tmp_path / "s") as session:
        assert session.row_of("more/9.png") == 9
        assert session.layout("pca").shape == (10, 2)
    shutil.rmtree(photos)
    with Session.open(tmp_path / "s") as session:
        assert len(session.labels()) == 10  # the answers and the labels are still there


def test_pictures_outside_the_folder_are_not_looked_at(photos, tmp_path):
    rows = "".join(f"{k}.png,{k * k}\n" for k in range(0, 10, 2))
    (photos / "t.csv").write_text(f"photo,n\n{rows}../photos2/x.png,7\n/etc/hostname.png,8\n")
    (tmp_path / "photos2").mkdir()
    Image.new("RGB", (9, 9)).save(tmp_path / "photos2" / "x.png")
    columns = Columns(features=("photo",))
    with Session.create(tmp_path / "s", photos / "t.csv", 2, columns=columns) as session:
        assert session.unusable == [5, 6]
        assert session.notes == [
            '"photo": 2 pictures cannot be read and count as missing: ../photos2/x.png, '
            "/etc/hostname.png."
        ]


def test_standardising_what_is_balanced_already_is_refused(tickets, tmp_path):
    with pytest.raises(InvalidInput) as caught:
        Session.create(tmp_path / "s", tickets, 2, standardise=True)
    assert str(caught.value) == (
        "the rows are grouped by more than plain numbers, and their parts are balanced already. "
        "Leave standardise out."
    )
    assert not (tmp_path / "s").exists()


def test_rows_that_join_and_cannot_be_used_are_nowhere_too(tickets, tmp_path):
    new = tickets.iloc[[0, 5, 1]].assign(nr=[200, 203, 206])
    with Session.create(tmp_path / "s", tickets, 2, n_partitions=20) as session:
        largest = np.iinfo(session.labels().dtype).max
        assert (session.predict(new) == largest).tolist() == [False, True, False]
        session.extend(new)
        session.extend(new.iloc[1:2].assign(nr=[209]))
        assert session.unusable == [5, 41, 43]
        assert np.flatnonzero(session.labels() == session.view().nowhere).tolist() == [5, 41, 43]
        assert np.flatnonzero(session.view(at=1).labels == largest).tolist() == [5, 41]
        session.answer(41, 0, "same")
        assert session.labels()[41] == session.labels()[0]
        last = session.labels()
    with Session.open(tmp_path / "s") as session:
        assert session.unusable == [5, 41, 43]
        assert (session.labels() == last).all()


def test_broken_pictures_that_join_are_nowhere_and_named(photos, tmp_path):
    rows = "".join(f"{k}.png\n" for k in range(0, 10, 2))
    (photos / "t.csv").write_text(f"photo\n{rows}")
    cut = (photos / "0.png").read_bytes()[:40]
    (photos / "cut.png").write_bytes(cut)
    Image.new("RGB", (9, 9), (200, 30, 20)).save(photos / "new.png")
    new = pd.DataFrame({"photo": ["new.png", "cut.png", "gone.png", "../../etc/hostname.png"]})
    columns = Columns(features=("photo",))
    with Session.create(tmp_path / "s", photos / "t.csv", 2, columns=columns) as session:
        largest = np.iinfo(session.labels().dtype).max
        assert (session.predict(new) == largest).tolist() == [False, True, True, True]
        event = session.extend(new)
        assert event.payload["unusable"] == [1, 2, 3]
        assert session.unusable == [6, 7, 8]
        assert np.flatnonzero(session.labels() == largest).tolist() == [6, 7, 8]
        last = session.labels()
    with Session.open(tmp_path / "s") as session:
        assert (session.labels() == last).all()


@pytest.fixture
def later(tmp_path):
    """A folder of other pictures, of which one has the name of another one, and a list of them."""
    folder = tmp_path / "later"
    folder.mkdir()
    for name, colour in (("0.png", (200, 40, 20)), ("new.png", (20, 40, 200))):
        Image.new("RGB", (20, 16), colour).save(folder / name)
    (folder / "t.csv").write_text("file\n0.png\nnew.png\n")
    return folder


@pytest.mark.parametrize("name", [".", "t.csv"])
def test_pictures_elsewhere_are_predicted_and_cannot_join(photos, tmp_path, later, name):
    with Session.create(tmp_path / "s", photos, 2, n_partitions=10) as session:
        blue, red = session.labels()[[0, 5]]  # 0.png is blue there
        assert session.predict(later / name).tolist() == [red, blue]
        with pytest.raises(InvalidInput) as caught:
            session.extend(later / name)
        assert str(caught.value) == (
            "this session looks for pictures where those of its first rows are, also for those "
            "that join, and these lie elsewhere. Put them there first, and name them as seen from "
            "there."
        )
        assert session.n_rows == 10


def test_a_folder_within_that_of_the_session_joins_by_its_names_there(photos, tmp_path, later):
    with Session.create(tmp_path / "s", photos, 2, n_partitions=10) as session:
        shutil.move(later, photos / "later")
        session.extend(photos / "later")
        blue, red = session.labels()[[0, 5]]
        assert session.ids[10:] == ["later/0.png", "later/new.png"]
        assert session.labels()[10:].tolist() == [red, blue]
        assert session.image(10)[0] == (photos / "later" / "0.png").read_bytes()
        last = session.labels()
    with Session.open(tmp_path / "s") as session:
        assert (session.labels() == last).all()


def test_an_array_cannot_stand_for_named_columns(tickets, tmp_path):
    sentence = (
        "the columns of an array have no names, and the session groups by channel (category) and "
        "message (text): give a data frame or a table that has them."
    )
    with Session.create(tmp_path / "s", tickets, 2, n_partitions=5) as session:
        for call in (session.predict, session.prepare):
            with pytest.raises(InvalidInput) as refused:
                call([[1.0, 2.0]])
            assert str(refused.value) == sentence
