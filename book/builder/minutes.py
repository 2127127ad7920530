"""Says at the end of a chapter's opening how long it takes, by the table of readings, `reading/minutes.toml`."""

import tomllib
from pathlib import Path

from docutils import nodes

TABLE = "reading/minutes.toml"


def of_page(srcdir, page):
    """How long a first reader took for the main line of a page, and about how long *Further* takes."""
    folder, _, name = page.rpartition("/")
    table = tomllib.loads(Path(srcdir, TABLE).read_text("utf-8")) if folder == "chapters" else {}
    return table.get(name) and (table[name]["main"], table[name]["further"])


def add_minutes(app, doctree):
    """The first paragraph says what is at stake; before the first section stands how long it takes."""
    if minutes := of_page(app.srcdir, app.env.docname):
        app.env.note_dependency(str(Path(app.srcdir, TABLE)))
        main, further = minutes
        said = f"A first reader took {main} minutes for this chapter, without the exercises. "
        said += f"All of Further takes about {further} more."
        next(doctree.findall(nodes.paragraph))["classes"].append("lead")
        page = next(doctree.findall(nodes.section))
        place = next(k for k, node in enumerate(page) if isinstance(node, nodes.section))
        page.insert(place, nodes.paragraph("", said, classes=["minutes"]))


def setup(app):
    app.connect("doctree-read", add_minutes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
