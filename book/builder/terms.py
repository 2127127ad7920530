"""Terms in place: a page carries the glossary's sentence on each term that it uses, and shows it beside the term.

In the source: ``{term}`divergence` ``, which Sphinx makes a link into the glossary. Here the link gets the class
that `static/terms.js` looks for and, for screen readers, the sentence as its description. The sentences stand in a
hidden list at the page's end, since a page on a disk cannot fetch the glossary. Without the script it is a link.
"""

import re
from html import escape
from pathlib import Path
from posixpath import basename

from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging

from book.builder.short_formulas import bind_html

GLOSSARY = "appendix/glossary"
LINK = re.compile(r'<a class="reference internal" (href="[^"#]*glossary\.html#term-([^"]+)")')

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


def mark(body, says):
    """A page's body with its terms marked and, at its end, what `says` has on each that it uses."""
    used = sorted({term for _, term in LINK.findall(body)})
    if not used:
        return body
    body = LINK.sub(r'<a class="reference internal ws-term" \1 aria-describedby="says-\2"', body)
    notes = "".join(f'<li id="says-{term}">{bind_html(escape(says[term]))}</li>' for term in used)
    return f'{body}<ul class="ws-terms" hidden>{notes}</ul>'


def add_sentences(app, pagename, templatename, context, doctree):
    if GLOSSARY in app.env.found_docs and pagename != GLOSSARY:
        if not hasattr(app, "glossary_sentences"):
            app.glossary_sentences = sentences(app.env.get_doctree(GLOSSARY))
        context["body"] = mark(context.get("body", ""), app.glossary_sentences)
    context["has_terms"] = 'class="ws-terms"' in context.get("body", "")


def depend_on_glossary(app, doctree):
    """A page with terms is written anew when the glossary changes."""
    glossary = Path(app.srcdir, f"{GLOSSARY}.md")
    terms = (node for node in doctree.findall(addnodes.pending_xref) if node.get("reftype") == "term")
    if next(terms, None) is not None and basename(app.env.docname) != basename(GLOSSARY) and glossary.exists():
        app.env.note_dependency(str(glossary))


def setup(app):
    app.connect("doctree-read", depend_on_glossary)
    app.connect("html-page-context", add_sentences)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
