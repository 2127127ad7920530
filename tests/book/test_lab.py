"""A real JupyterLab, set up as by `make lab` and `make edit`: figures in a notebook, a chapter's source opened
from its list, and a chapter as it is laid out for readers.

The arrow keys reach the figures, Python hears of it, and they follow Python.
"""

import re
import shutil
from pathlib import Path

import nbformat
import pytest
from figure_page import OVERLAPS, rgb
from lab_server import RESULTS, WAIT, Notebook, running, wait_for_kernel, write
from playwright.sync_api import expect

from book.example import SCORES
from tools import lay_out
from tools.browser import Visit

# Each cell is run once, in this order, some of them after something was done to the figure.
CELLS = {
    "make": """
import math
from ipywidgets import link
from book.example import SCORES, TOKENS
from book.figures import BetaWeights
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
from book.figures import Predict
options = ["always", "not for x below 1"]
question = Predict("Is x^2 above x?", options, options[1], "0.5 has 0.25.", figure="late?beta=4")
question""",
    "heard": 'print("heard", question.chosen)',
    "later": 'late = BetaWeights(TOKENS, SCORES, name="late")\nlate',
    "moved": 'print("moved", late.beta)',
    "again": "question.chosen = None; late.beta = 1.0",
    "last": 'print("last", figure.scores, figure.weights == twin.weights, len(seen))',
}

# Every other figure with the trait that its first slider moves.
OTHERS = {
    "Compromise(TOKENS[:3], SCORES[:3])": "beta",
    "CanYouTell(TOKENS, SCORES)": "m",
    "Race(TOKENS, SCORES)": "beta",
    "Width()": "d",
    "Cost()": "n",
    "RaiseOne(TOKENS, SCORES)": "beta",
    "Jacobian(TOKENS, SCORES)": "beta",
    "Outside(TOKENS, SCORES)": "shift",
    "NumberFormats(TOKENS, SCORES)": "size",
    "Streaming(TOKENS, SCORES, [0, 1, 0, 0, 1, 0, 0])": "step",
    "Mask(TOKENS, TABLE, offset=-1)": "offset",
    "TwoMapsLearn()": "beta",
}
OTHER_CELLS = {
    "make": f"""
from IPython.display import display
from book.example import SCORES, TOKENS
from book.masking.table import TABLE
from book.figures import *
figures = [{", ".join(OTHERS)}]
traits = {list(OTHERS.values())}
start = [getattr(figure, trait) for figure, trait in zip(figures, traits)]
display(*figures)""",
    "read": "print([getattr(f, t) > before for f, t, before in zip(figures, traits, start)])",
    "appendix": "for f, t, before in zip(figures, traits, start): setattr(f, t, before)",
}


ROOT = Path(__file__).parents[2]
CHAPTER = ROOT / "chapters" / "attention.md"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """The folder of one JupyterLab, in which two notebooks and a chapter lie."""
    work = tmp_path_factory.mktemp("lab") / "work"
    work.mkdir()
    write(work / "figure.ipynb", CELLS.values())
    write(work / "others.ipynb", OTHER_CELLS.values())
    shutil.copy(CHAPTER, work)
    return work


@pytest.fixture(scope="module")
def lab(work):
    with running(work.parent) as address:
        yield address


@pytest.fixture(scope="module")
def tab(browser):
    with Visit(browser) as visit:
        visit.page.set_default_timeout(WAIT)
        yield visit


@pytest.fixture(scope="module")
def notebook(lab, tab):
    tab.go(lab("/workspaces/figure/tree/figure.ipynb"), height=2400)
    wait_for_kernel(tab.page)
    return Notebook(tab.page, CELLS)


def says(figure, text):
    expect(figure.locator(".ws-say")).to_contain_text(text, timeout=WAIT)


def test_a_figure_and_its_kernel_follow_each_other(tab, notebook):
    page = notebook.page
    for name in ("make", "linked"):
        notebook.run(name)
    (figure,), (twin,) = notebook.figures("make"), notebook.figures("linked")
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
    notebook.menu("Settings", "Theme", "JupyterLab Dark")
    for one in (figure, twin):
        expect(one.locator(".ws-weight").first).to_have_css("fill", rgb("weight", "dark"), timeout=WAIT)
    assert tab.away == []


def test_a_prediction_and_its_kernel_follow_each_other(notebook):
    page = notebook.page
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    notebook.run("ask")
    before = cells.count()
    (question,) = notebook.figures("ask")
    question.get_by_role("radio").nth(0).click()
    # The arrow keys choose, letters make no cells, Enter commits and runs nothing.
    page.keyboard.press("ArrowDown")
    expect(question.get_by_role("radio").nth(1)).to_be_checked()
    page.keyboard.type("abx")
    page.keyboard.press("Enter")
    expect(question.get_by_role("status")).to_contain_text("Right: “not for x below 1”.")
    assert cells.count() == before
    assert notebook.printed("heard") == "heard not for x below 1"
    # The figure that it names moves to the answer: one that is drawn later, and one that is there.
    notebook.run("later")
    (late,) = notebook.figures("later")
    says(late, "At β = 4, ")
    assert notebook.printed("moved") == "moved 4.0"
    notebook.run("again")
    expect(question.get_by_role("status")).to_have_text("")
    says(late, "At β = 1, ")
    question.get_by_role("radio").nth(0).check()
    question.get_by_role("button", name="Commit").press("Enter")
    says(late, "At β = 4, ")
    assert question.get_by_role("link").count() == 0


