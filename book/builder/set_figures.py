"""Phrases that set a figure of their page, such as ``{set}`at β = 4 <temperature-beta?beta=4>` ``.

What stands after the figure's name is what a link to the state has there (`book/figures/js/address.js`); nothing
after the question mark leads back to the start. A figure that is not on the page, and a state that it does not
know, is a warning; so it is where a prediction names the figure and the state that show its answer. Without a
script, on paper and in notebooks the phrase is plain text; `book/figures/js/phrases.js` makes it a button.
"""

import json
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import ReferenceRole

from book.builder.node_process import NodeProcess
from book.builder.outputs import figures
from book.figures.base import Figure
from book.figures.bundle import HERE, widget_module
from book.figures.traits import FigureError

log = logging.getLogger(__name__)


class setting(nodes.Inline, nodes.TextElement):  # noqa: N801 - docutils names nodes like this
    """The phrase: `state` is the figure's name, a question mark, and the state."""


class Setting(ReferenceRole):
    def run(self):
        node = setting(self.rawtext, state=self.target if self.has_explicit_title else "")
        self.set_source_info(node)
        inside, messages = self.inliner.parse(self.title, self.lineno, None, node)
        node.extend(inside)
        return [node], messages


class StateReader(NodeProcess):
    """Reads states of figures as the page does, and Python checks them."""

    def __init__(self):
        super().__init__(Path(__file__).with_name("read_state.mjs"))
        self.address = (HERE / "js" / "address.js").read_text(encoding="utf-8")

    def read(self, figure, text):
        """The traits of a figure in this state, as the page has them; a `ValueError` says what is wrong."""
        view, state = figure["view"], json.loads(figure["state"])
        message = {"module": widget_module(view), "address": self.address, "state": state, "text": text}
        values = self.ask(message)["values"]
        try:
            accept(view, {**state, **values})
        except FigureError as error:
            raise ValueError(str(error)) from None
        return values


def accept(view, values):
    """Set the traits of a figure to these values: a `FigureError` comes from one that Python refuses."""
    (kind,) = (figure for figure in Figure.__subclasses__() if figure.view == view)
    figure = kind.__new__(kind)  # not made: the constructors of figures differ
    with figure.hold_trait_notifications():
        for name in (*kind.beside, *kind.changes):
            from_json = figure.trait_metadata(name, "from_json")
            setattr(figure, name, from_json(values[name], figure) if from_json else values[name])


def leads(doctree, known):
    """All that is to move a figure of the page: (what it is called in a warning, where it leads, its node)."""
    for phrase in doctree.findall(setting):
        yield f"the phrase “{phrase.astext()}”", phrase["state"], phrase
    for name, figure in known.items():
        if figure["view"] == "predict" and (shows := json.loads(figure["state"])["figure"]):
            yield f"the answer to {name}", shows, None


def check(app, doctree):
    """Warn of phrases, and of answers to predictions, that would set nothing."""
    known = {figure["name"]: figure for figure in figures(doctree)}
    found = list(leads(doctree, known))
    if not found:
        return
    with StateReader() as reader:
        for what, where, node in found:
            name, mark, text = where.partition("?")
            try:
                if not mark or name not in known:
                    raise ValueError("no figure of this page has that name, or no ? follows it")
                reader.read(known[name], text)
            except ValueError as error:
                log.warning("%s sets nothing: %s: %s", what, where, error, location=node or app.env.docname)


def visit_html(writer, node):
    writer.body.append(f'<span class="ws-set" data-set="{escape(node["state"])}">')


def depart_html(writer, node):
    writer.body.append("</span>")


def setup(app):
    app.add_role("set", Setting())
    app.add_node(setting, html=(visit_html, depart_html))
    app.connect("doctree-read", check, priority=600)  # after `outputs`
    return {"parallel_read_safe": True, "parallel_write_safe": True}
