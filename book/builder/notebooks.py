"""Notebooks to take away: each executed page as a notebook for plain Jupyter, with solutions and without.

The code and its results are those of the build; the text is the page's, resolved, in plain Markdown.
At the foot of each page stand the links to them, and to one zip of them all (see `notebook_zip`).
"""

import posixpath
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
from docutils import nodes
from sphinx_design.dropdown import dropdown_main
from sphinxcontrib.bibtex.transforms import BibliographyTransform, node_text_transform

from book.builder.build_cache import opened
from book.builder.notebook_zip import NAME, pack
from book.builder.outputs import WIDGET
from book.builder.plain_markdown import Writer, anchor
from book.builder.widget_pictures import Pictures
from book.mime import OURS

FOLDER = "notebooks"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
GLUED = "application/papermill.record/"
ABOUT = (
    "*A notebook of the book* Why Softmax? *It imports the book's packages,* `lib` *and* `book`*: they are in the "
    "zip with all notebooks, beside its README.txt. Code that the page folds is folded here too.*"
)


def is_notebook(env, page):
    return "kernelspec" in env.metadata.get(page, {})


def has_solutions(doctree):
    dropdowns = (node for node in doctree.findall(nodes.container) if node.get("design_component") == "dropdown")
    return any(node[0].astext().startswith("Solution") for node in dropdowns)


def file_name(page, solutions=True):
    return f"{posixpath.basename(page)}{'' if solutions else '-exercises'}.ipynb"


class Links:
    """Where the references of a page lead once it is a notebook, beside the others in one folder."""

    def __init__(self, app, page, solutions):
        self.env, self.suffix, self.page, self.solutions = app.env, app.builder.out_suffix, page, solutions
        self.doctree = cache(app.env.get_doctree)
        self.sources = {}  # the entries of the list of sources, by the page they are on and their ids
        self.cited = set()  # those of them that this page cites
        for citation in app.env.get_domain("cite").citations:
            entry = BibliographyTransform.backend.paragraph(citation.formatted_entry)
            node_text_transform(entry)
            self.sources[citation.bibliography_key.docname, citation.citation_id] = entry

    def __call__(self, uri):
        path, _, place = uri.partition("#")
        if urlsplit(uri).scheme:
            return uri
        page = self.page
        if path:
            page = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)).removesuffix(self.suffix)
        if source := self.sources.get((page, place)):
            self.cited.add((page, place))
            return next((link["refuri"] for link in source.findall(nodes.reference)), None)
        if not is_notebook(self.env, page):
            return None
        heading = self.heading(page, place)
        return ("" if page == self.page else self.notebook(page)) + (anchor(heading) if heading else "") or None

    def heading(self, page, place):
        """The heading of the section with this id, if it is a section's."""
        sections = self.doctree(page).findall(nodes.section)
        return next((section[0].astext() for section in sections if place in section["ids"]), None)

    def notebook(self, page):
        """The notebook of another page, in the same form as this one."""
        return file_name(page, self.solutions or not has_solutions(self.doctree(page)))


def tidied(output, figures):
    """What is shown for an output until its cell is run, a list: no widget, which needs a kernel, and no SVG."""
    data = output.get("data", {})
    own = data.get(OURS, {})
    if any(kind.startswith(GLUED) for kind in data):
        return []
    if WIDGET in data:
        inner = figures.outputs(data[WIDGET]["model_id"])
        words = figures.words(data).replace("\n", " ")
        asks = own.get("figure", {}).get("view") in ("answer", "predict")
        hint = "Run this cell to answer here." if asks else "Run this cell for the figure, which moves."
        output.data = {"text/plain": f"{words}\n{hint}"}
        return [output, *(new for old in inner for new in tidied(old, figures))]
    data.pop(OURS, None)
    if "plot" in own:
        del data["text/html"]
        output.metadata = {"image/png": {"width": 640}}  # the picture has 1280 pixels across
        if text := own["plot"]["caption"]:
            return [output, nbformat.v4.new_output("display_data", {"text/markdown": text, "text/plain": text})]
    if "unlinked" in own:
        data["text/html"] = own["unlinked"]
    return [output]


def held(outputs):
    """What a folded cell holds, in a few words, by the data of its outputs.

    >>> held([{"checks": [{"id": "kl-solver"}]}, {"plot": {}}]), held([])
    ('the check and the plot', 'the code')
    """
    checks = [one for output in outputs for one in output.get("checks", ())]
    parts = [("the check", "the checks")[len(checks) > 1]] if checks else []
    if any("plot" in output for output in outputs):
        parts.append("the plot")
    return " and ".join(parts) or "the code"


