"""Taking the result away."""

import csv
from datetime import datetime
from pathlib import Path

import pyarrow.parquet
import pytest
from playwright.sync_api import expect


def download(studio, words):
    studio.page.get_by_text("Export", exact=True).click()
    with studio.page.expect_download() as waiting:
        studio.page.get_by_role("link", name=words).click()
    return Path(waiting.value.path())


def test_the_clusters_of_all_rows_are_exported_as_csv(open_page):
    studio = open_page("flowers")
    with download(studio, "Clusters of all rows, CSV").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [f"plant-{i:03d}" for i in range(150)]
    assert {row["cluster"] for row in rows} == {"0", "1", "2"}


def test_the_answers_are_exported_as_csv_with_who_said_them(open_page):
    studio = open_page("flowers")
    studio.tell(("answer", {"i": 3, "j": 8, "verdict": "same"}), who="Ana")
    with download(studio, "All answers, CSV").open() as file:
        (row,) = csv.DictReader(file)
    assert (row["who"], row["verdict"]) == ("Ana", "same")
    assert datetime.fromisoformat(row["when"]).tzinfo is not None


@pytest.mark.parametrize(
    ("words", "n"),
    [
        ("The data with their clusters, Parquet", 150),
        ("Clusters of all rows, Parquet", 150),
        ("All answers, Parquet", 1),
    ],
)
def test_all_of_it_is_exported_as_parquet(open_page, words, n):
    studio = open_page("flowers")
    studio.tell(("answer", {"i": 3, "j": 8, "verdict": "same"}))
    assert pyarrow.parquet.read_table(download(studio, words)).num_rows == n


def test_the_lines_of_python_are_copied(open_page):
    studio = open_page("flowers", permissions=["clipboard-read", "clipboard-write"])
    studio.page.get_by_text("Export", exact=True).click()
    expect(studio.page.locator("pre")).to_contain_text("labels")
    studio.button("Copy").click()
    studio.sees("Copied.")
    copied = studio.page.evaluate("navigator.clipboard.readText()")
    assert copied == studio.call("/recipe")["python"]
    compile(copied, "recipe", "exec")
