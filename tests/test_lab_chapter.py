"""A chapter in a real JupyterLab, as `make lab` sets it up: opened from the list of files, run, moved, read."""

import re
import shutil
from pathlib import Path

import pytest
from browser import Visit
from lab_server import running
from playwright.sync_api import expect

ROOT = Path(__file__).parents[1]
CHAPTER = ROOT / "chapters" / "attention.md"
WAIT = 60_000  # milliseconds, for the whole chapter on a busy machine

# What the notebook itself holds: cells out of sight are not drawn. One entry for each code cell.
RESULTS = """() => {
    const code = [...jupyterapp.shell.currentWidget.content.model.cells].filter(cell => cell.type === "code");
    return code.map(({ executionCount, outputs }) => (
        { count: executionCount, kinds: outputs.toJSON().map(output => output.output_type) }
    ));
}"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab with the project's settings, in whose folder lies one chapter."""
    root = tmp_path_factory.mktemp("lab")
    for folder in ("work", "settings"):
        (root / folder).mkdir()
    shutil.copy(CHAPTER, root / "work")
    shutil.copy(ROOT / "lab-settings.json", root / "settings" / "overrides.json")
    options = (f"--LabApp.app_settings_dir={root / 'settings'}", "--LabApp.expose_app_in_browser=True")
    with running(root, *options) as address:
        yield address()


class Notebook:
    """What a reader does in the open notebook."""

    def __init__(self, page):
        self.page = page

    def menu(self, *items):
        self.page.locator(".lm-MenuBar-item", has_text=items[0]).click()
        for item in items[1:]:
            self.page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()

    def cell_with(self, text):
        return self.page.locator(".jp-Notebook .jp-CodeCell").filter(has_text=text)

    def run(self, code, below):
        """Type code into a new cell below another one and run it."""
        below.locator(".jp-InputPrompt").click()
        self.page.locator(".jp-NotebookPanel-toolbar [data-jp-item-name=insert]").click()
        self.page.locator(".jp-Notebook .jp-Cell.jp-mod-active .jp-Editor").click()
        self.page.keyboard.type(code)
        self.page.keyboard.press("Shift+Enter")
        cell = self.cell_with(code)
        expect(cell.locator(".jp-InputPrompt")).to_have_text(re.compile(r"^\[\d+\]:$"), timeout=WAIT)
        return cell


def test_a_chapter_opens_runs_and_its_figure_and_python_follow_each_other(lab):
    with Visit(lab, height=2000) as visit:
        page, notebook = visit.page, Notebook(visit.page)
        page.set_default_timeout(WAIT)
        page.locator(".jp-DirListing-item", has_text=CHAPTER.name).dblclick()
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        # Before the status bar says so, a cell that is run is silently not run.
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        assert page.evaluate(RESULTS)
        assert all(cell["count"] is None for cell in page.evaluate(RESULTS)), "a chapter is stored without results"

        notebook.menu("Run", "Run All Cells")
        page.wait_for_function(f"({RESULTS})().every(cell => cell.count !== null)", timeout=WAIT)
        cells = page.evaluate(RESULTS)
        assert len(cells) > 10
        assert [cell["count"] for cell in cells] == list(range(1, len(cells) + 1))
        assert "error" not in {kind for cell in cells for kind in cell["kinds"]}
        assert "stream" in {kind for cell in cells for kind in cell["kinds"]}

        # The figure: by the keyboard, and Python reads what it says.
        home = notebook.cell_with("figure = BetaWeights(")
        home.scroll_into_view_if_needed()
        figure = home.locator(".ws-figure")
        figure.locator(".ws-range").focus()
        for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
            page.keyboard.press(key)
        says = figure.locator(".ws-say")
        expect(says).to_contain_text("At β = 1.25, ")
        read = notebook.run("print('Python has', figure.beta)", below=home)
        expect(read.locator(".jp-OutputArea-output")).to_have_text("Python has 1.25")

        # And back: what Python sets, the figure shows.
        notebook.run("figure.beta = float('inf')", below=read)
        expect(says).to_contain_text("At β = ∞ all the weight is on the highest score, “cat”")
        assert visit.away == []
