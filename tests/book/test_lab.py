"""A real JupyterLab, set up as by `make lab` and `make edit`.

The arrow keys reach the figures of a notebook, Python hears of it, and they follow Python. At night also every
other figure, a chapter's source, a chapter as it is laid out for readers, and the page on widgets.
"""

import re
import shutil
from pathlib import Path

import nbformat
import numpy as np
import pytest
from chapter_code import cells
from figure_page import OVERLAPS, rgb
from lab_server import WAIT, Notebook, running, write
from playwright.sync_api import expect

import lib
from book.example import SCORES, TOKENS
from tools import lay_out
from tools.browser import Visit

ROOT = Path(__file__).parents[2]
CHAPTER = ROOT / "chapters" / "attention.md"
WIDGETS = ROOT / "appendix" / "widgets.md"

FIGURES = [
    """
import math
from ipywidgets import link
from book.example import SCORES, TOKENS
from book.figures import BetaWeights, Predict
figure = BetaWeights(TOKENS, SCORES)
seen = []
figure.observe(lambda change: seen.append(change["new"]), "beta")
figure""",
    """
twin = BetaWeights(TOKENS, SCORES, name="twin")
link((figure, "beta"), (twin, "beta"))
twin""",
    """
options = ["always", "not for x below 1"]
question = Predict("Is x^2 above x?", options, options[1], "0.5 has 0.25.", figure="late?beta=4")
question""",
    'late = BetaWeights(TOKENS, SCORES, name="late")\nlate',
]
# Every other figure, and the trait that its first slider moves.
OTHERS = """
from IPython.display import display
from book.example import SCORES, TOKENS
from book.masking.table import TABLE
from book.figures import *
others = [
    (Compromise(TOKENS[:3], SCORES[:3], point=[0.1, 0.2, 0.7], top="shown"), "beta"),
    (CanYouTell(TOKENS, SCORES), "m"), (Width(), "d"), (Cost(), "n"),
    (Race(TOKENS, SCORES), "beta"), (RaiseOne(TOKENS, SCORES), "beta"), (Jacobian(TOKENS, SCORES), "beta"),
    (NumberFormats(TOKENS, SCORES), "shift"),
    (Streaming(TOKENS, SCORES, [0, 1, 0, 0, 1, 0, 0]), "step"), (Mask(TOKENS, TABLE, offset=-1), "offset"),
    (TwoMapsLearn(), "beta"),
]
start = [getattr(figure, trait) for figure, trait in others]
display(*[figure for figure, _ in others])
"""
# The pretrained encoder, which Python sends to the figure in its 260 files.
ENCODER = """
from book.figures import YourSentence
encoder = YourSentence()
encoder
"""
# What the page on widgets says of `jslink`, which does nothing without a browser.
IN_THE_BROWSER = """
from ipywidgets import jslink

one, two = (BetaWeights(TOKENS, SCORES, name=name) for name in ("one", "two"))
jslink((one, "beta"), (two, "beta"))
HBox([one, two])
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """The folder of the one JupyterLab, in which three notebooks and a chapter lie."""
    work = tmp_path_factory.mktemp("lab") / "work"
    work.mkdir()
    write(work / "figure.ipynb", FIGURES)
    write(work / "others.ipynb", [OTHERS])
    write(work / "encoder.ipynb", [ENCODER])
    write(work / "widgets.ipynb", [*cells(WIDGETS), IN_THE_BROWSER])
    shutil.copy(CHAPTER, work)
    return work


@pytest.fixture(scope="module")
def tab(browser):
    with Visit(browser) as visit:
        visit.page.set_default_timeout(WAIT)
        yield visit
        assert visit.away == []


@pytest.fixture(scope="module")
def opened(work, tab):
    """Opens a file of that folder in JupyterLab, with all of its cells in sight."""
    with running(work.parent) as address:

        def open_file(path, width=1280, height=2400):
            tab.go(address(f"/workspaces/{Path(path).stem}/tree/{path}"), width=width, height=height)
            return Notebook(tab.page, path)

        yield open_file


@pytest.fixture(scope="module")
def notebook(opened):
    return opened("figure.ipynb")


def says(figure, text):
    expect(figure.locator(".ws-say")).to_contain_text(text, timeout=WAIT)


def shown(notebook, name):
    """The figure that this cell shows, once it is run."""
    notebook.run(name)
    (figure,) = notebook.figures(name)
    return figure


def test_a_figure_and_its_kernel_follow_each_other(notebook):
    page = notebook.page
    figure, twin = shown(notebook, "figure = BetaWeights("), shown(notebook, "twin = BetaWeights(")
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
    assert notebook.cells.count() == len(FIGURES)
    says(twin, "At β = 1.25, ")
    assert notebook.python("print(figure.beta, seen[-1], twin.beta)") == "1.25 1.25 1.25"

    # From Python to the figure, and on to the one linked with it.
    notebook.python("figure.beta = math.inf")
    for one in (figure, twin):
        says(one, "At β = ∞ all the weight is on the highest score, “cat”")
    assert figure.locator(".ws-range").input_value() == "240"
    notebook.python("figure.beta = 0.5; figure.scores = [0.0] * 6 + [3.0]")
    says(figure, "At β = 0.5, “it” gets")
    says(twin, "At β = 0.5, “cat” gets")

    # Scores by key, tokens all at once, Reset to what the constructor was given.
    figure.locator(".ws-grip").nth(1).focus()
    for _ in range(3):
        page.keyboard.press("PageUp")
    says(figure, "2 tokens share the lead")
    two = 'figure.tokens, figure.scores = ["yes", "no"], [1.0, 0.0]'
    notebook.python(f"with figure.hold_trait_notifications(): {two}")
    says(figure, "“yes” gets 62% of the weight")
    assert figure.locator(".ws-grip").count() == 2
    figure.get_by_role("button", name="Reset").click()
    figure.get_by_role("button", name="More").click()
    for one in (figure, twin):
        says(one, "At β = 1, “cat” gets 37%")
    assert page.evaluate(OVERLAPS, "dt, dd, th, .ws-number, .ws-head span:not(:has(*))") == []
    assert notebook.python("print(figure.scores, figure.weights == twin.weights)") == f"{list(SCORES)} True"

    # The dark theme is JupyterLab's own: the figure follows it at once.
    notebook.menu("Settings", "Theme", "JupyterLab Dark")
    for one in (figure, twin):
        expect(one.locator(".ws-weight").first).to_have_css("fill", rgb("weight", "dark"), timeout=WAIT)


def test_a_prediction_and_its_kernel_follow_each_other(notebook):
    page, question = notebook.page, shown(notebook, "question = Predict(")
    before = notebook.cells.count()
    # Letters make no cells, Tab leads on, Enter commits and runs nothing.
    question.locator(".ws-guess").nth(0).focus()
    page.keyboard.press("Tab")
    page.keyboard.type("abx")
    page.keyboard.press("Enter")
    expect(question.get_by_role("status")).to_contain_text("Right: “not for x below 1”.")
    assert notebook.cells.count() == before
    assert notebook.python("print(question.chosen)") == "not for x below 1"
    # The figure that it names moves to the answer: one that is drawn later, and one that is there.
    late = shown(notebook, "late = BetaWeights(")
    says(late, "At β = 4, ")
    assert notebook.python("print(late.beta)") == "4.0"
    notebook.python("question.chosen = None; late.beta = 1.0")
    expect(question.get_by_role("status")).to_have_text("")
    says(late, "At β = 1, ")
    question.locator(".ws-guess").nth(0).click()
    says(late, "At β = 4, ")


@pytest.mark.nightly
def test_every_other_figure_and_its_kernel_follow_each_other_on_one_page(opened, tab):
    notebook = opened("others.ipynb")
    notebook.run_all()
    figures = notebook.figures("display(")
    first = [figure.locator(".ws-say").inner_text() for figure in figures]
    for figure, said in zip(figures, first, strict=True):
        assert said
        if not figure.locator(".ws-range:visible").count():
            figure.get_by_role("button", name="More").click()
        key = "End" if "have room" in said else "ArrowRight"  # where numbers end is more than a step away
        figure.locator(".ws-range:visible").first.press(key)
        if figure is not figures[-1]:  # which says the same at every β until it is trained
            expect(figure.locator(".ws-say")).not_to_have_text(said)
    moved = "print(all(getattr(f, t) > before for (f, t), before in zip(others, start)), len(others))"
    assert notebook.python(moved) == f"True {len(figures)}"
    notebook.python("for (f, t), before in zip(others, start): setattr(f, t, before)")
    for figure, said in zip(figures, first, strict=True):
        expect(figure.locator(".ws-say")).to_have_text(said, timeout=WAIT)

    # The last one trains, in Workers made of its own text.
    before = len(tab.page.workers)
    figures[-1].get_by_role("button", name="neither").click()
    figures[-1].get_by_role("button", name="Train").click()
    expect(figures[-1].locator(".ws-progress")).to_have_text(re.compile("^step [1-9]"), timeout=WAIT)
    assert [worker.url[:5] for worker in tab.page.workers[before:]] == ["blob:"] * 2
    figures[-1].get_by_role("button", name="Reset").click()


# --- a chapter's source, as by `make edit`, and laid out for reading, as by `make lab` ------------------


@pytest.mark.nightly
def test_python_sends_the_model_and_it_runs_a_sentence_of_ones_own(opened):
    notebook = opened("encoder.ipynb")
    figure = shown(notebook, "YourSentence")
    figure.get_by_role("button", name="Load the model").click()
    figure.locator(".ws-model[data-stage=done]").wait_for()
    figure.get_by_role("textbox", name="your sentence").fill("the truck passed the bus because it was so slow")
    words = ["start", *"the truck passed the bus because it was so slow".split(), "end"]
    expect(figure.locator(".ws-word")).to_have_text(words, timeout=WAIT)
    figure.get_by_role("radio", name="sigmoid").check(force=True)
    expect(figure.locator(".ws-turned")).to_have_text("unchanged", timeout=WAIT)
    figure.get_by_role("radio", name="all heads").check(force=True)
    expect(figure.locator(".ws-turned")).to_contain_text("turned by", timeout=WAIT)
    assert notebook.python("print(encoder.text, encoder.score_map, encoder.scope)") == (
        "the truck passed the bus because it was so slow sigmoid_weights all"
    )


@pytest.mark.nightly
def test_a_source_opens_from_its_list_and_runs_and_its_figure_moves(opened, tab):
    opened("figure.ipynb", height=2000)
    tab.page.locator(".jp-DirListing-item", has_text=CHAPTER.name).dblclick()
    chapter = Notebook(tab.page, CHAPTER.name)
    found = chapter.held()
    assert len(found) > 10
    assert all(cell["count"] is None for cell in found), "a chapter is stored without results"
    chapter.run_all()
    assert "stream" in {output["output_type"] for cell in chapter.held() for output in cell["outputs"]}
    chapter.cell("Mixture(").scroll_into_view_if_needed()
    (figure,) = chapter.figures("Mixture(")
    figure.get_by_role("button", name="More").click()
    figure.locator(".ws-range").press("ArrowRight")
    says(figure, "At β = 1.25, ")


HINTS = "Run this cell for the figure, which moves.", "Run this cell to answer here."


@pytest.mark.nightly
def test_a_reader_comes_from_the_index_to_a_chapter_that_reads_as_on_the_page_and_runs_it(site, work, opened, tab):
    folder, name = work / "notebooks", "notebooks/kl-exercises.ipynb"
    lay_out.lay_out(site / "notebooks", folder)
    opened("notebooks/index.ipynb", height=2000)
    tab.page.locator(".jp-RenderedMarkdown a[href*='kl-exercises.ipynb']").first.click()
    chapter = Notebook(tab.page, name)

    stored = [cell for cell in nbformat.read(work / name, as_version=4).cells if cell.cell_type == "code"]
    hidden = [cell.metadata.get("jupyter", {}).get("source_hidden", False) for cell in stored]
    assert 0 < sum(hidden) < len(hidden)
    assert [cell["folded"] for cell in chapter.held()] == hidden
    text = "\n".join(cell["source"] for cell in chapter.held("markdown"))
    for left in ("<summary>Solution", "{glue", "{cite", "{term", "{ref", "{numref", ":::"):
        assert left not in text
    for hint in HINTS:
        expect(chapter.shown).to_contain_text(hint)

    # Who has only looked at it, and saved it, has changed nothing; who has run it has.
    def saved():
        chapter.menu("File", "Save Notebook")
        tab.page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
        return lay_out.digest((work / name).read_bytes())

    before = lay_out.digest((work / name).read_bytes())
    assert saved() == before
    chapter.run_all()
    assert [cell["folded"] for cell in chapter.held()] == hidden
    assert not any(hint in str(chapter.held()) for hint in HINTS)
    expect(chapter.shown.locator(".ws-figure").first).to_be_visible()
    assert saved() != before


# --- the page on widgets ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def widgets(opened):
    """The page's cells as a notebook, all of them run."""
    notebook = opened("widgets.ipynb", width=1600, height=6000)
    notebook.run_all()
    return notebook


