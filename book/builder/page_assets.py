"""Light pages: each carries what it uses and nothing else, all of it from the book's own folder.

One style sheet for the whole book; two small scripts for the page's furniture; and, on a page with figures, one
script and one style sheet with these, which pages with the same figures share. What a figure shows only when asked
for lies beside it, in files that the page loads then.
"""

import re
from pathlib import Path

from sphinx.util import logging

from book.builder.build_cache import remove
from book.builder.outputs import figures
from book.figures.base import page_data
from book.figures.bundle import common_style, data_script, lean_style, page_script, view_style, views
from book.models import encoder, encoder_files

HERE = Path(__file__).parent
BOOK_CSS = HERE.parent / "book.css"
SHEETS = HERE / "book.css", HERE / "frame.css"
FURNITURE = {"furo.js"}  # of the theme's scripts, those that every page needs
WITH_ENCODER = {"your_sentence", "pairs", "which_map"}  # views in which a reader may load the pretrained encoder
ORIGIN = f"""\
The files in this folder are made from the model {encoder.MODEL}, which its authors publish under the
licence below ({encoder.LICENCE}). What is changed: its weights are rounded to 8 bits, with a scale for each
block of a row; only the first {encoder_files.MOST} positions are kept; all is written as scripts for a page.

"""

log = logging.getLogger(__name__)


def write_assets(app, error):
    """Write the figures' scripts and style sheets, and the book's, after Sphinx has copied its own files."""
    if error is not None:
        return
    static = Path(app.outdir, "_static")
    for file in [*(static / "figures").glob("*.*s")]:  # those of pages that this build did not touch, too
        names = file.stem.split("-")
        if set(names) <= set(views()):
            made = page_script(*names) if file.suffix == ".js" else view_style(*names)
            file.write_text(made, encoding="utf-8")
        else:
            file.unlink()
    write_data(static / "figures")
    write_encoder(static / "figures")
    sheets = [static / "styles" / "furo.css", static / "pygments.css"]
    text = [sheet.read_text(encoding="utf-8").split("/*# sourceMappingURL")[0] for sheet in sheets]
    text += [common_style(), *(sheet.read_text(encoding="utf-8") for sheet in (BOOK_CSS, *SHEETS))]
    (static / "why-softmax.css").write_text(lean_style("\n".join(text)), encoding="utf-8")


def drawn(folder):
    """The views of the scripts in this folder."""
    return {view for script in folder.glob("*.js") for view in script.stem.split("-")}


def write_data(folder):
    """Write what the figures of the scripts in this folder load once a reader asks, into `data` beside them."""
    for name, value in page_data(drawn(folder)).items():
        (folder / "data").mkdir(exist_ok=True)
        (folder / "data" / f"{name}.js").write_text(data_script(name, value), encoding="utf-8")


def write_encoder(folder):
    """Write the pretrained encoder there, too, if a figure loads it, unless it is there already.

    What it was made from is noted last, so that a build which is broken off leaves nothing that passes for whole.
    """
    place = folder / "data" / encoder_files.FOLDER
    if not WITH_ENCODER & drawn(folder):
        return
    if why := encoder_files.refusal():
        remove(place)
        log.info(f"{why}: figures keep to sentences that were recorded")
        return
    noted = place / "made_from.txt"
    if noted.exists() and noted.read_text(encoding="utf-8") == encoder_files.mark():
        return
    remove(place)
    place.mkdir(parents=True)
    files = encoder_files.files()
    for name in files.names:
        (folder / "data" / f"{name}.js").write_text(data_script(name, files.value(name)), encoding="utf-8")
    licence = (HERE / "apache-2.0.txt").read_text(encoding="utf-8")
    (place / "LICENSE.txt").write_text(ORIGIN + licence, encoding="utf-8")
    noted.write_text(encoder_files.mark(), encoding="utf-8")


def lighten(html):
    """Leave out mark-up that says nothing: it is half of a page's elements, all of which the browser lays out."""
    # names, punctuation and white space have the colour of plain code
    html = re.sub(r'<span class="(?:n|p|w)">([^<]*)</span>', r"\1", html)
    # Sphinx marks up a list of sources with roles that ARIA has since withdrawn
    return re.sub(r' role="(?:doc-biblioentry|list)"', "", html)


def unbroken(html):
    """No line of the title ends within a word such as softmax-plus-one."""
    whole = r'<span class="ws-unbroken">\g<0></span>'
    return re.sub("<h1>[^<]*", lambda title: re.sub(r"\w+(?:-\w+)+", whole, title[0]), html, count=1)


def trim(app, pagename, templatename, context, doctree):
    """Keep on this page only the scripts and style sheets that it uses."""
    context["script_files"] = [s for s in context["script_files"] if Path(s.filename or "").name in FURNITURE]
    context["body"] = unbroken(lighten(context.get("body", "")))
    names = sorted({figure["view"] for figure in figures(doctree)}) if doctree is not None else []
    moving = names and app.env.metadata[pagename].get("figures") != "still"
    bundle = f"_static/figures/{'-'.join(names)}"
    context["figure_style"], context["figure_script"] = names and f"{bundle}.css", moving and f"{bundle}.js"
    for file in filter(None, (context["figure_style"], context["figure_script"])):
        Path(app.outdir, file).parent.mkdir(parents=True, exist_ok=True)
        Path(app.outdir, file).touch()  # `write_assets` fills it
    # Furo's heading has no level, which ARIA does not allow; the list below it says what it is
    tree = context["furo_navigation_tree"] or ""  # a book of one page has none
    essay = context["pathto"](app.config.root_doc)
    first = f'<a class="reference ws-first" href="{essay}">Why softmax? The whole answer</a>\n'
    context["furo_navigation_tree"] = first + fold_parts(tree.replace(' role="heading"', ""))
    context["css_files"] = []


TITLE = r'<p class="caption"[^>]*>(<span class="caption-text">.*?</span>)</p>'
PART = re.compile(TITLE + r'\s*(<ul.*?)(?=<p class="caption"|</div>|\Z)', re.DOTALL)


def fold_parts(tree):
    """Fold the parts of the list of chapters, all but the first and the one in which the page stands."""
    first = True

    def folded(part):
        nonlocal first
        title, pages = part.groups()
        is_open = " open" if first or 'class="current' in pages or "current-page" in pages else ""
        first = False
        return f"<details{is_open}><summary>{title}</summary>\n{pages}</details>\n"

    return PART.sub(folded, tree)


def setup(app):
    app.add_config_value("comments_config", {}, "")  # Jupyter Book sets it also where nothing reads it
    # Furo knows this value, but is loaded too late for the configuration file to set it
    app.config._raw_config.setdefault("pygments_dark_style", "a11y-high-contrast-dark")
    app.config.templates_path.append(str(HERE / "templates"))
    app.config.html_static_path.append(str(HERE / "static"))
    app.connect("html-page-context", trim, priority=900)
    app.connect("build-finished", write_assets, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
