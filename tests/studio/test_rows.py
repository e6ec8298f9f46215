"""Work with rows: pin, compare, search, colour, choose without a mouse, look closely."""

import re

from playwright.sync_api import expect
from studio_page import until


def search(studio, text):
    box = studio.page.get_by_label("Search ids, texts and fields")
    box.fill(text)
    box.press("Enter")


def chosen(studio):
    return studio.page.get_by_role("group", name="Chosen rows")


def test_a_clicked_row_is_pinned_with_its_neighbours_and_why_it_is_there(open_page):
    studio = open_page("one")
    studio.at_rest()
    studio.page.mouse.click(*studio.middle_of_the_map())
    panel = studio.page.get_by_role("tabpanel")
    expect(panel).to_contain_text("height")
    expect(panel).to_contain_text("Most like it")


def test_any_two_rows_are_compared(open_page):
    studio = open_page("flowers")
    look_closer(studio)
    sheet = studio.page.get_by_role("dialog")
    sheet.locator("button.thing").first.click()
    panel = studio.page.get_by_role("tabpanel")
    expect(panel).to_contain_text(re.compile(r"\d of the 8 rows most like it are in cluster 1"))
    first = panel.locator("h2").inner_text()
    studio.button("Compare with another").click()
    panel.locator("button.near").first.click()
    expect(panel.locator("h2")).not_to_have_text(first)
    second = panel.locator("h2").inner_text()
    studio.button(f"Compare with {first}").click()
    expect(studio.page.locator("section thead th").first).to_have_text(first)
    assert set(studio.columns()) == {first, second}


def look_closer(studio):
    studio.button("More about cluster 1").click()
    studio.button("Look closer").click()
    expect(studio.page.get_by_role("dialog")).to_contain_text("All rows, the surest first")


def test_a_cluster_has_a_page_with_what_sets_it_apart_and_names_that_suit_it(open_page):
    studio = open_page("flowers")
    look_closer(studio)
    sheet = studio.page.get_by_role("dialog")
    expect(sheet).to_contain_text(re.compile("(petal|sepal) length is (high|low)"))
    expect(sheet).to_contain_text("Sure means")
    suggested = sheet.locator(".names button").first
    name = suggested.inner_text()
    suggested.click()
    expect(sheet.locator("h2")).to_have_text(name)
    expect(sheet).not_to_contain_text(re.compile("ensemble|partition"))  # nobody knows these words
    studio.press("s")  # an answer is not meant while the sheet covers the question
    sheet.get_by_role("button", name="Close").click()
    assert [event["kind"] for event in studio.history()] == ["rename"]


def test_rows_are_found_chosen_and_named_without_a_mouse(open_page):
    studio = open_page("flowers")
    search(studio, "plant-00")
    expect(chosen(studio)).to_contain_text("10 rows")
    studio.page.get_by_label("Name for the chosen rows").fill("first ones")
    studio.press("Enter")
    studio.tab("History")
    studio.sees("10 rows named “first ones”")


def test_nothing_lies_above_what_can_be_said_of_the_rows_found(open_page):
    studio = open_page("flowers", viewport={"width": 1360, "height": 850})
    search(studio, "plant-00")
    heard = studio.page.get_by_role("status").filter(has_text="10 rows found and chosen.")
    expect(heard).to_have_count(1)
    studio.page.get_by_label("Name for the chosen rows").fill("first ones")
    is_on_top = """(it) => {
      const { left, right, top, height } = it.getBoundingClientRect();
      const at = (x) => document.elementFromPoint(x, top + height / 2);
      return it.contains(at(left + 5)) && it.contains(at(right - 5));
    }"""
    for button in chosen(studio).get_by_role("button").all():
        assert button.evaluate(is_on_top), button.inner_text()
    search(studio, "nobody")
    studio.sees("No row holds this.")


def test_chosen_rows_are_all_different_or_belong_nowhere(open_page):
    studio = open_page("flowers")
    search(studio, "clay")
    expect(chosen(studio)).to_contain_text("50 rows")
    expect(studio.button("All different")).to_be_disabled()  # for up to ten rows
    search(studio, "plant-14")
    expect(chosen(studio)).to_contain_text("10 rows")
    studio.button("All different").click()
    studio.tab("History")
    studio.sees("10 rows are all different")
    search(studio, "plant-149")
    studio.button("Belong nowhere").click()
    studio.tab("History")
    studio.sees("1 row belongs nowhere")
    kinds = [event["kind"] for event in studio.history()]
    assert kinds == ["answer"] * 45 + ["nowhere"]


def test_what_was_said_of_chosen_rows_is_not_asked_as_well(open_page):
    studio = open_page("flowers")
    studio.wait_for_question()
    first = studio.page.locator("section thead th").first
    asked = first.inner_text()
    search(studio, asked)
    expect(chosen(studio)).to_contain_text("1 row")
    studio.button("Belong nowhere").click()
    expect(first).not_to_have_text(asked)


def test_the_map_is_coloured_by_a_column_by_sureness_and_by_who_spoke(open_page):
    studio = open_page("flowers", reduced_motion="reduce")
    studio.tell(("answer", {"i": 0, "j": 1, "verdict": "same"}), who="Ana")
    studio.tab("History")
    studio.sees("plant-000 and plant-001")
    legend = studio.page.get_by_role("list", name="What the colours mean")
    seen = [studio.picture()]
    for choice, words in (("soil", "loam"), ("how sure", "certain"), ("who said it", "Ana")):
        studio.page.get_by_label("What the colours say").select_option(label=choice)
        expect(legend).to_contain_text(words)
        seen.append(studio.picture())
    assert len(set(seen)) == 4
    studio.page.get_by_label("What the colours say").select_option(label="clusters")
    expect(legend).to_have_count(0)


