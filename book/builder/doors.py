"""`{doors}`: the ways on from the first page, each a question with a small picture.

A line of it is a page and a question, `chapters/scale: Why √d?`; the pictures are those of `book.essay.doors`.
"""

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from book.essay.doors import picture


class Doors(SphinxDirective):
    has_content = True

    def run(self):
        doors = nodes.bullet_list(classes=["doors"])
        for line in self.content:
            page, _, question = line.partition(": ")
            self.env.note_dependency(self.env.doc2path(page))
            link = addnodes.pending_xref(
                question,
                nodes.inline("", question),
                refdomain="std",
                reftype="doc",
                refexplicit=True,
                reftarget=f"/{page}",
                refdoc=self.env.docname,
            )
            drawn = nodes.raw("", picture(page), format="html")
            doors += nodes.list_item("", nodes.paragraph("", "", drawn, link))
        return [doors]


def setup(app):
    app.add_directive("doors", Doors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
