"""The panel of clusters: names, sizes, examples, how sure, how they changed."""

import io
import json
import re

import pytest
from PIL import Image
from playwright.sync_api import expect


def cards(studio):
    return studio.page.locator("section[aria-labelledby=clusters-title] > ul > li")


def test_every_cluster_shows_its_size_how_sure_it_is_and_examples(open_page):
    studio = open_page("digits")
    expect(cards(studio)).to_have_count(10)
    sizes = [int(text) for text in studio.page.locator(".size").all_inner_texts()]
    assert sum(sizes) == 240
    for card in cards(studio).all():
        expect(card).to_contain_text(re.compile(r"\d+ % sure"))
        expect(card.locator("img")).to_have_count(5)


@pytest.mark.parametrize(
    ("kind", "words", "lines"), [("complaints", "and", 2), ("flowers", "sepal length", 6)]
)
def test_a_cluster_of_rows_without_pictures_shows_a_typical_one_in_few_lines(
    open_page, kind, words, lines
):
    studio = open_page(kind)
    for card in cards(studio).all():
        typical = card.locator(".typical")
        expect(typical).to_contain_text(words)
        assert typical.bounding_box()["height"] <= 20 * lines
    studio.button("More about cluster 1").click()  # there are more, in full
    expect(cards(studio).first.locator(".typical")).to_have_count(0)
    expect(cards(studio).first.locator(".examples li")).to_have_count(5)


def test_a_cluster_is_renamed_in_place(open_page):
    studio = open_page("flowers")
    studio.page.get_by_label("Name of cluster 2", exact=True).fill("setosa")
    studio.press("Enter")
    expect(studio.button("More about setosa")).to_be_visible()
    studio.page.reload()
    expect(studio.page.get_by_label("Name of cluster 2", exact=True)).to_have_value("setosa")


def test_two_clusters_have_one_name_only_if_somebody_says_that_they_are_one(open_page):
    studio = open_page("flowers")
    name = studio.page.get_by_label("Name of cluster 2", exact=True)
    studio.tell(("rename", {"cluster": 2, "name": "lilies"}))
    expect(studio.button("More about lilies")).to_be_visible()
    name.fill("lilies")
    studio.press("Enter")
    studio.sees("Another cluster is called “lilies”. Are the two one?")
    studio.button("No, keep cluster 2").click()
    expect(name).to_have_value("cluster 2")
    name.fill("lilies")
    studio.press("Enter")
    studio.button("Join them").click()
    expect(cards(studio)).to_have_count(2)
    expect(name).to_have_value("lilies")  # joining keeps the name that somebody gave
    assert [event["kind"] for event in studio.history()] == ["rename", "merge"]


@pytest.mark.parametrize("kept", ["lilies", "roses"])
def test_of_two_names_that_people_gave_a_join_keeps_the_one_they_choose(open_page, kept):
    studio = open_page("flowers")
    studio.tell(*[("rename", {"cluster": k, "name": n}) for k, n in ((0, "lilies"), (1, "roses"))])
    studio.button("More about lilies").click()
    join = studio.page.get_by_label("Join lilies with another cluster")
    join.select_option(label="roses")
    asked = studio.page.get_by_role("alert").filter(has_text="Which name stays?")
    asked.get_by_role("button", name="Do not join").click()
    expect(asked).to_have_count(0)
    join.select_option(label="roses")
    asked.get_by_role("button", name=kept, exact=True).click()
    expect(cards(studio)).to_have_count(2)
    expect(studio.page.get_by_label("Name of cluster 1", exact=True)).to_have_value(kept)
    studio.tab("History")  # the join and its name are one thing
    studio.sees(re.compile(f"^Joined .*; Cluster 1 is called “{kept}”$"))
    assert [event["kind"] for event in studio.history()[2:]] == ["merge", "rename"]
    studio.press("u")
    expect(cards(studio)).to_have_count(3)
    for number, name in ((1, "lilies"), (2, "roses")):
        named = studio.page.get_by_label(f"Name of cluster {number}", exact=True)
        expect(named).to_have_value(name)


