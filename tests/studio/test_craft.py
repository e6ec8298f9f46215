"""Small things that make a tool pleasant: keys, one scrollbar, buttons that stay, phones."""

import io
import re
import time

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect
from studio_page import StudioPage

SCROLLS = """() => document.documentElement.scrollHeight > innerHeight
    || document.documentElement.scrollWidth > innerWidth"""

TOO_WIDE = """() => [...document.querySelectorAll('#studio *')].filter((each) => {
    const box = each.getBoundingClientRect();
    const isOut = box.right > innerWidth + 0.5 || box.left < -0.5;
    return each.checkVisibility() && box.width > 1 && isOut;
}).map((each) => each.outerHTML.slice(0, 120))"""


#: Words that end in "..." or under an edge; a list to choose from has an arrow beside its words.
CUT_OFF = """() => {
    const pen = document.createElement('canvas').getContext('2d');
    const wide = (each) => {
        pen.font = getComputedStyle(each).font;
        return pen.measureText(each.selectedOptions[0].text).width + 20 > each.clientWidth;
    };
    const cut = (each) => {
        const style = getComputedStyle(each);
        if (style.overflowX !== 'hidden' || each.clientWidth <= 1) return false;
        const lower = style.webkitLineClamp !== 'none' && each.scrollHeight > each.clientHeight + 1;
        return lower || each.scrollWidth > each.clientWidth + 1;
    };
    return [...document.querySelectorAll('main *, dialog *')]
        .filter((each) => each.checkVisibility())
        .filter((each) => (each.tagName === 'SELECT' ? wide(each) : cut(each)))
        .filter((each) => each.tagName !== 'INPUT' && !each.querySelector('canvas'))
        .map((each) => each.outerHTML.slice(0, 160));
}"""


@pytest.mark.parametrize("size", [(1440, 900), (390, 844), (360, 780)])
def test_words_are_not_cut_off(open_page, size):
    studio = open_page("meadow", viewport={"width": size[0], "height": size[1]})
    studio.tell(
        ("together", {"rows": [0, 1, 2, 120]}),
        ("answer", {"i": 0, "j": 120, "verdict": "different"}),
        ("label", {"rows": [60, 61, 62], "name": "lilies of the valley behind the mill"}),
    )
    studio.sees("after someone else")
    found = {}
    kinds = studio.page.get_by_label("Kind of questions")
    for kind, words in (("groups", "Is this"), ("choice", "Which of"), ("pair", "Do these")):
        kinds.select_option(kind)
        expect(studio.page.get_by_role("heading", name=re.compile(words))).to_be_visible()
        found[kind] = studio.page.evaluate(CUT_OFF)
    tabs = {
        "Progress": "random pair",
        "History": "named",
        "Second look": "These cannot all be right",
    }
    for tab, words in tabs.items():
        studio.tab(tab)
        expect(studio.page.get_by_role("tabpanel")).to_contain_text(words)
        found[tab] = studio.page.evaluate(CUT_OFF)
    studio.page.get_by_label("What the colours say").select_option(label="soil")
    expect(studio.page.get_by_role("list", name="What the colours mean")).to_be_visible()
    found["colours"] = studio.page.evaluate(CUT_OFF)
    studio.button("More about cluster 1").click()
    studio.button("Look closer").click()
    sheet = studio.page.get_by_role("dialog")
    expect(sheet).to_contain_text("All rows, the surest first")
    found["cluster"] = studio.page.evaluate(CUT_OFF)
    sheet.locator("button.thing").first.click()
    expect(studio.page.get_by_role("tabpanel")).to_contain_text("Most like it")
    found["row"] = studio.page.evaluate(CUT_OFF)
    studio.visit("#/new")
    studio.button("meadow.csv").click()
    expect(studio.page.get_by_label("How many clusters")).to_be_visible()
    found["columns"] = studio.page.evaluate(CUT_OFF)
    assert {place: cut for place, cut in found.items() if cut} == {}


def test_the_page_itself_never_scrolls_beside_its_panels(open_page):
    studio = open_page("flowers")
    studio.wait_for_question()
    assert not studio.page.evaluate(SCROLLS)


