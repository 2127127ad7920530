"""Draws the figures while the book is built, by the same views that run in the page.

A figure in an executed notebook is its state alone (`book.figures.base`). Here each is replaced by what its view
draws under node: for a page without JavaScript, for print, and for the moment before the script runs. The sentence
under it goes into the notebooks to take away. A view that throws, or draws nothing, is a warning, and so fails
the build. What only a kernel could move stays a picture (`widget_pictures`).
"""

import json
import re
from html import unescape
from pathlib import Path

from sphinx.util import logging

from book.builder.node_process import NodeProcess
from book.builder.notebooks import executed
from book.builder.widget_pictures import VIEW, Pictures
from book.figures.bundle import widget_module

log = logging.getLogger(__name__)

# A figure's attributes are escaped, and it holds no other <div> (`Figure._repr_html_`).
FIGURE = re.compile(r'<div (class="ws-figure[^>]*\bdata-state=[^>]*)>.*?</div>', re.DOTALL)
ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')


def read_root(root):
    """The attributes of a figure's root element (`book.figures.base.root_of`), its view and its state."""
    attributes = {name: unescape(value) for name, value in ATTRIBUTE.findall(root)}
    return attributes, attributes["data-figure"], json.loads(attributes["data-state"])


class Drawer(NodeProcess):
    """Draws figures; all in one node process, and each state once."""

    def __init__(self):
        super().__init__(Path(__file__).with_suffix(".mjs"))
        self.drawn = {}

    def __call__(self, html):
        """The HTML with each figure in it drawn; a `ValueError` names one whose view fails."""
        return self.replace(html, lambda root: self.drawn_as(root)["html"])

    def replace(self, html, by):
        """The HTML with each figure in it replaced by what the function `by` makes of its root's attributes."""
        return FIGURE.sub(lambda found: by(found[1]), html)

    def sentence(self, html):
        """What the figure in the HTML says of its state, or None if its view says nothing, or fails."""
        try:
            return self.drawn_as(FIGURE.search(html)[1])["sentence"]
        except ValueError:
            return None  # `draw` warns of it, for the page

    def drawn_as(self, root):
        """The picture and the sentence of the figure with these attributes, {"html", "sentence"}."""
        if root not in self.drawn:
            attributes, view, state = read_root(root)
            try:
                message = {"module": widget_module(view), "attributes": attributes, "state": state}
                self.drawn[root] = self.ask(message)
            except ValueError as error:
                raise ValueError(f"the figure {attributes['id']} ({view}) cannot be drawn: {error}") from None
        return self.drawn[root]


def draw(app, page, template, context, doctree):
    """Put the pictures on the page."""
    body = context.get("body", "")
    still = app.env.metadata.get(page, {}).get("figures") == "still"
    try:
        if still or VIEW.search(body):
            pictures = Pictures(app.figures, executed(app, page))
            body = pictures.boxes(body)
            body = pictures.figures(body) if still else body
        context["body"] = app.figures(body)
    except ValueError as error:
        log.warning("%s", error, location=page)


def setup(app):
    app.figures = Drawer()
    app.connect("html-page-context", draw)
    app.connect("build-finished", lambda app, error: app.figures.close())
    return {"parallel_read_safe": True, "parallel_write_safe": False}
