"""Terms in place: a page carries the glossary's sentence on each term that it uses, and shows it under the term.

A term is marked where the page uses it first, and nowhere else.
In the source: ``{term}`divergence` ``, which Sphinx makes a link into the glossary. Here the link gets the class
that `static/terms.js` looks for and, for screen readers, the sentence as its description. The sentences stand in a
hidden list at the page's end, since a page on a disk cannot fetch the glossary. Without the script it is a link.
"""

import re
from pathlib import Path
from posixpath import basename

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

GLOSSARY = "appendix/glossary"

log = logging.getLogger(__name__)


def sentence(definition):
    """What the glossary says of a term, in plain characters and without the page at its end.

    A formula has no plain characters, so it is a warning: the letters of the book are plain text in the glossary.
    """
    for formula in definition.findall(nodes.math):
        log.warning("a bubble cannot show %s: write it in plain text", formula.astext(), location=formula)
    said = " ".join(definition.astext().split())
    for place in definition.findall(lambda node: isinstance(node, addnodes.pending_xref | nodes.reference)):
        name = re.escape(" ".join(place.astext().split()))
        said = re.sub(rf"(?:[:,] (?:see )?)?{name}\.?$", ".", said)
    return re.split(r"(?<=[.!?]) (?=[A-Z])", said)[0]


def sentences(glossary):
    """The glossary's page: the id of each term without its prefix -> its first sentence."""
    return {
        id.removeprefix("term-"): sentence(item[-1])
        for item in glossary.findall(nodes.definition_list_item)
        for term in item.findall(nodes.term)
        for id in term["ids"]
    }


class term_link(nodes.reference):  # noqa: N801 - docutils names nodes like this
    """A link to a term of the glossary: `term` is its id there, without the prefix."""


class Terms(SphinxPostTransform):
    default_priority = 20  # when links have been resolved
    formats = ("html",)

    def run(self, **options):
        marked = set()
        for link in [*self.document.findall(nodes.reference)]:
            page, _, term = link.get("refuri", "").partition("#term-")
            if not term or basename(page) != f"{basename(GLOSSARY)}.html":
                continue
            if term in marked:
                link.replace_self(link.children)
            else:
                marked.add(term)
                link.replace_self(term_link("", "", *link.children, term=term, refuri=link["refuri"]))


def add_sentences(app, pagename, templatename, context, doctree):
    """What the glossary says of the terms of this page, which the template puts at the page's end."""
    used = {link["term"] for link in doctree.findall(term_link)} if doctree is not None else ()
    if used and not hasattr(app, "glossary_sentences"):
        app.glossary_sentences = sentences(app.env.get_doctree(GLOSSARY))
    context["terms"] = {term: app.glossary_sentences[term] for term in sorted(used)}


def visit_html(writer, node):
    described = {"href": node["refuri"], "aria-describedby": f"says-{node['term']}"}
    writer.body.append(writer.starttag(node, "a", "", CLASS="reference internal ws-term", **described))


def depart_html(writer, node):
    writer.body.append("</a>")


def depend_on_glossary(app, doctree):
    """A page with terms is written anew when the glossary changes."""
    glossary = Path(app.srcdir, f"{GLOSSARY}.md")
    terms = (node for node in doctree.findall(addnodes.pending_xref) if node.get("reftype") == "term")
    if next(terms, None) is not None and basename(app.env.docname) != basename(GLOSSARY) and glossary.exists():
        app.env.note_dependency(str(glossary))


def setup(app):
    app.connect("doctree-read", depend_on_glossary)
    app.add_node(term_link, html=(visit_html, depart_html))
    app.add_post_transform(Terms)
    app.connect("html-page-context", add_sentences)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