def test_what_only_screen_readers_hear_makes_no_second_scrollbar(open_page):
    """Each cluster that rows came to or left says so to them, far below the edge of the window."""
    studio = open_page("many")
    studio.tell(("recluster", {"n_clusters": 100}))
    heard = studio.page.locator("section[aria-labelledby=clusters-title] .unseen")
    expect(heard.nth(60)).to_be_attached()
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


def test_cannot_tell_and_undo_stay_where_they_are_whatever_is_asked(open_page):
    studio = open_page("digits")
    kinds, places = studio.page.get_by_label("Kind of questions"), set()
    for kind, words in (("pair", "Do these"), ("choice", "Which of"), ("groups", "three")):
        kinds.select_option(kind)
        expect(studio.page.get_by_role("heading", name=re.compile(words))).to_be_visible()
        buttons = [studio.page.get_by_role("button", name=n) for n in ("Cannot tell", "Undo")]
        places.add(tuple(tuple(button.bounding_box().values()) for button in buttons))
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
    studio.sees_it_sent()
    studio.page.reload()
    expect(studio.page.get_by_role("button", name=re.compile("Same"))).to_have_attribute(
        "aria-keyshortcuts", "J"
    )
    assert [event["payload"]["verdict"] for event in studio.history()] == ["same"]


def test_a_key_that_the_map_took_is_not_an_answer_too(open_page):
    studio = open_page("digits", questions="choice")
    expect(studio.page.get_by_role("button", name="None of these")).to_be_enabled()
    studio.map.focus()
    studio.press("0")  # shows the whole map; elsewhere it says "none of these"
    studio.page.wait_for_timeout(300)
    assert studio.history() == []
    studio.page.get_by_label("Kind of questions").focus()
    studio.press("Tab")
    studio.press("0")
    studio.sees("You said none of these.")


