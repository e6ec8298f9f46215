"""What was said is visible and true: doubts, contradictions, honest advice, hidden opinions."""

import re
import time

from playwright.sync_api import expect
from studio_page import until


def answer(i, j, verdict):
    return "answer", {"i": i, "j": j, "verdict": verdict}


def many_right_and_one_wrong():
    """Say many right things and, last, one that cannot be: two far flowers are the same."""
    alike = [*range(0, 48, 2), *range(100, 148, 2)]
    right = [answer(i, i + 1, "same") for i in alike]
    apart = [answer(i, i + 100, "different") for i in range(1, 20, 2)]
    return [*right, *apart, answer(0, 120, "same")]


def test_two_contradictions_of_the_same_events_are_both_told(open_page):
    studio = open_page("flowers")
    studio.tell(answer(0, 1, "different"), answer(2, 3, "different"))
    studio.tell(("together", {"rows": [0, 1, 2, 3]}))
    studio.tab("Second look")
    studio.sees("These cannot all be right")
    told = studio.page.locator("article.conflict")
    expect(told).to_have_count(2)
    expect(told.first).to_contain_text("4 rows (event 3)")
    expect(told.first).not_to_contain_text("plant-001 and plant-002")  # nobody was asked about it


def test_one_wrong_row_is_taken_out_of_a_loop_and_the_others_stay_together(open_page):
    studio = open_page("flowers")
    studio.tell(("together", {"rows": [0, 1, 2, 120]}), answer(0, 120, "different"))
    studio.tab("Second look")
    studio.button("Take it out: plant-120").click()
    studio.sees_no("These cannot all be right")
    *_, undo, again = studio.history()
    assert (undo["kind"], undo["payload"]["event"]) == ("undo", 1)
    assert (again["kind"], again["payload"]["rows"]) == ("together", [0, 1, 2])


def test_a_row_is_taken_out_of_a_named_set_in_the_history(open_page):
    studio = open_page("flowers")
    studio.tell(("label", {"rows": [0, 1, 2], "name": "lilies"}))
    studio.tab("History")
    studio.button("Rows").click()
    studio.button("Take out plant-001").click()
    studio.sees("2 rows named “lilies”")
    assert studio.history()[-1]["payload"] == {"rows": [0, 2], "name": "lilies"}


def test_a_row_is_taken_out_of_those_that_belong_nowhere(open_page):
    studio = open_page("flowers")
    studio.tell(("nowhere", {"rows": [0, 1, 2]}))
    studio.tab("History")
    studio.button("Rows").click()
    studio.button("Take out plant-001").click()
    studio.sees("2 rows belong nowhere")
    assert studio.history()[-1]["payload"] == {"rows": [0, 2]}


def test_any_row_of_a_large_set_can_be_taken_out(open_page):
    studio = open_page("flowers")
    studio.tell(("together", {"rows": list(range(90))}))
    studio.tab("History")
    studio.button("Rows").click()
    expect(studio.button("Take out plant-000")).to_be_visible()
    expect(studio.button("Take out plant-040")).to_have_count(0)
    for last in ("plant-079", "plant-089"):
        studio.button("More of 90 rows").click()
        expect(studio.button(f"Take out {last}")).to_be_visible()
    studio.button("Take out plant-089").click()
    studio.sees("89 rows belong together")
    assert studio.history()[-1]["payload"]["rows"] == list(range(89))


def test_the_most_suspicious_answer_is_to_be_looked_at_first_not_the_latest(open_page):
    studio = open_page("flowers")
    *_, wrong = studio.tell(*many_right_and_one_wrong())
    studio.tell(answer(0, 122, "different"), answer(120, 122, "same"))
    (trouble,) = studio.call("/conflicts")
    assert trouble["proposal"] == wrong["seq"]
    studio.tab("Second look")
    marked = studio.page.get_by_role("listitem").filter(has_text="look here first")
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text("plant-000 and plant-120: same")


def test_what_cannot_both_hold_is_said_where_it_was_said(open_page):
    studio = open_page("flowers")
    studio.wait_for_question()
    i, j = (int(name.removeprefix("plant-")) for name in studio.columns())
    other = next(row for row in range(150) if row not in (i, j))
    studio.tell(answer(i, other, "same"), answer(other, j, "same"))
    studio.press("d")
    studio.sees("3 of the answers cannot all hold.")  # two of them are somebody else's
    studio.button("See which").click()
    studio.sees("These cannot all be right")


