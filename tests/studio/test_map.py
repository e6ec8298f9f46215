"""All rows on one map: see them, zoom, hover, and draw a loop around some."""

import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import expect


@pytest.mark.parametrize("renderer", ["raster", "webgl"])
def test_all_rows_are_drawn_in_the_colours_of_their_clusters(open_page, renderer):
    studio = open_page("flowers")
    studio.page.goto(f"{studio.service.address}/?renderer={renderer}#/s/{studio.session}")
    expect(studio.map).to_have_attribute("data-renderer", renderer)
    expect(studio.map).to_have_attribute("aria-label", re.compile("Map of 150 rows in 3 clusters"))
    expect(studio.map).to_have_attribute("data-frames", re.compile(r"\d+"))
    swatches = studio.page.locator("button[aria-label^='Show only'] span")
    wanted = swatches.evaluate_all("spans => spans.map(s => getComputedStyle(s).backgroundColor)")
    assert len(set(wanted)) == 3
    found = colours_on_the_map(studio)
    for colour in wanted:
        assert tuple(int(part) for part in re.findall(r"\d+", colour)) in found


def colours_on_the_map(studio):
    """Return the set of (r, g, b) among the pixels a person sees on the map."""
    picture = Image.open(BytesIO(studio.picture())).convert("RGB")
    return {colour for _, colour in picture.getcolors(maxcolors=2**24)}


def test_a_better_layout_fades_in_when_it_is_ready(open_page):
    studio = open_page("unplaced")  # the overview is there at once, and may be gone by now
    expect(studio.map).to_have_attribute("data-layout", "neighbours", timeout=60_000)
    studio.button("Overview").click()
    expect(studio.map).to_have_attribute("data-layout", "pca")


def test_the_better_layout_comes_though_the_server_was_away_meanwhile(open_page):
    studio = open_page()
    away = []

    def once(route):
        away.append(route.request.url)
        route.abort() if len(away) == 1 else route.continue_()

    studio.page.route("**/layout/neighbours*", once)
    studio.session = studio.service.session("unplaced")
    studio.visit(f"#/s/{studio.session}")
    expect(studio.map).to_have_attribute("data-layout", "neighbours", timeout=60_000)
    assert len(away) > 1


def test_zooming_and_moving_redraw_the_map(open_page):
    studio = open_page("flowers", reduced_motion="reduce")
    expect(studio.map).to_have_attribute("data-layout", "neighbours")
    whole = studio.picture()
    studio.button("Zoom in").click()
    studio.map.focus()
    studio.press("ArrowLeft")
    assert studio.picture() != whole
    studio.button("Fit").click()
    assert studio.picture() == whole


def test_the_map_is_dragged_zoomed_by_the_wheel_and_led_by_keys(open_page):
    studio = open_page("flowers", reduced_motion="reduce")
    expect(studio.map).to_have_attribute("data-layout", "neighbours")
    x, y = studio.middle_of_the_map()
    mouse = studio.page.mouse

    def drag():
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + 60, y + 40)
        mouse.up()

    deeds = [
        drag,
        lambda: (mouse.move(x, y), mouse.wheel(0, -300)),
        *(lambda key=key: studio.map.press(key) for key in ("ArrowUp", "+", "-", "-")),
    ]
    seen = [studio.picture()]
    for deed in deeds:
        deed()
        mouse.move(5, 5)
        seen.append(studio.picture())
    assert len(set(seen)) >= len(seen) - 1  # + and - take each other back
    studio.map.press("0")
    assert studio.picture() == seen[0]


def test_hovering_a_point_tells_which_row_it_is(open_page):
    studio = open_page("one")
    studio.at_rest()
    studio.page.mouse.move(*studio.middle_of_the_map())
    studio.sees("height 1")


@pytest.mark.parametrize("shift", [False, True])
def test_rows_inside_a_loop_are_said_to_belong_together(open_page, shift):
    studio = open_page("flowers")
    studio.lasso(shift=shift)
    chosen = studio.page.get_by_role("group", name="Chosen rows")
    n = int(re.match(r"(\d+) row", chosen.inner_text()).group(1))
    studio.button("These belong together").click()
    studio.tab("History")
    studio.sees(f"{n} rows belong together")
    (event,) = studio.history()
    assert (event["kind"], len(event["payload"]["rows"])) == ("together", n)


def test_the_map_of_very_many_rows_shows_some_of_them(open_page):
    """A point of the map is a row of the table, whatever its number among the points."""
    studio = open_page("sampled")
    about = studio.call("")
    shown = f"{about['n_on_map']:,} of 130,000 rows"
    assert about["n_on_map"] < 103_000
    expect(studio.map).to_have_attribute("aria-label", re.compile(f"Map of {shown}"))
    expect(studio.map).to_have_attribute("data-layout", "neighbours", timeout=60_000)
    studio.button("Overview").click()
    studio.at_rest()
    studio.lasso(0.01)
    studio.page.get_by_label("Name for the chosen rows").fill("the middle")
    studio.button("Give name").click()
    studio.tab("History")
    studio.sees("named “the middle”")
    (event,) = studio.history()
    rows = event["payload"]["rows"]
    assert 10 < len(rows) < 2000
    assert max(rows) > 103_000
    for row in studio.call(f"/rows?rows={','.join(map(str, rows[-50:]))}"):
        assert abs(row["fields"]["east"]) < 2
        assert abs(row["fields"]["north"]) < 2  # half of all rows are not


def test_rows_inside_a_loop_are_given_a_name(open_page):
    studio = open_page("flowers")
    studio.lasso()
    studio.page.get_by_label("Name for the chosen rows").fill("lilies")
    studio.button("Give name").click()
    studio.tab("History")
    studio.sees("named “lilies”")
    (event,) = studio.history()
    assert (event["kind"], event["payload"]["name"]) == ("label", "lilies")


def test_what_moved_and_why_is_told_in_a_sentence(open_page):
    studio = open_page("flowers")
    studio.button("More about cluster 1").click()
    studio.button("Split in two").click()
    expect(studio.trace).to_have_text(
        re.compile(r"\d+ rows? moved from cluster 1 to cluster 4 after your split\.")
    )


def test_what_stands_beside_the_question_does_not_lie_on_the_map_too(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    studio.press("d")
    studio.sees_it_sent()
    expect(studio.trace).to_contain_text("after your answer.")
    expect(studio.trace).to_be_hidden()
    expect(studio.page.locator(".last")).to_contain_text("after your answer.")
    studio.tell(("split", {"cluster": 0}), who="Bo")
    expect(studio.trace.filter(has_text="after Bo’s split.")).to_be_visible()


def test_without_a_gpu_the_page_draws_the_points_itself(open_page):
    blind = """const get = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
        return kind.startsWith("webgl") ? null : get.call(this, kind, ...more);
      };"""
    studio = open_page("flowers", script=blind)
    expect(studio.map).to_have_attribute("data-renderer", "raster")
    assert len(colours_on_the_map(studio)) > 3


def test_the_map_stays_when_the_gpu_goes_away(open_page):
    studio = open_page("flowers")
    studio.page.goto(f"{studio.service.address}/?renderer=webgl#/s/{studio.session}")
    expect(studio.map).to_have_attribute("data-renderer", "webgl")
    lose = "map => map.querySelector('canvas').getContext('webgl2')"
    studio.map.evaluate(f"{lose}.getExtension('WEBGL_lose_context').loseContext()")
    expect(studio.map).to_have_attribute("data-renderer", "raster")
    expect(studio.map.locator("canvas")).to_have_count(2)
    assert len(colours_on_the_map(studio)) > 3
