"""Several browsers at once, and a server that goes away and comes back."""

import json
import re

from playwright.sync_api import expect


def test_two_browsers_see_each_others_answers(open_page):
    ana = open_page("digits", who="Ana")
    bo = open_page(session=ana.session, who="Bo")
    bo.tab("History")
    ana.wait_for_question()
    ana.press("s")
    answer = bo.page.get_by_role("listitem").filter(has_text=re.compile(r"\d+ and \d+: same"))
    expect(answer).to_contain_text("Ana")
    ana.page.get_by_label("Name of cluster 5", exact=True).fill("fours")
    ana.press("Enter")
    expect(bo.page.get_by_label("Name of cluster 5", exact=True)).to_have_value("fours")
    before = bo.picture()
    ana.tell(("split", {"cluster": 0, "rows": None}), who="Ana")
    expect(bo.trace).to_contain_text("after Ana’s split")
    assert bo.picture() != before  # and it is not the rings around the rows that moved: they fade
    bo.button("Take back number 1", exact=False).click()
    ana.tab("History")
    took = ana.page.get_by_role("listitem").filter(has_text="Took back number 1")
    expect(took).to_contain_text("Bo")


def test_after_the_server_was_killed_the_page_goes_on_where_it_was(open_page, service):
    studio = open_page("digits")
    studio.wait_for_question()
    studio.press("s")
    studio.sees("You said same.")
    expect(studio.page.get_by_text("Sending.")).to_have_count(0)
    same = studio.page.get_by_role("button", name="Same")
    before = same.bounding_box()
    service.kill()
    try:
        studio.sees("The linkwise server does not answer.")
        assert same.bounding_box() == before  # nothing moves under the cursor
        studio.press("d")
        studio.sees("One answer is kept here and will be sent.")
    finally:
        service.start()
    away = studio.page.get_by_text("The linkwise server does not answer.")
    expect(away).to_have_count(0, timeout=90_000)  # it answers before the session is open
    expect(studio.page.locator("dd").first).to_have_text(re.compile("^2"), timeout=90_000)
    verdicts = [event["payload"]["verdict"] for event in studio.history()]
    assert verdicts == ["same", "different"]


def test_what_one_click_said_is_kept_as_one_answer(open_page):
    studio = open_page("digits", questions="groups")
    studio.page.route("**/events", lambda route: route.abort())
    studio.page.reload()
    studio.sees("Is this one thing, two, or three?")
    studio.press("2")
    studio.press("1")  # is apart
    studio.sees("One answer is kept here and will be sent.")
    waiting = studio.page.evaluate("Object.values({...localStorage}).find((x) => x.includes('#1'))")
    assert len(json.loads(waiting)) > 1


def test_an_answer_kept_while_the_server_was_away_survives_a_reload_of_the_page(open_page):
    studio = open_page("digits")
    studio.page.route("**/events", lambda route: route.abort())
    studio.page.reload()  # a page that is there already may send once more before it is cut off
    studio.wait_for_question()
    studio.press("s")
    studio.sees("One answer is kept here and will be sent.")
    studio.page.unroute("**/events")
    studio.page.reload()
    expect(studio.page.locator("dd").first).to_have_text(re.compile("^1"))
    assert len(studio.history()) == 1


def test_a_browser_without_the_token_is_told_how_to_get_in(browser, service):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{service.address}/")
    expect(page.get_by_text("This browser is not signed in.")).to_be_visible()
    context.close()
