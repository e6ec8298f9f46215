"""Big questions first: groups of rows, a row and examples, then pairs; and how many clusters."""

import random
import re

from playwright.sync_api import expect


def title(studio):
    return studio.page.locator("#question-title")


def groups_shown(studio):
    """Return how many rows each group on the table has."""
    groups = studio.page.get_by_role("group", name=re.compile("Group"))
    expect(groups.first).to_be_visible()
    return [groups.nth(k).get_by_role("button").count() for k in range(groups.count())]


def test_the_first_question_is_about_whole_groups_and_one_click_says_much(open_page):
    studio = open_page("digits", questions="auto")
    expect(title(studio)).to_have_text("Is this one thing, two, or three?")
    shown = groups_shown(studio)
    assert len(shown) == 3
    assert all(1 < n <= 10 for n in shown)
    studio.page.get_by_role("group", name="Group 1").get_by_role("button").last.click()  # not meant
    studio.press("3")
    studio.sees("You said three things.")
    studio.sees_it_sent()
    told = studio.history()
    assert [event["kind"] for event in told[:3]] == ["together"] * 3
    assert [len(event["payload"]["rows"]) for event in told[:3]] == [shown[0] - 1, *shown[1:]]
    assert {event["payload"]["verdict"] for event in told[3:]} == {"different"}
    assert len(told) == 3 + 3 * 5 * 2  # five pairs, confirmed, stand for two things being different
    studio.tab("History")
    studio.sees(f"{shown[0] - 1} rows, {shown[1]} rows and {shown[2]} rows: three things")
    studio.press("u")
    studio.sees("Took back numbers 1 to 33")
    expect(title(studio)).to_have_text("Is this one thing, two, or three?")  # it comes up again
    assert groups_shown(studio) == shown


def test_an_answer_counts_once_however_much_it_says(open_page):
    studio = open_page("digits", questions="groups")
    expect(title(studio)).to_have_text("Is this one thing, two, or three?")
    count = studio.page.locator("dd").first
    studio.press("3")
    expect(count).to_have_text("1")
    studio.page.get_by_label("Kind of questions").select_option("choice")
    expect(title(studio)).to_have_text("Which of these does it belong with?")
    studio.press("1")
    expect(count).to_have_text("2")
    studio.sees("Too early to tell: give some 18 more answers.")
    studio.press("c")
    expect(count).to_contain_text("1 of them cannot tell")
    assert len(studio.history()) > 20  # events
    studio.press("u")
    expect(count).to_have_text("2")


def test_the_history_tells_each_answer_whole_however_many_events_it_is(open_page):
    studio = open_page("digits", questions="groups")
    studio.tab("History")
    told = studio.page.get_by_role("listitem").filter(
        has_text=re.compile("rows: (two|three) things")
    )
    for number in range(1, 4):
        expect(title(studio)).to_have_text(re.compile("Is this one thing"))
        studio.press("3" if "three" in title(studio).inner_text() else "2")
        expect(told).to_have_count(number)
    assert len(studio.history()) > 60
    expect(studio.page.get_by_role("tabpanel")).not_to_contain_text("belongs with none")


def test_of_three_groups_two_may_be_one_thing(open_page):
    studio = open_page("digits", questions="groups")
    expect(title(studio)).to_have_text("Is this one thing, two, or three?")
    shown = groups_shown(studio)
    studio.press("2")
    expect(title(studio)).to_have_text("Which group is the other thing?")
    studio.press("Escape")
    expect(title(studio)).to_have_text("Is this one thing, two, or three?")
    studio.press("2")
    studio.press("1")
    studio.sees("You said two things.")
    studio.sees_it_sent()
    apart, together, *different = studio.history()
    assert len(apart["payload"]["rows"]) == shown[0]
    assert len(together["payload"]["rows"]) == shown[1] + shown[2]
    for event in different:
        assert event["payload"]["verdict"] == "different"
        assert event["payload"]["i"] in apart["payload"]["rows"]
        assert event["payload"]["j"] in together["payload"]["rows"]


