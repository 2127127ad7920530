"""What every figure is, whatever it draws: a widget in Jupyter, its state in a page."""

import json
from difflib import get_close_matches
from html import escape

import anywidget
from traitlets import Dict, Unicode

from ..mime import OURS
from .bundle import page_style, widget_module
from .traits import Name, address_of


class Figure(anywidget.AnyWidget):
    """A view, js/<view>.js, with a name, a caption and a state to go back to.

    A figure names its `view`, the traits that a reader `changes`, and those `beside` them that the page needs
    as well. All of them are synced. A trait that stands in an address says itself how it is written there
    (`traits.address_of`). A figure is `called` by its view, unless it says otherwise.

    While the book is built, the same view draws the picture for pages without a script.
    """

    view = ""
    called = ""
    changes = ()
    beside = ()
    _css = page_style()

    name = Name().tag(sync=True)
    caption = Unicode("").tag(sync=True)
    alt = Unicode().tag(sync=True)
    start = Dict(help="What Reset goes back to; set once, by the constructor.").tag(sync=True)
    address = Dict(help="How a prediction names a state; set once, by the constructor.").tag(sync=True)

    def __init_subclass__(cls, **options):
        if "view" in vars(cls):
            cls._esm = widget_module(cls.view)
        super().__init_subclass__(**options)

    def __init__(self, **options):
        """What every figure takes by name, besides parameters of its own.

        Parameters
        ----------
        name : str
            The figure's id in the page; links to a state of the figure begin with it.
        caption : str
            The text under the figure.
        alt : str
            What a screen reader calls it; by default what it is `called`.

        All parameters are synced traits, unless a figure says otherwise: set them, `observe` them, `link` them. A
        value that does not fit raises a `ValueError` that names it, and the figure stays as it was. What has to
        fit together, such as all lists when the number of tokens changes, is set inside
        ``with figure.hold_trait_notifications():``.
        """
        for name in options.keys() - {*self.trait_names(), "model_id"}:  # that one ipywidgets takes as well
            near = "".join(f"; did you mean {other}?" for other in get_close_matches(name, self.trait_names(), 1))
            raise TypeError(f"{type(self).__name__} has no trait {name}{near}")
        alt = self.called or self.view.replace("_", " ")
        super().__init__(**{"name": self.view.replace("_", "-"), "alt": alt, **options})
        self.start = self._json((*self.changes, *self.beside))
        self.address = address_of(self, self.changes)

    @classmethod
    def page_data(cls) -> dict:
        """What a page without a kernel loads once a reader asks for it: {name of a file: value}."""
        return {}

    def _json(self, names) -> dict:
        """These traits as they travel to the view."""
        written = {}
        for name in names:
            value, to_json = getattr(self, name), self.trait_metadata(name, "to_json")
            written[name] = to_json(value, self) if to_json else value
        return written

    def _plain(self) -> str:
        """The caption and the state as plain text, for where neither a widget nor a picture can be shown."""
        values = ((name, getattr(self, name)) for name in self.changes)
        said = (
            f"{name} = {', '.join(map(str, value)) if isinstance(value, list) else value}"
            for name, value in values
            if value is not None
        )
        return f"{self.caption or self.alt} ({'; '.join(said)})"

    def as_data(self) -> dict:
        """What a page without a kernel draws the figure from, for the builder too.

        The state is JSON in a string: a stored notebook sorts the keys of its data, and an address has the traits
        in this order.
        """
        state = {
            **self._json(("caption", "alt", *self.beside, *self.changes)),
            "start": {key: self.start[key] for key in self.changes},  # no page changes the others
            "address": self.address,
        }
        return figure_data(self.view, self.name, self.alt, state)

    def _repr_html_(self) -> str:
        """The figure for a page without a kernel and without the builder: its state, and a plain sentence."""
        root = " ".join(f'{key}="{escape(value)}"' for key, value in root_attributes(self.as_data()).items())
        return f"<div {root}><p>{escape(self._plain())}</p></div>"

    def _repr_mimebundle_(self, **kwargs):
        made = super()._repr_mimebundle_(**kwargs)
        data, metadata = made if isinstance(made, tuple) else (made, {})
        own = {"text/plain": self._plain(), "text/html": self._repr_html_(), OURS: {"figure": self.as_data()}}
        return {**data, **own}, metadata


def figure_data(view, name, alt, state) -> dict:
    """A figure as data."""
    return {"view": view, "name": name, "alt": alt, "state": json.dumps(state, ensure_ascii=False)}


def root_attributes(figure) -> dict:
    """The attributes of the root element of a figure that is given as data."""
    return {
        "class": "ws-figure",
        "data-figure": figure["view"],
        "id": figure["name"],
        "role": "group",
        "aria-label": figure["alt"],
        "data-state": figure["state"],
    }


def page_data(views) -> dict:
    """What pages with these views may load later: {name of a file: value}."""
    figures = [figure for figure in Figure.__subclasses__() if figure.view in views]
    return {name: value for figure in figures for name, value in figure.page_data().items()}
