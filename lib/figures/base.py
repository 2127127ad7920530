"""What every figure is, whatever it draws: a widget in Jupyter, a picture with its state in a page."""

import json
from html import escape

import anywidget
from traitlets import Dict, Unicode

from .bundle import page_style
from .traits import Name


class Figure(anywidget.AnyWidget):
    """A view of js/<view>.js with a name, a caption and a state to go back to.

    A figure says what its `_state` is in JSON and what stands `_beside` it, draws its `_picture` as HTML
    without script, and puts its state in one `_sentence`; `_words` are attributes of its root element.
    """

    view = ""
    _css = page_style()

    name = Name().tag(sync=True)
    caption = Unicode("").tag(sync=True)
    alt = Unicode().tag(sync=True)
    start = Dict(help="What Reset goes back to; set once, by the constructor.").tag(sync=True)

    def __init__(self, **options):
        called = self.view.replace("_", "-")
        super().__init__(**{"name": called, "alt": called.replace("-", " "), **options})
        self.start = self._state()

    def _repr_html_(self) -> str:
        """The figure for a page without a kernel: its numbers, and a static picture until a script runs."""
        words = {"caption": self.caption, "alt": self.alt, **self._beside()}
        state = {**words, **self._state(), "start": self.start}
        attributes = {
            "class": "ws-figure",
            "data-figure": self.view,
            "id": self.name,
            "role": "group",
            "aria-label": self.alt,
            **self._words(),
            "data-state": json.dumps(state, ensure_ascii=False),
        }
        root = " ".join(f'{key}="{escape(value)}"' for key, value in attributes.items())
        return f"<div {root}>{self._picture()}</div>"

    def _beside(self) -> dict:
        """What the page needs to know that no reader changes."""
        return {}

    def _repr_mimebundle_(self, **kwargs):
        made = super()._repr_mimebundle_(**kwargs)
        data, metadata = made if isinstance(made, tuple) else (made, {})
        return {
            **data,
            "text/plain": self._sentence().replace("\n", " "),
            "text/html": self._repr_html_(),
        }, metadata
