"""What an exercise is, and the ways to judge an answer.

Each way returns a function that is silent when the answer is right and raises `Wrong` when not.
What is right is computed when an answer is judged, never typed.
"""

import math
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
    """The answer fails, and this is where."""


class Unanswered(Exception):  # noqa: N818
    """The answer is still the placeholder."""


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


def number(right, because, rtol=1e-2):
    """A number that may be off by `rtol` of the right one. `because(answer)` says what it leads to."""

    def judge(answer):
        got = float(numbers(answer))
        with np.errstate(all="ignore"):
            wanted = float(right())
            if not (math.isfinite(got) and close(got, wanted, rtol)):
                raise Wrong(because(got))

    return judge


def choice(options, right, because):
    """One of a few words, or numbers as words. `because(answer)` says why a wrong one is wrong."""

    def judge(answer):
        if isinstance(answer, (int, np.integer)) and not isinstance(answer, bool):
            answer = str(answer)
        if not isinstance(answer, str) or answer.strip().lower() not in options:
            raise Wrong(f"wanted is one of {', '.join(map(repr, options))}, and this is {show(answer)}")
        if answer.strip().lower() != right():
            raise Wrong(because(answer.strip().lower()))

    return judge


def words(options, right, because):
    """Several of a few words, in any order. `because(word, belongs)` explains one that is wrongly in or out."""

    def judge(answer):
        given = [answer] if isinstance(answer, str) else answer
        try:
            given = {str.lower(word).strip() for word in given}
        except TypeError:  # not a list, or not of words
            raise Wrong(f"wanted is a list of words, and this is {show(answer)}") from None
        strange = sorted(given - set(options))
        if strange:
            raise Wrong(f"{show(strange[0])} is not among {', '.join(map(repr, options))}")
        for word in options:
            if (word in given) != (word in right()):
                raise Wrong(because(word, word in right()))

    return judge


def weights(n, because, *, atol=2.5e-3):
    """A row of weights. `because(answer)` is None if it is right, else says what is wrong with it."""

    def judge(answer):
        row = numbers(answer, (n,))
        if row.min() < 0 or abs(row.sum() - 1) > atol:
            raise Wrong(
                f"weights are never negative and sum to 1; the least of these is {show(row.min())}, "
                f"the sum {show(row.sum())}"
            )
        complaint = because(row)
        if complaint:
            raise Wrong(complaint)

    return judge


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
