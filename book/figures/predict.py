"""A question in the page: the reader commits to an answer, then sees."""

from traitlets import Bool, Unicode, validate

from .base import Figure
from .traits import Answer, FigureError, Number, Words


class Predict(Figure):
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
        The state of a figure that shows it, as in a link after #: "temperature-beta?beta=inf". Commit moves that
        figure there, in a notebook too, whichever cell runs first.
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

    view = "predict"
    called = "prediction"
    changes = ("chosen",)
    beside = ("question", "options", "answer", "why", "figure", "unit", "low", "high", "log")

    question = Unicode().tag(sync=True)
    options = Words(default_value=None, allow_none=True).tag(sync=True)
    answer = Answer(default_value=None, allow_none=True).tag(sync=True)
    why = Unicode().tag(sync=True)
    chosen = Answer(default_value=None, allow_none=True).tag(sync=True)
    figure = Unicode("").tag(sync=True)
    unit = Unicode("").tag(sync=True)
    low = Number(default_value=0.0).tag(sync=True)
    high = Number(default_value=1.0).tag(sync=True)
    log = Bool(False).tag(sync=True)

    def __init__(self, question, options=None, answer=None, why="", **more):
        asked = {"question": question, "options": options, "answer": answer, "why": why}
        super().__init__(**{"name": "prediction", **asked, **more})
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

    def _plain(self):
        """The question and what can be answered."""
        ends = f"a number from {self.low:,g} to {self.high:,g} {self.unit}".strip().replace(",", "\u202f")
        return f"{self.question} ({ends if self.options is None else ' / '.join(self.options)})".replace("*", "")