def test_three_groups_that_one_cannot_tell_are_asked_about_two_by_two(open_page):
    studio = open_page("too-few", questions="groups")
    expect(title(studio)).to_have_text("Is this one thing, two, or three?")
    cannot_tell = studio.page.get_by_role("button", name="Cannot tell")
    for _ in range(5):
        expect(cannot_tell).to_be_enabled()
        if title(studio).inner_text() == "Is this one thing, or two?":
            break
        studio.press("c")
        studio.sees_it_sent()
    expect(title(studio)).to_have_text("Is this one thing, or two?")
    assert len(groups_shown(studio)) == 2
    studio.press("2")
    studio.sees("You said two things.")


def test_a_row_is_placed_beside_one_of_up_to_five_examples_with_one_key(open_page):
    studio = open_page("digits", questions="choice")
    expect(title(studio)).to_have_text("Which of these does it belong with?")
    examples = studio.page.locator("ol button")
    expect(examples.first).to_be_visible()
    n = examples.count()
    assert 2 <= n <= 5
    studio.press("2")
    studio.sees(re.compile(r"You said it belongs with \d+\."))
    studio.sees_it_sent()
    verdicts = [event["payload"]["verdict"] for event in studio.history()]
    assert verdicts == ["different", "same", *["different"] * (n - 2)]
    studio.tab("History")
    studio.sees(re.compile(r"\d+ belongs with \d+, not with \d+"))
    studio.press("0")
    studio.sees("You said none of these.")


def test_all_examples_of_a_choice_are_in_sight_however_long_they_are(open_page):
    studio = open_page("complaints", questions="choice", viewport={"width": 1360, "height": 850})
    expect(title(studio)).to_have_text("Which of these does it belong with?")
    expect(studio.page.locator("ol button")).to_have_count(5)
    table = studio.page.locator(".table").bounding_box()
    last = studio.page.locator("ol button").last.bounding_box()
    assert last["y"] + last["height"] <= table["y"] + table["height"]


def test_a_question_of_which_more_lies_below_the_edge_fades_there(open_page):
    studio = open_page("complaints", questions="groups")
    expect(title(studio)).to_have_text("Is this one thing, two, or three?")
    table = studio.page.locator(".table")
    expect(table).to_have_css("mask-image", re.compile("gradient"))
    table.evaluate("table => table.scrollTo(0, table.scrollHeight)")
    expect(table).to_have_css("mask-image", "none")
    studio.press("c")
    expect(table).to_have_css("mask-image", re.compile("gradient"))
    assert table.evaluate("table => table.scrollTop") == 0  # the next one begins at its beginning


def test_the_small_picture_that_is_pointed_at_is_large(open_page):
    studio = open_page("digits", questions="groups")
    groups = studio.page.get_by_role("group", name=re.compile("Group"))
    for picture in (
        groups.first.get_by_role("button").first,
        groups.last.get_by_role("button").last,
    ):
        image = picture.locator("img")
        small = image.bounding_box()["width"]
        picture.hover()
        wide = "([image, width]) => image.getBoundingClientRect().width > width"
        studio.page.wait_for_function(wide, arg=[image.element_handle(), 2 * small])
        place, table = image.bounding_box(), studio.page.locator(".table").bounding_box()
        assert place["x"] >= table["x"]
        assert place["x"] + place["width"] <= table["x"] + table["width"]


def test_a_large_picture_does_not_keep_the_pointer_from_the_next_one(open_page):
    studio = open_page("digits", questions="groups")
    pictures = studio.page.get_by_role("group", name="Group 1").get_by_role("button")
    expect(pictures.nth(2)).to_be_visible()
    here, there = middle(pictures.nth(2)), middle(pictures.nth(3))
    studio.page.mouse.move(*here)
    studio.page.mouse.move(*there, steps=5)
    studio.page.mouse.click(*there)
    expect(pictures.nth(3)).to_have_attribute("aria-pressed", "false")
    expect(pictures.nth(2)).to_have_attribute("aria-pressed", "true")


