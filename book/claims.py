"""Checks: what the text claims is measured, and the measurement can fail.

A check is a measurement with a bound, and a counter-case that must break that bound: a check that could not fail
says nothing. What is measured is what a function returns, or the largest in size of all numbers that it yields.
The checks of a chapter stand in the module `checks` of its folder, where they are only written down.
A section of the chapter ends with `run_checks("kl-gibbs", "kl-solver")`: this measures them, and where one goes
the wrong way, the cell raises and the book does not build.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import isgenerator

import numpy as np

from book import claims_show as show
from book.mime import OURS

CLAIMS = {}  # id -> Claim, of all modules that have been imported


class ClaimFailed(AssertionError):  # noqa: N818 - it reads as what happened
    """A claim is false as measured, or its counter-case did not break it."""

    def __init__(self, id, says, value, bound, why):
        super().__init__(f"{id}: {says!r} {why}: measured {value!r}, {bound}")
        self.id, self.says, self.value, self.bound = id, says, value, bound


@dataclass(frozen=True)
class Bound:
    """The values a measurement may take: from `low` to `high`, both included. NaN is never among them."""

    kind: str
    low: float
    high: float

    @classmethod
    def of(cls, at_most, at_least, equal_to, within):
        """Either `at_most`, `at_least` or both, or `equal_to` with `within`."""
        if (equal_to is None) == (at_most is None and at_least is None):
            raise TypeError("a claim takes at_most=, at_least= or both, or equal_to=")
        if (equal_to is None) != (within is None):
            raise TypeError("equal_to= and within= come together")
        if equal_to is not None:
            return cls("equal", equal_to - within, equal_to + within)
        if at_least is None:
            return cls("at most", -math.inf, float(at_most))
        if at_most is None:
            return cls("at least", float(at_least), math.inf)
        return cls("between", float(at_least), float(at_most))

    def __contains__(self, value):
        return self.low <= value <= self.high

    def __str__(self):
        if self.kind in ("equal", "between"):
            return f"allowed {self.low:.6g} to {self.high:.6g}"
        return f"{self.kind} {self.high if self.kind == 'at most' else self.low:.6g}"


@dataclass
class Claim:
    """One check. Its `value` and `counter_value` are NaN until it has been run."""

    id: str
    source: tuple
    measure: Callable
    says: str
    measures: str
    bound: Bound
    counter_says: str
    counter: dict
    value: float = math.nan
    counter_value: float = math.nan

    def __call__(self, *args, **kwargs):
        """What is measured; of numbers or arrays that the function yields, the largest, whatever the sign."""
        found = self.measure(*args, **kwargs)
        return largest(abs(x).max() for x in map(np.asarray, found)) if isgenerator(found) else found

    def run(self):
        """Measure, then break it on purpose; raise unless the first holds and the second does not."""
        self.value = float(self())
        if self.value not in self.bound:
            raise ClaimFailed(self.id, self.says, self.value, self.bound, "does not hold")
        self.counter_value = float(self(**self.counter))
        if math.isnan(self.counter_value) or self.counter_value in self.bound:
            why = f"is not tested: its counter-case ({self.counter_says}) does not break it"
            raise ClaimFailed(self.id, self.says, self.counter_value, self.bound, why)
        return self


@dataclass(frozen=True)
class Checked:
    """Checks that have held: in a page one line, which opens."""

    claims: tuple

    def __repr__(self):
        return show.checks_text(self.claims)

    def _repr_html_(self):
        return show.checks_html(self.claims)

    def _repr_mimebundle_(self, include=None, exclude=None):
        told = [{"id": one.id, "says": one.says} for one in self.claims]
        return {OURS: {"checks": told}}


def claim(id, *source):
    """Turn a function that measures a number into a check. Nothing is measured yet.

    Parameters
    ----------
    id : str
        The name of the chapter's folder, a hyphen and a name: "kl-gibbs". The page has it as `#claim-kl-gibbs`.
    *source : str
        The claims of the source documents it bears on ("A5").

    Examples
    --------
    >>> @claim("two")
    ... @says("Two is small.")
    ... @measures("size of two", at_most=3)
    ... @fails("with four in two's place", x=4)
    ... def size(x=2):
    ...     return x
    >>> size.run().value, size.counter_value
    (2.0, 4.0)
    """

    def register(measure):
        CLAIMS[id] = Claim(id, source, measure, **vars(measure))
        return CLAIMS[id]

    return register


def _noting(**told):
    """A decorator that leaves with a function what `claim` needs to know of it."""

    def note(measure):
        vars(measure).update(told)
        return measure

    return note


def says(sentence):
    """What is claimed, in words, as one sentence."""
    return _noting(says=sentence)


def measures(what, *, at_most=None, at_least=None, equal_to=None, within=None):
    """What the measured number is, with its unit if it has one ("largest gap, in nats"), and its bound.

    The bound is `at_most`, `at_least` or both, or `equal_to` and `within`.
    """
    return _noting(measures=what, bound=Bound.of(at_most, at_least, equal_to, within))


def fails(when, /, **changed):
    """The counter-case: arguments with which the measurement must leave the bound, and what they do, in words."""
    return _noting(counter_says=when, counter=changed)


def chapter_of(id):
    """The chapter that a check belongs to: the first word of its id."""
    return id.partition("-")[0]


def find(id):
    """The check of this name, from the module `checks` of its chapter."""
    if id not in CLAIMS:
        import_module(f"book.{chapter_of(id)}.checks")
    if id not in CLAIMS:
        there = ", ".join(name for name in CLAIMS if chapter_of(name) == chapter_of(id))
        raise LookupError(f"there is no check {id!r}; there are {there}")
    return CLAIMS[id]


def run_checks(*ids):
    """Measure these checks, each with its counter-case; raise `ClaimFailed` at the first that does not hold."""
    return Checked(tuple(find(id).run() for id in ids))


def largest(values):
    """The largest of some numbers or arrays of one number; NaN if one of them is, which Python's `max` may lose.

    >>> max(0.0, math.nan), largest([0.0, math.nan])
    (0.0, nan)
    """
    return float(np.max([float(value) for value in values]))


def smallest(values):
    """The smallest of some numbers, NaN if one of them is."""
    return float(np.min([float(value) for value in values]))