def test_no_key_answers_while_the_exports_cover_the_question(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    studio.page.get_by_text("Export", exact=True).click()
    studio.sees("Map as PNG")
    studio.press("s")
    studio.press("u")
    studio.page.wait_for_timeout(300)
    assert studio.history() == []
    studio.press("Escape")
    studio.press("s")
    studio.sees("You said same.")


@pytest.mark.parametrize("keys", ["Control+z", "Meta+z"])
def test_the_undo_of_every_system_takes_the_last_answer_back(open_page, keys):
    studio = open_page("digits")
    studio.wait_for_question()
    studio.press("s")
    studio.sees_it_sent()
    studio.press(keys)
    studio.tab("History")
    studio.sees("Took back number 1")


def test_the_first_stop_of_the_tab_key_leads_to_the_question(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    studio.press("Tab")
    studio.press("Enter")
    expect(studio.page.locator("button[aria-keyshortcuts=S]")).to_be_focused()


def test_tiny_pictures_are_crisp(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    picture = studio.page.locator("section figure img").first
    expect(picture).to_have_css("image-rendering", "pixelated")


def test_one_of_many_clusters_is_found_by_its_name(open_page):
    studio = open_page("many")
    studio.page.get_by_label("Find a cluster by its name").fill("cluster 123")
    expect(studio.page.get_by_label(re.compile("^Name of cluster"))).to_have_count(1)


@pytest.mark.parametrize("width", [390, 360])
def test_on_a_phone_the_map_and_the_answers_are_on_one_screen(browser, service, width):
    context = browser.new_context(
        viewport={"width": width, "height": 844}, has_touch=True, is_mobile=True
    )
    studio = StudioPage(context, service, service.token, service.session("digits"), "", "pair")
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
        assert studio.page.evaluate(TOO_WIDE) == []
    assert len(lines) == 1  # whatever is asked, the answers stay where they are
    studio.page.get_by_text("Export", exact=True).click()
    studio.sees("Map as PNG")
    assert studio.page.evaluate(TOO_WIDE) == []
    studio.page.get_by_text("Export", exact=True).click()
    for tab in ("History", "Second look", "Row", "Progress"):
        studio.tab(tab)
        assert studio.page.evaluate(TOO_WIDE) == []
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


#: Writes down where the map puts its words, as it draws them.
WRITTEN = """
const draw = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  const half = this.measureText(text).width / 2;
  (window.written ??= {})[text] = { left: x - half, right: x + half, top: y - 6, bottom: y + 6 };
  return draw.call(this, text, x, y);
};
const clear = CanvasRenderingContext2D.prototype.clearRect;
CanvasRenderingContext2D.prototype.clearRect = function (...box) {
  window.written = {};
  return clear.apply(this, box);
};
"""


def written_names(studio):
    """Return where the names stand on the map, once the points have come to rest."""
    expect(studio.map).to_have_attribute("data-layout", "neighbours")
    studio.at_rest()
    return studio.page.evaluate("window.written")


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_names_cover_no_points_and_never_run_off_the_map(open_page, size):
    studio = open_page("too-few", script=WRITTEN, viewport={"width": size[0], "height": size[1]})
    names = written_names(studio)
    assert set(names) == {"cluster 1", "cluster 2"}
    box = studio.map.bounding_box()
    studio.page.evaluate(
        "() => document.querySelectorAll('.marks, .card').forEach("
        "(each) => (each.style.visibility = 'hidden'))"
    )
    picture = np.array(Image.open(io.BytesIO(studio.map.screenshot())).convert("RGB"))
    paper = picture[-2, 2].astype(int)
    for place in names.values():
        assert place["left"] >= 0
        assert place["right"] <= box["width"]
        assert place["bottom"] <= box["height"]
        corner = int(place["top"]), int(place["left"])
        end = int(place["bottom"]), int(place["right"])
        under = picture[corner[0] : end[0], corner[1] : end[1]].astype(int)
        assert (abs(under - paper).max(axis=2) > 8).mean() < 0.01


def test_a_name_too_long_for_the_map_is_cut_there_and_whole_in_the_list(open_page):
    studio = open_page("too-few", script=WRITTEN, viewport={"width": 390, "height": 844})
    name = "lilies of the valley behind the mill that grow beside the river"
    studio.tell(("rename", {"cluster": 0, "name": name}))
    expect(studio.page.get_by_label("Name of cluster 1", exact=True)).to_have_value(name)
    drawn = "() => Object.keys(window.written ?? {}).some((name) => name.startsWith('lilies'))"
    studio.page.wait_for_function(drawn)
    names = written_names(studio)
    (cut,) = set(names) - {"cluster 2"}
    assert re.fullmatch("lilies of the valley.*…", cut)
    assert names[cut]["left"] >= 0
    assert names[cut]["right"] <= studio.map.bounding_box()["width"]


def test_names_are_underlined_in_the_colours_of_their_clusters(open_page):
    script = """const draw = CanvasRenderingContext2D.prototype.stroke;
      CanvasRenderingContext2D.prototype.stroke = function (...path) {
        if (this.lineWidth === 2.5) (window.underlined ??= new Set()).add(this.strokeStyle);
        return draw.call(this, ...path);
      };"""
    studio = open_page("flowers", script=script)
    expect(studio.map).to_have_attribute("data-layout", "neighbours")
    studio.at_rest()
    swatches = studio.page.locator("button[aria-label^='Show only'] span")
    wanted = swatches.evaluate_all("all => all.map(s => getComputedStyle(s).backgroundColor)")
    used = studio.page.evaluate("[...window.underlined]")
    hexed = {f"rgb({int(c[1:3], 16)}, {int(c[3:5], 16)}, {int(c[5:7], 16)})" for c in used}
    assert hexed == set(wanted)
    studio.page.get_by_label("What the colours say").select_option(label="soil")
    expect(studio.page.get_by_role("list", name="What the colours mean")).to_be_visible()
    studio.page.evaluate("() => window.underlined.clear()")
    studio.button("Zoom in").click()
    studio.at_rest()
    assert studio.page.evaluate("window.underlined.size") == 0  # those colours say something else


def test_on_a_phone_what_lies_above_the_map_covers_no_name(open_page):
    studio = open_page("digits", script=WRITTEN, viewport={"width": 390, "height": 844})
    names = written_names(studio)
    assert len(names) >= 5
    box = studio.map.bounding_box()
    tools = [studio.page.locator(each).bounding_box() for each in (".tools", ".looks")]
    lowest = max(tool["y"] + tool["height"] for tool in tools) - box["y"]
    assert min(place["top"] for place in names.values()) >= lowest
    studio.page.get_by_label("What the colours say").select_option(label="how sure")
    legend = studio.page.get_by_role("list", name="What the colours mean").bounding_box()
    left, top = legend["x"] - box["x"], legend["y"] - box["y"]
    assert top >= lowest
    studio.at_rest()
    for place in studio.page.evaluate("window.written").values():
        beside = place["right"] < left or place["left"] > left + legend["width"]
        assert beside or place["bottom"] < top or place["top"] > top + legend["height"]


def test_on_a_phone_chosen_rows_can_still_be_seen(open_page):
    studio = open_page("digits", viewport={"width": 390, "height": 844})
    expect(studio.map).to_have_attribute("data-layout", "neighbours")
    studio.at_rest()
    studio.lasso(0.3)
    chosen = studio.page.get_by_role("group", name="Chosen rows").bounding_box()
    assert chosen["height"] < 0.4 * studio.map.bounding_box()["height"]


def test_two_fingers_zoom_the_map_around_what_lies_between_them(open_page):
    studio = open_page(
        "digits", script=WRITTEN, has_touch=True, viewport={"width": 390, "height": 844}
    )
    before = written_names(studio)
    box = studio.map.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + (box["height"] + 80) / 2
    phone = studio.page.context.new_cdp_session(studio.page)

    def touch(kind, *reaches):
        points = [{"x": x + reach, "y": y, "id": k} for k, reach in enumerate(reaches)]
        phone.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", -30, 30)
    for reach in range(30, 100, 10):
        touch("touchMove", -reach, reach)
    touch("touchEnd")
    fewer = "n => Object.keys(window.written).length < n"
    studio.page.wait_for_function(fewer, arg=len(before))  # what was at the edge is off the map
    assert studio.page.evaluate("visualViewport.scale") == 1  # the map, not the page
    expect(studio.page.get_by_role("tab", name="Row")).to_have_attribute("aria-selected", "false")


def test_whoever_wants_less_motion_sees_none(open_page):
    still = open_page("digits", reduced_motion="reduce")
    moving = open_page("digits")
    frames = {}
    for studio in (still, moving):
        expect(studio.map).to_have_attribute("data-layout", "neighbours")
        studio.at_rest()
        before = int(studio.map.get_attribute("data-frames"))
        studio.page.clock.install()
        studio.page.clock.pause_at(time.time() + 3600)  # however slow the machine is
        studio.button("Overview").click()
        studio.page.clock.run_for(1500)
        studio.at_rest()
        frames[studio] = int(studio.map.get_attribute("data-frames")) - before
    assert frames[still] <= 2  # the points are there at once
    assert frames[moving] > 4  # and glide elsewhere
    assert still.page.evaluate("() => document.getAnimations().length") == 0
    slow = "(e) => [e.transitionDuration, e.animationDuration].some((t) => parseFloat(t) > 0)"
    every = "() => [...document.querySelectorAll('*')].map((e) => getComputedStyle(e))"
    assert not still.page.evaluate(f"() => ({every})().some({slow})")


def test_an_empty_page_tells_what_to_do_first(browser, new_service):
    service = new_service()
    context = browser.new_context(viewport={"width": 390, "height": 844})
    try:
        studio = StudioPage(context, service, service.token, None, "", "pair")
        studio.sees("Nothing here yet")
        studio.sees("Bring a table, texts or pictures; nothing leaves this machine.")
        assert not studio.page.evaluate(SCROLLS)
        studio.page.get_by_role("link", name="Start with your data").click()
        expect(studio.page.get_by_role("heading", name="New clustering")).to_be_visible()
        studio.check_manners()
    finally:
        context.close()


def test_on_a_phone_the_form_for_new_data_does_not_overflow(open_page):
    studio = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    studio.visit("#/new")
    studio.button("flowers.csv").click()
    expect(studio.page.get_by_label("How many clusters")).to_be_visible()
    assert studio.page.evaluate(TOO_WIDE) == []
    assert not studio.page.evaluate("() => document.documentElement.scrollWidth > innerWidth")