def test_a_scale_of_which_both_ends_are_alike_has_a_legend_too(open_page):
    studio = open_page("parcels")
    legend = studio.page.get_by_role("list", name="What the colours mean")
    for column, ends in (
        ("damages", ["0", "0"]),
        ("sent", ["2021-03-05 08:00", "2021-03-05 08:59"]),
    ):
        studio.page.get_by_label("What the colours say").select_option(label=column)
        expect(legend.get_by_role("listitem")).to_have_text(ends)


def test_a_name_that_two_columns_propose_is_suggested_once(open_page):
    studio = open_page("parcels")
    look_closer(studio)
    sheet = studio.page.get_by_role("dialog")
    expect(sheet).to_contain_text(re.compile("insured is (yes|no) in 100 %"))
    expect(sheet).to_contain_text(re.compile("paid is (yes|no) in 100 %"))
    expect(sheet.get_by_role("button", name=re.compile("^(yes|no)$"))).to_have_count(1)


def test_on_a_phone_a_row_that_is_pinned_far_below_comes_into_sight(open_page):
    studio = open_page("flowers", viewport={"width": 390, "height": 844})
    look_closer(studio)
    studio.page.get_by_role("dialog").locator("button.thing").first.click()
    expect(studio.page.get_by_role("tabpanel").locator("h2")).to_be_in_viewport()


def test_a_name_that_another_cluster_has_is_not_suggested(open_page):
    studio = open_page("flowers")
    look_closer(studio)
    sheet = studio.page.get_by_role("dialog")
    name = sheet.locator(".names button").first.inner_text()
    sheet.get_by_role("button", name="Close").click()
    studio.tell(("rename", {"cluster": 1, "name": name}))
    expect(studio.button(f"More about {name}")).to_be_visible()
    studio.button("Look closer").click()
    expect(sheet).to_contain_text("All rows, the surest first")
    expect(sheet.get_by_role("button", name=name, exact=True)).to_have_count(0)


def test_the_one_row_that_is_found_is_shown(open_page):
    studio = open_page("flowers")
    search(studio, "plant-077")
    expect(studio.page.get_by_role("tabpanel").locator("h2")).to_have_text("plant-077")
    expect(chosen(studio)).to_contain_text("1 row")


def test_rows_are_found_by_text_and_by_field(open_page):
    letters = open_page("letters")
    search(letters, "short LETTER 1")
    expect(chosen(letters)).to_contain_text("5 rows")  # 10, 12, 14, 16, 18: every second is long
    flowers = open_page("flowers")
    search(flowers, "clay")
    expect(chosen(flowers)).to_contain_text("50 rows")


def test_a_whole_cluster_and_a_neighbourhood_are_chosen_without_a_mouse(open_page):
    studio = open_page("flowers")
    size = int(studio.page.locator(".size").first.inner_text())

    def activate(button):
        button.focus()
        studio.press("Enter")

    activate(studio.button("More about cluster 1"))
    activate(studio.button("Look closer"))
    sheet = studio.page.get_by_role("dialog")
    activate(sheet.get_by_role("button", name="Choose these rows"))
    expect(chosen(studio)).to_contain_text(f"{size} rows")
    activate(studio.button("Look closer"))
    activate(sheet.locator("button.thing").first)
    activate(studio.button("Choose it and its neighbours"))
    expect(chosen(studio)).to_contain_text("9 rows")
    activate(studio.button("These belong together"))
    studio.tab("History")
    studio.sees("9 rows belong together")


def test_the_map_knows_who_spoke_of_a_row_long_ago(open_page):
    studio = open_page("flowers", reduced_motion="reduce")
    studio.tell(answer(0, 1), who="Ana")
    studio.tell(*[answer(i, j) for i in range(2, 24) for j in range(24, 34)], who="Bo")
    studio.page.reload()
    studio.page.get_by_label("What the colours say").select_option(label="who said it")
    legend = studio.page.get_by_role("list", name="What the colours mean")
    expect(legend).to_contain_text("Bo")
    expect(legend).to_contain_text("Ana")


def test_the_map_tells_who_spoke_as_soon_as_it_knows(open_page):
    studio = open_page("flowers", reduced_motion="reduce")
    studio.tell(answer(0, 1), who="Ana")
    held = []
    studio.page.route("**/history*", lambda route: held.append(route))
    studio.page.reload()
    studio.page.get_by_label("What the colours say").select_option(label="who said it")
    legend = studio.page.get_by_role("list", name="What the colours mean")
    expect(legend).to_be_attached()
    until(lambda: held, studio.page)
    expect(legend.get_by_role("listitem")).to_have_count(0)
    studio.page.unroute("**/history*")  # lets those go on that were held
    expect(legend).to_contain_text("Ana")
    studio.tell(answer(2, 3), who="Bo")
    expect(legend).to_contain_text("Bo")


def answer(i, j):
    return "answer", {"i": i, "j": j, "verdict": "unsure"}


def test_all_rows_of_a_large_cluster_can_be_reached(open_page):
    studio = open_page("sampled")
    look_closer(studio)
    sheet = studio.page.get_by_role("dialog")
    things = sheet.locator("button.thing")
    examples = 9
    expect(things).to_have_count(examples + 60)
    for k in range(1, 6):
        sheet.get_by_role("button", name="Show more of").click()
        expect(things).to_have_count(examples + 60 * 2**k)  # a thousand is told at once
    expect(sheet.get_by_role("button", name="Show more of")).to_be_visible()
