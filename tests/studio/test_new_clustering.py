"""From a file to a clustering."""

import io
import re
import zipfile

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect
from sklearn.datasets import load_digits


def test_a_table_is_brought_its_columns_picked_and_its_clusters_built(open_page, data_folder):
    studio = open_page()
    studio.page.get_by_role("link", name="New clustering").click()
    studio.page.locator("input[type=file]").set_input_files(data_folder / "flowers.csv")
    studio.sees("150 rows, 5 columns")
    studio.page.get_by_label("Use of plant").select_option("name of the row")
    studio.page.get_by_label("Use of soil").select_option("leave out")
    studio.page.get_by_label("How many clusters").fill("3")
    studio.page.get_by_label("Name").fill("My flowers")
    studio.button("Build the clusters").click()
    expect(studio.page.get_by_role("heading", name="Do these two")).to_be_visible(timeout=60_000)
    expect(studio.page.get_by_role("heading", name="My flowers")).to_be_visible()
    studio.wait_for_question()
    expect(studio.page.locator("thead th").first).to_have_text(re.compile(r"plant-\d+"))


def test_who_does_not_know_how_many_clusters_is_shown_no_number(open_page):
    studio = open_page()
    studio.visit("#/new")
    studio.button("flowers.csv").click()
    number = studio.page.get_by_label("How many clusters")
    expect(number).to_have_value("8")
    studio.page.get_by_label("I don’t know how many").check()
    expect(number).to_be_disabled()
    expect(number).to_have_value("")
    studio.sees("The rows propose a number themselves")
    studio.page.get_by_label("I don’t know how many").uncheck()
    expect(number).to_have_value("8")
    number.fill("")
    expect(studio.button("Build the clusters")).to_be_disabled()


def test_a_file_is_taken_by_dropping_it_on_the_page(open_page):
    studio = open_page()
    studio.visit("#/new")
    drop = """(zone) => {
      const data = new DataTransfer();
      data.items.add(new File(["a,b\\n1,2\\n3,4\\n9,9\\n"], "dropped.csv"));
      const event = { dataTransfer: data, bubbles: true, cancelable: true };
      zone.dispatchEvent(new DragEvent("drop", event));
    }"""
    studio.page.locator("label.drop").evaluate(drop)
    studio.sees("3 rows, 2 columns")


def test_progress_is_shown_while_it_is_built_and_can_be_cancelled(open_page, tmp_path):
    rows = np.random.default_rng(0).normal(size=(20_000, 100)).astype(np.float32)
    np.save(tmp_path / "many.npy", rows)  # builds for some seconds
    studio = open_page()
    studio.visit("#/new")
    studio.page.locator("input[type=file]").set_input_files(tmp_path / "many.npy")
    studio.page.get_by_label("How many clusters").fill("10")
    studio.button("Build the clusters").click()
    studio.sees("Building the clusters")
    expect(studio.page.get_by_role("progressbar")).to_be_visible()
    expect(studio.page.locator("main")).not_to_contain_text("partition")  # nobody knows this word
    studio.button("Cancel").click()
    studio.sees("Cancelled. Nothing was kept.")


def test_what_columns_are_is_shown_with_the_reason_and_can_be_changed(open_page):
    studio = open_page()
    studio.visit("#/new")
    studio.button("flowers.csv").click()
    expect(studio.page.get_by_label("Name")).to_have_value("flowers")
    studio.sees("no two rows share a value")
    studio.sees("3 different values")
    expect(studio.page.get_by_label("Use of soil")).to_have_value("category")
    for name in ("sepal length", "petal length", "petal width", "soil"):
        studio.page.get_by_label(f"Use of {name}").select_option("leave out")
    studio.sees("Choose at least one column to group by.")
    expect(studio.button("Build the clusters")).to_be_disabled()
    studio.page.get_by_label("Use of petal width").select_option("group by the number")
    studio.page.get_by_label("Use of soil").select_option("group by the text")
    studio.page.get_by_label("How many clusters").fill("3")
    studio.button("Build the clusters").click()
    studio.wait_for_question()
    studio.sees("150 rows, 3 clusters, grouped by petal width (number) and soil (text)")


