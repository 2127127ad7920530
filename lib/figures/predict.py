"""A question in the page: the reader commits to an answer, then sees."""

import json
from html import escape

import anywidget
from traitlets import Bool, Dict, Unicode, validate

from .bundle import page_style, widget_module
from .traits import Answer, FigureError, Name, Number, Words
from .words import short


class Predict(anywidget.AnyWidget):
    """A prediction to commit to: one of several answers, or a mark on a line.

    Parameters
    ----------
    question : str
        In the question, the options and `why`, stars around a word are its *emphasis*.
    options : list of str, optional
        Two answers or more. None asks for a number between `low` and `high`.
    answer : str or float
        The right one: one of `options`, or a number. Let the cell compute it.
    why : str
        What is said with the answer; its numbers are the cell's, too.
    name : str
        The question's id in the page.
    figure : str
        What follows # in a link to the state of a figure that shows it, such as "temperature-beta?beta=inf".
    unit : str
        Written after the numbers.
    low, high : float
        The ends of the line.
    log : bool, default False
        Powers of ten are equally far apart on it.

    `chosen`, what the reader has committed to, is a synced trait: None until then.

    Examples
    --------
    >>> question = Predict("Which is larger?", ["e²", "7"], answer="e²", why="e² is 7.39.")
    >>> question.chosen is None
    True
    """

    _esm = widget_module("predict")
    _css = page_style()

    question = Unicode().tag(sync=True)
    options = Words(default_value=None, allow_none=True).tag(sync=True)
    answer = Answer(default_value=None, allow_none=True).tag(sync=True)
    why = Unicode().tag(sync=True)
    chosen = Answer(default_value=None, allow_none=True).tag(sync=True)
    name = Name("prediction").tag(sync=True)
    figure = Unicode("").tag(sync=True)
    unit = Unicode("").tag(sync=True)
    low = Number(default_value=0.0).tag(sync=True)
    high = Number(default_value=1.0).tag(sync=True)
    log = Bool(False).tag(sync=True)
    start = Dict({"chosen": None}, help="What Reset goes back to.").tag(sync=True)

    def __init__(self, question, options=None, answer=None, why="", **more):
        super().__init__(question=question, options=options, answer=answer, why=why, **more)
        self._line()
        self._fits("answer", self.answer)

    def _line(self):
        if self.options is not None:
            return
        if not self.low < self.high:
            raise FigureError(f"low: {self.low} is not below high = {self.high}")
        if self.log and self.low <= 0:
            raise FigureError(f"low: {self.low} cannot stand on a logarithmic line; it must be above 0")

    def _fits(self, name, value):
        """Refuse what cannot be answered to this question."""
        if self.options is not None and value not in self.options:
            raise FigureError(f"{name}: {value!r} is not among the options {self.options}")
        if self.options is None and (
            value is None or isinstance(value, str) or not self.low <= value <= self.high
        ):
            raise FigureError(f"{name}: {value!r} is not a number from low = {self.low} to high = {self.high}")

    @validate("options")
    def _several_and_different(self, proposal):
        options = proposal["value"]
        if options is not None and len(set(options)) < max(2, len(options)):
            raise FigureError(f"options: {options} are not two different answers or more")
        return options

    @validate("question", "why")
    def _stars_in_pairs(self, proposal):
        if proposal["value"].count("*") % 2:
            raise FigureError(
                f"{proposal['trait'].name}: {proposal['value']!r} opens an emphasis and does not end it"
            )
        return proposal["value"]

    @validate("chosen")
    def _an_answer(self, proposal):
        if proposal["value"] is not None:
            self._fits("chosen", proposal["value"])
        return proposal["value"]

    def _written(self, value):
        return value if isinstance(value, str) else f"{_spaced(value)} {self.unit}".strip()

    def _repr_html_(self) -> str:
        """The question for a page without a kernel; the answer folded away, until a script runs."""
        keys = ("question", "options", "answer", "why", "chosen", "figure", "unit", "low", "high", "log", "start")
        state = escape(json.dumps({key: getattr(self, key) for key in keys}, ensure_ascii=False))
        if self.options is None:
            ends = f"A number from {short(self.low)} to {self._written(self.high)}."
            asked = f'<p class="ws-line">{escape(ends)}</p>'
        else:
            listed = [f"<li><span>{_rich(option)}</span></li>" for option in self.options]
            asked = f'<ul class="ws-choices">{"".join(listed)}</ul>'
        return (
            f'<div class="ws-figure ws-predict" data-figure="predict" id="{self.name}" role="group" '
            f'aria-label="prediction" data-state="{state}">'
            f'<p class="ws-question">{_rich(self.question)}</p>{asked}'
            '<details class="ws-answer"><summary>The answer</summary>'
            f"<p>{_rich(self._written(self.answer))}. {_rich(self.why)}</p></details></div>"
        )

    def _repr_mimebundle_(self, **kwargs):
        made = super()._repr_mimebundle_(**kwargs)
        data, metadata = made if isinstance(made, tuple) else (made, {})
        choices = f"from {_spaced(self.low)} to {self._written(self.high)}"
        reading = f"{self.question} ({choices if self.options is None else ' / '.join(self.options)})"
        return {**data, "text/plain": reading.replace("*", ""), "text/html": self._repr_html_()}, metadata


def _spaced(x: float) -> str:
    text = short(x)
    return f"{int(text):,}".replace(",", "\u202f") if text.isdigit() and len(text) > 4 else text


def _rich(text: str) -> str:
    parts = escape(text).split("*")
    return "".join(f"<em>{part}</em>" if i % 2 else part for i, part in enumerate(parts))
