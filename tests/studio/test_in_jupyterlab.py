"""The widget in a real JupyterLab: map, questions, keys, undo, and the result in Python."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

pytest.importorskip("jupyterlab", reason="needs JupyterLab: pip install jupyterlab")
pytest.importorskip("anywidget", reason='needs anywidget: pip install "linkwise[notebook]"')

from linkwise.notebook.cell import PAGE

pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="the widget's page is not built: python web/build.py --fetch"
)

MAKE = """
import numpy as np
import linkwise as lw
middles = np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0)
X = middles + np.random.default_rng(0).normal(size=(60, 2))
model = lw.SequentialClustering(3, n_partitions=12, random_state=0).fit(X)
widget = lw.widget(model, [f"thing {k}" for k in range(60)])
widget
"""
LOOK = """
print("told", widget.links.n_links, model.links_ == widget.links, len(widget.labels), widget.pair)
"""


def cell(number, source):
    return {
        "cell_type": "code",
        "id": f"cell-{number}",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": source.strip(),
    }


@pytest.fixture
def lab(tmp_path):
    """Start JupyterLab with a notebook of two cells; nothing is kept in anyone's home."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    book = {
        "cells": [cell(1, MAKE), cell(2, LOOK)],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "book.ipynb").write_text(json.dumps(book))
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}"]
    command += ["--ip=127.0.0.1", "--allow-root", "--IdentityProvider.token=secret"]
    command += [f"--ServerApp.root_dir={tmp_path / 'work'}", "--LabApp.news_url=None"]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    environment = {**os.environ, "HOME": str(tmp_path / "home"), "OMP_NUM_THREADS": "1"}
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONWARNINGS": "ignore"}
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"{address}/api?token=secret", timeout=1):
                    break
            except OSError:
                assert process.poll() is None, (tmp_path / "log").read_text()
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait()


def test_questions_are_answered_in_a_cell_and_heard_in_python(lab, browser):
    from playwright.sync_api import expect

    context = browser.new_context(viewport={"width": 1300, "height": 1100})
    context.set_default_timeout(120_000)
    expect.set_options(timeout=120_000)
    elsewhere = []

    def only_here(route):
        if route.request.url.startswith(lab):
            route.continue_()
        else:
            elsewhere.append(route.request.url)
            route.abort()

    context.route(re.compile("^https?:"), only_here)
    page = context.new_page()
    page.goto(f"{lab}/lab/tree/book.ipynb?token=secret")
    cells = page.locator(".jp-CodeCell")
    expect(cells).to_have_count(2)
    expect(page.get_by_text("| Idle")).to_be_visible()  # what is run earlier is lost
    cells.nth(0).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")

    widget = page.get_by_role("group", name="Clusters and questions")
    expect(widget.get_by_test_id("map")).to_have_attribute("data-frames", re.compile(r"\d"))
    expect(widget.locator("blockquote")).to_have_count(2)
    expect(widget.locator("blockquote").first).to_have_text(re.compile(r"thing \d+"))
    first = widget.locator("blockquote").all_inner_texts()

    widget.get_by_role("button", name="Different").click()
    expect(widget.get_by_text("1 answer")).to_be_visible()
    widget.get_by_role("button", name="Same").focus()
    page.keyboard.press("d")
    expect(widget.get_by_text("2 answers")).to_be_visible()
    page.keyboard.press("d")  # twice D deletes a cell, where JupyterLab hears it
    expect(widget.get_by_text("3 answers")).to_be_visible()
    expect(cells).to_have_count(2)
    page.keyboard.press("u")
    expect(widget.get_by_text("2 answers")).to_be_visible()

    cells.nth(1).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    said = cells.nth(1).locator(".jp-OutputArea-output").first
    expect(said).to_contain_text("told 2 True 60")

    widget.get_by_role("button", name="Undo").click()
    expect(widget.get_by_text("1 answer")).to_be_visible()
    widget.get_by_role("button", name="Undo").click()
    expect(widget.get_by_text("0 answers")).to_be_visible()
    expect(widget.locator("blockquote")).to_have_text(first)
    assert elsewhere == []
    context.close()