def code_cell(executed, figures):
    tags = set(executed.metadata.get("tags", ()))
    words = held([output.data[OURS] for output in executed.outputs if OURS in output.get("data", ())])
    outputs = [] if "remove-output" in tags else [new for old in executed.outputs for new in tidied(old, figures)]
    source, metadata = executed.source, {}
    if tags & {"hide-input", "remove-input"}:  # Jupyter shows the first line of a folded cell
        source, metadata = f"# {words.capitalize()}\n{source}", {"jupyter": {"source_hidden": True}}
    count = executed.execution_count if outputs else None
    return nbformat.v4.new_code_cell(source, outputs=outputs, metadata=metadata, execution_count=count)


class Notebook:
    """Collects the cells of one page: a new one for each section, each piece of code and each solution."""

    def __init__(self, write, executed, figures, solutions):
        self.write, self.executed, self.figures, self.solutions = write, executed, figures, solutions
        self.cells, self.text = [], []

    def add(self, node, level=1):
        if isinstance(node, nodes.section):
            self.flush()
            title = next(node.findall(nodes.title))
            self.text.append(f"{'#' * level} {self.write.inside(title)}")
            for child in node:
                if child is not title:
                    self.add(child, level + 1)
        elif isinstance(node, nodes.container) and node.get("nb_element") == "cell_code":
            self.flush()
            self.cells.append(code_cell(self.executed.cells[int(node["cell_index"])], self.figures))
        elif isinstance(node, dropdown_main) and self.write.inside(node[0]).startswith("Solution"):
            self.flush()
            if self.solutions:
                self.text.append(self.write(node))
                self.flush()
        else:
            self.text.append(self.write(node))

    def flush(self):
        if source := "\n\n".join(filter(None, self.text)):
            self.cells.append(nbformat.v4.new_markdown_cell(source))
        self.text = []


def executed(app, page):
    """The page's code with its results, from the cache: the file that MyST-NB writes has none after a rebuild."""
    code = nbformat.read(Path(app.outdir).parent / "jupyter_execute" / f"{page}.ipynb", as_version=4)
    with opened(app.config.nb_execution_cache_path) as cache:
        return cache.merge_match_into_notebook(code)[1]


def notebook(app, page, doctree, solutions):
    """The page as a notebook; what it cites is listed at its end."""
    links = Links(app, page, solutions)
    ran = executed(app, page)
    made = Notebook(Writer(links, app.builder), ran, Pictures(app.figures, ran), solutions)
    for node in doctree:
        made.add(node)
    made.flush()
    made.cells[0].source += f"\n\n{ABOUT}"
    if links.cited:
        entries = (f"- {made.write(entry)}" for name, entry in links.sources.items() if name in links.cited)
        made.cells.append(nbformat.v4.new_markdown_cell("\n".join(["## Cited on this page", "", *entries])))
    for number, cell in enumerate(made.cells):
        cell.id = f"{posixpath.basename(page)}-{number}"
    metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    return nbformat.v4.new_notebook(cells=made.cells, metadata=metadata)


def offer(app, page, template, context, doctree):
    """Write the notebooks of a page; the template links to them at its foot."""
    if doctree is None or not is_notebook(app.env, page):
        return
    folder = Path(app.outdir, FOLDER)
    folder.mkdir(exist_ok=True)
    forms = {"notebook": True}
    if has_solutions(app.env.get_doctree(page)):
        forms["without solutions"] = False
    names = {words: file_name(page, solutions) for words, solutions in forms.items()}
    for words, name in names.items():
        nbformat.write(notebook(app, page, doctree, forms[words]), folder / name)
    context["take_away"] = {words: f"{FOLDER}/{name}" for words, name in names.items()}
    context["take_away"]["all as a zip"] = f"{FOLDER}/{NAME}.zip"


def in_order(env):
    """The book's notebooks, in reading order."""
    order = [env.config.root_doc]
    for page in order:
        order += [entry for entry in env.toctree_includes.get(page, ()) if entry not in order]
    return [page for page in order if is_notebook(env, page)]


def zip_all(app, error):
    """One zip of all notebooks, and no notebook of a page that is gone."""
    folder = Path(app.outdir, FOLDER)
    if error is not None or not folder.is_dir():
        return
    contents = []
    for page in in_order(app.env):
        names = [file_name(page), file_name(page, solutions=False)]
        contents.append((app.env.titles[page].astext(), [name for name in names if (folder / name).exists()]))
    pack(Path(app.srcdir), folder, contents)
    kept = {f"{NAME}.zip", *(name for _, names in contents for name in names)}
    for file in folder.iterdir():
        if file.name not in kept:
            file.unlink()


def setup(app):
    app.connect("html-page-context", offer)
    app.connect("build-finished", zip_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