def test_every_other_figure_and_its_kernel_follow_each_other_on_one_page(lab, tab):
    """After the tests of the first notebook, which is left here."""
    tab.go(lab("/workspaces/others/tree/others.ipynb"), height=2400)
    wait_for_kernel(tab.page)
    notebook = Notebook(tab.page, OTHER_CELLS)
    notebook.run("make")
    figures = notebook.cell("make").locator(".ws-figure")
    expect(figures).to_have_count(len(OTHERS), timeout=WAIT)
    first = [figure.locator(".ws-say").inner_text() for figure in figures.all()]
    for figure, said in zip(figures.all(), first, strict=True):
        assert said
        if not figure.locator(".ws-range:visible").count():
            figure.get_by_role("button", name="More").click()
        figure.locator(".ws-range:visible").first.press("ArrowRight")
        expect(figure.locator(".ws-say")).not_to_have_text(said)
    assert notebook.printed("read") == str([True] * len(OTHERS))
    notebook.run("appendix")
    for figure, said in zip(figures.all(), first, strict=True):
        expect(figure.locator(".ws-say")).to_have_text(said, timeout=WAIT)

    # The last one trains, in Workers made of its own text.
    before = len(tab.page.workers)
    figures.last.get_by_role("button", name="Train").click()
    expect(figures.last.locator(".ws-progress")).to_have_text(re.compile("^step [1-9]"), timeout=WAIT)
    assert [worker.url[:5] for worker in tab.page.workers[before:]] == ["blob:"] * 2
    figures.last.get_by_role("button", name="Reset").click()
    assert tab.away == []


# --- a chapter's source: make edit -----------------------------------------------------------------


def test_a_source_opens_and_runs_and_its_figure_moves(lab, tab):
    tab.go(lab("/workspaces/chapter"), height=2000)
    page, chapter = tab.page, Notebook(tab.page)
    page.locator(".jp-DirListing-item", has_text=CHAPTER.name).dblclick()
    wait_for_kernel(page)
    cells = page.evaluate(RESULTS)
    assert len(cells) > 10
    assert all(cell["count"] is None for cell in cells), "a chapter is stored without results"
    chapter.run_all(len(cells))
    assert "stream" in {kind for cell in page.evaluate(RESULTS) for kind in cell["kinds"]}

    chapter.cell("Mixture(").scroll_into_view_if_needed()
    (figure,) = chapter.figures("Mixture(")
    figure.locator(".ws-range").press("ArrowRight")
    says(figure, "At β = 1.25, ")
    assert tab.away == []


# --- a chapter for reading: make lab -------------------------------------------------------------

# The open notebook, as the source has it and as it stands there: [kind, source, is its code folded?, its outputs].
CELLS_SHOWN = """() => {
    const { model, widgets } = jupyterapp.shell.currentWidget.content;
    return [...model.cells].map((cell, i) => {
        const { source, outputs } = cell.toJSON();
        return [cell.type, source, widgets[i].inputHidden === true, JSON.stringify(outputs)];
    });
}"""
# Whether the notebook of this name is open and can be run: of a second one the status bar may tell too early.
READY = """name => {
    const { path, sessionContext } = window.jupyterapp?.shell.currentWidget?.context ?? {};
    return path === name && sessionContext.isReady && sessionContext.session?.kernel?.status === "idle";
}"""
HINT = "Run this cell for the figure, which moves."


@pytest.fixture(scope="module")
def laid_out(site, work):
    """The folder where the notebooks of the book lie, in JupyterLab's own."""
    lay_out.lay_out(site / "notebooks", work / "notebooks")
    return work / "notebooks"


def test_a_reader_comes_from_the_index_to_a_chapter_that_reads_as_on_the_page_and_runs_it(lab, laid_out, tab):
    tab.go(lab("/workspaces/reader/tree/notebooks/index.ipynb"), height=2000)
    page, chapter = tab.page, Notebook(tab.page)
    page.wait_for_function(READY, arg="notebooks/index.ipynb")
    page.locator(".jp-RenderedMarkdown a[href*='kl-exercises.ipynb']").first.click()
    page.wait_for_function(READY, arg="notebooks/kl-exercises.ipynb")
    open_one = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook")

    def folded():
        return [shut for _, _, shut, _ in page.evaluate(CELLS_SHOWN)]

    cells = nbformat.read(laid_out / "kl-exercises.ipynb", as_version=4).cells
    hidden = [cell.metadata.get("jupyter", {}).get("source_hidden", False) for cell in cells]
    assert 0 < sum(hidden) < len(hidden)
    assert folded() == hidden
    told = page.evaluate(CELLS_SHOWN)
    text = "\n".join(source for kind, source, _, _ in told if kind == "markdown")
    assert "<summary>Solution" not in text
    for role in ("{glue", "{cite", "{term", "{ref", "{numref", ":::"):
        assert role not in text
    assert HINT in "".join(outputs or "" for *_, outputs in told)
    expect(open_one).to_contain_text(HINT)

    # Who has only looked at it, and saved it, has changed nothing; who has run it has.
    def saved():
        chapter.menu("File", "Save Notebook")
        page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
        return lay_out.digest((laid_out / "kl-exercises.ipynb").read_bytes())

    before = lay_out.digest((laid_out / "kl-exercises.ipynb").read_bytes())
    assert saved() == before

    chapter.run_all(sum(cell.cell_type == "code" for cell in cells))
    assert folded() == hidden
    assert HINT not in "".join(outputs or "" for *_, outputs in page.evaluate(CELLS_SHOWN))
    expect(open_one.locator(".ws-figure").first).to_be_visible()
    assert saved() != before
    assert tab.away == []
