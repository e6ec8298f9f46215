"""Everything that was said: taken back, brought back, contradicted, doubted, weighed."""

import re

from playwright.sync_api import expect


def test_the_history_tells_who_said_what_and_takes_any_of_it_back(open_page):
    studio = open_page("flowers")
    for j in (1, 2, 3):
        studio.tell(("answer", {"i": 0, "j": j, "verdict": "same"}), who="Bo")
    studio.tab("History")
    items = studio.page.get_by_role("listitem").filter(has_text="plant-000 and plant-00")
    expect(items).to_have_count(3)
    expect(items.nth(1)).to_contain_text("plant-000 and plant-002: same")
    expect(items.nth(1)).to_contain_text("Bo")
    studio.button("Take back number 2", exact=False).click()
    studio.button("Bring back number 2", exact=False).click()
    expect(studio.button("Take back number 2", exact=False)).to_be_visible()
    kinds = [event["kind"] for event in studio.history()]
    assert kinds == ["answer", "answer", "answer", "undo", "undo"]
    assert studio.history()[1]["undone_by"] is None


def test_a_contradiction_is_told_in_words_and_settled_with_a_click(open_page):
    studio = open_page("flowers")
    studio.tell(
        ("answer", {"i": 0, "j": 1, "verdict": "same"}),
        ("answer", {"i": 1, "j": 2, "verdict": "same"}),
        ("answer", {"i": 0, "j": 2, "verdict": "different"}),
    )
    studio.tab("Second look")
    studio.sees("These cannot all be right")
    conflict = studio.page.locator("article").filter(has_text="plant-000 and plant-002: different")
    for pair in ("plant-000 and plant-001: same", "plant-001 and plant-002: same"):
        expect(conflict).to_contain_text(pair)
    conflict.get_by_role("button", name="Take back plant-000 and plant-002").click()
    studio.sees_no("These cannot all be right")
    assert studio.history()[2]["undone_by"] == 4


def test_a_doubtful_answer_is_looked_at_again_and_changed(open_page):
    studio = open_page("flowers")
    told = doubtful(studio)
    studio.tab("Second look")
    studio.sees("Worth a second look")
    studio.button("Look again").first.click()
    studio.sees("Asked once more, to be sure.")
    studio.press("d")
    studio.sees("You said different.")
    expect(studio.page.get_by_text("Sending.")).to_have_count(0)
    undone = [event["seq"] for event in studio.history() if event["undone_by"]]
    assert len(undone) == 1
    assert set(undone) <= {event["seq"] for event in told}


def test_a_doubtful_answer_can_be_confirmed(open_page):
    studio = open_page("flowers")
    doubtful(studio)
    studio.tab("Second look")
    before = len(studio.call("/suspects"))
    studio.button("It is right").first.click()
    expect(studio.button("It is right")).to_have_count(before - 1)
    assert studio.history()[-1]["payload"]["verdict"] == "same"


def doubtful(studio):
    """Say many right things and one that cannot be: two far flowers are the same.

    Asked about once more, one cannot tell.
    """
    alike = [*range(0, 48, 2), *range(100, 148, 2)]
    right = [("answer", {"i": i, "j": i + 1, "verdict": "same"}) for i in alike]
    apart = [("answer", {"i": i, "j": i + 100, "verdict": "different"}) for i in range(1, 20, 2)]
    wrong = [("answer", {"i": 0, "j": 120, "verdict": "same"})]
    told = studio.tell(*right, *apart, *wrong)
    studio.tell(("answer", {"i": 0, "j": 120, "verdict": "unsure"}))
    assert len(studio.call("/suspects")) >= 1
    return told


def test_the_progress_panel_tells_whether_more_answers_pay(open_page):
    studio = open_page("digits")
    studio.sees("every tenth question is a random pair; none was told yet")
    hint = studio.call("/progress")["hint"]
    studio.sees(hint)
    for _ in range(3):
        studio.wait_for_question()
        studio.press("d")
    expect(studio.page.locator("dd").first).to_have_text(re.compile("^3"))
    studio.sees("Rows that moved, change by change")
