"""A folder of pictures is a table."""

from pathlib import Path

import pytest
from PIL import Image

from linkwise.errors import InvalidFile
from linkwise.tables import Choice, read_frame, read_row_names, read_table
from linkwise.tables.picture_folder import picture_names


def test_pictures_are_found_by_their_endings_in_the_order_of_their_names(tmp_path):
    for name in ("b.PNG", "a/c.jpg", "a/notes.txt", ".hidden.png", ".git/d.png", "z.webp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert picture_names(tmp_path) == ["a/c.jpg", "b.PNG", "z.webp"]
    frame = read_frame(tmp_path)
    assert (frame.names, frame.n_rows) == (["file"], 3)
    assert read_row_names(tmp_path) == (3, ["a/c.jpg", "b.PNG", "z.webp"])


def test_a_folder_that_is_not_there_is_told_by_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_frame(tmp_path / "photos")


def test_a_folder_without_pictures_is_refused(tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "table.csv").touch()
    with pytest.raises(InvalidFile) as caught:
        read_frame(tmp_path / "photos")
    assert str(caught.value) == (
        "photos is a folder without pictures: no file in it ends in .png, .jpg, .jpeg, .gif, .bmp, "
        ".webp, .tif or .tiff."
    )


def test_the_folder_one_is_in_is_called_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidFile) as caught:
        read_frame(Path("."))
    assert str(caught.value).startswith(f"{tmp_path.name} is a folder without pictures: ")
    Image.new("RGB", (9, 9)).save("0.png")
    assert read_frame(Path(".")).file == tmp_path.name


def test_pictures_that_are_missing_broken_or_elsewhere_are_named_once(tmp_path):
    for k in range(4):
        Image.new("RGB", (9, 9), (60 * k, 9, 200)).save(tmp_path / f"{k}.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "0.png").read_bytes()[:40])
    Image.new("L", (9, 9)).save(tmp_path / "black.png")  # nothing in it, but a picture
    names = ["0.png", " 1.png ", "2.png", "3.png", "black.png", "cut.png", "gone.png", ""]
    (tmp_path / "t.csv").write_text("photo\n" + "".join(f'"{name}"\n' for name in names))
    table = read_table(tmp_path / "t.csv", Choice(roles={"photo": "picture"}))
    assert table.unusable.tolist() == [5, 6, 7]
    assert table.notes == [
        '"photo": 2 pictures cannot be read and count as missing: cut.png, gone.png.'
    ]