def press(figure, key):
    figure.locator(".ws-range").focus()
    figure.page.keyboard.press(key)


def stands_at(figure, beta):
    said = re.compile(rf"^β = {re.escape(beta)},")
    expect(figure.locator(".ws-range")).to_have_attribute("aria-valuetext", said, timeout=WAIT)


@pytest.mark.nightly
def test_python_reads_what_the_slider_says_and_every_view_follows(widgets):
    (first,), (second,) = widgets.figures("figure = BetaWeights("), widgets.figures("figure.beta = math.inf")
    stands_at(first, "infinity")
    for key, beta in [("Home", 0.0), ("PageUp", 0.01), ("PageUp", 0.1), ("PageUp", 1.0)]:
        press(first, key)
        stands_at(second, f"{beta:g}")
    weight = lib.softmax(np.array(SCORES), 1.0)[TOKENS.index("cat")]
    assert widgets.printed("β = {figure.beta:g}") == f"β = 1, and cat has {weight:.3f} of the weight"


def beside(one, other):
    """Whether two parts stand next to each other, with a gap between them, and each has room."""
    left, right = one.bounding_box(), other.bounding_box()
    return left["x"] + left["width"] + 20 <= right["x"] and min(left["width"], right["width"]) >= 250


@pytest.mark.nightly
def test_linked_figures_follow_each_other_side_by_side_by_python_or_in_the_browser(widgets):
    even, milk = widgets.figures("link((even")
    assert beside(even, milk)
    stands_at(milk, "0.5")
    press(even, "PageUp")
    stands_at(milk, "1")
    press(milk, "PageUp")
    stands_at(even, "10")
    one, two = widgets.figures("jslink((one")
    press(one, "PageUp")
    stands_at(two, "10")
    assert widgets.python("print(two.beta)") == "10.0", "Python hears of it"


