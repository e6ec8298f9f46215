"""The widget where least is allowed: no origin, no storage, no network, one script from memory.

Editors such as VS Code show a cell's output in a frame like this, and anywidget hands the widget's
script over as text. The editor itself is not run here.
"""

import base64
import json
import re

import pytest

pytest.importorskip("anywidget", reason='needs anywidget: pip install "linkwise[notebook]"')

import numpy as np

import linkwise as lw
from linkwise.notebook.cell import PAGE

pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="the widget's page is not built: python web/build.py --fetch"
)

ALLOWED = "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'"
FRAME = """<!doctype html><meta http-equiv="Content-Security-Policy" content="ALLOWED">
<div id="cell"></div>
<script>
const heard = {}, state = {};
function learn(told) {
  for (const [name, value] of Object.entries(told)) {
    const bytes = value && value.bytes !== undefined;
    state[name] = bytes
      ? new DataView(Uint8Array.from(atob(value.bytes), (c) => c.charCodeAt(0)).buffer)
      : value;
  }
  for (const name of Object.keys(told)) for (const tell of heard["change:" + name] ?? []) tell();
}
const model = {
  get: (name) => state[name],
  on: (event, tell) => (heard[event] ??= []).push(tell),
  off: (event, tell) => (heard[event] = heard[event].filter((one) => one !== tell)),
  send: async (content) => learn(await toPython(content)),
};
async function begin(script, told) {
  learn(told);
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  await widget.render({ model, el: document.getElementById("cell") });
}
</script>"""


def told(widget):
    """Return what the page may know, bytes as text."""
    state = {name: getattr(widget, name) for name in widget.keys if not name.startswith("_")}
    plain = {name: value for name, value in state.items() if isinstance(value, int | str | list)}
    packed = {name: value for name, value in state.items() if isinstance(value, bytes)}
    coded = {name: {"bytes": base64.b64encode(v).decode()} for name, v in packed.items()}
    return plain | coded | {"question": widget.question}


def test_the_widget_needs_no_origin_no_storage_and_no_network(browser):
    from playwright.sync_api import expect

    middles = np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0)
    X = middles + np.random.default_rng(0).normal(size=(60, 2))
    model = lw.SequentialClustering(3, n_partitions=12, random_state=0).fit(X)
    widget = lw.widget(model, [f"thing {k}" for k in range(60)])
    page = browser.new_page()
    asked_for, wrong = [], []
    page.on("request", lambda request: asked_for.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)

    def hear(content):
        if content["kind"] != "improve":  # better places come from a thread, later
            widget._told(widget, content, [])
        return told(widget)

    page.expose_function("toPython", hear)
    page.set_content('<iframe sandbox="allow-scripts" width="900" height="700"></iframe>')
    page.locator("iframe").evaluate(
        "(frame, text) => (frame.srcdoc = text)", FRAME.replace("ALLOWED", ALLOWED)
    )
    frame = page.frame_locator("iframe")
    expect(frame.locator("#cell")).to_be_attached()
    inside = page.frames[1]
    assert inside.evaluate("window.origin") == "null"
    script, first = PAGE.read_text(encoding="utf-8"), json.loads(json.dumps(told(widget)))
    inside.evaluate("([script, told]) => begin(script, told)", [script, first])

    cell = frame.get_by_role("group", name="Clusters and questions")
    expect(cell.get_by_test_id("map")).to_have_attribute("data-frames", re.compile(r"\d"))
    expect(cell.locator("blockquote")).to_have_count(2)
    cell.get_by_role("button", name="Different").click()
    expect(cell.get_by_text("1 answer")).to_be_visible()
    assert model.links_.n_links == 1
    cell.get_by_role("button", name="Undo").click()
    expect(cell.get_by_text("0 answers")).to_be_visible()
    assert model.links_.n_links == 0
    assert [url for url in asked_for if not url.startswith(("about:", "blob:"))] == []
    assert wrong == []
    page.close()
