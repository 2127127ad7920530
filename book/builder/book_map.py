"""`{book-map}`: the chapters, part by part, with their minutes and what they need; on the page about the book.

Nothing of it is written twice: parts and order come from the table of contents, titles from the pages,
minutes from the table of readings, and what a chapter needs from its own paragraph *You need*.
"""

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from book.builder.minutes import of_page


def parts(site_map):
    """[(title of a part, its pages)] of those parts that have chapters."""
    found = [(part.caption, [*map(str, part.items)]) for part in site_map.root.subtrees]
    return [(caption, pages) for caption, pages in found if all(page.startswith("chapters/") for page in pages)]


def needed(doctree):
    """The pages, as it names them, that a chapter links to after the words *You need*."""
    for words in doctree.findall(nodes.strong):
        if words.astext() == "You need":
            after = words.parent[words.parent.index(words) :]
            links = [link for node in after for link in node.findall(addnodes.pending_xref)]
            return [link["reftarget"] for link in links if link["reftype"] == "doc"]
    return []


def short(title):
    """What a chapter is called in a list: the first word or two of its title."""
    return (
        title.partition(":")[0]
        .partition(",")[0]
        .removeprefix("Why an ")
        .partition("?")[0]
        .removeprefix("The ")
        .capitalize()
    )


class book_map(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes like this
    """The place of the map, until all pages have been read."""


class BookMap(SphinxDirective):
    def run(self):
        for _, pages in parts(self.env.external_site_map):
            for page in pages:
                self.env.note_dependency(self.env.doc2path(page))
        return [book_map()]


class DrawMap(SphinxPostTransform):
    default_priority = 5  # before links are resolved

    def run(self, **options):
        for place in [*self.document.findall(book_map)]:
            place.replace_self(self.drawn())

    def drawn(self):
        shown = parts(self.env.external_site_map)
        order = [page for _, pages in shown for page in pages]
        rows = nodes.container(classes=["book-map"])
        for caption, pages in shown:
            rows += nodes.paragraph("", caption, classes=["book-map-part"])
            rows += nodes.bullet_list("", *(self.chapter(page, order) for page in pages))
        return rows

    def chapter(self, page, order):
        link = nodes.reference("", self.env.titles[page].astext(), internal=True)
        link["refuri"] = self.app.builder.get_relative_uri(self.env.docname, page)
        told = f"{of_page(self.app.srcdir, page)[0]} min"
        named = {f"chapters/{name}" for name in needed(self.env.get_doctree(page))}
        before = [self.env.titles[other].astext() for other in order if other in named - {page}]
        if before:
            told += f" · after {', '.join(map(short, before))}"
        told = nodes.inline("", told, classes=["book-map-told"])
        return nodes.list_item("", nodes.paragraph("", "", link, nodes.Text(" "), told))


def setup(app):
    app.add_node(book_map)
    app.add_directive("book-map", BookMap)
    app.add_post_transform(DrawMap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
