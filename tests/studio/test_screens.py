"""Unusual data gets a decent screen, and everybody can use every screen."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"


def test_one_row_says_that_there_is_no_pair_to_ask_about(open_page):
    studio = open_page("one")
    studio.sees("With one row there is no pair to ask about.")
    expect(studio.page.get_by_role("button", name="Same")).to_be_disabled()


def test_two_hundred_clusters_can_be_looked_through(open_page):
    studio = open_page("many")
    names = studio.page.get_by_label(re.compile(r"Name of cluster \d+"))
    expect(names.nth(190)).to_be_attached()
    last = names.last
    last.scroll_into_view_if_needed()
    expect(last).to_be_visible()
    studio.wait_for_question()


def test_long_texts_scroll_inside_their_frame(open_page):
    studio = open_page("letters")
    studio.wait_for_question()
    texts = studio.page.locator("section figure blockquote")
    expect(texts).to_have_count(2)
    heights = texts.evaluate_all("all => all.map(each => each.clientHeight)")
    assert max(heights) < 300
    expect(studio.page.get_by_role("button", name="Same")).to_be_in_viewport()


def test_broken_pictures_say_so(open_page):
    studio = open_page("scans")
    studio.wait_for_question()
    expect(studio.page.get_by_text("This picture cannot be shown.")).to_have_count(2)
    studio.press("c")
    studio.sees("You said cannot tell.")


def test_a_clustering_that_is_not_there_says_so(open_page):
    studio = open_page()
    studio.visit("#/s/nothing-here")
    studio.sees("This clustering is not here")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_light_and_dark_and_can_be_told_otherwise(open_page, scheme):
    studio = open_page("flowers", color_scheme=scheme)
    root = studio.page.locator("html")
    expect(root).to_have_attribute("data-theme", scheme)
    studio.button("Colours: Auto", exact=False).click()
    expect(root).to_have_attribute("data-theme", "light")
    studio.button("Colours: Light", exact=False).click()
    expect(root).to_have_attribute("data-theme", "dark")


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is missing: python web/build.py --force")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_screen_has_a_serious_fault_of_accessibility(open_page, scheme):
    studio = open_page("digits", color_scheme=scheme, bypass_csp=True)
    studio.tell(
        ("answer", {"i": 0, "j": 1, "verdict": "same"}),
        ("answer", {"i": 1, "j": 2, "verdict": "same"}),
        ("answer", {"i": 0, "j": 2, "verdict": "different"}),
    )
    studio.wait_for_question()
    studio.button("More about cluster 1").click()
    found = faults(studio)
    for tab, words in (("History", "0 and 1: same"), ("Second look", "These cannot all be right")):
        studio.tab(tab)
        expect(studio.page.get_by_role("tabpanel")).to_contain_text(words)
        found += faults(studio)
    studio.lasso(reach=0.2)
    studio.page.get_by_text("Export", exact=True).click()
    found += faults(studio)
    for fragment, heading in (("#/", "Clusterings"), ("#/new", "New clustering")):
        studio.visit(fragment)
        expect(studio.page.get_by_role("heading", name=heading)).to_be_visible()
        found += faults(studio)
    assert found == []


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is missing: python web/build.py --force")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("kind", "size"), [("digits", (1440, 900)), ("flowers", (390, 844))])
def test_nor_has_any_question_sheet_or_panel(open_page, scheme, kind, size):
    screen = {"viewport": {"width": size[0], "height": size[1]}}
    studio = open_page(kind, color_scheme=scheme, bypass_csp=True, **screen)
    studio.tell(("nowhere", {"rows": [0, 1, 2]}), ("together", {"rows": [3, 4, 5]}))
    studio.sees("after someone else")
    found = []
    kinds = studio.page.get_by_label("Kind of questions")
    for asked, words in (("groups", "Is this"), ("choice", "Which of"), ("pair", "Do these")):
        kinds.select_option(asked)
        expect(studio.page.get_by_role("heading", name=re.compile(words))).to_be_visible()
        found += faults(studio)
    studio.press("s")
    studio.sees(re.compile("The clustering had"))
    studio.page.get_by_label("What the colours say").select_option(label="how sure")
    studio.tab("Progress")
    found += faults(studio)
    studio.tab("History")
    studio.button("Rows").first.click()
    found += faults(studio)
    studio.press("?")
    expect(studio.page.get_by_role("dialog")).to_be_visible()
    found += faults(studio)
    studio.button("Close").click()
    for name in ("nowhere", "cluster 1"):
        studio.button(f"More about {name}").click()
    studio.button("Look closer").first.click()
    sheet = studio.page.get_by_role("dialog")
    expect(sheet).to_contain_text("All rows, the surest first")
    found += faults(studio)
    sheet.locator("button.thing").first.click()
    expect(studio.page.get_by_role("tabpanel")).to_contain_text("Most like it")
    studio.button("Choose it and its neighbours").click()
    found += faults(studio)
    assert found == []


def faults(studio):
    """Return what axe-core finds serious or critical on the screen as it is."""
    studio.page.add_script_tag(path=AXE)
    report = studio.page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        (fault["id"], node["html"][:200])
        for fault in report["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def test_every_control_can_be_reached_with_the_keyboard(open_page):
    """Nothing is left out of the order of the Tab key but the tabs beside the open one: arrows."""
    studio = open_page("digits")
    studio.wait_for_question()
    studio.button("More about cluster 1").click()
    studio.lasso(reach=0.2)
    left_out = """() => [...document.querySelectorAll('button, a, input, select, summary')]
      .filter((each) => each.checkVisibility() && each.tabIndex < 0 && each.role !== 'tab')
      .map((each) => each.outerHTML.slice(0, 120))"""
    assert studio.page.evaluate(left_out) == []
    studio.page.get_by_role("tab", name="Progress").focus()
    for name in ("History", "Second look", "Row", "Progress"):
        studio.press("ArrowRight")
        expect(studio.page.get_by_role("tab", name=name)).to_be_focused()
        expect(studio.page.get_by_role("tabpanel", name=name)).to_be_visible()


def test_what_changed_is_told_to_screen_readers(open_page):
    studio = open_page("flowers")
    studio.tell(("split", {"cluster": 0, "rows": None}), who="Ana")
    status = studio.page.get_by_role("status").filter(has_text=re.compile("moved from cluster 1"))
    expect(status).to_have_count(1)


@pytest.mark.parametrize("width", [1024, 420])
def test_narrow_windows_show_everything_without_scrolling_sideways(open_page, width):
    studio = open_page("digits")
    studio.page.set_viewport_size({"width": width, "height": 800})
    studio.wait_for_question()
    assert studio.page.evaluate("document.documentElement.scrollWidth") <= width
    for name in ("Same", "Different", "Cannot tell", "Undo"):
        box = studio.page.get_by_role("button", name=name).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
