"""The exercises of the chapters, judged at once.

    check("temperature-1", 5)

says whether 5 is right; if not, where it fails, with a hint. The exercises of a chapter are the list
EXERCISES in the module `questions` of its folder; their ids are the chapter's name and their number there.
"""

from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

import book
from book.judging import Unanswered, Wrong

CHAPTERS = [
    module.name
    for module in iter_modules(book.__path__)
    if module.ispkg and find_spec(f"book.{module.name}.questions")
]
EXERCISES = {
    f"{chapter}-{number}": exercise
    for chapter in CHAPTERS
    for number, exercise in enumerate(import_module(f"book.{chapter}.questions").EXERCISES, start=1)
}


@dataclass(frozen=True)
class Result:
    """What became of an answer. `right` is False too while there is no answer yet."""

    id: str
    right: bool
    word: str  # "Right", "Not yet" or "Open"
    says: str
    hint: str = ""

    def __bool__(self):
        return self.right

    def __repr__(self):
        hint = f"\n  Hint: {self.hint}" if self.hint else ""
        return f"{self.word} [{self.id}]: {self.says}{hint}"

    def _repr_html_(self):
        hint = f'<p class="ws-claim-counter">Hint: {escape(self.hint)}</p>' if self.hint else ""
        return (
            f'<div class="ws-claim ws-check" role="status" aria-label="Answer to {escape(self.id)}">'
            f'<p class="ws-claim-says"><strong>{self.word}.</strong> {escape(self.says)} '
            f'<code class="ws-claim-id">{escape(self.id)}</code></p>{hint}</div>'
        )


def check(id, answer=...):
    """Judge an answer to an exercise.

    Parameters
    ----------
    id : str
        The exercise, such as "temperature-1".
    answer : number, array, string, list of strings or function
        What the exercise asks for. A function is tried on many inputs. `...` is no answer yet.

    Returns
    -------
    Result
        Shows itself in a notebook; `.right` is True or False.

    Raises
    ------
    LookupError
        For an id that is not there; it lists those of the chapter.

    Examples
    --------
    >>> check("temperature-1", 1.0)
    Not yet [temperature-1]: With β larger by 1 the leader has 0.18145; asked is 0.75.
      Hint: The odds of all rivals together are their number times e^(−2β). What must become of the second factor?
    >>> check("temperature-1", 2.30).right
    True
    """
    if id not in EXERCISES:
        chapter = str(id).rpartition("-")[0]
        there = [name for name in EXERCISES if name.startswith(f"{chapter}-")] or list(EXERCISES)
        raise LookupError(f"there is no exercise {id!r}; there are {', '.join(there)}")
    exercise = EXERCISES[id]
    try:
        if answer is ...:
            raise Unanswered
        exercise.judge(answer)
    except Unanswered:
        return Result(id, False, "Open", exercise.asks)
    except Wrong as wrong:
        says = str(wrong).rstrip(".") + "."
        if not says.split("(")[0].isidentifier():  # a sentence that begins with a call keeps its small letter
            says = says[:1].upper() + says[1:]
        return Result(id, False, "Not yet", says, exercise.hint)
    return Result(id, True, "Right", exercise.why)