@pytest.mark.nightly
def test_the_plot_follows_its_figure(widgets):
    (driver,) = widgets.figures("driver = BetaWeights(")
    plot = widgets.cell("driver = BetaWeights(").locator(".ws-static > svg")
    for key, beta in [("PageUp", 10), ("PageDown", 1)]:
        press(driver, key)
        count = lib.effective_count(lib.softmax(np.array(SCORES), float(beta)))
        alt = f"A curve over β. At β = {beta:g} it is {count:.2f} tokens."
        expect(plot).to_have_attribute("aria-label", alt, timeout=WAIT)
    assert plot.count() == 1, "the new plot stands in the place of the old one"


@pytest.mark.nightly
def test_sliders_set_the_figure_beside_them(widgets):
    (figure,) = widgets.figures("beside = BetaWeights(")
    cell = widgets.cell("beside = BetaWeights(")
    sliders = cell.locator(".widget-readout")
    assert beside(figure, sliders.first.locator("xpath=.."))
    for slider, value in zip(sliders.all(), ("0.50", "0.50"), strict=True):
        slider.click()
        slider.fill(value)
        slider.press("Enter")
    stands_at(figure, "2")
    grip = figure.locator(".ws-grip").nth(TOKENS.index("cat"))
    expect(grip).to_have_attribute("aria-valuetext", "cat, score 0.5")
    scores = [0.5 if token == "cat" else score for token, score in zip(TOKENS, SCORES, strict=True)]
    weight = lib.softmax(np.array(scores), 2.0)[TOKENS.index("cat")]
    expect(cell.locator(".widget-label").last).to_have_text(f"cat has {weight:.3f} of the weight.")
