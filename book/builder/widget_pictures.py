"""Pictures of widgets, for a page that has no kernel to move them.

In an executed notebook a box of ipywidgets is nothing but an id; the last state of every widget stands in the
notebook's metadata. From these states the picture is put together: boxes become rows and columns, figures are
drawn by their own views, sliders are shown where they stand, outputs as they are. No script brings any of it to
life.

A page whose front matter says `figures: still` has all of its figures as such pictures, since those that Python
moves would not answer there. A kind of widget that has no rule here is a warning, and so fails the build.
"""

from html import escape
from importlib import import_module
from itertools import count

from book.builder.outputs import WIDGET
from book.figures.base import figure_data
from book.mime import OURS

STATES = "application/vnd.jupyter.widget-state+json"
SAID = "Picture of what this cell shows in Jupyter"


class Pictures:
    """Draws the widgets of one executed notebook; `draw` is a `draw_figures.Drawer`."""

    def __init__(self, draw, notebook):
        models = notebook.metadata.get("widgets", {}).get(STATES, {}).get("state", {})
        self.states = {name: model["state"] for name, model in models.items()}
        self.draw, self.numbers = draw, count(1)

    # ---- for the page ----------------------------------------------------------------------------

    def framed(self, node):
        """The picture of a figure, or of a box of widgets (`outputs.drawing`)."""
        picture = self._figure(node["data"]) if "data" in node else self._widget(node["model"])
        return f'<div class="ws-picture" role="group" aria-label="{SAID}">{picture}</div>'

    def _figure(self, figure):
        """A figure, drawn under a name that no other picture of the page has."""
        return self.draw({**figure, "name": f"{figure['name']}-picture-{next(self.numbers)}"}, still=True)

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
        return self._figure(figure_of(state))

    def _show_FloatSlider(self, state):  # noqa: N802
        return control(state, state["value"], (state["value"] - state["min"]) / (state["max"] - state["min"]))

    def _show_Label(self, state):  # noqa: N802
        return f"<p>{escape(state['value'])}</p>"

    def _show_Output(self, state):  # noqa: N802
        return "".join(map(self._output, state["outputs"]))

    def _output(self, output):
        data = output.get("data", {})
        if "figure" in data.get(OURS, ()):
            return self._figure(data[OURS]["figure"])
        return data.get("text/html") or f"<pre>{escape(output.get('text') or data['text/plain'])}</pre>"

    # ---- for the notebook to take away -----------------------------------------------------------

    def words(self, data):
        """What the figures and labels in the bundle of a widget say."""
        if OURS in data:
            return self.draw.sentence(data[OURS]["figure"]) or data["text/plain"]
        says = {
            "AnyModel": lambda state: self.draw.sentence(figure_of(state)),
            "LabelModel": lambda state: state["value"],
        }
        inside = self._inside(data[WIDGET]["model_id"])
        found = [(state["_model_name"], state) for state in inside]
        return "\n".join(says[kind](state) for kind, state in found if kind in says)

    def outputs(self, name):
        """All that stands in the output widgets of this one."""
        return [output for state in self._inside(name) for output in state.get("outputs", ())]

    def _inside(self, name):
        """The states of a widget and of all that is in it."""
        state = self._state(name)
        return [state, *(inner for child in state.get("children", ()) for inner in self._inside(child))]


def figure_of(state):
    """A figure as data, from the state of its widget."""
    module, _, name = state["_anywidget_id"].rpartition(".")
    view = getattr(import_module(module), name).view
    return figure_data(view, state["name"], state["alt"], {key: state[key] for key in state if key[0] != "_"})


def control(state, value, share):
    """A slider with its name and its value; the knob stands at this share of the way."""
    return (
        f'<div class="ws-control"><span class="ws-control-name">{escape(state["description"])}</span>'
        f'<span class="ws-control-rail" style="--at:{share:.4g}"></span>'
        f'<span class="ws-control-value">{format(value, state["readout_format"])}</span></div>'
    )
