"""Pictures: colours and edges, against a plain computation; any size, any side up, broken ones."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linkwise.errors import InvalidInput, MissingData, MissingExtra
from linkwise.features import ImageFeatures, TableFeatures
from linkwise.features.pictures.edges import edges

Image = pytest.importorskip("PIL.Image")


def scene(seed=0, shape=(40, 56, 3)):
    """Return a smooth random picture, so that sizes change it little."""
    small = np.random.default_rng(seed).integers(0, 255, (4, 4, 3)).astype(np.uint8)
    return Image.fromarray(small).resize(shape[1::-1], 2)


@pytest.fixture
def folder(tmp_path):
    for k in range(4):
        scene(k).save(tmp_path / f"{k}.png")
    (tmp_path / "notes.txt").write_text("no picture")
    return tmp_path


def slow_edges(picture):
    """Return what ``edges`` does, pixel by pixel."""
    side = len(picture)
    cells = np.zeros((side // 8, side // 8, 9))
    values = picture.astype(float)
    for r in range(side):
        for c in range(side):
            best = (-1.0, 0.0, 0.0)
            for colour in range(3):
                inner_r, inner_c = 0 < r < side - 1, 0 < c < side - 1
                down = values[r + 1, c, colour] - values[r - 1, c, colour] if inner_r else 0.0
                right = values[r, c + 1, colour] - values[r, c - 1, colour] if inner_c else 0.0
                best = max(best, (np.hypot(down, right), down, right), key=lambda b: b[0])
            length, down, right = best
            angle = np.degrees(np.arctan2(down, right)) % 180
            cells[r // 8, c // 8, min(int(angle / 20), 8)] += length
    parts = []
    for r in range(side // 8 - 1):
        for c in range(side // 8 - 1):
            block = cells[r : r + 2, c : c + 2].ravel()
            parts.append(block / max(np.linalg.norm(block), 1e-3))
    return np.concatenate(parts)


def test_edges_agree_with_a_loop_over_pixels():
    pictures = np.random.default_rng(0).integers(0, 255, (3, 32, 32, 3)).astype(np.uint8)
    assert_allclose(edges(pictures), [slow_edges(p) for p in pictures], atol=2e-5)


def test_edges_agree_with_scikit_image():
    feature = pytest.importorskip("skimage.feature")
    picture = np.random.default_rng(0).integers(0, 255, (32, 32, 3)).astype(np.uint8)
    expected = feature.hog(picture, 9, (8, 8), (2, 2), block_norm="L2", channel_axis=-1)
    assert_allclose(edges(picture[None])[0], expected, atol=1e-5)


def test_each_part_has_length_one_and_every_column_a_name(folder):
    features = ImageFeatures()
    X = features.fit_transform(folder)
    assert X.dtype == np.float32
    assert_allclose(np.linalg.norm(X[:, :3072], axis=1), 1.0, rtol=1e-5)
    assert_allclose(np.linalg.norm(X[:, 3072:], axis=1), 1.0, rtol=1e-5)
    assert len(set(features.get_feature_names_out())) == X.shape[1] == 3396
    assert [path.name for path in features.paths_] == ["0.png", "1.png", "2.png", "3.png"]


def test_a_list_of_files_keeps_its_order(folder):
    names = [folder / "2.png", str(folder / "0.png")]
    assert_array_equal(
        ImageFeatures().fit_transform(names), ImageFeatures().fit_transform(folder)[[2, 0]]
    )


def test_size_format_and_kind_of_colour_matter_little(tmp_path):
    picture = scene()
    picture.save(tmp_path / "a.png")
    picture.resize((400, 300), 2).save(tmp_path / "b.jpg", quality=95)
    picture.convert("RGBA").save(tmp_path / "c.webp", lossless=True)
    X = ImageFeatures().fit_transform(tmp_path)[:, :3072]
    assert (X @ X.T).min() > 0.98


def test_grey_palettes_and_sixteen_bits_are_pictures_too(tmp_path):
    grey = np.asarray(scene().convert("L"))
    Image.fromarray(grey).save(tmp_path / "a.png")
    Image.fromarray(grey.astype(np.uint16) * 256).save(tmp_path / "b.png")
    Image.fromarray(grey).convert("P").save(tmp_path / "c.gif")
    X = ImageFeatures().fit_transform(tmp_path)[:, :3072]
    assert (X @ X.T).min() > 0.98


def test_pictures_are_turned_as_the_camera_says(tmp_path):
    picture = scene(shape=(64, 64, 3))
    picture.save(tmp_path / "a.png")
    turned = Image.Exif()
    turned[0x0112] = 6  # the camera was held on its side
    picture.transpose(Image.Transpose.ROTATE_90).save(tmp_path / "b.png", exif=turned)
    X = ImageFeatures().fit_transform(tmp_path)
    assert_allclose(X[0], X[1], atol=1e-6)


def test_what_cannot_be_seen_through_is_laid_on_white(tmp_path):
    seen = np.zeros((32, 32, 4), dtype=np.uint8)
    seen[8:24, 8:24] = (200, 0, 0, 255)
    Image.fromarray(seen).save(tmp_path / "a.png")
    plain = np.full((32, 32, 3), 255, dtype=np.uint8)
    plain[8:24, 8:24] = (200, 0, 0)
    Image.fromarray(plain).save(tmp_path / "b.png")
    X = ImageFeatures().fit_transform(tmp_path)
    assert_array_equal(X[0], X[1])


def test_a_picture_of_one_colour_has_nothing_to_tell(tmp_path):
    Image.new("RGB", (9, 9), "grey").save(tmp_path / "a.png")
    assert not ImageFeatures().fit_transform(tmp_path).any()


def test_broken_files_are_named_and_skipped_on_request(folder):
    whole = (folder / "1.png").read_bytes()
    (folder / "1.png").write_bytes(whole[: len(whole) // 2])
    (folder / "3.png").write_text("no picture")
    with pytest.raises(InvalidInput) as caught:
        ImageFeatures().fit_transform(folder)
    assert str(caught.value).startswith(f"{folder / '1.png'}: it cannot be read (")
    assert str(caught.value).endswith("). skip_broken=True leaves such files out.")
    features = ImageFeatures(skip_broken=True)
    assert features.fit_transform(folder).shape[0] == 2
    assert [path.name for path in features.paths_] == ["0.png", "2.png"]
    assert features.broken_[str(folder / "3.png")] == (
        f"{folder / '3.png'}: it cannot be read (no picture)."
    )
    with pytest.raises(InvalidInput, match="none of 1 pictures can be read"):
        features.fit_transform([folder / "3.png"])


def test_a_folder_without_pictures_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("no picture")
    with pytest.raises(
        InvalidInput, match=r"holds no pictures: no name in it ends in \.png, \.jpg"
    ):
        ImageFeatures().fit(tmp_path)
    with pytest.raises(MissingData, match="there is no folder"):
        ImageFeatures().fit(tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match=r"is a file\. Give a folder, or a list of files"):
        ImageFeatures().fit(tmp_path / "notes.txt")
    with pytest.raises(InvalidInput, match="there is no such file"):
        ImageFeatures().fit_transform([tmp_path / "gone.png"])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([], "there is no picture in the list of files."),
        (5, "expected a folder of pictures or a list of files, got int."),
        ([5], "expected a folder of pictures or a list of files, got list."),
    ],
)
def test_what_is_no_list_of_pictures_is_refused(given, sentence):
    with pytest.raises(InvalidInput) as caught:
        ImageFeatures().fit(given)
    assert str(caught.value) == sentence


def test_a_column_of_pictures_is_read_from_its_folder(folder):
    names = ["2.png", None, "gone.png", "0.png"] * 4
    features = TableFeatures(folder=str(folder))
    X = features.fit_transform(pd.DataFrame({"photo": names}))
    assert features.roles_["photo"].name == "picture"
    assert features.notes_ == ['"photo": 4 pictures are not there, such as gone.png.']
    assert features.unusable_rows_.tolist() == [1, 5, 9, 13]
    assert not X[[1, 2]].any()
    expected = ImageFeatures().fit_transform(folder)[[2, 0]]
    assert_allclose(X[[0, 3]] / np.linalg.norm(X[0]), expected / np.sqrt(2), atol=1e-6)


def test_texts_too_long_for_the_name_of_a_file_are_no_pictures(folder):
    frame = pd.DataFrame({"said": ["word " * 1000] * 3})
    with pytest.raises(InvalidInput) as caught:
        TableFeatures(roles={"said": "picture"}, folder=str(folder)).fit(frame)
    assert str(caught.value) == (
        'column "said" cannot be used as picture: no value in it is the name of a picture file '
        f'that is there. "word word word word word wo..." is not in {folder}.'
    )


def test_without_pillow_it_is_one_sentence(folder, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    with pytest.raises(MissingExtra) as caught:
        ImageFeatures().fit_transform(folder)
    assert str(caught.value) == 'reading pictures needs Pillow: pip install "linkwise[tables]"'
