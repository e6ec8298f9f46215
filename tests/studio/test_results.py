"""Results leave in usable form, and knowledge comes in."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from studio_page import until

from linkwise import Links
from linkwise.cli import main as command_line


def download(studio, words, *, role="link"):
    menu = studio.page.locator("details", has=studio.page.get_by_text("Export", exact=True))
    if menu.get_attribute("open") is None:
        studio.page.get_by_text("Export", exact=True).click()
    with studio.page.expect_download() as waiting:
        studio.page.get_by_role(role, name=words).click()
    return Path(waiting.value.path())


def test_the_data_leave_with_their_columns_clusters_names_and_shares(open_page):
    studio = open_page("flowers")
    studio.tell(("label", {"rows": [0, 1, 2], "name": "lilies"}))
    expect(studio.button("More about lilies")).to_be_visible()
    with download(studio, "The data with their clusters, CSV").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 150
    assert rows[0]["plant"] == "plant-000"
    assert {"sepal length", "soil", "cluster", "margin", "share of lilies"} <= set(rows[0])
    assert rows[1]["cluster name"] == "lilies"
    shares = [sum(float(r[c]) for c in r if c.startswith("share of")) for r in rows]
    np.testing.assert_allclose(shares, 1.0, atol=0.001)


def test_links_are_read_by_the_library_and_by_the_command_line(open_page, tmp_path, capsys):
    studio = open_page("flowers")
    studio.tell(("answer", {"i": 3, "j": 8, "verdict": "same"}))
    studio.tell(("answer", {"i": 3, "j": 120, "verdict": "different"}))
    taken = tmp_path / "links.csv"
    taken.write_bytes(download(studio, "Links, for linkwise check and cluster").read_bytes())
    names = [f"plant-{i:03d}" for i in range(150)]
    links = Links.read(taken, 150, ids=names)
    assert (links.must.tolist(), links.cannot.tolist()) == ([[3, 8]], [[3, 120]])
    data = studio.service.data / "flowers.csv"
    with pytest.raises(SystemExit) as end:
        command_line(["check", str(taken), "--data", str(data), "--id", "plant"])
    assert not end.value.code, capsys.readouterr()
    out = tmp_path / "clusters.csv"
    told = ["--id", "plant", "--links", str(taken), "-o", str(out), "-q"]
    with pytest.raises(SystemExit) as end:
        command_line(["cluster", str(data), "-k", "3", *told])
    assert not end.value.code, capsys.readouterr()
    with out.open() as file:
        label = [row["label"] for row in csv.DictReader(file)]
    assert label[3] == label[8] != label[120]


def test_the_recipe_gives_the_same_labels_while_the_studio_is_open(open_page, tmp_path):
    studio = open_page("flowers")
    studio.tell(("split", {"cluster": 1, "rows": None}))
    studio.tell(("answer", {"i": 0, "j": 120, "verdict": "same"}), ("undo", {"event": 2}))
    studio.tell(("answer", {"i": 0, "j": 60, "verdict": "different"}))
    studio.tell(("label", {"rows": [100, 101], "name": "lilies"}))
    history = tmp_path / "history.jsonl"
    history.write_bytes(download(studio, "Everything that was said").read_bytes())
    recipe = studio.page.locator("pre")
    expect(recipe).to_contain_text("session.replay(history)")
    code = recipe.inner_text() + "print(labels.tolist())\n"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    with download(studio, "Clusters of all rows, CSV").open() as file:
        expected = [int(row["cluster"]) for row in csv.DictReader(file)]
    assert json.loads(done.stdout) == expected


def test_the_map_leaves_as_a_picture_a_drawing_and_a_page_of_its_own(open_page, browser, tmp_path):
    studio = open_page("flowers")
    studio.tell(("rename", {"cluster": 1, "name": "lilies & <roses>"}))
    expect(studio.button("More about lilies & <roses>")).to_be_visible()
    assert download(studio, "Map as PNG", role="button").read_bytes().startswith(b"\x89PNG")
    assert download(studio, "Map as SVG", role="button").read_text().count("<circle") == 150
    alone = tmp_path / "map.html"
    alone.write_bytes(download(studio, "Map as HTML", role="button").read_bytes())
    page, asked = browser.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(alone.as_uri())
    expect(page.locator("circle")).to_have_count(150)
    names = {"cluster 1", "lilies & <roses>", "cluster 3"}
    assert set(page.locator("svg text").all_text_contents()) == names
    title = page.locator("circle title").first.text_content()
    assert re.fullmatch(r"plant-\d+, (cluster \d|lilies & <roses>)", title)
    assert asked == [alone.as_uri()]
    before = page.locator("svg").get_attribute("viewBox")
    page.locator("svg").hover()
    page.mouse.wheel(0, -300)
    expect(page.locator("svg")).not_to_have_attribute("viewBox", before)
    before = page.locator("svg").get_attribute("viewBox")
    page.mouse.down()
    page.mouse.move(300, 200)
    page.mouse.up()
    expect(page.locator("svg")).not_to_have_attribute("viewBox", before)
    page.close()


def test_answers_come_in_from_a_file_once(open_page, tmp_path):
    studio = open_page("flowers")
    file = tmp_path / "links.csv"
    file.write_text("i,j,kind\nplant-000,plant-001,must\nplant-000,plant-100,cannot\n")
    for said in ("Took in 2 statements.", "All of it was known."):
        menu = studio.page.locator("details", has=studio.page.get_by_text("Export", exact=True))
        if menu.get_attribute("open") is None:
            studio.page.get_by_text("Export", exact=True).click()
        studio.page.get_by_label("Links, names or answers, as CSV").set_input_files(file)
        studio.sees(said)
    verdicts = [event["payload"]["verdict"] for event in studio.history()]
    assert verdicts == ["same", "different"]


def test_what_came_with_a_file_is_taken_back_at_once_or_each_of_it_alone(open_page, tmp_path):
    studio = open_page("flowers")
    apart = [(i, 50 + (i + step) % 50) for step in range(4) for i in range(50)]
    lines = [f"plant-{i:03d},plant-{j:03d},cannot" for i, j in apart]
    lines.append("plant-000,plant-001,must")  # more than the page asks of the history at first
    file = tmp_path / "links.csv"
    file.write_text("\n".join(["i,j,kind", *lines]))
    studio.page.get_by_text("Export", exact=True).click()
    studio.page.get_by_label("Links, names or answers, as CSV").set_input_files(file)
    studio.sees("Took in 201 statements.")
    studio.page.reload()
    studio.tab("History")
    told = studio.page.locator("ol[aria-label^='Everything'] > li")
    expect(told).to_have_count(1)
    expect(told).to_contain_text("201 statements from a file")
    studio.button("Take back", exact=False).click()
    studio.sees("Took back numbers 1 to 201")
    events = studio.history()
    until(lambda: all(e["undone_by"] for e in events[:201]), studio.page)
    studio.button("Bring back number 1: 201 statements from a file").click()
    studio.sees("Took back numbers 202 to 402")
    studio.button("Each of them").click()
    studio.button("Take back number 201: ", exact=False).click()
    until(lambda: studio.call("/history?after=200&limit=1")["events"][0]["undone_by"], studio.page)
    assert studio.call("/history?limit=1")["events"][0]["undone_by"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        # two links hold the named rows together; they are certain, and so said twice
        ("Links, for linkwise check and cluster", {"same": 1 + 2 * 2, "different": 1}),
        ("Names of rows", {"lilies": 3}),
        ("All answers, CSV", {"same": 1, "different": 1, "lilies": 3}),
        ("All answers, Parquet", {"same": 1, "different": 1, "lilies": 3}),
    ],
)
def test_what_left_one_session_comes_into_another_that_runs(open_page, tmp_path, words, said):
    giving, taking = open_page("flowers", who="Ana"), open_page("flowers")
    giving.tell(
        ("answer", {"i": 3, "j": 8, "verdict": "same"}),
        ("answer", {"i": 3, "j": 120, "verdict": "different"}),
        ("label", {"rows": [60, 61, 62], "name": "lilies"}),
    )
    taken = download(giving, words)
    file = tmp_path / ("said.parquet" if "Parquet" in words else "said.csv")
    file.write_bytes(taken.read_bytes())
    taking.page.get_by_text("Export", exact=True).click()
    taking.page.get_by_label("Links, names or answers, as CSV").set_input_files(file)
    taking.sees(re.compile("Took in"))
    told = {}
    for event in taking.history():
        payload = event["payload"]
        if event["kind"] == "answer":
            told[payload["verdict"]] = told.get(payload["verdict"], 0) + 1
        else:
            told[payload["name"]] = len(payload["rows"])
    assert told == said
