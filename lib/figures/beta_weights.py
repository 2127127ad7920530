"""*β and the weights*: a row of scores, one β, and what softmax makes of them."""

import json
from html import escape

import anywidget
import numpy as np
from traitlets import Bool, Dict, Unicode, validate

import lib

from . import static, static_curves
from .bundle import page_style, widget_module
from .traits import (
    Beta,
    FigureError,
    Flags,
    Name,
    Numbers,
    Presets,
    Words,
    beta_from_json,
    beta_to_json,
    presets_from_json,
    presets_to_json,
)
from .words import sentence


class BetaWeights(anywidget.AnyWidget):
    """Scores to drag above, the weights softmax gives them below, β on a slider from 0 to infinity.

    Parameters
    ----------
    tokens : list of str
        The words, one per column.
    scores : list of float
        Their scores s, finite.
    beta : float, default 1.0
        Inverse temperature; 0, negative and ±infinity are allowed.
    prior : list of float, optional
        The null hypothesis u; non-negative, renormalised. None is uniform.
    where : list of bool, optional
        True = takes part. None is everyone.
    name : str
        The figure's id in the page; links to a state of the figure begin with it.
    query : str
        The word that asks, named beside the scores.
    presets : list of (str, float)
        Labels and values of β, as buttons under the slider. None by default.
    curves : bool, default False
        Draw each weight against β above the slider, on its scale.
    caption, alt : str
        The text under the figure, and what a screen reader calls it.

    `tokens`, `scores`, `beta`, `prior` and `where` are synced traits: set them, `observe` them,
    `link` them. To change the number of tokens, set the lists together inside
    ``with figure.hold_trait_notifications():``. A value that does not fit raises a `ValueError` that
    names it, and the figure stays as it was.

    Examples
    --------
    >>> figure = BetaWeights(["cat", "milk"], [2.0, 1.0], beta=float("inf"))
    >>> figure.weights
    [1.0, 0.0]
    """

    _esm = widget_module("beta_weights")
    _css = page_style()

    tokens = Words().tag(sync=True)
    scores = Numbers(default_value=(0.0, 0.0)).tag(sync=True)
    beta = Beta().tag(sync=True, to_json=beta_to_json, from_json=beta_from_json)
    prior = Numbers(default_value=None, allow_none=True).tag(sync=True)
    where = Flags(default_value=None, allow_none=True).tag(sync=True)
    name = Name("beta-weights").tag(sync=True)
    query = Unicode("").tag(sync=True)
    caption = Unicode("").tag(sync=True)
    alt = Unicode("β and the weights").tag(sync=True)
    presets = Presets().tag(sync=True, to_json=presets_to_json, from_json=presets_from_json)
    curves = Bool(False).tag(sync=True)
    start = Dict(help="What Reset goes back to; set once, by the constructor.").tag(sync=True)

    def __init__(self, tokens, scores, beta=1.0, *, prior=None, where=None, **options):
        super().__init__(tokens=tokens, scores=scores, beta=beta, prior=prior, where=where, **options)
        self.start = self._state()

    @property
    def weights(self) -> list[float]:
        """What `lib.softmax` makes of the figure's state."""
        options = {
            "prior": None if self.prior is None else np.array(self.prior),
            "where": None if self.where is None else np.array(self.where),
        }
        return lib.softmax(np.array(self.scores), self.beta, **options).tolist()

    @validate("scores", "prior", "where")
    def _one_per_token(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        if value is None:
            return value
        if len(value) != len(self.tokens):
            raise FigureError(
                f"{name}: {len(value)} values for {len(self.tokens)} tokens; to change both, "
                "set them inside `with figure.hold_trait_notifications():`"
            )
        if name == "prior" and (min(value) < 0 or max(value) == 0):
            raise FigureError(f"prior: {value} must be non-negative, with at least one value above 0")
        return value

    @validate("tokens")
    def _one_score_each(self, proposal):
        if len(proposal["value"]) != len(self.scores):
            raise FigureError(
                f"tokens: {len(proposal['value'])} words for {len(self.scores)} scores; to change both, "
                "set them inside `with figure.hold_trait_notifications():`"
            )
        return proposal["value"]

    def _state(self) -> dict:
        return {
            "tokens": self.tokens,
            "scores": self.scores,
            "beta": beta_to_json(self.beta),
            "prior": self.prior,
            "where": self.where,
        }

    def _repr_html_(self) -> str:
        """The figure for a page without a kernel: its numbers, and a static picture until a script runs."""
        words = {"query": self.query, "caption": self.caption, "alt": self.alt}
        extras = {"presets": presets_to_json(self.presets), "curves": self.curves}
        state = escape(json.dumps({**self._state(), **words, **extras, "start": self.start}, ensure_ascii=False))
        row = (self.tokens, self.scores, self.beta, self.prior, self.where)
        above = static_curves.curves(*row) if self.curves else ""
        below = static_curves.presets(self.presets)
        picture = static.beta_weights(self.name, *row, self.caption, self.query, above, below)
        return (
            f'<div class="ws-figure ws-weights" data-figure="beta_weights" id="{self.name}" role="group" '
            f'aria-label="{escape(self.alt)}" data-state="{state}">{picture}</div>'
        )

    def _repr_mimebundle_(self, **kwargs):
        made = super()._repr_mimebundle_(**kwargs)
        data, metadata = made if isinstance(made, tuple) else (made, {})
        reading = sentence(self.tokens, self.scores, self.beta, self.prior, self.where).replace("\n", " ")
        return {**data, "text/plain": reading, "text/html": self._repr_html_()}, metadata
