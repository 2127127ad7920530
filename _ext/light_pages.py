"""Light pages: each carries what it uses and nothing else, all of it from the book's own folder.

One style sheet for the whole book; two small scripts for the page's furniture; one script for all
figures, only on pages that have a figure.
"""

from pathlib import Path

from lib.figures.bundle import page_script, page_style

HERE = Path(__file__).parent
BOOK_CSS = HERE.parent / "lib" / "book" / "book.css"
FURNITURE = ("furo.js",)  # all that a page's frame runs; the search page needs Sphinx's own scripts as well


def write_assets(app, error):
    """After Sphinx has copied its own: the figure script and the one style sheet."""
    if error is not None:
        return
    static = Path(app.outdir, "_static")
    (static / "figures.js").write_text(page_script(), encoding="utf-8")
    sheets = [static / "styles" / "furo.css", static / "pygments.css"]
    text = [sheet.read_text(encoding="utf-8").split("/*# sourceMappingURL")[0] for sheet in sheets]
    text += [page_style(), BOOK_CSS.read_text(encoding="utf-8"), (HERE / "static" / "book.css").read_text("utf-8")]
    (static / "why-softmax.css").write_text("\n".join(text), encoding="utf-8")


def trim(app, pagename, templatename, context, doctree):
    """Keep on this page only the scripts and style sheets that it uses."""

    if pagename != "search":
        scripts = context["script_files"]
        context["script_files"] = [s for s in scripts if Path(s.filename or "").name in FURNITURE]
    context["has_figure"] = "data-figure=" in context.get("body", "")
    context["css_files"] = []


def setup(app):
    app.add_config_value("comments_config", {}, "")  # Jupyter Book sets it also where nothing reads it
    app.config.templates_path.append(str(HERE / "templates"))
    app.config.html_static_path.append(str(HERE / "static"))
    app.connect("html-page-context", trim, priority=900)
    app.connect("build-finished", write_assets, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