@pytest.mark.parametrize(("number", "typed"), [(1, "roses"), (2, "lilies")])
def test_a_join_with_a_namesake_keeps_the_name_that_was_typed(open_page, number, typed):
    studio = open_page("flowers")
    studio.tell(*[("rename", {"cluster": k, "name": n}) for k, n in ((0, "lilies"), (1, "roses"))])
    expect(studio.button("More about roses")).to_be_visible()
    studio.page.get_by_label(f"Name of cluster {number}", exact=True).fill(typed)
    studio.press("Enter")
    studio.button("Join them").click()
    expect(cards(studio)).to_have_count(2)
    expect(studio.page.get_by_label("Name of cluster 1", exact=True)).to_have_value(typed)


def test_a_refusal_counts_clusters_as_the_page_does(open_page):
    studio = open_page("flowers")
    studio.tell(("rename", {"cluster": 1, "name": "roses"}))
    expect(studio.button("More about roses")).to_be_visible()

    def refused(payload, sentence):
        """Let the page say what it would never say: the service answers."""
        body = {"events": [{"kind": "rename", "payload": payload, "key": sentence}], "who": ""}
        studio.page.route("**/events", lambda r: r.continue_(post_data=json.dumps(body)))
        studio.page.get_by_label("Name of cluster 1", exact=True).fill("lilies")
        studio.press("Enter")
        studio.sees(sentence)
        studio.page.unroute("**/events")

    refused(
        {"cluster": 7, "name": "lilies"},
        "rename: there is no cluster 8; they are numbered 1 to 3.",
    )
    refused(
        {"cluster": 2, "name": "roses"},
        "rename: roses is called 'roses' already, and cluster 3 is another one.",
    )


def test_a_name_that_is_being_typed_survives_news_of_the_clusters(open_page):
    studio = open_page("flowers")
    name = studio.page.get_by_label("Name of cluster 1", exact=True)
    name.fill("lil")
    studio.tell(("answer", {"i": 0, "j": 60, "verdict": "different"}))
    expect(studio.page.locator("dd").first).to_have_text(re.compile("^1"))
    studio.page.wait_for_timeout(500)  # the clusters are told anew
    expect(name).to_have_value("lil")
    name.press_sequentially("ies")
    studio.press("Enter")
    expect(studio.button("More about lilies")).to_be_visible()
    assert [event["kind"] for event in studio.history()] == ["answer", "rename"]


def test_a_name_follows_the_rows_that_carry_it(open_page):
    studio = open_page("flowers")
    studio.page.get_by_label("Name of cluster 1", exact=True).fill("lilies")
    studio.press("Enter")
    expect(studio.button("More about lilies")).to_be_visible()
    labels = studio.call("/rows?rows=" + ",".join(map(str, range(150))))
    rows = [row["row"] for row in labels if row["cluster"] == 0]
    studio.tell(("split", {"cluster": 0, "rows": rows[:-2]}))
    expect(studio.page.get_by_label("Name of cluster 4", exact=True)).to_have_value("lilies")
    expect(studio.page.get_by_label("Name of cluster 1", exact=True)).to_have_value("cluster 1")


def test_clusters_are_split_and_joined_and_say_how_they_changed(open_page):
    studio = open_page("flowers")
    studio.button("More about cluster 1").click()
    studio.button("Split in two").click()
    expect(cards(studio)).to_have_count(4)
    expect(cards(studio).nth(3)).to_contain_text(re.compile(r"\+\d+"))
    studio.page.get_by_label("Join cluster 1 with").select_option(label="cluster 4")
    expect(cards(studio)).to_have_count(3)


def test_a_colour_stays_with_its_cluster_when_others_come_and_go(open_page):
    studio = open_page("flowers")

    def colours():
        swatches = studio.page.locator("button[aria-label^='Show only']")
        return {
            each.get_attribute("aria-label"): each.locator("span").evaluate(
                "span => getComputedStyle(span).backgroundColor"
            )
            for each in swatches.all()
        }

    before = colours()
    studio.tell(("split", {"cluster": 1, "rows": None}))
    expect(cards(studio)).to_have_count(4)
    studio.tell(("merge", {"clusters": [0, 2]}))
    expect(cards(studio)).to_have_count(3)
    after = colours()
    kept = before.keys() & after.keys()
    assert len(kept) == 2
    assert all(before[name] == after[name] for name in kept)


