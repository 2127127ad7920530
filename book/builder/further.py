"""*Further* is closed: of each of its parts the page shows the title and the line that says what it is for.

A part opens by a press, by its address (`static/page.js`), in the browser's own search, and on paper.
"""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from book.builder.terms import term_link
from book.builder.ticks import tick


class FoldFurther(SphinxPostTransform):
    default_priority = 210
    formats = ("html",)

    def run(self, **options):
        for further in self.document.findall(nodes.section):
            if "further" in further["ids"]:
                for part in further.findall(nodes.section):
                    if part.parent is further:
                        fold(part)


def fold(part):
    """A section becomes its title and its first paragraph, which open the rest."""
    title, lead, *rest = part.children
    for node in [*lead.findall(lambda node: isinstance(node, nodes.reference | term_link | tick))]:
        node.replace_self(node.children)  # what opens something leads nowhere else
    part.children = []
    for node in (
        markup('<details class="ws-later"><summary>'),
        title,
        nodes.inline("", "", *lead.children, classes=["ws-later-lead"]),
        markup("</summary>"),
        *rest,
        markup("</details>"),
    ):
        part += node


def markup(html):
    return nodes.raw("", html, format="html")


def setup(app):
    app.add_post_transform(FoldFurther)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
