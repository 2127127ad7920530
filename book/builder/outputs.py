"""What cells have shown, as nodes with data: made as MyST-NB reads the outputs, for the rest of the builder.

An output that hands over data (`book.mime`) has it in a node `shown`; an interactive figure, or a box of widgets,
becomes a node of its own, which `draw_figures` draws.
"""

from docutils import nodes
from myst_nb.core import render

from book.mime import OURS

WIDGET = render.WIDGET_VIEW_MIMETYPE
HTML = ["output", "text_html"]


class shown(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes like this
    """The data of an output (`book.mime`), beside its HTML while a page is read."""


class drawing(nodes.General, nodes.Element):  # noqa: N801
    """An interactive figure: its `data` (`book.figures.base.figure_data`), and `html` once it is drawn.

    Or a box of widgets, which has its id, `model`, and no `data`.
    """


class Data:
    """What MyST-NB calls a plugin for MIME types: it makes these nodes of an output."""

    @staticmethod
    def handle_mime(renderer, data, inline):
        if data.mime_type == WIDGET:
            return [drawing(model=data.content["model_id"], classes=HTML)]
        if data.mime_type == OURS and "figure" in data.content:
            return [drawing(data=data.content["figure"], classes=HTML)]
        return [shown(data=data.content)] if data.mime_type == OURS else None


def is_bundle(node):
    return isinstance(node, nodes.container) and node.get("nb_element") == "mime_bundle"


def keep_figures(app, doctree):
    """A figure stands in place of all forms of its output."""
    for bundle in [*doctree.findall(is_bundle)]:
        if found := sorted(bundle.findall(drawing), key=lambda node: "data" not in node):
            bundle.replace_self(found[0])


def figures(doctree):
    """The interactive figures of a page, as data."""
    return [node["data"] for node in doctree.findall(drawing) if "data" in node]


def setup(app):
    render.load_mime_renders = lambda: [Data]  # it looks in what is installed, and the builder is not
    app.connect("doctree-read", keep_figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
