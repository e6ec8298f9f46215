"""The studio as a person sees it: one method for each thing a person does or looks for."""

import json
import math
import time
import urllib.request

from playwright.sync_api import expect


def until(condition, page, *, patience=60):
    """Wait until something is so that the browser cannot wait for by itself; return it."""
    end = time.monotonic() + patience
    while not (found := condition()):
        assert time.monotonic() < end, "What was waited for did not come about."
        page.wait_for_timeout(50)
    return found


class StudioPage:
    """One browser window, and a back door to the service for setting the scene."""

    def __init__(self, context, service, token, session, who, questions):
        self.service, self.session, self._token = service, session, token
        self.requests, self.complaints = [], []
        context.on("request", lambda request: self.requests.append(request.url))
        context.add_init_script(
            f"localStorage.getItem('linkwise.questions') ?? "
            f"localStorage.setItem('linkwise.questions', '{questions}')"
        )
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._hear)
        self.visit(f"#/s/{session}" if session else "#/")
        if session:
            expect(self.page.get_by_label("Name of cluster 1", exact=True)).to_be_visible()
        if who:
            self.page.get_by_label("You are").fill(who)
            self.page.get_by_label("You are").press("Enter")

    def _hear(self, message):
        if "Content Security Policy" in message.text:
            self.complaints.append(message.text)

    def visit(self, fragment):
        self.page.goto(f"{self.service.address}/?token={self._token}{fragment}")

    def check_manners(self):
        """Nothing failed on the page, and nobody else was asked for anything."""
        assert self.complaints == []
        strangers = [
            url
            for url in self.requests
            if not url.startswith((self.service.address, "blob:", "data:"))
        ]
        assert strangers == []

    # --- what a person does ---

    def press(self, key):
        self.page.keyboard.press(key)

    def button(self, name, *, exact=True):
        return self.page.get_by_role("button", name=name, exact=exact)

    def tab(self, name):
        self.page.get_by_role("tab", name=name).click()

    def lasso(self, reach=0.42, *, shift=False):
        """Draw a loop around the middle of the map; `reach` is its share of the map."""
        if shift:
            self.page.keyboard.down("Shift")
        else:
            self.button("Lasso").click()
        box = self.map.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for step in range(17):
            angle = 2 * math.pi * step / 16
            self.page.mouse.move(
                x + reach * box["width"] * math.cos(angle),
                y + reach * box["height"] * math.sin(angle),
            )
            if step == 0:
                self.page.mouse.down()
        self.page.mouse.up()
        if shift:
            self.page.keyboard.up("Shift")

    # --- what a person sees ---

    @property
    def map(self):
        return self.page.get_by_test_id("map")

    @property
    def trace(self):
        return self.page.get_by_test_id("trace")

    def middle_of_the_map(self):
        """Return the pixel in the middle of what the tools leave free."""
        box, tools = self.map.bounding_box(), 96
        return box["x"] + box["width"] / 2, box["y"] + (box["height"] + tools) / 2

    def at_rest(self):
        """Wait until the map has drawn all there is, and knows where its points are."""
        expect(self.map).to_have_attribute("data-still", "true")

    def picture(self):
        """Return the map below its tools once it is at rest, as PNG."""
        self.at_rest()
        box, tools = self.map.bounding_box(), 96
        clip = {**box, "y": box["y"] + tools, "height": box["height"] - tools}
        return self.page.screenshot(clip=clip)

    def pair(self):
        """Return the ids of the two things on the table."""
        return tuple(self.page.locator("section figure figcaption").all_inner_texts())

    def columns(self):
        """Return the ids of the two rows whose fields are compared."""
        return tuple(self.page.locator("section thead th").all_inner_texts())

    def wait_for_question(self):
        expect(self.page.get_by_role("button", name="Same")).to_be_enabled()

    def sees(self, text):
        expect(self.page.get_by_text(text).first).to_be_visible()

    def sees_it_sent(self):
        """Wait until what was said is in the journal."""
        self.sees("You said")
        self.sees_no("Sending.")

    def sees_no(self, text):
        expect(self.page.get_by_text(text)).to_have_count(0)

    # --- the back door ---

    def call(self, path, body=None):
        """Ask the service directly, as another program would, once the page's answers arrived."""
        self.sees_no("Sending.")
        request = urllib.request.Request(
            f"{self.service.address}/api/sessions/{self.session}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
            },
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def tell(self, *entries, who="someone else"):
        events = [{"kind": kind, "payload": payload} for kind, payload in entries]
        return self.call("/events", {"events": events, "who": who})["events"]

    def history(self):
        return self.call("/history")["events"]
