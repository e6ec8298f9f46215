"""From a file to a clustering."""

import re

import pytest
from playwright.sync_api import expect


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


def test_progress_is_shown_while_it_is_built_and_can_be_cancelled(open_page):
    studio = open_page()
    studio.visit("#/new")
    studio.button("Use 1,797 handwritten digits").click()
    studio.button("Build the clusters").click()
    studio.sees("Building the clusters")
    expect(studio.page.get_by_role("progressbar")).to_be_visible()
    studio.button("Cancel").click()
    studio.sees("Cancelled. Nothing was kept.")


def test_a_file_of_the_server_is_chosen_by_name(open_page):
    studio = open_page()
    studio.visit("#/new")
    studio.button("flowers.csv").click()
    expect(studio.page.get_by_label("Name")).to_have_value("flowers")


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