def test_one_cluster_can_be_lit_on_the_map(open_page):
    studio = open_page("flowers")
    swatches = studio.page.locator("button[aria-label^='Show only'] span")
    wanted = swatches.evaluate_all("all => all.map(s => getComputedStyle(s).backgroundColor)")
    first, second, third = (tuple(map(int, re.findall(r"\d+", colour))) for colour in wanted)
    swatch = studio.button("Show only cluster 3 on the map")
    swatch.click()
    expect(swatch).to_have_attribute("aria-pressed", "true")
    hide = "() => document.querySelector('.marks').style.setProperty('visibility', 'hidden')"
    studio.page.evaluate(hide)  # names are underlined in the colours of all clusters
    picture = Image.open(io.BytesIO(studio.picture())).convert("RGB")
    seen = {colour for _, colour in picture.getcolors(maxcolors=2**24)}
    assert third in seen
    assert not {first, second} & seen
    studio.button("Show all").click()
    expect(swatch).to_have_attribute("aria-pressed", "false")


def test_rows_of_one_cluster_given_two_names_part_and_both_names_stay(open_page):
    studio = open_page("flowers")
    rows = studio.call("/rows?rows=" + ",".join(map(str, range(150))))
    inside = [row["row"] for row in rows if row["cluster"] == 0]
    for name, some in (("lilies", inside[:5]), ("roses", inside[5:10])):
        studio.tell(("label", {"rows": some, "name": name}))
        expect(studio.button(f"More about {name}")).to_be_visible()
    expect(studio.button("More about lilies")).to_be_visible()
    expect(cards(studio)).to_have_count(3)
    now = studio.call("/rows?rows=" + ",".join(map(str, inside[:10])))
    homes = [row["cluster"] for row in now]
    assert len(set(homes[:5])) == len(set(homes[5:])) == 1
    assert homes[0] != homes[5]


def test_rows_named_as_a_cluster_is_go_there_and_no_second_one_has_its_name(open_page):
    studio = open_page("flowers")
    studio.page.get_by_label("Name of cluster 1", exact=True).fill("lilies")
    studio.press("Enter")
    expect(studio.button("More about lilies")).to_be_visible()
    rows = studio.call("/rows?rows=" + ",".join(map(str, range(150))))
    other = next(row for row in rows if row["cluster"] == 2)
    search = studio.page.get_by_label("Search ids, texts and fields")
    search.fill(other["id"])
    search.press("Enter")
    studio.page.get_by_label("Name for the chosen rows").fill("lilies")
    studio.press("Enter")
    expect(studio.trace).to_contain_text("to lilies")
    expect(studio.button("More about lilies")).to_have_count(1)
    (row,) = studio.call(f"/rows?rows={other['row']}")
    assert row["cluster"] == 0


def test_clusters_are_ordered_by_number_by_size_or_the_least_sure_first(open_page):
    studio = open_page("digits")
    studio.tell(("nowhere", {"rows": list(range(60))}))  # more than any cluster has
    expect(cards(studio).last).to_contain_text("nowhere")

    def told():
        return [
            (int(card.locator(".size").inner_text()), int(sure[0]) if sure else None)
            for card in cards(studio).all()
            for sure in [re.findall(r"(\d+) % sure", card.inner_text())]
        ]

    by_number = told()
    for order, value in (("size", lambda one: -one[0]), ("sureness", lambda one: one[1])):
        studio.page.get_by_label("Order of the clusters").select_option(order)
        expect(cards(studio).last).to_contain_text("nowhere")  # whatever the order
        *shown, _ = told()
        assert [value(one) for one in shown] == sorted(value(one) for one in by_number[:-1])
    studio.page.get_by_label("Order of the clusters").select_option("number")
    assert told() == by_number


def test_rows_that_belong_nowhere_are_shown_and_are_no_cluster(open_page):
    studio = open_page("flowers")
    studio.tell(("nowhere", {"rows": [0, 60, 120]}))
    nowhere = cards(studio).filter(has_text="nowhere")
    expect(nowhere).to_contain_text("3")
    expect(nowhere).not_to_contain_text("sure")
    expect(nowhere.get_by_role("textbox")).to_have_count(0)
    expect(studio.map).to_have_attribute("aria-label", re.compile("150 rows in 3 clusters"))
    nowhere.get_by_role("button", name="More about nowhere").click()
    expect(nowhere.get_by_role("button", name="Look closer")).to_be_visible()
    expect(nowhere.get_by_role("button", name="Split in two")).to_have_count(0)
    expect(nowhere.get_by_role("combobox")).to_have_count(0)
    studio.button("More about cluster 1").click()
    join = studio.page.get_by_label("Join cluster 1 with another cluster")
    expect(join.get_by_role("option", name="nowhere")).to_have_count(0)
