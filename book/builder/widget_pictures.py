"""Pictures of widgets, for a page that has no kernel to move them.

In an executed notebook a box of ipywidgets is nothing but an id; the last state of every widget stands in the
notebook's metadata. From these states the picture is put together: boxes become rows and columns, figures are
drawn by their own views, sliders are shown where they stand, outputs as they are. No script brings any of it to
life.

A page whose front matter says `figures: still` has all of its figures as such pictures, since those that Python
moves would not answer there. A kind of widget that has no rule here is a warning, and so fails the build.
"""

import json
import re
from html import escape
from importlib import import_module
from itertools import count

from book.figures.base import root_of

VIEW = re.compile(r'<script type="application/vnd\.jupyter\.widget-view\+json">(.*?)</script>', re.DOTALL)
STATES = "application/vnd.jupyter.widget-state+json"
SAID = "Picture of what this cell shows in Jupyter"


class Pictures:
    """Draws the widgets of one executed notebook; `draw` is a `draw_figures.Drawer`."""

    def __init__(self, draw, notebook):
        models = notebook.metadata.get("widgets", {}).get(STATES, {}).get("state", {})
        self.states = {name: model["state"] for name, model in models.items()}
        self.draw, self.numbers = draw, count(1)

    # ---- for the page ----------------------------------------------------------------------------

    def boxes(self, html):
        """The HTML of a page with a picture in the place of each box of widgets."""
        return VIEW.sub(lambda found: self._framed(self._widget(json.loads(found[1])["model_id"])), html)

    def figures(self, html):
        """The HTML of a page with each figure on it as a picture."""
        return self.draw.replace(html, lambda root: self._framed(self._figure(root)))

    def _framed(self, picture):
        return f'<div class="ws-picture" role="group" aria-label="{SAID}">{picture}</div>'

    def _figure(self, root):
        """A figure, drawn under a name that no other picture of the page has."""
        numbered = re.sub(r'\bid="([^"]*)"', rf'id="\1-picture-{next(self.numbers)}"', root, count=1)
        return re.sub(r' data-(?:figure|state)="[^"]*"', "", self.draw.drawn_as(numbered)["html"], count=2)

    def _state(self, name):
        return self.states[name.removeprefix("IPY_MODEL_")]

    def _widget(self, name):
        state = self._state(name)
        kind = state["_model_name"].removesuffix("Model")
        show = getattr(self, f"_show_{kind}", None)
        if show is None:
            raise ValueError(f"there is no picture of the widget {kind}: add it to widget_pictures.py")
        return show(state)

    def _children(self, state):
        return "".join(map(self._widget, state["children"]))

    def _show_HBox(self, state):  # noqa: N802 — named for the widget
        return f'<div class="ws-row">{self._children(state)}</div>'

    def _show_VBox(self, state):  # noqa: N802
        return f'<div class="ws-column">{self._children(state)}</div>'

    def _show_Any(self, state):  # noqa: N802
        return self._figure(root_from(state))

    def _show_FloatSlider(self, state):  # noqa: N802
        return control(state, state["value"], (state["value"] - state["min"]) / (state["max"] - state["min"]))

    def _show_Label(self, state):  # noqa: N802
        return f"<p>{escape(state['value'])}</p>"

    def _show_Output(self, state):  # noqa: N802
        return "".join(map(shown, state["outputs"]))

    # ---- for the notebook to take away -----------------------------------------------------------

    def words(self, data):
        """What the figures and labels in the mime bundle of a widget say."""
        if "text/html" in data:
            return self.draw.sentence(data["text/html"]) or data["text/plain"]
        (name,) = (bundle["model_id"] for kind, bundle in data.items() if kind.endswith("widget-view+json"))
        says = {
            "AnyModel": lambda figure: self.draw.sentence(f"<div {root_from(figure)}></div>"),
            "LabelModel": lambda label: label["value"],
        }
        found = [(state["_model_name"], state) for state in self._inside(name)]
        return "\n".join(says[kind](state) for kind, state in found if kind in says)

    def outputs(self, name):
        """All that stands in the output widgets of this one."""
        return [output for state in self._inside(name) for output in state.get("outputs", ())]

    def _inside(self, name):
        """The states of a widget and of all that is in it."""
        state = self._state(name)
        return [state, *(inner for child in state.get("children", ()) for inner in self._inside(child))]


def root_from(state):
    """The attributes of a figure's root element, as the figure itself writes them, from its state."""
    module, _, name = state["_anywidget_id"].rpartition(".")
    view = getattr(import_module(module), name).view
    return root_of(view, state["name"], state["alt"], {key: state[key] for key in state if key[0] != "_"})


def control(state, value, share):
    """A slider with its name and its value; the knob stands at this share of the way."""
    return (
        f'<div class="ws-control"><span class="ws-control-name">{escape(state["description"])}</span>'
        f'<span class="ws-control-rail" style="--at:{share:.4g}"></span>'
        f'<span class="ws-control-value">{format(value, state["readout_format"])}</span></div>'
    )


def shown(output):
    """One output as HTML."""
    data = output.get("data", {})
    if "text/html" in data:
        return data["text/html"]
    return f"<pre>{escape(output.get('text') or data['text/plain'])}</pre>"
