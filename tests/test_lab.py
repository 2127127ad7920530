"""A figure in a real JupyterLab: the arrow keys reach it, Python hears of it, and the figure follows Python."""

import re

import nbformat
import pytest
from browser import Visit
from figure_page import OVERLAPS, rgb
from lab_server import running
from playwright.sync_api import expect

from lib.book.example import SCORES

# Each cell is run once, in this order, some of them after something was done to the figure.
CELLS = {
    "make": """
import math
from ipywidgets import link
from lib.book.example import SCORES, TOKENS
from lib.figures import BetaWeights
figure = BetaWeights(TOKENS, SCORES)
seen = []
figure.observe(lambda change: seen.append(change["new"]), "beta")
figure""",
    "linked": """
twin = BetaWeights(TOKENS, SCORES, name="twin")
link((figure, "beta"), (twin, "beta"))
twin""",
    "read": 'print("read", figure.beta, seen, twin.beta)',
    "set": "figure.beta = math.inf",
    "more": "figure.beta = 0.5; figure.scores = [0.0] * 6 + [3.0]",
    "tokens": """
with figure.hold_trait_notifications():
    figure.tokens, figure.scores = ["yes", "no"], [1.0, 0.0]""",
    "ask": """
from lib.figures import Predict
question = Predict("Is x^2 above x?", ["always", "not for x below 1"], "not for x below 1", "0.5 has 0.25.")
question""",
    "heard": 'print("heard", question.chosen)',
    "again": "question.chosen = None",
    "last": 'print("last", figure.scores, figure.weights == twin.weights, len(seen))',
}


WAIT = 15_000  # milliseconds; a kernel on a busy machine takes its time to start


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a notebook with these cells, in a JupyterLab of its own."""
    root = tmp_path_factory.mktemp("lab")
    cells = [nbformat.v4.new_code_cell(text.strip()) for text in CELLS.values()]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    (root / "work").mkdir()
    nbformat.write(notebook, root / "work" / "figure.ipynb")
    with running(root) as address:
        yield address("/tree/figure.ipynb")


class Notebook:
    """The open notebook: runs a cell by its name and waits for what it shows."""

    def __init__(self, page):
        self.page = page

    def cell(self, name):
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(list(CELLS).index(name))

    def run(self, name):
        self.cell(name).locator(".jp-Editor").click()
        self.page.keyboard.press("Shift+Enter")
        done = re.compile(r"^\[\d+\]:$")
        expect(self.cell(name).locator(".jp-InputPrompt")).to_have_text(done, timeout=WAIT)

    def printed(self, name):
        self.run(name)
        output = self.cell(name).locator(".jp-OutputArea-output pre")
        output.wait_for()
        return output.inner_text().strip()

    def figure(self, name):
        found = self.cell(name).locator(".ws-figure")
        found.wait_for()
        return found


def says(figure, text):
    expect(figure.locator(".ws-say")).to_contain_text(text, timeout=WAIT)


def test_a_figure_and_its_kernel_follow_each_other(lab):
    with Visit(lab, height=2400) as visit:
        page = visit.page
        page.set_default_timeout(WAIT)
        notebook = Notebook(page)
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        # Before the status bar says so, a cell that is run is silently not run.
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        for name in ("make", "linked"):
            notebook.run(name)
        figure, twin = notebook.figure("make"), notebook.figure("linked")
        says(figure, "At β = 1, “cat” gets 37% of the weight")
        # In a notebook there is no address to keep a state in.
        assert figure.get_by_role("button", name="Copy link").count() == 0

        # From the figure to Python: the arrow keys move the slider, not the notebook's selection.
        active = page.locator(".jp-Notebook .jp-CodeCell.jp-mod-active .jp-InputArea-editor")
        figure.locator(".ws-range").click()
        selected = active.inner_text()
        for key in ("ArrowRight", "ArrowRight", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowLeft", "ArrowRight"):
            page.keyboard.press(key)
        expect(figure.locator(".ws-range")).to_be_focused()
        figure.locator(".ws-grip").nth(0).focus()
        for key in ("ArrowUp", "ArrowDown", "ArrowDown", "ArrowUp"):
            page.keyboard.press(key)
        expect(figure.locator(".ws-grip").nth(0)).to_be_focused()
        # Letters are the notebook's too: “a” and “b” would make cells, “x” would cut one.
        page.keyboard.type("abx")
        assert active.inner_text() == selected
        assert page.locator(".jp-Notebook .jp-CodeCell").count() == len(CELLS)
        says(twin, "At β = 1.25, ")
        assert notebook.printed("read").endswith("1.25] 1.25")

        # From Python to the figure, and on to the one linked with it.
        notebook.run("set")
        for one in (figure, twin):
            says(one, "At β = ∞ all the weight is on the highest score, “cat”")
        assert figure.locator(".ws-range").input_value() == "240"
        notebook.run("more")
        says(figure, "At β = 0.5, “it” gets")
        says(twin, "At β = 0.5, “cat” gets")

        # Scores by key, tokens all at once, Reset to what the constructor was given.
        figure.locator(".ws-grip").nth(1).focus()
        for _ in range(3):
            page.keyboard.press("PageUp")
        says(figure, "2 tokens share the lead")
        notebook.run("tokens")
        says(figure, "“yes” gets 62% of the weight")
        assert figure.locator(".ws-grip").count() == 2
        figure.get_by_role("button", name="Reset").click()
        figure.get_by_role("button", name="More").click()
        for one in (figure, twin):
            says(one, "At β = 1, “cat” gets 37%")
        assert page.evaluate(OVERLAPS, "dt, dd, th, .ws-number, .ws-head span:not(:has(*))") == []
        assert notebook.printed("last").startswith(f"last {list(SCORES)} True")

        # The dark theme is JupyterLab's own: the figure follows it at once.
        page.locator(".lm-MenuBar-item", has_text="Settings").click()
        for item in ("Theme", "JupyterLab Dark"):
            page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()
        for one in (figure, twin):
            expect(one.locator(".ws-weight").first).to_have_css("fill", rgb("weight", "dark"), timeout=WAIT)
        assert visit.away == []


def test_a_prediction_and_its_kernel_follow_each_other(lab):
    with Visit(lab, height=2400) as visit:
        page = visit.page
        page.set_default_timeout(WAIT)
        notebook = Notebook(page)
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        notebook.run("ask")
        question = notebook.figure("ask")
        question.get_by_role("radio").nth(0).click()
        # The arrow keys choose, letters make no cells, Enter commits and runs nothing.
        page.keyboard.press("ArrowDown")
        expect(question.get_by_role("radio").nth(1)).to_be_checked()
        page.keyboard.type("abx")
        page.keyboard.press("Enter")
        expect(question.get_by_role("status")).to_contain_text("Right: “not for x below 1”.")
        assert page.locator(".jp-Notebook .jp-CodeCell").count() == len(CELLS)
        assert notebook.printed("heard") == "heard not for x below 1"
        notebook.run("again")
        expect(question.get_by_role("status")).to_have_text("")
        assert question.get_by_role("link").count() == 0