def middle(thing):
    box = thing.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_person_can_switch_to_pairs_and_the_page_remembers_it(open_page):
    studio = open_page("digits", questions="auto")
    expect(title(studio)).to_have_text("Is this one thing, two, or three?")
    studio.page.get_by_label("Kind of questions").select_option("pair")
    expect(title(studio)).to_have_text("Do these two belong together?")
    studio.page.reload()
    expect(title(studio)).to_have_text("Do these two belong together?")


def test_big_questions_are_followed_by_choices_and_these_by_pairs(open_page):
    """What is told of groups and of single rows is not asked again, so that pairs are left."""
    studio = open_page("letters", questions="auto")
    seen = []
    for number in range(1, 80):
        expect(studio.page.locator(".answers button").first).to_be_enabled()
        seen.append(title(studio).inner_text().split()[0])
        if seen[-1] == "Do" and number % 10:
            break
        studio.press("c")
        expect(studio.page.locator("dd").first).to_contain_text(f"{number} of them cannot tell")
    big = [first for number, first in enumerate(seen, 1) if number % 10]
    assert list(dict.fromkeys(big)) == ["Is", "Which", "Do"]


def test_whoever_says_their_name_keeps_the_questions_they_were_given(open_page):
    studio = open_page("too-few", questions="groups")
    expect(title(studio)).to_have_text("Is this one thing, two, or three?")
    studio.page.get_by_label("You are").fill("Ana")
    studio.press("Tab")
    rows = studio.page.locator(".rows button")
    before = rows.all_inner_texts()
    studio.page.reload()
    expect(rows).to_have_text(before)


def test_a_new_tab_asks_what_the_closed_one_asked(open_page):
    studio = open_page("too-few", questions="groups")
    rows = studio.page.locator(".rows button")
    expect(rows.first).to_be_visible()
    asked, address = rows.all_inner_texts(), studio.page.url
    studio.page.close()
    again = studio.page.context.new_page()
    again.goto(address)
    expect(again.locator(".rows button")).to_have_text(asked)


def test_two_people_never_get_the_same_question_and_an_answered_one_leaves_the_screen(open_page):
    ana = open_page("digits", who="Ana")
    bo = open_page(session=ana.session, who="Bo")
    ana.wait_for_question()
    bo.wait_for_question()
    assert set(ana.pair()) != set(bo.pair())
    here = bo.pair()
    i, j = map(int, here)
    ana.tell(("answer", {"i": i, "j": j, "verdict": "same"}), who="Cy")
    expect(bo.page.locator("section figure figcaption").first).to_be_visible()
    bo.page.wait_for_function(
        "([a, b]) => { const all = [...document.querySelectorAll('section figure figcaption')]"
        ".map(each => each.textContent); return all[0] !== a || all[1] !== b; }",
        arg=list(here),
    )


def test_a_row_that_somebody_placed_elsewhere_leaves_the_screen(open_page):
    studio = open_page("digits", questions="choice")
    row, example = studio.page.locator(".one .id"), studio.page.locator("ol .id").last
    placed = row.inner_text()
    studio.tell(("together", {"rows": [int(placed), int(example.inner_text())]}), who="Cy")
    expect(row).not_to_have_text(placed)


def test_groups_that_somebody_put_together_elsewhere_leave_the_screen(open_page):
    studio = open_page("digits", questions="groups")
    groups = studio.page.get_by_role("group", name=re.compile("Group"))
    ends = [groups.nth(k).get_by_role("button").last for k in (0, 1)]
    names = [end.get_attribute("aria-label") for end in ends]
    studio.tell(("together", {"rows": [int(name.split()[0]) for name in names]}), who="Cy")
    studio.page.wait_for_function(
        "(names) => names.some((name) => !document.querySelector(`[aria-label='${name}']`))",
        arg=names,
    )


