"""The notebooks to take away: whole, plain, and the page's own."""

import re
import sys
import tempfile
from html import unescape
from pathlib import Path
from zipfile import is_zipfile

import jupytext
import nbformat
import pytest
from chapter_code import cells as cells_of

from book.builder.plain_markdown import anchor
from book.builder.typeset import Typesetter
from book.exercises import EXERCISES
from book.mime import OURS
from tools.browser import serve

ROOT = Path(__file__).parents[2]
FOLDERS = ("chapters", "appendix")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("*.md") if cells_of(path))
PAGES = ["index", *(f"{path.parent.name}/{path.stem}" for path in FILES)]
SOURCES = {page: (ROOT / page).with_suffix(".md").read_text("utf-8") for page in PAGES}
SOLUTION = ":::{dropdown} Solution\n"
HIDDEN = {"hide-input", "remove-input"}


def held(code):
    """What a folded cell holds, by its code; the builder says it by what the cell has shown."""
    checks = re.search(r"^run_checks\(([^)]*)\)", code, re.MULTILINE)
    parts = [("the check", "the checks")["," in checks[1]]] if checks else []
    if re.search(r"^(?:\w+ *= *)?pictures\.(?!\w*table\()", code, re.MULTILINE):
        parts.append("the plot")
    return " and ".join(parts) or "the code"


WIDGET = "application/vnd.jupyter.widget-view+json"

NAMES = {page: [page.rpartition("/")[2]] for page in PAGES}  # of the notebooks of each page
for page in PAGES:
    if SOLUTION in SOURCES[page]:
        NAMES[page].append(f"{NAMES[page][0]}-exercises")
FORMS = [(page, name) for page in PAGES for name in NAMES[page]]


@pytest.fixture(scope="module")
def notebooks(site):
    """Every notebook of the book, by its name."""
    return {name: nbformat.read(site / "notebooks" / f"{name}.ipynb", as_version=4) for _, name in FORMS}


def cells(notebook, kind):
    return [cell for cell in notebook.cells if cell.cell_type == kind]


def text(notebook):
    """What is written in it, without code."""
    written = "\n\n".join(cell.source for cell in cells(notebook, "markdown"))
    return re.sub(r"```.*?```|`+[^`]+`+", "…", written, flags=re.DOTALL)


FORMULA = re.compile(r"\$\$(.*?)\$\$|\$([^$]+)\$", re.DOTALL)


each_notebook = pytest.mark.parametrize(("page", "name"), FORMS, ids=[name for _, name in FORMS])


@each_notebook
def test_a_notebook_is_valid_has_all_the_code_of_its_page_and_nothing_of_its_maker(site, notebooks, page, name):
    notebook = notebooks[name]
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec == {"display_name": "Python 3", "language": "python", "name": "python3"}
    assert [cell.id for cell in notebook.cells] == [f"{NAMES[page][0]}-{i}" for i in range(len(notebook.cells))]
    stored = (site / "notebooks" / f"{name}.ipynb").read_text("utf-8")
    for path in (ROOT, Path.home(), Path(sys.prefix), Path(tempfile.gettempdir())):
        assert f"{path}/" not in stored
    code = [cell for cell in jupytext.read((ROOT / page).with_suffix(".md")).cells if cell.cell_type == "code"]
    found = cells(notebook, "code")
    for cell, told in zip(found, code, strict=True):
        tags = set(told.metadata.get("tags", ()))
        says = f"# {held(told.source).capitalize()}\n" if tags & HIDDEN else ""  # all that a fold shows
        assert cell.source == says + told.source
        assert cell.metadata.get("jupyter", {}).get("source_hidden", False) == bool(tags & HIDDEN)
        shown = "".join(str(output) for output in cell.outputs)
        assert ("checks hold" in shown or "check holds" in shown) == ("run_checks(" in cell.source)
        assert bool(shown) or "print(" not in cell.source
        assert not shown or "remove-output" not in tags
        # Before it is run a notebook has no kernel for a widget, and Jupyter shows no SVG and keeps no id.
        for left in (WIDGET, OURS, "papermill", "<svg", '<a href="#'):
            assert left not in shown


def test_every_plot_is_there_as_a_picture_with_its_caption(site, notebooks):
    for page in PAGES:
        html = (site / f"{page}.html").read_text("utf-8")
        shown = [output for cell in cells(notebooks[NAMES[page][0]], "code") for output in cell.outputs]
        pictures = [i for i, output in enumerate(shown) if "image/png" in output.get("data", {})]
        assert len(pictures) == html.count('<figure class="ws-static"')
        captions = re.findall(r"<figcaption>(.*?)</figcaption>", unescape(html))
        assert [shown[i + 1].data["text/markdown"] for i in pictures] == captions