def test_two_answers_of_ones_own_that_contradict_each_other_are_told_as_such(open_page):
    studio = open_page("flowers", who="Ana")
    studio.tell(("together", {"rows": [0, 1]}), who="Ana")
    search = studio.page.get_by_label("Search ids, texts and fields")
    for row, deed in (
        ("plant-000", "Compare with another"),
        ("plant-001", "Compare with plant-000"),
    ):
        search.fill(row)
        search.press("Enter")
        expect(studio.page.get_by_role("tabpanel").locator("h2")).to_have_text(row)
        studio.button(deed).click()
    expect(studio.page.locator("section thead th").first).to_have_text("plant-000")
    studio.press("d")
    studio.sees("2 of your answers cannot both hold.")


def test_a_doubted_answer_is_asked_about_again_once_and_nobody_is_accused_before(open_page):
    studio = open_page("flowers")
    *_, wrong = studio.tell(*many_right_and_one_wrong())
    studio.sees("after someone else’s answer")
    assert len(studio.call("/suspects")) == 1
    studio.tab("Second look")
    studio.sees("Nothing that was said contradicts itself.")
    studio.page.reload()
    studio.sees("Asked once more, to be sure.")
    studio.press("s")
    studio.sees_it_sent()
    studio.sees_no("Asked once more, to be sure.")
    assert not [q for q in studio.call("/questions?asked=60&n=8") if q["again"]]
    assert studio.call("/suspects") == []
    assert studio.history()[wrong["seq"] - 1]["undone_by"] is None


def test_what_asking_again_did_not_settle_is_worth_a_second_look_without_a_percentage(open_page):
    studio = open_page("flowers")
    studio.tell(*many_right_and_one_wrong(), answer(0, 120, "unsure"))
    studio.tab("Second look")
    studio.sees("Worth a second look")
    studio.sees("The other answers speak against it, so it does not count for now.")
    assert "%" not in studio.page.locator("[role=tabpanel]").inner_text()


def test_a_doubted_answer_that_is_changed_is_settled(open_page):
    studio = open_page("flowers")
    *_, wrong = studio.tell(*many_right_and_one_wrong())
    studio.sees("after someone else’s answer")
    studio.page.reload()
    studio.sees("Asked once more, to be sure.")
    studio.press("d")
    studio.sees_it_sent()
    assert studio.call("/suspects") == []
    assert studio.history()[wrong["seq"] - 1]["undone_by"] is not None


def test_an_answer_that_is_set_aside_is_said_not_to_count_where_it_stands(open_page):
    studio = open_page("flowers")
    *_, wrong = studio.tell(*many_right_and_one_wrong())
    told = {"event": wrong["seq"], "i": 0, "j": 120, "verdict": "same", "suspicion": 0.9}
    told |= {"sentence": "", "holds": False, "asked_again": False}
    studio.page.route("**/suspects", lambda route: route.fulfill(json=[told]))
    studio.page.reload()
    studio.tab("History")
    studio.sees(re.compile("does not count for now, as the other answers speak against it"))