def test_how_far_two_people_agree_is_shown(open_page):
    studio = open_page("flowers")
    for who, verdict in (("Ana", "same"), ("Bo", "different")):
        studio.tell(("answer", {"i": 0, "j": 1, "verdict": "same"}), who=who)
        studio.tell(("answer", {"i": 2, "j": 3, "verdict": verdict}), who=who)
    studio.sees("Ana and Bo agree on 1 of 2 pairs")


def test_one_cluster_more_or_fewer_with_one_click_and_undone_like_anything_else(open_page):
    studio = open_page("flowers")
    studio.button("One more").click()
    names = studio.page.get_by_label(re.compile("^Name of cluster"))
    expect(names).to_have_count(4)
    studio.button("Undo", exact=False).click()
    expect(names).to_have_count(3)
    studio.button("One fewer").click()
    expect(names).to_have_count(2)
    studio.press("Control+z")
    expect(names).to_have_count(3)


def test_one_cluster_more_or_fewer_leaves_most_rows_in_their_colour(open_page):
    studio = open_page("digits")
    for button, count in (("One more", 11), ("One fewer", 10), ("One fewer", 9)):
        studio.button(button).click()
        studio.sees(f"{count} clusters")
    moved = studio.call("/progress")["moved"]
    assert [0 < change["rows"] < 80 for change in moved] == [True] * 3  # of 240


def test_one_more_is_one_more_also_after_a_split_and_beside_rows_that_belong_nowhere(open_page):
    studio = open_page("flowers")
    names = studio.page.get_by_label(re.compile("^Name of cluster"))
    studio.tell(("split", {"cluster": 0, "rows": None}), ("nowhere", {"rows": [148, 149]}))
    studio.sees("4 clusters")
    expect(names).to_have_count(4)
    studio.button("One more").click()
    studio.sees("5 clusters")
    expect(names).to_have_count(5)
    assert studio.history()[-1]["payload"]["n_clusters"] == 4  # those that are not from a split


def test_a_number_that_is_too_small_is_told_with_the_one_to_try(open_page):
    studio = open_page("too-few")
    studio.tell(*answers_about_four_heaps())
    proposed = studio.page.get_by_role("button", name=re.compile(r"^Try \d"))
    expect(proposed).to_be_visible()
    studio.sees(re.compile(r"2 clusters look wrong: \d foretell your answers better"))
    studio.sees_no(re.compile("will change little"))
    proposed.click()
    expect(studio.page.get_by_label("Name of cluster 3", exact=True)).to_be_visible()


def test_a_number_that_is_too_large_is_told_with_the_one_to_try(open_page):
    studio = open_page("too-many")
    studio.tell(*answers_about_four_heaps(150))
    studio.sees(re.compile(r"7 clusters look wrong: [3-6] foretell your answers better"))
    studio.sees_no(re.compile("will change little"))
    studio.page.get_by_role("button", name=re.compile(r"^Try [3-6]$")).click()
    studio.tab("History")
    studio.sees(re.compile("Clustered anew, in [3-6] clusters"))
    studio.press("u")
    studio.sees("Took back number 151")


def test_answers_that_do_not_fit_the_columns_are_told_so(open_page):
    studio = open_page("useless")
    studio.tell(*answers_about_four_heaps())
    studio.sees(re.compile("Your answers do not fit what the rows are grouped by"))
    studio.sees_no(re.compile("will change little"))


def answers_about_four_heaps(n=90):
    """Tell the truth about rows of which every fourth is of one kind."""
    draw = random.Random(0)
    pairs = [draw.sample(range(120), 2) for _ in range(n)]
    return [
        ("answer", {"i": i, "j": j, "verdict": "same" if i % 4 == j % 4 else "different"})
        for i, j in pairs
    ]
