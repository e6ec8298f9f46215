"""Small things that make a tool pleasant: keys, one scrollbar, buttons that stay, phones."""

import re

import pytest
from playwright.sync_api import expect

SCROLLS = """() => document.documentElement.scrollHeight > innerHeight
    || document.documentElement.scrollWidth > innerWidth"""


def test_the_page_itself_never_scrolls_beside_its_panels(open_page):
    studio = open_page("flowers")
    studio.wait_for_question()
    assert not studio.page.evaluate(SCROLLS)


def test_the_buttons_stay_where_they_are_from_question_to_question(open_page):
    studio = open_page("letters")
    studio.wait_for_question()
    places = set()
    for _ in range(4):
        box = studio.page.get_by_role("button", name="Same").bounding_box()
        places.add((box["x"], box["y"]))
        studio.press("c")
        studio.wait_for_question()
    assert len(places) == 1


def test_the_keys_are_on_a_sheet_and_can_be_changed(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    studio.press("?")
    sheet = studio.page.get_by_role("dialog")
    expect(sheet).to_contain_text("They belong together")
    sheet.get_by_label("Key for: They belong together").press("j")
    studio.press("d")  # not an answer while the sheet is open
    sheet.get_by_role("button", name="Close").click()
    studio.press("j")
    studio.sees("You said same.")
    studio.page.reload()
    expect(studio.page.get_by_role("button", name=re.compile("Same"))).to_have_attribute(
        "aria-keyshortcuts", "J"
    )
    assert [event["payload"]["verdict"] for event in studio.history()] == ["same"]


def test_control_z_takes_the_last_answer_back(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    studio.press("s")
    studio.sees_it_sent()
    studio.press("Control+z")
    studio.tab("History")
    studio.sees("Took back number 1")


def test_the_first_stop_of_the_tab_key_leads_to_the_question(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    studio.press("Tab")
    studio.press("Enter")
    focused = "document.activeElement.getAttribute('aria-keyshortcuts')"
    assert studio.page.evaluate(focused) == "S"


def test_tiny_pictures_are_crisp(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    picture = studio.page.locator("section figure img").first
    expect(picture).to_have_css("image-rendering", "pixelated")


def test_one_of_many_clusters_is_found_by_its_name(open_page):
    studio = open_page("many")
    studio.page.get_by_label("Find a cluster by its name").fill("cluster 123")
    expect(studio.page.get_by_label(re.compile("^Name of cluster"))).to_have_count(1)


@pytest.mark.parametrize("width", [390])
def test_on_a_phone_the_map_and_the_answers_are_on_one_screen(browser, service, width):
    from studio_page import StudioPage

    from conftest import TOKEN

    context = browser.new_context(
        viewport={"width": width, "height": 844}, has_touch=True, is_mobile=True
    )
    studio = StudioPage(context, service, TOKEN, service.session("digits"), "", "pair")
    studio.wait_for_question()
    places = [studio.map, *(studio.page.get_by_role("button", name=n) for n in ("Same", "Undo"))]
    for each in places:
        box = each.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 844
        assert box["x"] + box["width"] <= width
    assert studio.map.bounding_box()["height"] > 200
    colours = studio.page.get_by_role("button", name=re.compile("^Colours"))
    for each in (studio.page.get_by_text("Export", exact=True), colours):
        box = each.bounding_box()
        assert box["x"] + box["width"] <= width
    kinds, lines = studio.page.get_by_label("Kind of questions"), set()
    for kind, words in (("choice", "Which of"), ("groups", "Is this"), ("pair", "Do these")):
        kinds.select_option(kind)
        expect(studio.page.get_by_role("heading", name=re.compile(words))).to_be_visible()
        lines.add(studio.page.get_by_role("button", name="Undo").bounding_box()["y"])
    assert len(lines) == 1  # whatever is asked, the answers stay where they are
    assert not studio.page.evaluate("() => document.documentElement.scrollWidth > innerWidth")
    context.close()


def test_somebody_who_does_not_know_how_many_clusters_says_so(open_page):
    studio = open_page()
    studio.visit("#/new")
    studio.button("flowers.csv").click()
    studio.page.get_by_label("I don’t know how many").check()
    expect(studio.page.get_by_label("How many clusters")).to_be_disabled()
    sent = []
    studio.page.on("request", lambda r: r.method == "POST" and sent.append(r.post_data_json))
    studio.button("Build the clusters").click()
    expect(studio.page.get_by_label("Name of cluster 2", exact=True)).to_be_visible(timeout=120_000)
    assert sent[0]["n_clusters"] == "auto"