def test_every_tenth_question_is_drawn_at_random_and_the_advice_goes_by_these(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    for number in range(1, 22):
        studio.press("d")
        expect(studio.page.locator("dd").first).to_have_text(re.compile(f"^{number}\\b"))
        studio.wait_for_question()
    expect(studio.page.locator("dd").first).to_have_text(re.compile("^21"))
    drawn = [event["seq"] for event in studio.history() if event["payload"].get("drawn")]
    assert drawn == [10, 20]
    studio.sees(re.compile(r"Of the last 2 random pairs it got \d right \(\d+–\d+ %\)"))


def test_neither_the_opinion_nor_the_reason_is_told_before_the_answer(open_page):
    studio = open_page("digits")
    studio.wait_for_question()
    (question,) = studio.call("/questions")
    asked = studio.page.locator("section[aria-labelledby=question-title]")
    for tell_tale in ("either way", "One answer places", question["why"], "drawn at random"):
        expect(asked).not_to_contain_text(tell_tale)
    studio.press("s")
    expect(asked).to_contain_text(re.compile("either way|One answer places"))


def test_why_it_asked_counts_clusters_as_the_page_does(open_page):
    studio = open_page("digits")
    studio.tell(("rename", {"cluster": 4, "name": "fives"}))

    def between(route):
        questions = route.fetch().json()
        why = "Between cluster 0, cluster 4 and cluster 9 this could go either way."
        route.fulfill(json=[question | {"why": why} for question in questions])

    studio.page.route("**/questions*", between)
    studio.page.reload()
    studio.wait_for_question()
    studio.press("s")
    studio.sees("Between cluster 1, fives and cluster 10 this could go either way.")


def test_rows_that_moved_are_remembered_after_a_power_cut(open_page, service):
    studio = open_page("flowers")
    studio.tell(("split", {"cluster": 1, "rows": None}))
    studio.sees("Rows that moved, change by change")
    service.kill()
    service.start()
    studio.page.reload()
    again = studio.page.get_by_text("Rows that moved, change by change")
    expect(again).to_be_visible(timeout=90_000)  # the service answers before the session is open


def test_the_trace_tells_of_the_answer_it_belongs_to(open_page):
    studio = open_page("flowers", who="Ana")
    studio.wait_for_question()
    studio.press("c")
    said = studio.page.locator(".last")
    expect(said).to_contain_text("No row moved after your answer.")
    studio.tell(("split", {"cluster": 0, "rows": None}), who="Bo")
    expect(studio.trace).to_contain_text("Bo’s split")
    expect(said).to_contain_text("No row moved after your answer.")


#: Tells whether the last picture of the map has a dashed line between two points.
DASHES = """
const draw = CanvasRenderingContext2D.prototype.setLineDash;
CanvasRenderingContext2D.prototype.setLineDash = function (pattern) {
  if (String(pattern) === "3,4") window.dashed = true;
  return draw.call(this, pattern);
};
const clear = CanvasRenderingContext2D.prototype.clearRect;
CanvasRenderingContext2D.prototype.clearRect = function (...box) {
  window.dashed = false;
  return clear.apply(this, box);
};
"""


def test_the_line_between_the_pair_stays_until_the_next_question_comes(open_page):
    studio = open_page("digits", script=DASHES)
    studio.wait_for_question()
    studio.page.route("**/questions*", lambda route: route.abort())
    looking = studio.page.get_by_text("Looking for something worth asking.")

    def answered():
        studio.press("d")
        return looking.is_visible()

    until(answered, studio.page)  # all that were fetched ahead
    line = re.compile(r"\d+-\d+")
    expect(looking).to_be_visible()
    expect(studio.map).to_have_attribute("data-pair", line)
    studio.page.wait_for_timeout(2000)  # no clock takes it away
    expect(studio.map).to_have_attribute("data-pair", line)
    studio.page.wait_for_function("() => window.dashed")
    studio.page.unroute("**/questions*")
    studio.tell(("answer", {"i": 0, "j": 1, "verdict": "unsure"}))
    studio.wait_for_question()
    expect(studio.map).not_to_have_attribute("data-pair", line)
    studio.page.wait_for_function("() => !window.dashed")


def test_the_line_fades_at_once_where_the_next_question_is_there(open_page):
    studio = open_page("digits", script=DASHES)
    studio.wait_for_question()
    studio.at_rest()
    studio.page.clock.install()
    studio.page.clock.pause_at(time.time() + 3600)  # however slow the machine is
    studio.press("s")
    expect(studio.map).not_to_have_attribute("data-pair", re.compile(r"\d+-\d+"))
    studio.page.clock.run_for(100)
    studio.page.wait_for_function("() => window.dashed")
    studio.page.clock.run_for(2000)
    studio.page.wait_for_function("() => !window.dashed")


def test_contradictions_that_take_long_are_asked_for_once_and_hold_up_nothing(open_page):
    studio = open_page("flowers")
    held = []
    studio.page.route("**/conflicts", lambda route: held.append(route))  # takes very long
    for n in range(1, 9):  # browsers have six lines to a service
        studio.wait_for_question()
        studio.press("d")
        until(lambda n=n: len(studio.history()) == n, studio.page)
        studio.sees(re.compile("moved"))  # the colours are new, and the panels are to follow
        studio.page.wait_for_timeout(200)
    studio.sees_it_sent()
    assert len(held) == 1
    expect(studio.page.get_by_role("definition").first).to_have_text("8")
    held.pop().continue_()
    until(lambda: held, studio.page)  # what came meanwhile is asked for now


def test_of_many_contradictions_the_first_are_told_and_all_by_the_names_of_their_rows(open_page):
    studio = open_page("flowers")
    sets = [("together", {"rows": [k, k + 1]}) for k in range(0, 24, 2)]
    studio.tell(*sets, *(answer(k, k + 1, "different") for k in range(0, 24, 2)))
    held = []
    studio.page.route("**/rows?*", lambda route: held.append(route))  # names that are not known yet
    studio.tab("Second look")
    told = studio.page.locator("article.conflict")
    studio.sees("These cannot all be right")
    expect(told).to_have_count(0)
    studio.page.unroute_all()
    studio.page.reload()
    studio.tab("Second look")
    expect(told).to_have_count(10)
    expect(told.first).to_contain_text("plant-000 and plant-001: different")
    expect(told.first).not_to_contain_text(re.compile(r"Number \d|^\d+ and"))
    studio.button("More of 12 contradictions").click()
    expect(told).to_have_count(12)
