import io

import numpy as np
import pytest
from PIL import Image

from linkwise.errors import InvalidInput, MissingData
from linkwise.session import Columns, Session
from linkwise.session.data.display import encode_png, read_image


def decoded(png):
    return np.asarray(Image.open(io.BytesIO(png)))


@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 1), (4, 2, 3)])
def test_pictures_come_out_as_they_went_in(shape):
    pixels = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    assert np.array_equal(
        decoded(encode_png(pixels)), pixels.squeeze(-1) if shape[-1] == 1 else pixels
    )


@pytest.fixture
def pictures(tmp_path):
    """A table that names pictures, honest and otherwise, beside and outside its folder."""
    home = tmp_path / "home"
    home.mkdir()
    png = encode_png(np.eye(4, dtype=np.uint8) * 255)
    (home / "a.png").write_bytes(png)
    (home / "b.png").write_text("<script>alert(1)</script>")
    (tmp_path / "secret.png").write_bytes(png)
    (home / "link.png").symlink_to(tmp_path / "secret.png")
    names = [
        "a.png",
        "b.png",
        "../secret.png",
        str(tmp_path / "secret.png"),
        "link.png",
        "none.png",
        "",
    ]
    lines = [f"{k},{k % 3},{k % 2},{name},some text {k}\n" for k, name in enumerate(names * 3)]
    (home / "t.csv").write_text("key,x,y,picture,note\n" + "".join(lines))
    return home / "t.csv"


def test_rows_are_shown_with_id_text_and_fields(pictures, tmp_path):
    columns = Columns(id="key", text="note", image="picture")
    with Session.create(tmp_path / "s", pictures, 2, columns=columns, n_partitions=5) as session:
        first, last = session.rows([0, 6])
        assert (first.row, first.id, first.text, first.has_image) == (0, "0", "some text 0", True)
        assert first.fields == {"key": "0", "x": "0", "y": "0"}
        assert last.has_image is False
        assert first.cluster == session.labels()[0]
        assert session.image(0) == ((pictures.parent / "a.png").read_bytes(), "image/png")
        with pytest.raises(InvalidInput) as caught:
            session.rows([0, 21])
        assert str(caught.value) == "row 21 is outside the 21 rows (0 to 20)."


@pytest.mark.parametrize(
    ("name", "kind", "sentence"),
    [
        ("b.png", InvalidInput, "the picture 'b.png' is not a PNG, JPEG, GIF, WebP or BMP file."),
        (
            "../secret.png",
            InvalidInput,
            "the picture '../secret.png' is not inside the folder of the data.",
        ),
        ("link.png", InvalidInput, "the picture 'link.png' is not inside the folder of the data."),
        ("none.png", MissingData, "the picture 'none.png' is not there."),
        ("", InvalidInput, "the picture '' is not inside the folder of the data."),
        ("a\x00b", InvalidInput, "the picture 'a\\x00b' is not inside the folder of the data."),
    ],
)
def test_nothing_but_pictures_inside_the_folder_is_shown(pictures, name, kind, sentence):
    with pytest.raises(kind) as caught:
        read_image(pictures.parent, name)
    assert str(caught.value) == sentence


def test_rows_that_are_pictures_are_drawn_from_black_to_white(tmp_path):
    X = np.arange(24.0).reshape(6, 4) / 23 * 16
    columns = Columns(image_shape=(2, 2))
    with Session.create(tmp_path / "s", X, 2, columns=columns, n_partitions=5) as session:
        png, media_type = session.image(5)
        assert media_type == "image/png"
        assert np.array_equal(decoded(png), np.rint(X[5] / 16 * 255).reshape(2, 2))
        assert session.rows([5])[0].fields == {}


def test_an_npz_file_may_say_that_its_rows_are_pictures(tmp_path):
    X = np.random.default_rng(0).integers(0, 255, (8, 12)).astype(np.uint8)
    np.savez(tmp_path / "t.npz", X=X, image_shape=(2, 2, 3))
    with Session.create(tmp_path / "s", tmp_path / "t.npz", 2, n_partitions=5) as session:
        assert session.has_images
        assert np.array_equal(decoded(session.image(3)[0]), X[3].reshape(2, 2, 3))


def test_a_shape_that_does_not_fit_is_refused(tmp_path, blobs):
    with pytest.raises(InvalidInput) as caught:
        Session.create(tmp_path / "s", blobs, 2, columns=Columns(image_shape=(3, 3)))
    assert str(caught.value) == "image_shape (3, 3) has 9 values, a row has 8."


def test_a_session_without_pictures_says_so(session):
    with pytest.raises(MissingData) as caught:
        session.image(0)
    assert str(caught.value) == "the rows of this session have no pictures."


def test_rows_are_found_by_id_or_number(session):
    assert session.row_of("7") == 7
    with pytest.raises(InvalidInput) as caught:
        session.row_of("bob")
    assert str(caught.value) == "'bob' is not a row: rows go by their number, 0 to 59."
