"""Draws the figures while the book is built, by the same views that run in the page.

A figure in an executed notebook is its state alone (`book.figures.base`). Here each gets what its view draws under
node: for a page without JavaScript, for print, and for the moment before the script runs. The sentence under it
goes into the notebooks to take away. A view that throws, or draws nothing, is a warning, and so fails the build.
What only a kernel could move stays a picture (`widget_pictures`).
"""

import json
from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from book.builder.node_process import NodeProcess
from book.builder.notebooks import executed
from book.builder.outputs import drawing
from book.builder.widget_pictures import Pictures
from book.figures.base import root_attributes
from book.figures.bundle import widget_module

log = logging.getLogger(__name__)


class Drawer(NodeProcess):
    """Draws figures, given as data; all in one node process, and each state once."""

    def __init__(self):
        super().__init__(Path(__file__).with_suffix(".mjs"))
        self.drawn = {}

    def __call__(self, figure, still=False):
        """A figure as HTML; `still` for a picture that no script brings to life.

        A `ValueError` names a figure whose view fails.
        """
        return self._draw(figure, still)["html"]

    def sentence(self, figure):
        """What a figure says of its state, or None if its view says nothing, or fails."""
        try:
            return self._draw(figure)["sentence"]
        except ValueError:
            return None  # `Draw` warns of it, for the page

    def _draw(self, figure, still=False):
        key = json.dumps([figure, still])
        if key not in self.drawn:
            attributes = root_attributes(figure)
            state = json.loads(attributes["data-state"])
            if still:
                del attributes["data-figure"], attributes["data-state"]
            try:
                message = {"module": widget_module(figure["view"]), "attributes": attributes, "state": state}
                self.drawn[key] = self.ask(message)
            except ValueError as error:
                name = f"{figure['name']} ({figure['view']})"
                raise ValueError(f"the figure {name} cannot be drawn: {error}") from None
        return self.drawn[key]


class Draw(SphinxPostTransform):
    """Gives each figure of a page its picture."""

    default_priority = 500
    formats = ("html",)

    def run(self, **options):
        still = self.env.metadata[self.env.docname].get("figures") == "still"
        pictures = None
        for node in self.document.findall(drawing):
            try:
                if still or "model" in node:
                    pictures = pictures or Pictures(self.app.figures, executed(self.app, self.env.docname))
                    node["html"] = pictures.framed(node)
                else:
                    node["html"] = self.app.figures(node["data"])
            except ValueError as error:
                log.warning("%s", error, location=node)
                node["html"] = ""


def visit_html(writer, node):
    writer.body.append(f"{writer.starttag(node, 'div')}{node['html']}</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.figures = Drawer()
    app.add_node(drawing, html=(visit_html, None))
    app.add_post_transform(Draw)
    app.connect("build-finished", lambda app, error: app.figures.close())
    return {"parallel_read_safe": True, "parallel_write_safe": False}
