"""`{book-map}`: the chapters of the book on its first page, part by part, with their minutes and what they need.

Nothing of it is written twice: parts and order come from `_toc.yml`, titles from the pages, minutes from
`minutes.py`, and what a chapter needs from its own paragraph *You need*.
"""

import re
from pathlib import Path, PurePosixPath

import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from book.builder.minutes import of_main_line

NEEDS = re.compile(r"\*\*You need\*\*(.*?)\n\n", re.DOTALL)
PAGE = re.compile(r"\{doc\}`(?:[^`<]*<)?([\w./-]+)>?`")


def parts(toc):
    """[(title of a part, its pages)] of those parts that have chapters."""
    found = [(part["caption"], [entry["file"] for entry in part["chapters"]]) for part in toc["parts"]]
    return [(caption, files) for caption, files in found if all(file.startswith("chapters/") for file in files)]


def needed(source, here, order):
    """The chapters, in their order, that the chapter `here` names in its paragraph *You need*."""
    folder = PurePosixPath(here).parent
    told = NEEDS.search(source)
    named = {str(folder / page) for page in PAGE.findall(told[1])} if told else set()
    return [page for page in order if page in named - {here}]


class BookMap(SphinxDirective):
    def run(self):
        toc_file = Path(self.env.srcdir, "_toc.yml")
        self.env.note_dependency(str(toc_file))
        shown = parts(yaml.safe_load(toc_file.read_text(encoding="utf-8")))
        order = [page for _, pages in shown for page in pages]
        rows = nodes.container(classes=["book-map"])
        for caption, pages in shown:
            rows += nodes.paragraph("", caption, classes=["book-map-part"])
            steps = nodes.enumerated_list(
                start=order.index(pages[0]) + 1, enumtype="arabic", suffix=".", prefix=""
            )
            steps += [self.chapter(page, order) for page in pages]
            rows += steps
        return [rows]

    def chapter(self, page, order):
        file = self.env.doc2path(page)
        self.env.note_dependency(file)
        source = Path(file).read_text(encoding="utf-8")
        link = addnodes.pending_xref(
            "",
            nodes.inline(),
            refdomain="std",
            reftype="doc",
            reftarget=f"/{page}",
            refexplicit=False,
            refwarn=True,
        )
        line = nodes.paragraph("", "", link)
        told = f"{of_main_line(source)} min"
        numbers = [str(order.index(other) + 1) for other in needed(source, page, order)]
        if numbers:
            told += f" · needs {', '.join(numbers)}"
        line += [nodes.Text(" "), nodes.inline("", told, classes=["book-map-told"])]
        return nodes.list_item("", line)


def setup(app):
    app.add_directive("book-map", BookMap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
