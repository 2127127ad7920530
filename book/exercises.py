"""The exercises of the chapters, judged at once.

    answer("temperature-1")

is a place to answer one, in the page and in a notebook; and

    check("temperature-1", 5)

says in a notebook whether 5 is right. Both say where an answer fails, and have a hint. An exercise that asks for a
function is for `check` alone. The exercises of a chapter are the list EXERCISES in the module `questions` of its
folder; their ids are the chapter's name and their number there.
"""

from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

import book
from book.figures import AnswerField
from book.judging import Judge, Unanswered, Wrong, sentence

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


def _exercise(id):
    if id not in EXERCISES:
        chapter = str(id).rpartition("-")[0]
        there = [name for name in EXERCISES if name.startswith(f"{chapter}-")] or list(EXERCISES)
        raise LookupError(f"there is no exercise {id!r}; there are {', '.join(there)}")
    return EXERCISES[id]


def answer(id):
    """A place to answer an exercise. It judges by itself, without Python, and its name in a link is the id.

    Parameters
    ----------
    id : str
        The exercise, such as "temperature-1".

    Returns
    -------
    AnswerField
        A widget, which the page shows as well.

    Raises
    ------
    LookupError
        For an id that is not there, and for one that asks for a function: that is for `check`.

    Examples
    --------
    >>> print(answer("kl-4")._plain())
    A null gives the best token 0.1. The budget is 2.5 nats. Is β "finite" or "infinite"? (finite / infinite)
    """
    exercise = _exercise(id)
    if not isinstance(exercise.judge, Judge):
        raise LookupError(f"{id} asks for a function: check({id!r}, the function) judges it")
    return AnswerField(exercise.judge.asked(), exercise.why, exercise.hint, name=id, alt=exercise.asks)


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
    Not yet [temperature-1]: Too small. With β larger by 1 the leader has 0.18145; asked is 0.75.
      Hint: The odds of all rivals together are their number times e^(−2β). What must become of the second factor?
    >>> check("temperature-1", 2.30).right
    True
    """
    exercise = _exercise(id)
    try:
        if answer is ...:
            raise Unanswered
        exercise.judge(answer)
    except Unanswered:
        return Result(id, False, "Open", exercise.asks)
    except Wrong as wrong:
        says = " ".join(sentence(text) for text in wrong.args if text)
        return Result(id, False, "Not yet", says, exercise.hint)
    return Result(id, True, "Right", exercise.why)
