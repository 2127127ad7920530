"""What an exercise is, and the ways to judge an answer.

Each way is silent when the answer is right and raises `Wrong` when not. All but `function` judge by data
(`Judge.asked`), by which a page judges too, without Python. What is right is computed when it is asked for, never
typed.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Exercise:
    """One exercise: the question in a line, and what `check` needs."""

    asks: str
    judge: callable
    why: str
    hint: str


class Wrong(Exception):  # noqa: N818 - it is not an error of the program's
    """The answer fails: where it does so, in one text or several."""


class Unanswered(Exception):  # noqa: N818
    """The answer is still the placeholder."""


def sentence(text):
    """The text with a capital and a full stop; one that begins with a call keeps its small letter.

    >>> sentence("it is β"), sentence("f([1, 2]) gives 3."), sentence("")
    ('It is β.', 'f([1, 2]) gives 3.', '')
    """
    text = text.rstrip(".") + "." * bool(text)
    call = "(" in text and text.split("(")[0].isidentifier()
    return text if call else text[:1].upper() + text[1:]


def show(value):
    """A value as the reader would write it, with few digits and no more than a few entries."""
    if value is None:
        return "None"
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:57] + "…")
    try:
        array = np.asarray(value, dtype=float)
    except Exception:
        text = repr(value)
        return text if len(text) <= 60 else text[:57] + "…"
    if array.ndim == 0:
        return f"{float(array):.5g}"
    return np.array2string(array, precision=4, separator=", ", threshold=9, edgeitems=3).replace("\n", "")


def numbers(answer, shape=()):
    """The answer as a float array of this shape; raises `Wrong` if it cannot be one, or has NaN in it."""
    wanted = "a number" if shape == () else f"an array of numbers of the shape {shape}"
    if isinstance(answer, (str, bool, np.bool_)) or answer is None:
        raise Wrong(f"wanted is {wanted}, and this is {show(answer)}")
    try:
        array = np.asarray(answer.detach() if hasattr(answer, "detach") else answer, dtype=float)
    except Exception:
        raise Wrong(f"wanted is {wanted}, and this is {show(answer)}") from None
    if array.shape != shape:
        raise Wrong(f"wanted is {wanted}, and this has the shape {array.shape}")
    if np.isnan(array).any():
        raise Wrong(f"it has NaN in it: {show(array)}")
    return array


def close(answer, right, rtol=1e-6, atol=1e-9):
    """Equal to rounding; infinities only to themselves, NaN to nothing."""
    with np.errstate(invalid="ignore"):
        near = np.abs(answer - right) <= atol + rtol * np.where(np.isinf(right), 0.0, np.abs(right))
    return bool(np.all((answer == right) | near))


@dataclass(frozen=True)
class Judge:
    """Judges by data, which a page has as well.

    `asked()` is these data, `read(answer, asked)` the answer in their form, `adds(answer)` what only Python says.
    """

    asked: callable
    read: callable
    adds: callable = lambda answer: ""

    def __call__(self, answer):
        asked = self.asked()
        given = self.read(answer, asked)
        if says := complaint(asked, given):
            with np.errstate(all="ignore"):
                raise Wrong(says, self.adds(given))


def complaint(asked, given):
    """What is wrong with an answer, or None. `js/answer_math.js` says the same in a page."""
    kind, right, slips = asked["kind"], asked["right"], asked.get("slips", ())
    if kind == "choice":
        return asked["wrong"].get(given)
    if kind == "words":
        return next((asked["wrong"][w] for w in asked["options"] if (w in given) != (w in right)), None)
    near = lambda wanted, within: bool(np.all(np.abs(np.subtract(given, wanted)) <= within))  # noqa: E731
    if near(right, asked["within"]):
        return None
    for slip, within, says in slips:
        if near(slip, within):
            return says
    if kind == "number":
        return "Too small." if given < right else "Too large."
    return _of_row(asked, given)


def _of_row(asked, given):
    """What is wrong with a row of numbers that is no usual slip."""
    if asked["weights"] and min(given) < 0:
        return "A weight is never below 0."
    beyond = sum(given) - 1
    if asked["weights"] and abs(beyond) > len(given) * asked["within"]:
        return f"The weights sum to {'more' if beyond > 0 else 'less'} than 1."
    for name, x, right in zip(asked["names"], given, asked["right"], strict=True):
        if abs(x - right) > asked["within"]:
            return f"“{name}” is too {'small' if x < right else 'large'}."


def number(right, because=lambda answer: "", rtol=1e-2, slips=()):
    """A number that may be off by `rtol` of the right one.

    `because(answer)` says what it leads to, in Python alone. `slips` are numbers that are wrong in a way that is
    known, each with what to say of it.
    """
    within = lambda x: float(1e-9 + rtol * abs(x))  # noqa: E731

    def asked():
        with np.errstate(all="ignore"):
            wanted = float(right())
        known = [[float(x), within(x), sentence(says)] for x, says in slips]
        return {"kind": "number", "right": wanted, "within": within(wanted), "slips": known}

    return Judge(asked, lambda answer, asked: float(numbers(answer)), because)


def row(names, right, within=5e-3, *, weights=False, slips=()):
    """A row of numbers, one for each of the names, each off by `within` at most; or of `weights`.

    `slips` are rows that are wrong in a way that is known, each with what to say of it.
    """

    def asked():
        wanted = [float(x) for x in right()]
        known = [[[float(x) for x in slip], within, sentence(says)] for slip, says in slips]
        own = {"names": list(names), "weights": weights}
        return {"kind": "row", "right": wanted, "within": within, "slips": known, **own}

    return Judge(asked, lambda answer, asked: numbers(answer, (len(names),)).tolist())


def choice(options, right, because):
    """One of a few words, or numbers as words. `because(answer)` says why a wrong one is wrong."""

    def asked():
        wrong = {word: sentence(because(word)) for word in options if word != right()}
        return {"kind": "choice", "options": list(options), "right": right(), "wrong": wrong}

    def read(answer, asked):
        if isinstance(answer, (int, np.integer)) and not isinstance(answer, bool):
            answer = str(answer)
        if not isinstance(answer, str) or answer.strip().lower() not in options:
            raise Wrong(f"wanted is one of {', '.join(map(repr, options))}, and this is {show(answer)}")
        return answer.strip().lower()

    return Judge(asked, read)


def words(options, right, because):
    """Several of a few words, in any order. `because(word, belongs)` explains one that is wrongly in or out."""

    def asked():
        those = right()
        wrong = {word: sentence(because(word, word in those)) for word in options}
        return {"kind": "words", "options": list(options), "right": sorted(those), "wrong": wrong}

    def read(answer, asked):
        given = [answer] if isinstance(answer, str) else answer
        try:
            given = {str.lower(word).strip() for word in given}
        except TypeError:  # not a list, or not of words
            raise Wrong(f"wanted is a list of words, and this is {show(answer)}") from None
        strange = sorted(given - set(options))
        if strange:
            raise Wrong(f"{show(strange[0])} is not among {', '.join(map(repr, options))}")
        return given

    return Judge(asked, read)


def function(name, right, cases, *, seen=lambda result, *arguments: result, gives="gives", rtol=1e-6):
    """A function that must give what `right` gives for every one of `cases()`, tuples of arguments.

    `seen(result, *arguments)` is what is compared, by default the result itself, and `gives` the verb for it.
    """

    def judge(answer):
        if not callable(answer):
            raise Wrong(f"wanted is a function, {name}, and this is {show(answer)}")
        for trial, arguments in enumerate(cases()):
            call = f"{name}({', '.join(show(a) for a in arguments)})"
            with np.errstate(all="ignore"):
                wanted = np.asarray(seen(right(*arguments), *arguments), dtype=float)
                try:
                    got = answer(*(np.array(a) if isinstance(a, np.ndarray) else a for a in arguments))
                except Exception as error:
                    said = f"{type(error).__name__}: {error}"
                    raise Wrong(f"{call} stopped with {said}; {show(wanted)} is right") from None
                if trial == 0 and (got is None or got is ...):
                    raise Unanswered
                try:
                    got = np.asarray(seen(numbers(got, np.shape(right(*arguments))), *arguments), dtype=float)
                except Wrong as wrong:
                    raise Wrong(f"{call}: {wrong}; {show(wanted)} is right") from None
            if not close(got, wanted, rtol):
                raise Wrong(f"{call} {gives} {show(got)}; {show(wanted)} is right")

    return judge
