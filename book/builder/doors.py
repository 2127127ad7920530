"""`{doors}`: the ways on from the first page, each a question with a small picture. `{door}`: on from a chapter.

A line of `doors` is a page and a question, `chapters/scale: Why √d?`; the pictures are of `book.essay.doors`.
A `door` has the page as its argument, and one sentence on why one should go on.
"""

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from book.essay.doors import picture


def link_to(env, page, *words, explicit=True):
    env.note_dependency(env.doc2path(page))
    options = {"refdomain": "std", "reftype": "doc", "refexplicit": explicit, "refdoc": env.docname}
    return addnodes.pending_xref("", *words, reftarget=f"/{page}", **options)


class Door(SphinxDirective):
    has_content = True
    required_arguments = 1

    def run(self):
        link = link_to(self.env, self.arguments[0], nodes.inline("", ""), explicit=False)
        why = nodes.paragraph("", " ".join(self.content), classes=["door-why"])
        return [nodes.container("", why, nodes.paragraph("", "", link, classes=["door-to"]), classes=["door"])]


class Doors(SphinxDirective):
    has_content = True

    def run(self):
        doors = nodes.bullet_list(classes=["doors"])
        for line in self.content:
            page, _, question = line.partition(": ")
            link = link_to(self.env, page, nodes.inline("", question))
            drawn = nodes.raw("", picture(page), format="html")
            doors += nodes.list_item("", nodes.paragraph("", "", drawn, link))
        return [doors]


def setup(app):
    app.add_directive("doors", Doors)
    app.add_directive("door", Door)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