def test_a_table_of_many_columns_and_digits_is_shown_in_short_and_in_whole(open_page, tmp_path):
    names = ("length", "width", "height", "weight", "age", "price", "rating", "stock")
    rows = np.random.default_rng(0).normal(5 * (np.arange(40)[:, None] % 2), size=(40, 8))
    lines = [",".join(names), *(",".join(map(repr, row)) for row in rows.tolist())]
    (tmp_path / "goods.csv").write_text("\n".join(lines) + "\n")
    studio = open_page(questions="choice")
    studio.visit("#/new")
    studio.page.locator("input[type=file]").set_input_files(tmp_path / "goods.csv")
    studio.sees(" · ".join(f"{value:.5g}" for value in rows[:3, 0]))
    studio.page.get_by_label("How many clusters").fill("2")
    studio.button("Build the clusters").click()
    row = studio.page.locator(".one .text")
    expect(row).to_have_text(re.compile(r"^\d+ ([a-z]+ -?[\d.]+, ){6}…$"))
    expect(row).to_have_attribute("title", re.compile(r"^([a-z]+ -?[\d.]+\n){7}[a-z]+ -?[\d.]+$"))


def test_who_sees_strange_letters_says_how_they_were_written(open_page, tmp_path):
    towns = "".join(f"{('Тверь', 'Москва')[k % 2]},{k % 2 * 9 + k / 8}\n" for k in range(16))
    (tmp_path / "towns.csv").write_bytes(f"город,x\n{towns}".encode("koi8-r"))
    studio = open_page()
    studio.visit("#/new")
    studio.page.locator("input[type=file]").set_input_files(tmp_path / "towns.csv")
    encoding = studio.page.get_by_label("The text is not in UTF-8. Read it as")
    expect(encoding).to_have_value("cp1252")
    encoding.select_option("Japanese (Shift JIS)")
    expect(studio.page.get_by_role("alert")).to_contain_text("shift_jis")
    expect(encoding).to_have_value("cp1252")
    encoding.select_option("Cyrillic (KOI8-R)")
    studio.sees("Тверь · Москва")
    expect(studio.page.get_by_role("alert")).to_have_count(0)
    expect(encoding).to_have_value("koi8-r")
    studio.page.get_by_label("How many clusters").fill("2")
    studio.button("Build the clusters").click()
    studio.wait_for_question()
    studio.sees("grouped by x (number) and город (category)")


def test_a_zip_brings_its_pictures(open_page, tmp_path):
    with zipfile.ZipFile(tmp_path / "digits.zip", "w") as archive:
        for k, pixels in enumerate(load_digits().images[:30]):
            file = io.BytesIO()
            Image.fromarray((15 * pixels).astype(np.uint8)).save(file, "PNG")
            archive.writestr(f"digits/{k:02d}.png", file.getvalue())
    studio = open_page()
    studio.visit("#/new")
    studio.page.locator("input[type=file]").set_input_files(tmp_path / "digits.zip")
    studio.sees("30 rows, 1 column")
    expect(studio.page.get_by_label("Use of file")).to_have_value("picture")
    studio.page.get_by_label("How many clusters").fill("3")
    studio.button("Build the clusters").click()
    studio.wait_for_question()
    studio.sees("grouped by file (picture)")
    picture = studio.page.get_by_role("img", name=re.compile(r"Picture of \d\d\.png")).first
    expect(picture).to_have_js_property("naturalWidth", 8)


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("empty.csv", "no rows"),
        ("one.csv", "This file has one row. There is nothing to group it with."),
    ],
)
def test_files_with_too_little_in_them_are_told_of(open_page, data_folder, file, sentence):
    studio = open_page()
    studio.visit("#/new")
    studio.page.locator("input[type=file]").set_input_files(data_folder / file)
    studio.sees(sentence)
