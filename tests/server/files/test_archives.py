"""An uploaded zip brings a table with its pictures, or pictures alone, and nothing else."""

import contextlib
import io
import stat
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from service_client import wait_for

from linkwise.errors import InvalidFile
from linkwise.server.files.archive import unpack
from linkwise.server.files.inspection import inspect_file


def picture(k):
    file = io.BytesIO()
    Image.new("RGB", (12 + k, 9), (200, 10 * k, 30) if k % 2 else (30, 10 * k, 200)).save(
        file, "PNG"
    )
    return file.getvalue()


def archive(*parts):
    """Return a zip file of names and contents; a content that is None makes a link."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, content in parts:
            part = zipfile.ZipInfo(name)
            if content is None:
                part.external_attr = (stat.S_IFLNK | 0o777) << 16
                content = b"/etc/passwd"
            packed.writestr(part, content)
    return file.getvalue()


PHOTOS = [(f"photos/{'b' if k % 2 else 'a'}/{k}.png", picture(k)) for k in range(8)]
TABLE = b"name,photo\n" + b"".join(b"n%d,a/%d.png\n" % (k, k) for k in range(0, 8, 2))


def upload(client, body):
    return client.post("/api/uploads", params={"name": "mine.zip"}, content=body)


def built(client, sent, columns=None):
    """Make a session of an upload; returns its address."""
    wanted = {"name": "x", "n_clusters": 2, "source": {"upload": sent["upload"]}}
    wanted["columns"] = columns
    over = wait_for(client, client.post("/api/sessions", json=wanted).json()["job"])
    assert over["error"] is None
    return f"/api/sessions/{over['result']['session']}"


def test_pictures_become_a_session_that_shows_them(client):
    sent = upload(
        client, archive(*PHOTOS, ("photos/.DS_Store", b""), ("__MACOSX/x.png", b""))
    ).json()
    assert (sent["kind"], sent["n_rows"]) == ("table", 8)
    assert sent["guess"] == {
        "id": "file",
        "features": ["file"],
        "text": None,
        "image": "file",
    }
    place = built(client, sent, sent["guess"])
    about = client.get(place).json()
    assert (about["grouped_by"], about["has_images"]) == ("file (picture)", True)
    (row,) = client.get(f"{place}/rows", params={"rows": "4"}).json()
    assert (row["id"], row["has_image"]) == ("b/1.png", True)
    assert client.get(f"{place}/rows/4/image").content == picture(1)


def test_a_table_comes_with_its_pictures(client):
    sent = upload(client, archive(*PHOTOS, ("photos/table.csv", TABLE))).json()
    assert [(column["name"], column["role"]) for column in sent["columns"]] == [
        ("name", "id"),
        ("photo", "picture"),
    ]
    place = built(client, sent)
    (row,) = client.get(f"{place}/rows", params={"rows": "1"}).json()
    assert row["id"] == "n2"
    assert client.get(f"{place}/rows/1/image").content == picture(2)


@pytest.mark.parametrize(
    "name", ["../evil.csv", "/evil.csv", "a/../../evil.csv", "..\\evil.csv", "C:/x.csv"]
)
def test_names_that_lead_elsewhere_are_refused_and_leave_nothing(client, root, tmp_path, name):
    before = sorted(tmp_path.rglob("*.csv"))
    refused = upload(client, archive(*PHOTOS, (name, b"a,b\n1,2\n")))
    assert refused.status_code == 422
    assert refused.json()["error"] == f"mine.zip holds a file that leads out of it, {name!r}."
    assert list((root / ".uploads").iterdir()) == []
    assert sorted(tmp_path.rglob("*.csv")) == before


def test_links_and_other_files_are_not_unpacked(tmp_path):
    parts = [*PHOTOS, ("photos/link.png", None), ("photos/run.sh", b"#!"), ("photos/a.exe", b"MZ")]
    (tmp_path / "t.zip").write_bytes(archive(*parts))
    assert unpack(tmp_path / "t.zip", tmp_path / "out", 10**6) == "photos"
    found = [path for path in (tmp_path / "out").rglob("*") if not path.is_dir()]
    assert sorted(path.name for path in found) == [f"{k}.png" for k in range(8)]
    assert not any(path.is_symlink() for path in found)


def test_what_unpacks_to_too_much_is_refused_whatever_it_says_of_its_size(tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("t.csv", b"a\n" + b"1\n" * 10**6)
    lying = file.getvalue().replace(
        (2 * 10**6 + 2).to_bytes(4, "little"), (99).to_bytes(4, "little")
    )
    for content in (file.getvalue(), lying):
        (tmp_path / "t.zip").write_bytes(content)
        with pytest.raises(InvalidFile) as caught:
            unpack(tmp_path / "t.zip", tmp_path / f"out{len(list(tmp_path.iterdir()))}", 1000)
        assert str(caught.value) in (
            "t.zip unpacks to more bytes than this service takes.",
            "t.zip is not a zip file linkwise can read.",
        )


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            [("a.csv", b"x"), ("b.csv", b"y")],
            "holds several tables, such as a.csv, b.csv. Send one of them.",
        ),
        ([("a.exe", b"x")], "holds neither a table nor pictures."),
        ([("a.csv", b"x"), ("a.csv", b"y")], "holds 'a.csv' twice."),
        ([("a.csv", b"x"), ("a.csv/b.csv", b"y")], "holds 'a.csv/b.csv' twice."),
        ([(f"{'x' * 300}.csv", b"y")], "holds a file whose name is too long."),
    ],
    ids=["several tables", "neither", "twice", "file and folder", "long name"],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_cannot_be_used_is_refused(tmp_path, parts, said):
    (tmp_path / "t.zip").write_bytes(archive(*parts))
    with pytest.raises(InvalidFile) as caught:
        unpack(tmp_path / "t.zip", tmp_path / "out", 10**6)
    assert str(caught.value) == f"t.zip {said}"


def test_what_is_no_archive_is_refused(client, root):
    refused = upload(client, b"PK\x03\x04 but nothing more")
    assert refused.json() == {"error": "mine.zip is not a zip file linkwise can read."}
    assert list((root / ".uploads").iterdir()) == []


def test_a_table_that_is_wrong_goes_by_its_own_name(client):
    refused = upload(client, archive(*PHOTOS, ("photos/table.csv", b"a,b\n1\n")))
    assert refused.json() == {"error": "table.csv line 2: 1 value for 2 columns."}


def test_a_workbook_that_unpacks_to_too_much_is_refused_unread(tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", b" " * 10**6)
    (tmp_path / "t.xlsx").write_bytes(file.getvalue())
    with pytest.raises(InvalidFile) as caught:
        inspect_file(tmp_path / "t.xlsx", {"unpacked": 10_000})
    assert str(caught.value) == "t.xlsx unpacks to more than the 10,000 bytes linkwise takes."


pieces = st.sampled_from(["..", ".", "", "a", "b.png", "t.csv", "C:", "\\", "/", "~", "x" * 300])


@settings(deadline=None, max_examples=50)
@given(st.lists(st.lists(pieces, min_size=1, max_size=5).map("/".join), min_size=1, max_size=6))
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_whatever_the_names_nothing_is_written_elsewhere(tmp_path_factory, names):
    home = tmp_path_factory.mktemp("home")
    (home / "t.zip").write_bytes(archive(*((name, b"x") for name in names if name)))
    with contextlib.suppress(InvalidFile):
        unpack(home / "t.zip", home / "out", 10**6)
    assert {path.name for path in home.iterdir()} <= {"t.zip", "out"}
    assert not any(path.is_symlink() for path in home.rglob("*"))
