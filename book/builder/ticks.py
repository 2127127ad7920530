"""Ticks: a sentence that is checked ends in a small mark, which opens its check in place.

In the source: ``A divergence is never negative. {tick}`kl-gibbs` ``. It leads into the list at the page's foot
(`foot`), for which a cell of the same section runs `run_checks("kl-gibbs")`. A tick that names no check of its
section is a warning. Not each check has a tick: a main line has few, on what was measured and is not obvious. A
page that is no chapter may take up what a chapter has checked: then the tick leads there.
"""

from html import escape

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from book.builder.outputs import shown
from book.claims import chapter_of, find
from book.claims_show import TICK

JOINED = "\N{WORD JOINER}"  # a mark does not begin a line

log = logging.getLogger(__name__)


class tick(nodes.Inline, nodes.TextElement):  # noqa: N801 - docutils names nodes like this
    """The mark after a sentence: `check` is the check's name, `says` its claim, `page` its page, if another."""


class Tick(SphinxRole):
    def run(self):
        node = tick(self.rawtext, check=self.text, says="", page="")
        self.set_source_info(node)
        return [node], []


def section(node):
    """The part of the page that a node stands in: the headings above it, down to the second level."""
    around = []
    while node is not None:
        if isinstance(node, nodes.section):
            around.insert(0, node)
        node = node.parent
    return around[:2]


def checks(doctree):
    """What is checked on a page: the name of each check -> (its sentence, where it is shown)."""
    outputs = doctree.findall(shown)
    return {one["id"]: (one["says"], output) for output in outputs for one in output["data"].get("checks", ())}


def resolve(app, doctree):
    """Give each tick the sentence of its check, and put it close to the text before it."""
    found = checks(doctree)
    for node in doctree.findall(tick):
        name = node["check"]
        if name in found and section(found[name][1]) == section(node):
            node["says"] = found[name][0]
        elif not app.env.docname.startswith("chapters/") and f"chapters/{chapter_of(name)}" in app.env.found_docs:
            node["says"], node["page"] = find(name).says, f"chapters/{chapter_of(name)}"
        else:
            log.warning("the tick %s names no check of its section", name, location=node)
        close_up(node)


def close_up(node):
    """Take away the space before a tick. By its place: a paragraph may have the same text elsewhere."""
    at = node.parent.index(node) - 1
    if at >= 0 and isinstance(node.parent[at], nodes.Text):
        node.parent[at] = nodes.Text(node.parent[at].rstrip())


def follows_a_tick(node):
    """Whether nothing stands between a tick and the one before it."""
    before = [
        other for other in node.parent[: node.parent.index(node)] if other.astext() or isinstance(other, tick)
    ]
    return bool(before) and isinstance(before[-1], tick)


def visit_html(writer, node):
    label, name = escape(f"Checked: {node['says']}"), escape(node["check"])
    again = " ws-again" if follows_a_tick(node) else ""
    page = node["page"] and writer.builder.get_relative_uri(writer.builder.current_docname, node["page"])
    href = f"{page}#claim-{name}"
    writer.body.append(f'{JOINED}<a class="ws-tick{again}" href="{href}" aria-label="{label}">{TICK}</a>')
    raise nodes.SkipNode


def setup(app):
    app.add_role("tick", Tick())
    app.add_node(tick, html=(visit_html, None))
    app.connect("doctree-read", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
