"""A place to answer an exercise, which the page judges by itself."""

from traitlets import Dict, Unicode, validate

from .base import Figure
from .traits import FigureError, Typed

KINDS = {"number": "a number", "row": "a row of numbers", "choice": "one of them", "words": "some of them"}


class AnswerField(Figure):
    """Fields for an answer, and what becomes of it.

    Parameters
    ----------
    asked : dict
        What the answer is judged by, as `book.judging` hands it over.
    why : str
        What is said of the right answer.
    hint : str
        What helps.

    `given` is the answer as text, "" until there is one: a number or a formula, the numbers of a row with
    semicolons between them, one word, or several with commas. It is a synced trait, and stands in a link.

    Examples
    --------
    >>> asked = {"kind": "number", "right": 3.0, "within": 0.0, "slips": []}
    >>> print(AnswerField(asked, why="It is 1 + 2.", hint="Add.", alt="How much is 1 + 2?")._plain())
    How much is 1 + 2? (a number)
    """

    view = "answer"
    changes = ("given",)
    beside = ("asked", "why", "hint")

    asked = Dict().tag(sync=True)
    why = Unicode().tag(sync=True)
    hint = Unicode().tag(sync=True)
    given = Typed().tag(sync=True)

    def __init__(self, asked, why, hint, **more):
        super().__init__(asked=asked, why=why, hint=hint, **more)

    @validate("asked")
    def _of_a_known_kind(self, proposal):
        if proposal["value"].get("kind") not in KINDS:
            raise FigureError(f"asked: {proposal['value']!r} has none of the kinds {', '.join(KINDS)}")
        return proposal["value"]

    def _plain(self):
        """The question, and what is asked for."""
        options = self.asked.get("options")
        return f"{self.alt} ({' / '.join(options) if options else KINDS[self.asked['kind']]})"
