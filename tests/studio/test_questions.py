"""Being asked about pairs, and answering with one key."""

import re

from playwright.sync_api import expect


def test_one_key_each_answers_same_different_and_cannot_tell(open_page):
    studio = open_page("digits", who="Ana")
    for key, words in (
        ("s", "You said same."),
        ("d", "You said different."),
        ("c", "You said cannot"),
    ):
        studio.wait_for_question()
        studio.press(key)
        studio.sees(words)
    expect(studio.page.get_by_text("Sending.")).to_have_count(0)
    told = [(event["payload"]["verdict"], event["who"]) for event in studio.history()]
    assert told == [("same", "Ana"), ("different", "Ana"), ("unsure", "Ana")]


def test_the_keys_are_shown_on_the_buttons(open_page):
    studio = open_page("digits")
    for words, key in (("Same", "S"), ("Different", "D"), ("Cannot tell", "C"), ("Undo", "U")):
        button = studio.page.locator(f"button[aria-keyshortcuts={key}]")
        expect(button).to_contain_text(words)
        expect(button.locator("kbd")).to_have_text(key)


def test_the_opinion_of_the_clustering_is_hidden_until_one_has_answered(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    studio.sees("why it asked, appear here after you answer")
    studio.sees_no(re.compile("The clustering had"))
    studio.press("s")
    studio.sees(re.compile("The clustering had (thought so too|them as different)"))


def test_two_pictures_are_shown_side_by_side(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    pictures = studio.page.locator("section figure img")
    expect(pictures).to_have_count(2)
    for k in (0, 1):
        expect(pictures.nth(k)).to_have_js_property("naturalWidth", 8)
    left, right = (pictures.nth(k).bounding_box() for k in (0, 1))
    assert left["x"] + left["width"] <= right["x"]
    assert left["y"] == right["y"]


def test_rows_without_pictures_show_their_fields_with_the_differing_ones_marked(open_page):
    studio = open_page("flowers")
    studio.wait_for_question()
    shown = {}
    for line in studio.page.locator("table tbody tr").all():
        name, a, b = line.locator("th, td").all()
        shown[name.inner_text()] = (a.inner_text(), b.inner_text().split()[0], line)
    assert {"sepal length", "petal length", "petal width", "soil"} <= set(shown)
    for a, b, line in shown.values():
        assert ("differs" in line.get_attribute("class").split()) == (a != b)


def test_answering_is_instant_because_questions_are_fetched_ahead(open_page):
    studio = open_page("digits")
    studio.page.route("**/questions*", answered_once())
    studio.page.reload()
    studio.wait_for_question()
    for _ in range(4):
        before = studio.pair()
        studio.press("d")
        assert studio.pair() != before
        studio.wait_for_question()


def answered_once():
    """Return what lets the first request through, and never answers a later one."""
    seen = []

    def hear(route):
        if not seen:
            route.continue_()
        seen.append(route)

    return hear


def test_the_pictures_of_the_next_question_are_fetched_ahead_too(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    studio.press("d")
    fetched_before = """(row) => {
      const [answered] = performance.getEntriesByName('linkwise:answer');
      const loaded = performance.getEntriesByType('resource');
      const own = loaded.find((each) => each.name.endsWith(`/rows/${row}/image`));
      return own && (own.startTime < answered.startTime ? 'before' : 'after');
    }"""
    for row in studio.pair():
        told = studio.page.wait_for_function(fetched_before, arg=row)
        assert told.json_value() == "before"


def test_the_undo_key_takes_the_last_answer_back_and_asks_again(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    first = studio.pair()
    studio.press("s")
    studio.sees("You said same.")
    assert studio.pair() != first
    studio.press("u")
    assert studio.pair() == first
    studio.tab("History")
    studio.sees("Took back number 1")
    assert [event["kind"] for event in studio.history()] == ["answer", "undo"]


def test_letters_typed_into_a_field_are_not_answers(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    studio.page.get_by_label("Name of cluster 1", exact=True).fill("")
    studio.page.get_by_label("Name of cluster 1", exact=True).press_sequentially("sdcu")
    studio.press("Escape")
    assert studio.history() == []


def test_the_buttons_answer_too_and_can_be_reached_with_the_keyboard(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    studio.page.get_by_role("button", name="Same").focus()
    for expected in ("D", "C", "U"):
        studio.press("Tab")
        expect(studio.page.locator(f"button[aria-keyshortcuts={expected}]")).to_be_focused()
    studio.page.get_by_role("button", name="Different").focus()
    studio.press("Enter")
    studio.sees("You said different.")


def test_the_undo_key_takes_back_whatever_one_said_last(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    studio.press("s")
    studio.sees(re.compile("The clustering had"))
    studio.page.get_by_label("Name of cluster 1", exact=True).fill("zeros")
    studio.press("Enter")
    expect(studio.button("More about zeros")).to_be_visible()
    studio.press("u")
    expect(studio.button("More about cluster 1")).to_be_visible()
    studio.press("u")
    studio.tab("History")
    studio.sees("Took back number 1")
    assert [event["undone_by"] is None for event in studio.history()[:2]] == [False, False]


def test_of_many_fields_those_come_first_that_tell_the_clusters_apart(open_page):
    studio = open_page("gauges", questions="pair")
    studio.wait_for_question()
    fields = studio.page.locator("section tbody th").all_inner_texts()
    assert sorted(fields[:9]) == [f"pressure {k}" for k in range(9)]
    assert len(fields) == 18
    for kind in ("Which of these?", "One thing or two?"):
        studio.page.get_by_label("Kind of questions").select_option(label=kind)
        expect(studio.page.locator("section .text").first).to_contain_text("pressure")
        expect(studio.page.locator("section .text").first).not_to_contain_text("drift")
    expect(studio.page.locator(".typical").first).to_contain_text("pressure")


def rows_changed(studio, change):
    """Let all rows be told to the page a little differently."""

    def told(route):
        rows = route.fetch().json()
        route.fulfill(json=[{**row, **change(row)} for row in rows])

    studio.page.route("**/rows?*", told)
    studio.page.reload()


def test_examples_stay_in_sight_however_long_the_names_of_pictures_are(open_page):
    studio = open_page("digits", questions="choice", viewport={"width": 1280, "height": 720})
    long = "legacy/accessories-calculator-symbolic-of-the-year-before.symbolic"
    rows_changed(studio, lambda row: {"id": f"{long}-{row['row']}.png"})
    examples = studio.page.locator("ol li button")
    expect(examples).to_have_count(5)
    expect(examples.last).to_be_in_viewport(ratio=1)
    expect(studio.page.locator(".table")).not_to_have_class(re.compile("cut"))


def test_texts_run_in_the_direction_of_their_script(open_page):
    studio = open_page("letters")
    rows_changed(studio, lambda row: {"text": "مرحبا بالعالم!"} if row["row"] % 2 else {})
    expect(studio.page.locator("blockquote")).to_have_count(2)
    for text in studio.page.locator("blockquote").all():
        expected = "rtl" if "مرحبا" in text.inner_text() else "ltr"
        expect(text).to_have_css("direction", expected)
    studio.page.get_by_label("Kind of questions").select_option(label="One thing or two?")
    expect(studio.page.locator("span.text[dir='auto']").first).to_be_visible()