@pytest.mark.parametrize("page", [page for page in PAGES if len(NAMES[page]) == 2])
def test_the_exercises_are_the_notebook_without_its_solutions(notebooks, page):
    full, exercises = (notebooks[name] for name in NAMES[page])
    folded = [cell for cell in full.cells if cell.source.startswith("<details><summary>Solution</summary>")]
    assert len(folded) == SOURCES[page].count(SOLUTION)

    def told(cell):  # a link leads to the notebook of the same form
        return cell.cell_type, cell.source.replace("-exercises.ipynb", ".ipynb"), cell.get("outputs")

    def cited(cells):  # a solution may cite what the page does not
        return {line for cell in cells if cell.source.startswith("## Cited") for line in cell.source.splitlines()}

    def body(cells):
        return [told(cell) for cell in cells if cell not in folded and not cell.source.startswith("## Cited")]

    assert body(exercises.cells) == body(full.cells)
    assert cited(exercises.cells) <= cited(full.cells)
    for solution in re.findall(rf"{re.escape(SOLUTION)}(.*?)\n:::", SOURCES[page], re.DOTALL):
        said = max(re.findall(r"[A-Za-z ,;:]+", solution), key=len).strip()  # the longest stretch of plain words
        assert len(said.split()) >= 4
        assert text(full).count(said) == text(exercises).count(said) + 1

    asked = [name for name in EXERCISES if name.startswith(f"{NAMES[page][0]}-")]
    code = "\n".join(cell.source for cell in cells(exercises, "code"))
    assert len(asked) == len(folded)
    assert all(f'answer("{name}")' in code or f'check("{name}", ' in code for name in asked)
    assert code.count("\n    ...\n") >= code.count("\ncheck(")  # functions are still to be written


@each_notebook
def test_the_text_is_plain_markdown(notebooks, page, name):
    """No role, directive, label or definition list, no glued name, and no HTML but what folds a solution."""
    plain = FORMULA.sub("…", text(notebooks[name]))
    for left in (r"\{[\w:.-]+\}", r"^:::", r"^\([\w-]+\)=", r"^: ", r"…\s*\([a-z][\w-]+\)$"):
        assert not re.search(left, plain, re.MULTILINE), left
    tags = {tag for tag in re.findall(r"<[^>\s]+>", plain) if not tag.startswith("<https://")}
    assert tags <= {"<details>", "<summary>", "</summary>", "</details>", "<small>", "</small>"}
    ticks = re.findall(r"<small>✓ ([\w-]+)</small>", plain)
    assert ticks == re.findall(r"\{tick\}`([\w-]+)`", SOURCES[page]) or name.endswith("-exercises")
    glued = re.findall(r"\{glue:text\}`([\w-]+)", SOURCES[page])
    assert not [key for key in glued if key in re.sub("<small>.*?</small>", "", plain)]


@each_notebook
def test_links_lead_somewhere(notebooks, page, name):
    headings = {
        other: [re.sub(r"^#+ |[*`]", "", cell.source.split("\n")[0]) for cell in notebook.cells]
        for other, notebook in notebooks.items()
    }
    links = re.findall(r"\]\(<?(.*?)>?\)(?=[\s.,;:\])]|$)", FORMULA.sub("…", text(notebooks[name])), re.M)
    assert len(links) >= 2
    inner = [link.partition("#") for link in links if not link.startswith("https://")]
    form = -1 if name.endswith("-exercises") else 0
    same_form = {NAMES[other][form] for other in PAGES}
    for path, _, place in inner:
        target = path.removesuffix(".ipynb") or name
        assert target in same_form, path
        assert not place or f"#{place}" in map(anchor, headings[target]), place


def test_every_formula_is_tex_that_jupyter_typesets_and_has_its_pages_number(site, notebooks):
    typeset = Typesetter()
    try:
        for page in PAGES:
            found = FORMULA.findall(text(notebooks[NAMES[page][0]]))
            html = (site / f"{page}.html").read_text("utf-8")
            assert len(found) == html.count('class="math notranslate nohighlight"')
            for block, inline in found:
                assert typeset((block or inline).strip(), bool(block))
            numbers = [number for block, _ in found for number in re.findall(r"\\tag\{(.*?)\}", block)]
            assert numbers == re.findall(r'class="eqno">\((.*?)\)', html)
    finally:
        typeset.close()


def test_a_page_offers_its_notebooks_by_keyboard_and_what_is_taken_is_kept_as_a_file(site, tab):
    """A browser may show a notebook, which is text, instead of keeping it, as it does from a folder."""
    for page in PAGES:
        html = (site / f"{page}.html").read_text("utf-8")
        links = re.findall(
            '<a href="([^"]*)" download>', html.partition('<p class="take-away">')[2].partition("</p>")[0]
        )
        offered = [f"{name}.ipynb" for name in NAMES[page]] + ["why-softmax.zip"]
        assert [link.rpartition("/")[2] for link in links] == offered, page
        assert all((site / page).parent.joinpath(link).is_file() for link in links), page
    with serve(site) as base:
        tab.go(f"{base}/chapters/kl.html")
        for link in tab.page.locator("main .take-away a").all():
            with tab.page.expect_download() as download:
                link.press("Enter")
            file = site / "notebooks" / download.value.suggested_filename
            assert Path(download.value.path()).read_bytes() == file.read_bytes()
    tab.go((site / "chapters" / "kl.html").as_uri())
    with tab.page.expect_download() as download:
        tab.page.get_by_role("link", name="all as a zip").click()
    assert is_zipfile(download.value.path())
    tab.page.get_by_role("link", name="notebook", exact=True).click()
    tab.page.wait_for_url("file://**/notebooks/kl.ipynb")
